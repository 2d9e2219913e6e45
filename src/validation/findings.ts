/**
 * What is wrong with a payload, in the shape in which the service says it: one finding an offending field, with a
 * stable code and a dotted path. Shared by the local check and the sandbox, so that both speak alike.
 */
import type * as z from 'zod';
import type { ErrorItem } from '../../schemas/error-bodies.js';
import { INVALID_PHONE_NUMBER, NO_PHONE_NUMBER } from '../../schemas/fields.js';
import { fieldNamesAt } from '../../schemas/known-field-names.js';
import { accepts, isPlainArray, isPlainObject } from './accepts.js';
import { closestName } from './known-names.js';
import { fieldOf, valueAt } from './objects.js';

/** One finding of the local check. Errors block; advice is suspicious, and blocks only when asked to. */
export interface Finding extends ErrorItem {
  /** An error blocks; advice does where `advice` is `reject`. */
  severity: 'error' | 'warning';
  /** Of an unknown field: the documented field of the same object whose name is closest, where one is close. */
  didYouMean?: string;
}

/** What the check of a schema finds. */
export type SchemaFinding = Omit<Finding, 'severity'>;

type Path = readonly PropertyKey[];
type Issue = z.core.$ZodIssue;

/** What the check of a payload keeps at most. */
export const MOST_FINDINGS = 10_000;

/** Looking for the name that was meant takes longer than all else. */
const MOST_HINTS = 100;

/** Findings up to a limit, and how many there are. */
export interface SchemaFindings {
  findings: SchemaFinding[];
  total: number;
}

/**
 * What a schema finds wrong with a payload, in the order of the schema; nothing where the payload is as the document says. At most
 * `most` findings are made, however many parts are wrong: zod alone makes an object for each, and a payload of some megabytes
 * can have millions. `isLeftOut` says which do not count; those beyond the limit all count.
 */
export function schemaFindings(
  schema: z.ZodType,
  payload: unknown,
  { most = MOST_FINDINGS, isLeftOut = () => false }: FindingLimits = {},
): SchemaFindings {
  const walk: Walk = { path: [], most, isLeftOut, findings: [], total: 0 };
  look(schema, payload, walk);
  return walk;
}

interface FindingLimits {
  most?: number;
  isLeftOut?: (finding: SchemaFinding) => boolean;
}

/** The first finding of a schema; nothing after it is looked at. */
export function firstFinding(schema: z.ZodType, payload: unknown): SchemaFinding | undefined {
  const walk: Walk = { path: [], most: 1, isLeftOut: () => false, findings: [], total: 0, isOverAtFirst: true };
  look(schema, payload, walk);
  return walk.findings[0];
}

interface Walk extends SchemaFindings {
  path: PropertyKey[];
  most: number;
  isLeftOut: (finding: SchemaFinding) => boolean;
  /** Not even counted is what comes after the first finding. */
  isOverAtFirst?: boolean;
}

/** Goes down to the smallest parts that the schema does not accept; zod says what is wrong with each. */
function look(given: z.core.$ZodType, value: unknown, walk: Walk): void {
  if (walk.isOverAtFirst === true && walk.total > 0) return;
  const schema = given as z.ZodType;
  if (accepts(schema, value)) return;
  const inner = inside(schema, value);
  if (inner !== undefined) {
    look(inner, value, walk);
    return;
  }
  const { def } = (given as z.core.$ZodTypes)._zod;
  const hasRules = (def.checks ?? []).length > 0;
  if (def.type === 'array' && !hasRules && isPlainArray(value)) {
    for (let index = 0; index < value.length; index++) enter(index, def.element, value[index], walk);
  } else if (def.type === 'record' && !hasRules && isPlainObject(value)) {
    for (const key in value) if (key !== '__proto__') enter(key, def.valueType, value[key], walk);
  } else if (def.type === 'object' && isPlainObject(value) && rulesOf(def).every(({ fn }) => fn !== undefined)) {
    lookAtFields(schema, def, value, walk);
  } else {
    tellOf(schema, value, walk);
  }
}

/** The schema that alone decides about the value, in place of one that holds it. */
function inside(schema: z.core.$ZodType, value: unknown): z.core.$ZodType | undefined {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  if (def.type === 'optional' || def.type === 'nullable') return def.innerType;
  const { discriminator } = def as Partial<z.core.$ZodDiscriminatedUnionDef>;
  if (def.type !== 'union' || discriminator === undefined || !isPlainObject(value)) return undefined;
  const [option, other] = def.options.filter(({ _zod }) =>
    _zod.propValues?.[discriminator]?.has(value[discriminator] as string),
  );
  return other === undefined ? option : undefined;
}

function lookAtFields(schema: z.ZodType, def: z.core.$ZodObjectDef, value: Fields, walk: Walk): void {
  for (const [key, field] of Object.entries(def.shape)) enter(key, field, value[key], walk);
  if ((def.catchall as z.core.$ZodTypes | undefined)?._zod.def.type === 'never') {
    for (const key in value) {
      if (Object.hasOwn(def.shape, key)) continue;
      walk.total++;
      if (walk.findings.length < walk.most) {
        const isHinted = walk.findings.length < MOST_HINTS;
        const meant = isHinted ? fieldMeant(key, fieldNamesAt(schema, []), value) : undefined;
        keep(unknownField(toAttr([...walk.path, key]), UNDOCUMENTED, meant), walk);
      }
    }
  }
  for (const { fn, error, params } of rulesOf(def)) {
    if (fn?.(value) === true) continue;
    walk.total++;
    const detail = typeof error === 'function' ? String(error({})) : '';
    keep({ detail, code: String(params?.['code'] ?? 'invalid'), attr: toAttr(walk.path) }, walk);
  }
}

