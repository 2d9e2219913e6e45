/**
 * Exports `Profile`, `defineProfile` and `profileFindings`: additional rules of one deployment. A profile is plain data, so
 * that it can be stored as JSON.
 */
import * as z from 'zod';
import { dateSchema, datetimeSchema, filledList, integerSchema, strict, text } from '../../schemas/fields.js';
import { addFieldNames, variantsInside, variantsOf } from '../../schemas/known-field-names.js';
import { INVALID_PHONE_NUMBER } from '../../schemas/phone-numbers.js';
import { type Finding, firstIssue } from './findings.js';
import { closestName, meantInWords, refuseUnknownOptions } from './known-names.js';
import { select } from './path-patterns.js';
import { type PayloadName, payloads } from './payload-schemas.js';

/** Code of identifiers that a program has rounded. */
export const SCIENTIFIC_NOTATION = 'scientific_notation';
/** Code of the warning about an undocumented value. */
export const VALUE_NEVER_SEEN = 'value_never_seen';

/** Types that a profile can require of a field. */
export type FieldKind = 'string' | 'number' | 'integer' | 'boolean' | 'date' | 'datetime' | 'object' | 'array';

/**
 * Additional rules of a deployment, by paths of the payload such as `customers.*.landline`. `*` matches every index or key,
 * and `*[type=CHARGE|CREDIT]` those whose field `type` has one of these values.
 */
export interface Profile {
  /** Path of the JSON Schema, for editors. */
  $schema?: string | undefined;
  /** Paths that must be present if their parent is. */
  required?: Partial<Record<PayloadName, readonly string[]>> | undefined;
  /** The only values that a field may have, even if others are documented. */
  values?:
    | Partial<Readonly<Record<PayloadName, Readonly<Record<string, readonly (string | number | boolean)[]>>>>>
    | undefined;
  /**
   * Types of fields: for undocumented fields that were agreed with the operator, and for texts that your deployment accepts
   * in another form (`'string'` accepts any telephone number).
   */
  fields?: Partial<Readonly<Record<PayloadName, Readonly<Record<string, FieldKind>>>>> | undefined;
  /** Maximum number of characters of a string, or of items of an array. */
  lengths?: Partial<Readonly<Record<PayloadName, Readonly<Record<string, number>>>>> | undefined;
}

const KINDS: Readonly<Record<FieldKind, z.ZodType>> = {
  string: text,
  number: z.number(),
  integer: integerSchema,
  boolean: z.boolean(),
  date: dateSchema,
  datetime: datetimeSchema,
  object: z.record(text, z.unknown()),
  array: z.array(z.unknown()),
};

// A part is a field, `*`, or `*[field=value|value]`; the values hold neither dots nor spaces.
const PATH = /^(?:\*(?:\[\w+=[^\]\s.]+\])?|[^*.[\]\s]+)(?:\.(?:\*(?:\[\w+=[^\]\s.]+\])?|[^*.[\]\s]+))*$/;

let schemaOnce: z.ZodType | undefined;

/** Created for the first profile, so that programs without one start faster. */
function profileSchema(): z.ZodType {
  if (schemaOnce !== undefined) return schemaOnce;
  const path = text.regex(PATH, { error: 'Expected a path such as customers.*.landline.' });
  const payloadName = z.enum(Object.keys(payloads) as [PayloadName, ...PayloadName[]]);
  const value = z.union([text, z.number(), z.boolean()], { error: 'Expected a text, a number, true or false.' });
  const kind = z.enum(Object.keys(KINDS) as [FieldKind, ...FieldKind[]]);
  const byPayload = <Rules extends z.ZodType>(rules: Rules) => z.partialRecord(payloadName, rules).optional();
  schemaOnce = strict({
    $schema: text.optional(),
    required: byPayload(z.array(path)),
    values: byPayload(z.record(path, filledList(value))),
    fields: byPayload(z.record(path, kind)),
    lengths: byPayload(z.record(path, z.int().min(0))),
  });
  return schemaOnce;
}

/** Returns the JSON Schema (draft 2020-12) of a profile. The build writes it into the package, for editors. */
export function profileJsonSchema(): Record<string, unknown> {
  return { ...z.toJSONSchema(profileSchema(), { io: 'input' }), $id: 'urn:data-import-sdk:profile' };
}

/** Returns a profile, which may come from a JSON file. Throws a `TypeError` with the path of the first error. */
export function defineProfile(profile: Profile): Profile {
  refuseUnknownOptions('profile', profile, Object.keys((profileSchema() as z.ZodObject).shape), { kind: 'rule' });
  const result = profileSchema().safeParse(profile);
  if (result.success) {
    const defined = result.data as Profile;
    for (const kind of ['required', 'values', 'lengths'] as const) {
      for (const [name, rules] of Object.entries(defined[kind] ?? {}) as [PayloadName, object][]) {
        const declared = Object.keys(defined.fields?.[name] ?? {});
        const paths: string[] = Array.isArray(rules) ? rules : Object.keys(rules);
        for (const path of paths) {
          const problem = misspeltPath(path, payloads[name], declared);
          if (problem !== undefined) throw new TypeError(`profile: ${kind}.${name}: ${problem}`);
        }
      }
    }
    addNamesOf(defined);
    return defined;
  }
  throw new TypeError(`profile: ${firstIssue(result.error)}`);
}

