/**
 * A profile: what one deployment of the service is known to demand beyond the document. Data, not code, so that it can
 * live in a JSON file; checked when it is defined.
 */
import * as z from 'zod';
import {
  dateSchema,
  datetimeSchema,
  filledList,
  INVALID_PHONE_NUMBER,
  integerSchema,
  strict,
  text,
} from '../../schemas/fields.js';
import { addFieldNames } from '../../schemas/known-field-names.js';
import { type Finding, toAttr } from './findings.js';
import { select } from './path-patterns.js';
import { type PayloadName, payloads } from './payload-schemas.js';

/** Advice on a value that the document does not show. */
export const VALUE_NEVER_SEEN = 'value_never_seen';

/** What a field may be told to hold. */
export type FieldKind = 'string' | 'number' | 'integer' | 'boolean' | 'date' | 'datetime' | 'object' | 'array';

/**
 * Paths are those of the payload, such as `customers.*.landline`; `*` stands for every index or key, and
 * `*[type=CHARGE|CREDIT]` for those whose field `type` has one of these values.
 */
export interface Profile {
  /** Paths that must be present wherever their parent is. */
  required?: Partial<Record<PayloadName, string[]>> | undefined;
  /** The only values that a field may have, also where the document lists others. */
  values?: Partial<Record<PayloadName, Record<string, (string | number | boolean)[]>>> | undefined;
  /**
   * What a field holds: of fields that were agreed with the operator and are not in the document, and of texts that your
   * deployment takes in another form (`'string'` for a telephone number: in any).
   */
  fields?: Partial<Record<PayloadName, Record<string, FieldKind>>> | undefined;
  /** The most characters that a string may have, or items that an array may have. */
  lengths?: Partial<Record<PayloadName, Record<string, number>>> | undefined;
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

/** Made for the first profile: most programs have none, and every one would wait for it at its start. */
function profileSchema(): z.ZodType {
  if (schemaOnce !== undefined) return schemaOnce;
  const path = text.regex(PATH, { error: 'Expected a path such as customers.*.landline.' });
  const payloadName = z.enum(Object.keys(payloads) as [PayloadName, ...PayloadName[]]);
  const kind = z.enum(Object.keys(KINDS) as [FieldKind, ...FieldKind[]]);
  const byPayload = <Rules extends z.ZodType>(rules: Rules) => z.partialRecord(payloadName, rules).optional();
  schemaOnce = strict({
    required: byPayload(z.array(path)),
    values: byPayload(z.record(path, filledList(z.union([text, z.number(), z.boolean()])))),
    fields: byPayload(z.record(path, kind)),
    lengths: byPayload(z.record(path, z.int().min(0))),
  });
  return schemaOnce;
}

/** Checks a profile, which may come from a JSON file. Throws a `TypeError` that names the path that is wrong. */
export function defineProfile(profile: Profile): Profile {
  const result = profileSchema().safeParse(profile);
  if (result.success) {
    const defined = result.data as Profile;
    addNamesOf(defined);
    return defined;
  }
  const [first] = result.error.issues;
  const extra = first?.code === 'unrecognized_keys' ? [first.keys[0] ?? ''] : [];
  const attr = toAttr([...(first?.path ?? []), ...extra]);
  throw new TypeError(`profile: ${attr === '' ? '' : `${attr}: `}${first?.message}`);
}

const added = new WeakSet<Profile>();

/** From now on messages and reports may show the names of the fields of this profile. */
export function addNamesOf(profile: Profile): void {
  if (added.has(profile)) return;
  added.add(profile);
  for (const rules of Object.values(profile).flatMap((byPayload) => Object.values(byPayload ?? {}))) {
    addFieldNames(Array.isArray(rules) ? rules : Object.keys(rules ?? {}));
  }
}

/** Findings of a profile, but for places at which something is wrong already. */
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
  const values = Object.entries(profile.values?.[name] ?? {}).flatMap(([pattern, allowed]) =>
    present(payload, pattern)
      .filter(({ value }) => !allowed.includes(value as string))
      .map(({ attr }) => error('invalid_choice', attr, `The profile allows ${allowed.join(', ')}.`)),
  );
  const fields = Object.entries(profile.fields?.[name] ?? {}).flatMap(([pattern, kind]) =>
    present(payload, pattern)
      .filter(({ value }) => !KINDS[kind].safeParse(value).success)
      .map(({ attr }) => error('invalid_type', attr, `The profile expects: ${kind}.`)),
  );
  const lengths = Object.entries(profile.lengths?.[name] ?? {}).flatMap(([pattern, most]) =>
    present(payload, pattern)
      .filter(({ value }) => lengthOf(value) > most)
      .map(({ attr }) => error('max_length', attr, `The profile allows at most ${most}.`)),
  );
  const attrs = new Set(known.map(({ attr }) => attr));
  return [...required, ...values, ...fields, ...lengths].filter(({ attr }) => !attrs.has(attr));
}

/** Errors about the form of what a field holds, of which a profile may say something else than the document. */
const ABOUT_FORM: ReadonlySet<string> = new Set([
  'invalid_choice',
  'invalid_date',
  'invalid_datetime',
  INVALID_PHONE_NUMBER,
]);

/** Tells findings about what the profile decides, and no longer the document. */
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
  // Characters as people count them, not UTF-16 units.
  if (typeof value === 'string') return [...value].length;
  return Array.isArray(value) ? value.length : 0;
}

function error(code: string, attr: string, detail: string): Finding {
  return { detail, code, attr, severity: 'error' };
}
