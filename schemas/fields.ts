/** Schemas of single values and objects (text, dates, integers, telephone numbers, JSON values), as the conventions of the API
 * specification define them. Every payload and answer schema is built from these. */
import * as z from 'zod';

/**
 * A value of an open enumeration ("value X", "seen: X" in the API specification): editors complete the known values, and
 * any other string is accepted.
 */
// Not `string & {}`: NonNullable<> would collapse that to string, and autocompletion with it.
export type OpenEnum<Known extends string> = Known | (string & Record<never, never>);

/** A JSON object: strings, finite numbers, booleans, null, arrays and objects of these. */
export type JsonObject = { [key: string]: JsonValue | undefined };
/** Any JSON value. */
export type JsonValue = string | number | boolean | null | readonly JsonValue[] | JsonObject;

/** A key with a value, as in `details`. Both are required. */
export interface KeyValue {
  /** Name of the entry. */
  key: string;
  /** Its value, a string. */
  value: string;
}

/** Object schema for requests: rejects undocumented fields. */
export const strict = z.strictObject;
/** Object schema for answers: keeps undocumented fields. */
export const loose = z.looseObject;

export const text = z.string();

// Not Zod's `min`: it reads `length` of a value of any type, and throws if that is not a primitive value.
/** A string with at least one character. */
export const filledText = text
  .refine((value) => value !== '', { error: 'Expected a string that is not empty.', params: { code: 'required' } })
  .meta({ minLength: 1 });

/** A list with at least one entry. */
export function filledList<Item extends z.ZodType>(item: Item) {
  return z
    .array(item)
    .refine(({ length }) => length > 0, { error: 'Expected at least one entry.' })
    .meta({ minItems: 1 });
}

export const keyValueSchema: z.ZodType<KeyValue> = strict({ key: text, value: text });

/** An object whose values are all strings. */
export const keyedStrings: z.ZodType<Record<string, string>> = z.record(text, text);

/** A calendar date, YYYY-MM-DD (spec: Conventions). */
export const dateSchema: z.ZodType<string> = z.iso.date();

/** A datetime, YYYY-MM-DDTHH:MM:SS and then Z or an offset such as +02:00 (spec: Conventions). */
export const datetimeSchema: z.ZodType<string> = z.iso.datetime({ offset: true });

/** A whole number that JSON represents without loss. */
export const integerSchema: z.ZodType<number> = z.int();

// Optional fields. All fields of a kind share one schema, which keeps the bundle small and the start fast.
export const optionalText = text.optional();
export const optionalNumber = z.number().optional();
export const optionalInteger = integerSchema.optional();
export const optionalBoolean = z.boolean().optional();
export const optionalDate = dateSchema.optional();
export const optionalDatetime = datetimeSchema.optional();
export const nullishText = text.nullish();

export function optionalList<Item extends z.ZodType>(item: Item) {
  return z.array(item).optional();
}

/** Documented error code for an invalid telephone number. */
export const INVALID_PHONE_NUMBER = 'invalid_phone_number';
/** Message for an invalid telephone number. */
export const NO_PHONE_NUMBER = 'Expected a telephone number, best in international form such as +33612345678.';

// Checks the form, not the number range, so that ranges assigned in future pass. Allowed between digits: spaces, brackets,
// points, slashes, hyphens and dashes. Allowed at the end: an extension.
const INTERNATIONAL_PHONE =
  /^\s*(?:[+＋]|00)[\s().\-/‐-―]*[1-9](?:[\s().\-/‐-―]*\d){6,14}[\s().\-/‐-―]*(?:(?:ext\.?|x|#)\s*\d{1,7}\s*)?$/i;
const LANDLINE =
  /^(?:\s*(?:[+＋][\s().\-/‐-―]*|\()?\d(?:[\s().\-/‐-―]*\d){3,14}[\s().\-/‐-―]*(?:(?:ext\.?|x|#)\s*\d{1,7}\s*)?)?$/i;

/** `mobile`: international form, such as +33612345678 (spec: Customer). */
export const mobileSchema: z.ZodType<string> = text.regex(INTERNATIONAL_PHONE, { error: NO_PHONE_NUMBER });

/** `landline`: may be empty; a telephone number when given (spec: Customer). */
export const landlineSchema: z.ZodType<string> = text.regex(LANDLINE, { error: NO_PHONE_NUMBER });

/** Returns a schema that accepts any string; the known values appear in the type and in the JSON Schema. */
export function openEnum<const Known extends string>(known: readonly Known[]): z.ZodType<OpenEnum<Known>> {
  return text.meta({ examples: [...known] });
}

/** Any JSON value. A value that JSON cannot represent (NaN, a Date, undefined in an array) is an error at its own path. */
export const jsonValueSchema: z.ZodType<JsonValue> = z.unknown().superRefine((value, context) => {
  for (const path of pathsThatAreNotJson(value)) {
    context.addIssue({ code: 'custom', path, params: { code: INVALID_JSON_VALUE }, message: NOT_JSON });
  }
}) as unknown as z.ZodType<JsonValue>;

/** Any JSON object. */
export const jsonObjectSchema: z.ZodType<JsonObject> = z.record(text, jsonValueSchema.optional());

/** Error code of a value that JSON cannot represent. */
export const INVALID_JSON_VALUE = 'invalid_json_value';
export const NOT_JSON = 'JSON cannot represent this value.';

/** Deepest nesting. No payload of the service is deeper, and the call stack allows not much more. */
const DEEPEST = 500;

/** Returns the paths at which `JSON.stringify` would change, drop or refuse a value. Ignores properties that are undefined. */
export function pathsThatAreNotJson(value: unknown): (string | number)[][] {
  const found: (string | number)[][] = [];
  visit(value, [], new Set(), found);
  return found;
}

function visit(value: unknown, path: (string | number)[], ancestors: Set<object>, found: (string | number)[][]): void {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return;
  if (typeof value === 'number' && Number.isFinite(value)) return;
  if (typeof value !== 'object' || ancestors.has(value) || ancestors.size > DEEPEST || !isPlain(value)) {
    found.push([...path]);
    return;
  }
  ancestors.add(value);
  const inArray = Array.isArray(value);
  for (const [key, child] of inArray ? value.entries() : Object.entries(value)) {
    if (child === undefined && !inArray) continue;
    path.push(key);
    visit(child, path, ancestors, found);
    path.pop();
  }
  ancestors.delete(value);
}

/** Neither a class instance nor an object with `toJSON`. */
function isPlain(value: object): boolean {
  const prototype = Object.getPrototypeOf(value);
  const plain = Array.isArray(value) || prototype === null || Object.getPrototypeOf(prototype) === null;
  return plain && typeof (value as { toJSON?: unknown }).toJSON !== 'function';
}
