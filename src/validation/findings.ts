/**
 * Exports `schemaFindings` and `Finding`: the errors of a payload by its schema, one per invalid field, each with a stable
 * code and a dotted path, as in the service's answers. The local check and the sandbox share it.
 */
import type * as z from 'zod';
import type { ErrorItem } from '../../schemas/error-bodies.js';
import { kindThatIsNoData } from '../../schemas/fields.js';
import { fieldOf, isObject, isObjectOrArray, valueAt } from '../../schemas/objects.js';
import { INVALID_PHONE_NUMBER, NO_PHONE_NUMBER } from '../../schemas/phone-numbers.js';
import { accepts, isPlainArray, isPlainObject } from './accepts.js';
import { closestName } from './known-names.js';

/** One finding of the local check: an error, or a warning about a value that is probably wrong. */
export interface Finding extends ErrorItem {
  /** An error blocks sending; a warning only with the client option `advanced.warnings: 'reject'`. */
  severity: 'error' | 'warning';
  /** For an unknown field: the most similar documented field of the same object, if there is one. */
  didYouMean?: string;
}

/** A finding of a schema; always an error. */
export type SchemaFinding = Omit<Finding, 'severity'>;

type Path = readonly PropertyKey[];
type Issue = z.core.$ZodIssue;

/** Maximum number of findings of one payload. */
export const MOST_FINDINGS = 10_000;

/** Similar names are searched only for the first unknown fields: the search is slow. */
const MOST_HINTS = 100;

/** Findings up to a limit, and their number without it. */
export interface SchemaFindings {
  findings: SchemaFinding[];
  total: number;
}

interface FindingLimits {
  most?: number;
  isIgnored?: (finding: SchemaFinding) => boolean;
  /** Stop at the first finding. */
  stopsAtFirst?: boolean;
}

interface Walk extends SchemaFindings, Required<FindingLimits> {
  path: PropertyKey[];
}

/**
 * Returns the findings of a schema in the order of its fields; empty if the payload is valid. Creates at most `most`
 * findings: a payload of some megabytes can have millions of errors, and zod creates an object for each. Findings for which
 * `isIgnored` returns true do not count; those beyond the limit all count.
 */
export function schemaFindings(
  schema: z.ZodType,
  payload: unknown,
  { most = MOST_FINDINGS, isIgnored = () => false, stopsAtFirst = false }: FindingLimits = {},
): SchemaFindings {
  const walk: Walk = { path: [], most, isIgnored, stopsAtFirst, findings: [], total: 0 };
  collectFindings(schema, payload, walk);
  return walk;
}

/** Returns the first finding of a schema, without checking further; undefined if the payload is valid. */
export function firstFinding(schema: z.ZodType, payload: unknown): SchemaFinding | undefined {
  return schemaFindings(schema, payload, { stopsAtFirst: true }).findings[0];
}

/** Descends to the smallest parts that the schema rejects, and adds the issues that zod finds in each. */
function collectFindings(given: z.core.$ZodType, value: unknown, walk: Walk): void {
  if (walk.stopsAtFirst && walk.total > 0) return;
  const schema = given as z.ZodType;
  if (accepts(schema, value)) return;
  const inner = inside(schema, value);
  if (inner !== undefined) {
    collectFindings(inner, value, walk);
    return;
  }
  const { def } = (given as z.core.$ZodTypes)._zod;
  const hasRules = (def.checks ?? []).length > 0;
  if (def.type === 'array' && !hasRules && isPlainArray(value)) {
    for (let index = 0; index < value.length; index++) enter(index, def.element, value[index], walk);
  } else if (def.type === 'record' && !hasRules && isPlainObject(value)) {
    for (const key in value) enter(key, def.valueType, value[key], walk);
  } else if (def.type === 'object' && isObject(value) && rulesOf(def).every(({ fn }) => fn !== undefined)) {
    collectFieldFindings(def, value, walk);
  } else {
    addZodFindings(schema, value, walk);
  }
}

/** Returns the inner schema that decides about the value: of a wrapper, or of a discriminated union. */
function inside(schema: z.core.$ZodType, value: unknown): z.core.$ZodType | undefined {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  if (def.type === 'optional' || def.type === 'nullable') return def.innerType;
  const { discriminator } = def as Partial<z.core.$ZodDiscriminatedUnionDef>;
  if (def.type !== 'union' || discriminator === undefined || !isObject(value)) return undefined;
  const [option, other] = def.options.filter(({ _zod }) =>
    _zod.propValues?.[discriminator]?.has(value[discriminator] as string),
  );
  return other === undefined ? option : undefined;
}

function collectFieldFindings(def: z.core.$ZodObjectDef, value: Fields, walk: Walk): void {
  for (const [key, field] of Object.entries(def.shape)) enter(key, field, value[key], walk);
  if ((def.catchall as z.core.$ZodTypes | undefined)?._zod.def.type === 'never') {
    for (const key in value) {
      if (Object.hasOwn(def.shape, key) || fieldOf(value, key) === undefined) continue;
      addFinding(() => {
        const meant = walk.findings.length < MOST_HINTS ? similarField(key, Object.keys(def.shape), value) : undefined;
        return unknownField(toAttr([...walk.path, key]), UNDOCUMENTED, meant);
      }, walk);
    }
  }
  for (const { fn, error, params } of rulesOf(def)) {
    if (fn?.(value) === true) continue;
    const detail = typeof error === 'function' ? String(error({})) : '';
    addFinding(() => ({ detail, code: String(params?.['code'] ?? 'invalid'), attr: toAttr(walk.path) }), walk);
  }
}

type Fields = Record<string, unknown>;