/**
 * Returns what is wrong with a path that no payload of the schema can have and that leads to none of the `declared` fields, such as a
 * misspelt one; undefined for any other path.
 */
export function misspeltPath(path: string, schema: z.ZodType, declared: readonly string[] = []): string | undefined {
  const parts = path.split('.').map(withoutFilter);
  // What is in a declared field, or leads to one, may have any name.
  const isSame = (part: string, index: number) => index >= parts.length || part === '*' || part === parts[index];
  if (declared.some((field) => field.split('.').map(withoutFilter).every(isSame))) return undefined;
  let places = variantsOf(schema);
  for (const part of path.split('.')) {
    const filter = FILTER.exec(part)?.[1];
    const holders = filter === undefined ? places : places.flatMap((place) => variantsInside(place, '*'));
    const name = filter ?? part;
    const inner = holders.flatMap((place) => variantsInside(place, name));
    if (inner.length === 0) {
      const known = holders.flatMap(({ _zod: { def } }) =>
        def.type === 'object' ? Object.keys(def.shape) : def.type === 'array' ? [`*.${name}`] : [],
      );
      const meant = meantInWords(closestName(name, known), known);
      return `${path}: no documented field ${name}${meant} Declare a field of your deployment in fields.`;
    }
    places = filter === undefined ? inner : holders;
  }
  return undefined;
}

/** `*[type=CHARGE|CREDIT]` */
const FILTER = /^\*\[(\w+)=/;

function withoutFilter(part: string): string {
  return part.startsWith('*') ? '*' : part;
}

const added = new WeakSet<Profile>();

/** Allows messages and reports to show the field names of this profile. */
export function addNamesOf(profile: Profile): void {
  if (added.has(profile)) return;
  added.add(profile);
  const { $schema: _, ...kinds } = profile;
  for (const rules of Object.values(kinds).flatMap((byPayload) => Object.values(byPayload ?? {}))) {
    addFieldNames(Array.isArray(rules) ? rules : Object.keys(rules ?? {}));
  }
}

/** Returns the errors of a profile, except at places that have an error already. */
export function profileFindings(
  name: PayloadName,
  payload: unknown,
  profile: Profile,
  known: readonly Pick<Finding, 'attr'>[],
): Finding[] {
  const required = (profile.required?.[name] ?? []).flatMap((pattern) =>
    select(payload, pattern)
      .filter(({ value }) => value === undefined)
      .map(({ attr }) => error('required', attr, 'Required by the profile.')),
  );
  const broken = <Rule>(
    rules: Readonly<Record<string, Rule>> = {},
    code: string,
    isKept: (value: unknown, rule: Rule) => boolean,
    detail: (rule: Rule) => string,
  ) =>
    Object.entries(rules).flatMap(([pattern, rule]) =>
      present(payload, pattern)
        .filter(({ value }) => !isKept(value, rule))
        .map(({ attr }) => error(code, attr, `The profile ${detail(rule)}.`)),
    );
  const { values, fields, lengths } = profile;
  const all = [
    ...required,
    ...broken(
      values?.[name],
      'invalid_choice',
      (value, allowed) => allowed.includes(value as string),
      (allowed) => `allows ${allowed.join(', ')}`,
    ),
    ...broken(
      fields?.[name],
      'invalid_type',
      (value, kind) => KINDS[kind].safeParse(value).success,
      (kind) => `expects: ${kind}`,
    ),
    ...broken(
      lengths?.[name],
      'max_length',
      (value, most) => lengthOf(value) <= most,
      (most) => `allows at most ${most}`,
    ),
  ];
  const attrs = new Set(known.map(({ attr }) => attr));
  return all.filter(({ attr }) => !attrs.has(attr));
}

/** Codes of errors about the form of a value, which a profile may override. */
const ABOUT_FORM: ReadonlySet<string> = new Set([
  'invalid_choice',
  'invalid_date',
  'invalid_datetime',
  INVALID_PHONE_NUMBER,
  SCIENTIFIC_NOTATION,
]);

/** Returns a function that returns whether a finding concerns a rule that the profile overrides. */
export function decidedBy(
  profile: Profile,
  name: PayloadName,
  payload: unknown,
): (finding: Pick<Finding, 'code' | 'attr'>) => boolean {
  const fields = attrsOf(payload, profile.fields?.[name]);
  const values = attrsOf(payload, profile.values?.[name]);
  return ({ code, attr }) =>
    fields.has(attr)
      ? code === 'unknown_field' || ABOUT_FORM.has(code)
      : values.has(attr) && (code === 'invalid_choice' || code === VALUE_NEVER_SEEN);
}

function attrsOf(payload: unknown, rules: Record<string, unknown> = {}): Set<string> {
  return new Set(Object.keys(rules).flatMap((pattern) => present(payload, pattern).map(({ attr }) => attr)));
}

function present(payload: unknown, pattern: string) {
  return select(payload, pattern).filter(({ value }) => value !== undefined);
}

function lengthOf(value: unknown): number {
  // Code points, not UTF-16 units.
  if (typeof value === 'string') return [...value].length;
  return Array.isArray(value) ? value.length : 0;
}

function error(code: string, attr: string, detail: string): Finding {
  return { detail, code, attr, severity: 'error' };
}