type Fields = Record<string, unknown>;

/** A refinement of an object. */
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
  look(schema, value, walk);
  walk.path.pop();
}

function tellOf(schema: z.ZodType, value: unknown, walk: Walk): void {
  if (walk.findings.length >= walk.most) {
    walk.total++;
    return;
  }
  const result = schema.safeParse(value);
  if (result.success) return;
  for (const finding of findingsOf(result.error.issues, value, schema, walk.path)) {
    walk.total++;
    keep(finding, walk);
  }
}

/** It was counted before. */
function keep(finding: SchemaFinding, walk: Walk): void {
  if (walk.findings.length >= walk.most) return;
  if (walk.isLeftOut(finding)) walk.total--;
  else walk.findings.push(finding);
}

const UNDOCUMENTED = 'This field is not documented; only documented fields may be sent.';

/** Zod issues as findings. `payload` is what was parsed, `at` where it stands. Neither code nor detail quotes a value from it. */
function findingsOf(issues: readonly Issue[], payload: unknown, schema: z.ZodType, at: Path): SchemaFinding[] {
  return issues.flatMap((issue) => {
    if (issue.code === 'unrecognized_keys') {
      const holder = valueAt(payload, issue.path);
      const names = fieldNamesAt(schema, issue.path);
      return issue.keys.map((key) =>
        unknownField(toAttr([...at, ...issue.path, key]), UNDOCUMENTED, fieldMeant(key, names, holder)),
      );
    }
    return { ...describe(issue, valueAt(payload, issue.path)), attr: toAttr([...at, ...issue.path]) };
  });
}

/** No documented name is near one that is longer. */
const LONGEST_MISSPELT = 60;

/** Of the documented names the closest one; of several that are as close, one that the object does not have yet. */
export function fieldMeant(name: string, documented: readonly string[], holder: unknown): string | undefined {
  if (name.length > LONGEST_MISSPELT) return undefined;
  const isMissing = (candidate: string) => fieldOf(holder, candidate) === undefined;
  return closestName(name, [...documented.filter(isMissing), ...documented]);
}

/** `didYouMean`: a documented name. The name of the field itself may be personal data, and is in `attr` alone. */
export function unknownField(attr: string, detail: string, didYouMean: string | undefined): SchemaFinding {
  const code = 'unknown_field';
  if (didYouMean === undefined) return { detail, code, attr };
  return { detail: `${detail} Did you mean \`${didYouMean}\`?`, code, attr, didYouMean };
}

/** The service's form of a path: `customers.0.landline`. */
export function toAttr(path: Path): string {
  return path.map(String).join('.');
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
      return ofType(NAMES[issue.expected] ?? issue.expected, value);
    case 'invalid_value':
      return ofChoices(issue.values, value);
    case 'invalid_union': {
      const options = (issue as { options?: readonly unknown[] }).options ?? [];
      if (options.length === 0) return { detail: 'Not of any expected type.', code: 'invalid_type' };
      return ofChoices(options, value);
    }
    case 'invalid_format':
      return (issue.message === NO_PHONE_NUMBER ? PHONE : FORMATS[issue.format]) ?? NOT_IN_FORM;
    case 'too_small':
    case 'too_big':
      if (issue.origin === 'string') return { detail: 'Expected a string that is not empty.', code: 'required' };
      return { detail: 'Expected a whole number that JSON carries without loss.', code: 'invalid_type' };
    case 'custom':
      return { detail: issue.message, code: String(issue.params?.['code'] ?? 'invalid') };
    default:
      return { detail: issue.message, code: 'invalid' };
  }
}

function ofType(expected: string, value: unknown): Description {
  if (value === undefined) return { detail: `Required: expected ${expected}.`, code: 'required' };
  if (value === null) return { detail: `Expected ${expected}; leave the field out instead of null.`, code: 'null' };
  return { detail: `Expected ${expected}, found ${kindOf(value)}.`, code: 'invalid_type' };
}

function ofChoices(choices: readonly unknown[], value: unknown): Description {
  if (value === null) return { detail: 'Leave the field out instead of null.', code: 'null' };
  const expected = `one of ${choices.join(', ')}.`;
  if (value === undefined) return { detail: `Required: ${expected}`, code: 'required' };
  return { detail: `Expected ${expected}`, code: 'invalid_choice' };
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

function kindOf(value: unknown): string {
  if (Array.isArray(value)) return 'an array';
  if (typeof value === 'object' && value !== null && !isPlain(value)) return 'an object of a class';
  if (typeof value === 'number' && !Number.isFinite(value)) return String(value);
  if (typeof value === 'number' && !Number.isInteger(value)) return 'a number with decimals';
  return NAMES[typeof value] ?? `a ${typeof value}`;
}

function isPlain(value: object): boolean {
  const prototype = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}