/** A refinement of an object schema. */
interface RuleOfObject {
  fn?: (value: unknown) => unknown;
  error?: unknown;
  params?: Record<string, unknown>;
}

function rulesOf({ checks = [] }: z.core.$ZodObjectDef): RuleOfObject[] {
  return checks.map((check) => check._zod.def as RuleOfObject);
}

function enter(key: PropertyKey, schema: z.core.$ZodType, value: unknown, walk: Walk): void {
  walk.path.push(key);
  collectFindings(schema, value, walk);
  walk.path.pop();
}

function addZodFindings(schema: z.ZodType, value: unknown, walk: Walk): void {
  if (walk.findings.length >= walk.most) {
    walk.total++;
    return;
  }
  for (const issue of schema.safeParse(value).error?.issues ?? []) {
    const attr = toAttr([...walk.path, ...issue.path]);
    addFinding(() => ({ ...describe(issue, valueAt(value, issue.path)), attr }), walk);
  }
}

/** Counts the finding, and creates it if it is one of the first. Its code and detail never quote a value. */
function addFinding(create: () => SchemaFinding, walk: Walk): void {
  const finding = walk.findings.length < walk.most ? create() : undefined;
  if (finding !== undefined && walk.isIgnored(finding)) return;
  walk.total++;
  if (finding !== undefined) walk.findings.push(finding);
}

const UNDOCUMENTED = 'This field is not documented; only documented fields may be sent.';

/** Longer names are not similar to any documented name. */
const MAX_NAME_LENGTH = 60;

/** Returns the most similar documented name; undefined if none is similar. Prefers names that the object does not have yet. */
export function similarField(name: string, documented: readonly string[], holder: unknown): string | undefined {
  if (name.length > MAX_NAME_LENGTH) return undefined;
  const isMissing = (candidate: string) => fieldOf(holder, candidate) === undefined;
  return closestName(name, [...documented.filter(isMissing), ...documented]);
}

/** Returns the finding for an unknown field. Its name may be personal data, so only `attr` contains it. */
export function unknownField(attr: string, detail: string, didYouMean: string | undefined): SchemaFinding {
  const code = 'unknown_field';
  if (didYouMean === undefined) return { detail, code, attr };
  return { detail: `${detail} Did you mean \`${didYouMean}\`?`, code, attr, didYouMean };
}

/** Returns a path in the service's form: `customers.0.landline`. */
export function toAttr(path: Path): string {
  return path.map(String).join('.');
}

/** Returns the first error of a schema with its place: `match.account: expected string`. `expected`: messages by place. */
export function firstIssue({ issues: [first] }: z.ZodError, expected: Readonly<Record<string, string>> = {}): string {
  const extra = first?.code === 'unrecognized_keys' ? first.keys.slice(0, 1) : [];
  const attr = toAttr([...(first?.path ?? []), ...extra]);
  return `${attr === '' ? '' : `${attr}: `}${expected[attr] ?? first?.message}`;
}

interface Description {
  detail: string;
  code: string;
}

const FORMATS: Readonly<Record<string, Description>> = {
  date: { detail: 'Expected a calendar date, YYYY-MM-DD.', code: 'invalid_date' },
  datetime: {
    detail: 'Expected a datetime, YYYY-MM-DDTHH:MM:SS and then Z or an offset such as +02:00.',
    code: 'invalid_datetime',
  },
};
const PHONE: Description = { detail: NO_PHONE_NUMBER, code: INVALID_PHONE_NUMBER };
const NOT_IN_FORM: Description = { detail: 'Not in the expected form.', code: 'invalid' };

function describe(issue: Issue, value: unknown): Description {
  switch (issue.code) {
    case 'invalid_type':
      return describeType(NAMES[issue.expected] ?? issue.expected, value);
    case 'invalid_value':
      return describeChoices(issue.values, value);
    case 'invalid_union': {
      const options = (issue as { options?: readonly unknown[] }).options ?? [];
      if (options.length === 0) return { detail: issue.message, code: 'invalid_type' };
      return describeChoices(options, value);
    }
    case 'invalid_format':
      return (issue.message === NO_PHONE_NUMBER ? PHONE : FORMATS[issue.format]) ?? NOT_IN_FORM;
    case 'too_small':
    case 'too_big':
      return { detail: 'Expected a whole number that JSON represents exactly.', code: 'invalid_type' };
    default: {
      const { params } = issue as { params?: Record<string, unknown> };
      return { detail: issue.message, code: String(params?.['code'] ?? 'invalid') };
    }
  }
}

function describeType(expected: string, value: unknown): Description {
  if (value === undefined) return { detail: `Required: expected ${expected}.`, code: 'required' };
  if (value === null) return { detail: `Expected ${expected}, not null; leave an optional field out.`, code: 'null' };
  return { detail: `Expected ${expected}, found ${describeKind(value)}.`, code: 'invalid_type' };
}

function describeChoices(choices: readonly unknown[], value: unknown): Description {
  const expected = `one of ${choices.join(', ')}`;
  return value === undefined || value === null
    ? describeType(expected, value)
    : { detail: `Expected ${expected}.`, code: 'invalid_choice' };
}

const NAMES: Readonly<Record<string, string>> = {
  array: 'an array',
  boolean: 'a boolean',
  int: 'a whole number',
  number: 'a number',
  object: 'an object',
  record: 'an object',
  string: 'a string',
};

function describeKind(value: unknown): string {
  if (Array.isArray(value)) return 'an array';
  if (isObjectOrArray(value)) return kindThatIsNoData(value) ?? 'an object';
  if (typeof value === 'number' && !Number.isFinite(value)) return String(value);
  if (typeof value === 'number' && !Number.isInteger(value)) return 'a number with decimals';
  return NAMES[typeof value] ?? `a ${typeof value}`;
}
