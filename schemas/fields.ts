/** Schemas of single values and objects (text, dates, integers, JSON values), as the conventions of the API
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

/**
 * The Zod schema of one field. An optional field has an optional schema, so that `z.output` and `z.input` are the type of the field.
 */
export type FieldSchema<Value> = undefined extends Value
  ? z.ZodOptional<z.ZodType<Exclude<Value, undefined>, Exclude<Value, undefined>>>
  : z.ZodType<Value, Value>;

/** A schema for every field of a type. */
export type FieldSchemas<Fields> = { [Name in keyof Fields]-?: FieldSchema<Fields[Name]> };

/**
 * The Zod schema of a payload, with `.shape`, `.extend`, `.pick` and the other methods of an object schema. A schema that lacks a field of
 * the type, or has another one, does not compile. Strict: rejects undocumented fields.
 */
export type SchemaOf<Payload> = z.ZodObject<FieldSchemas<Payload>, z.core.$strict>;

/** The Zod schema of an answer: as `SchemaOf`, and keeps undocumented fields. */
export type AnswerSchemaOf<Answer> = z.ZodObject<FieldSchemas<Answer>, UndocumentedFields>;

/** An answer may have undocumented fields: `parse` keeps them, and `undocumented(answer)` returns them. */
export interface UndocumentedFields {
  /** Not in the type, so that a misspelt field does not compile. */
  out: Record<never, unknown>;
  /** Any. */
  in: Record<string, unknown>;
}

/** Returns the schema of an object in a request: it rejects undocumented fields. A field too many or too few does not compile. */
export function strict<Payload>(fields: FieldSchemas<Payload>): SchemaOf<Payload> {
  return z.strictObject(fields as z.core.$ZodLooseShape) as SchemaOf<Payload>;
}

/** Returns the schema of an object in an answer: it keeps undocumented fields. A field too many or too few does not compile. */
export function loose<Answer>(fields: FieldSchemas<Answer>): AnswerSchemaOf<Answer> {
  return z.looseObject(fields as z.core.$ZodLooseShape) as AnswerSchemaOf<Answer>;
}

export const text = z.string();

// Not Zod's `min`: it reads `length` of a value of any type, and throws if that is not a primitive value.
/** A string with at least one character that is no white space. */
export const filledText = text
  .refine((value) => value.trim() !== '', {
    error: 'Expected a string that is not empty.',
    params: { code: 'required' },
  })
  .meta({ minLength: 1 });

/** A list with at least one entry. */
export function filledList<Item extends z.ZodType>(item: Item) {
  return z
    .array(item)
    .refine(({ length }) => length > 0, { error: 'Expected at least one entry.' })
    .meta({ minItems: 1 });
}

export const keyValueSchema = strict<KeyValue>({ key: text, value: text });

/** An object whose values are all strings. */
export const keyedStrings = z.record(text, text);

/** A calendar date, YYYY-MM-DD (spec: Conventions). */
export const dateSchema: z.ZodISODate = z.iso.date();

/** A datetime, YYYY-MM-DDTHH:MM:SS and then Z or an offset such as +02:00 (spec: Conventions). */
export const datetimeSchema: z.ZodISODateTime = z.iso.datetime({ offset: true });

/** A whole number that JSON represents without loss. */
export const integerSchema: z.ZodInt = z.int();

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

const documentedSchemas = new WeakMap<z.core.$ZodType, z.core.$ZodType>();
/** The echo of each documented schema: fields with the same schema share it, which keeps the start fast. */
const echoes = new WeakMap<z.core.$ZodType, z.ZodType>();

/**
 * Returns the schema of a field of an answer that nothing depends on, such as an echo of the payload. It accepts any value, so that an
 * unexpected one does not change what the answer means; type and JSON Schema are those of the given schema.
 */
export function echoOf<Value>(documented: z.ZodType<Value>): FieldSchema<Value | undefined> {
  let echo = echoes.get(documented);
  if (echo === undefined) {
    const schema = z.unknown();
    documentedSchemas.set(schema, documented);
    echo = schema.optional();
    echoes.set(documented, echo);
  }
  return echo as unknown as FieldSchema<Value | undefined>;
}

