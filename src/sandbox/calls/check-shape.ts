/** Exports `checkShape`: checks payload and query of a request by the schemas and the settings (C3; U6, U7, U9). */
import type * as z from 'zod';
import type { ErrorItem } from '../../../schemas/error-bodies.js';
import type { OperationName } from '../../../schemas/operations.js';
import { type Operation, operations } from '../../../schemas/operations.js';
import { schemaFindings, toAttr } from '../../validation/findings.js';
import { select } from '../../validation/path-patterns.js';
import { type PayloadName, payloadOf } from '../../validation/payload-schemas.js';
import { decidedBy, type Profile, profileFindings } from '../../validation/profile.js';
import { valueFinder } from '../../validation/warnings/find-values.js';
import { VALUE_RULES, type ValueRule } from '../../validation/warnings/rules.js';
import type { SandboxSettings } from '../settings/settings.js';

type Payload = Record<string, unknown>;

export interface Shape {
  /** The payload to store and to answer with. */
  payload: Payload;
  query: Readonly<Record<string, boolean | undefined>>;
  /** All errors; empty if the request is valid. */
  errors: readonly ErrorItem[];
  /** Attrs of undocumented values. */
  unlisted: readonly string[];
}

/** Returns the payload and all errors. `watched` has the settings of `given`, and is read only if a setting decides the answer. */
export function checkShape(
  name: OperationName,
  payload: Payload,
  url: string,
  given: SandboxSettings,
  watched: SandboxSettings,
): Shape {
  const operation = operations[name];
  const { flags: query, errors } = readFlags(operation, url);
  const payloadName = payloadOf(operation);
  if (operation.request === undefined || payloadName === undefined) return { payload, query, errors, unlisted: [] };

  const { profile } = given;
  const fields = checkFields(operation.request, payloadName, payload, profile, watched);
  // What the schema does not report (U9).
  const demanded = profile === null ? [] : profileFindings(payloadName, payload, profile, fields.errors);
  // Marks the setting as read, because it decides the answer.
  if (demanded.length > 0) void watched.profile;
  const unlisted = unlistedIn(payloadName, payload, profile);
  const refused = unlisted.length > 0 && watched.unlistedValues === 'refuse' ? unlisted : [];
  return {
    payload: fields.payload,
    query,
    errors: [...errors, ...fields.errors, ...demanded.map(toErrorItem), ...refused],
    unlisted: unlisted.map(({ attr }) => attr),
  };
}

/** Checks the payload by its schema, and handles undocumented fields as the setting says (U6). */
function checkFields(
  schema: z.ZodType,
  name: PayloadName,
  payload: Payload,
  profile: Profile | null,
  watched: SandboxSettings,
): Pick<Shape, 'payload' | 'errors'> {
  const found = schemaFindings(schema, payload).findings.map(toErrorItem);
  const isDecided = profile === null ? () => false : decidedBy(profile, name, payload);
  const errors = found.filter((error) => !isDecided(error));
  // Marks the setting as read: without the profile these errors would be reported (U9).
  if (errors.length < found.length) void watched.profile;
  const isUnknown = ({ code }: ErrorItem) => code === 'unknown_field';
  if (!errors.some(isUnknown) || watched.unknownFields === 'refuse') return { payload, errors };
  return {
    payload: watched.unknownFields === 'keep' ? payload : withoutUnknown(schema, payload, errors.filter(isUnknown)),
    errors: errors.filter((error) => !isUnknown(error)),
  };
}

/** Returns a copy without these undocumented fields. */
function withoutUnknown(schema: z.ZodType, payload: Payload, unknown: readonly ErrorItem[]): Payload {
  const attrs = new Set(unknown.map(({ attr }) => attr));
  const copy = structuredClone(payload);
  for (const issue of schema.safeParse(payload).error?.issues ?? []) {
    if (issue.code !== 'unrecognized_keys') continue;
    const holder = issue.path.reduce<unknown>((value, key) => (value as Record<PropertyKey, unknown>)[key], copy);
    for (const key of issue.keys) {
      if (attrs.has(toAttr([...issue.path, key]))) delete (holder as Payload)[key];
    }
  }
  return copy;
}

/** Rules for undocumented values in fields for which some values are documented (U7). */
const UNLISTED = VALUE_RULES.flatMap(({ at, listed }): ValueRule | [] =>
  listed === undefined
    ? []
    : {
        ...{ at, code: 'invalid_choice', detail: `Expected one of ${listed.join(', ')}.` },
        text: (value) => !listed.includes(value),
        // For an object with free names, such as consent_data, `listed` has the documented names.
        fields: (object) => Object.keys(object).filter((name) => !listed.includes(name)),
      },
);

const findUnlisted = valueFinder(UNLISTED);

/** Returns an error for each undocumented value, except in fields for which the profile lists the values. */
function unlistedIn(name: PayloadName, payload: Payload, profile: Profile | null): ErrorItem[] {
  const unlisted = findUnlisted(name, payload).map(toErrorItem);
  const patterns = Object.keys(profile?.values?.[name] ?? {});
  if (unlisted.length === 0 || patterns.length === 0) return unlisted;
  const decided = new Set(patterns.flatMap((pattern) => select(payload, pattern).map(({ attr }) => attr)));
  return unlisted.filter(({ attr }) => !decided.has(attr));
}

/** Without what only the local check says. */
function toErrorItem({ detail, code, attr }: ErrorItem): ErrorItem {
  return { detail, code, attr };
}

/** Reads the flags of a query string: `true` or `false` in any case (E8). Returns an error for any other value. */
function readFlags(operation: Operation, url: string) {
  const flags: Record<string, boolean | undefined> = {};
  const errors: ErrorItem[] = [];
  if (operation.query === undefined) return { flags, errors };
  const search = new URL(url).searchParams;
  for (const name of Object.keys(operation.query.shape)) {
    const values = new Set(search.getAll(name).map((value) => value.toLowerCase()));
    const [value] = values;
    if (value === undefined) continue;
    if (values.size === 1 && (value === 'true' || value === 'false')) flags[name] = value === 'true';
    else errors.push({ detail: 'Expected true or false, once.', code: 'invalid_boolean', attr: name });
  }
  return { flags, errors };
}