/** Returns `echoOf` for each field of a payload. */
export function echoesOf<Shape extends Readonly<Record<string, z.ZodType>>>(shape: Shape) {
  return Object.fromEntries(Object.entries(shape).map(([name, field]) => [name, echoOf(field)])) as {
    [Name in keyof Shape]: FieldSchema<z.output<Shape[Name]> | undefined>;
  };
}

/** Returns the schema that was given to `echoOf`; undefined for any other schema. */
export function documentedSchema(schema: z.core.$ZodType): z.core.$ZodType | undefined {
  return documentedSchemas.get(schema);
}

/** Returns a schema that accepts any string; the known values appear in the type and in the JSON Schema. */
export function openEnum<const Known extends string>(
  known: readonly Known[],
): z.ZodType<OpenEnum<Known>, OpenEnum<Known>> {
  return text.meta({ examples: [...known] });
}

/** Any JSON value. A value that JSON cannot represent (NaN, a Date, undefined in an array) is an error at its own path. */
export const jsonValueSchema: z.ZodType<JsonValue, JsonValue> = z.unknown().superRefine((value, context) => {
  for (const { path, detail } of valuesThatAreNotJson(value)) {
    context.addIssue({ code: 'custom', path, params: { code: INVALID_JSON_VALUE }, message: detail });
  }
}) as unknown as z.ZodType<JsonValue, JsonValue>;

/** Any JSON object. */
export const jsonObjectSchema: z.ZodType<JsonObject, JsonObject> = z.record(text, jsonValueSchema.optional());

/** Error code of a value that JSON cannot represent. */
export const INVALID_JSON_VALUE = 'invalid_json_value';
const NOT_JSON = 'JSON cannot represent this value.';

/** Deepest nesting. No payload of the service is deeper, and the call stack allows not much more. */
const DEEPEST = 500;

/** A value that JSON changes, drops or refuses. */
interface NotJson {
  path: (string | number)[];
  detail: string;
}

/** Returns the values that `JSON.stringify` would change, drop or refuse. Ignores properties that are undefined. */
export function valuesThatAreNotJson(value: unknown): NotJson[] {
  const found: NotJson[] = [];
  visit(value, [], new Set(), found);
  return found;
}

function visit(value: unknown, path: (string | number)[], ancestors: Set<object>, found: NotJson[]): void {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return;
  if (typeof value === 'number' && Number.isFinite(value)) return;
  if (typeof value !== 'object' || ancestors.has(value) || ancestors.size > DEEPEST) {
    found.push({ path: [...path], detail: NOT_JSON });
    return;
  }
  const kind = kindThatIsNoData(value);
  if (kind !== undefined) {
    found.push({ path: [...path], detail: `JSON does not write ${kind} field by field: send a plain object.` });
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

/**
 * Returns what an object is that JSON does not write as its own fields, such as `a Map`; undefined for data: lists, plain objects, and
 * instances of classes that have nothing but fields.
 */
export function kindThatIsNoData(value: object): string | undefined {
  const builtIn = BUILT_IN.exec(Object.prototype.toString.call(value))?.[1];
  if (builtIn !== undefined && builtIn !== 'Array' && builtIn !== 'Object') return `an object of the class ${builtIn}`;
  if (typeof (value as { toJSON?: unknown }).toJSON === 'function') return 'an object with a method toJSON';
  if (Array.isArray(value)) return undefined;
  for (const name in value) if (!Object.hasOwn(value, name)) return 'an object with inherited fields';
  return hasGetters(Object.getPrototypeOf(value)) ? 'an object whose class has getters' : undefined;
}

/** JSON leaves the getters of a class out. `Object.prototype`, also that of another realm, ends the search. */
function hasGetters(prototype: object | null): boolean {
  const next: object | null = prototype === null ? null : Object.getPrototypeOf(prototype);
  if (prototype === null || next === null) return false;
  const properties = Object.values(Object.getOwnPropertyDescriptors(prototype));
  return properties.some(({ get }) => get !== undefined) || hasGetters(next);
}

const BUILT_IN = /^\[object (\w+)\]$/;
