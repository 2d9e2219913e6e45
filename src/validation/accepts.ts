/**
 * Exports `accepts`: a fast check whether a schema accepts a payload. zod copies everything that it checks, and nearly every
 * payload is valid. A payload that is accepted here is valid for zod, and JSON represents it without change. Schema types
 * that this file does not know are checked by zod; zod also finds the errors of a rejected payload.
 */
import type * as z from 'zod';
import { jsonValueSchema, kindThatIsNoData } from '../../schemas/fields.js';

type Accepts = (value: unknown) => boolean;

const compiled = new WeakMap<z.ZodType, Accepts>();

/** Returns whether the schema accepts the payload and JSON represents it without change. */
export function accepts(schema: z.ZodType, payload: unknown): boolean {
  let acceptsPayload = compiled.get(schema);
  if (acceptsPayload === undefined) {
    acceptsPayload = compile(of(schema));
    compiled.set(schema, acceptsPayload);
  }
  return acceptsPayload(payload);
}

function compile(schema: z.core.$ZodTypes): Accepts {
  // The rule of this schema finds the places; here only the result matters.
  if ((schema as unknown) === jsonValueSchema) return isJson;
  const shape = shapeOf(schema);
  const rules = (schema._zod.def.checks ?? []).map((check) => ruleOf(check._zod.def as Rule));
  if (shape === undefined || !rules.every((rule) => rule !== undefined)) return asZod(schema);
  return rules.length === 0 ? shape : (value) => shape(value) && rules.every((rule) => rule(value));
}

/** Checks a part with zod, and whether JSON represents it. */
function asZod(schema: z.core.$ZodTypes): Accepts {
  return (value) => isJson(value) && (schema as z.core.$ZodType as z.ZodType).safeParse(value).success;
}

/** Returns undefined for a schema type that is not known here. */
function shapeOf(schema: z.core.$ZodTypes): Accepts | undefined {
  const { def } = schema._zod;
  switch (def.type) {
    case 'string':
      return textOf(def);
    case 'number':
      return numberOf(def);
    case 'boolean':
      return (value) => value === true || value === false;
    case 'unknown':
      return isJson;
    case 'literal':
    case 'enum':
      return oneOf(schema._zod.values);
    case 'optional': {
      const inner = compile(of(def.innerType));
      return (value) => value === undefined || inner(value);
    }
    case 'nullable': {
      const inner = compile(of(def.innerType));
      return (value) => value === null || inner(value);
    }
    case 'array':
      return arrayOf(compile(of(def.element)));
    case 'record':
      return recordOf(compile(of(def.keyType)), compile(of(def.valueType)));
    case 'object':
      return objectOf(def);
    case 'union':
      return unionOf(def);
    default:
      return undefined;
  }
}

/** Definition of a check, or of a schema that is itself a check. */
interface Rule {
  check?: string;
  format?: string;
  pattern?: RegExp;
  fn?: (value: unknown) => unknown;
}

/** Returns undefined for a check that is not known here. */
function ruleOf({ check, format, pattern, fn }: Rule): Accepts | undefined {
  if (check === 'string_format' && pattern !== undefined && FORMATS.has(format))
    return (text) => pattern.test(text as string);
  if (check === 'custom' && fn !== undefined) return (value) => fn(value) === true;
  return undefined;
}

/** Formats that consist only of their pattern. */
const FORMATS: ReadonlySet<string | undefined> = new Set(['regex', 'date', 'datetime']);

function textOf(def: z.core.$ZodStringDef): Accepts | undefined {
  if (def.coerce === true) return undefined;
  if (!('check' in def)) return (value) => typeof value === 'string';
  const hasFormat = ruleOf(def as Rule);
  return hasFormat && ((value) => typeof value === 'string' && hasFormat(value));
}

function numberOf(def: z.core.$ZodNumberDef): Accepts | undefined {
  if (def.coerce === true) return undefined;
  if (!('check' in def)) return Number.isFinite;
  return (def as z.core.$ZodNumberFormatDef).format === 'safeint' ? Number.isSafeInteger : undefined;
}

function oneOf(allowed: ReadonlySet<unknown> | undefined): Accepts | undefined {
  return allowed && ((value) => allowed.has(value));
}

function arrayOf(element: Accepts): Accepts {
  return (value) => {
    if (!isPlainArray(value)) return false;
    for (let index = 0; index < value.length; index++) if (!element(value[index])) return false;
    return true;
  };
}

function recordOf(name: Accepts, element: Accepts): Accepts {
  return (value) => {
    if (!isPlainObject(value)) return false;
    for (const key in value) if (key === '__proto__' || !name(key) || !element(value[key])) return false;
    return true;
  };
}

function objectOf({ shape, catchall }: z.core.$ZodObjectDef): Accepts | undefined {
  const others = catchall === undefined ? 'unknown' : of(catchall)._zod.def.type;
  if (others !== 'unknown' && others !== 'never') return undefined;
  // JSON leaves out a field that is undefined, so its name does not matter.
  const other: Accepts = (value) => value === undefined || (others === 'unknown' && isJson(value));
  const fields = new Map(Object.entries(shape).map(([key, field]) => [key, compile(of(field))]));
  const required = Object.entries(shape)
    .filter(([, field]) => of(field)._zod.optin !== 'optional')
    .map(([key]) => key);
  return (value) => {
    if (!isPlainObject(value)) return false;
    for (const key in value) {
      const field = fields.get(key) ?? other;
      if (!field(value[key])) return false;
    }
    for (const key of required) if (!Object.hasOwn(value, key)) return false;
    return true;
  };
}

function unionOf(def: z.core.$ZodUnionDef): Accepts {
  const options = def.options.map((option) => ({ schema: of(option), accepts: compile(of(option)) }));
  const { discriminator } = def as Partial<z.core.$ZodDiscriminatedUnionDef>;
  if (discriminator === undefined) return (value) => options.some(({ accepts }) => accepts(value));
  const byValue = new Map(
    options.flatMap(({ schema, accepts }) =>
      [...(schema._zod.propValues?.[discriminator] ?? [])].map((value) => [value as unknown, accepts] as const),
    ),
  );
  return (value) => isPlainObject(value) && byValue.get(value[discriminator])?.(value) === true;
}

/** Deepest nesting that is checked here. No payload of the service is deeper; zod checks the others. */
const MAX_DEPTH = 100;

/** Returns whether JSON represents a value without change; false if it is nested deeper than any payload. */
export function isJson(value: unknown): boolean {
  return isJsonWithin(value, MAX_DEPTH);
}

function isJsonWithin(value: unknown, depth: number): boolean {
  if (typeof value === 'string' || typeof value === 'boolean' || value === null) return true;
  if (typeof value === 'number') return Number.isFinite(value);
  if (depth === 0) return false;
  if (isPlainArray(value)) {
    // Not `every`, which skips holes.
    for (let index = 0; index < value.length; index++) if (!isJsonWithin(value[index], depth - 1)) return false;
    return true;
  }
  if (!isPlainObject(value)) return false;
  for (const key in value) {
    if (key === '__proto__' || (value[key] !== undefined && !isJsonWithin(value[key], depth - 1))) return false;
  }
  return typeof value['toJSON'] !== 'function';
}

/** Returns whether the value is an object that JSON writes as its fields, apart from a field `toJSON`. */
export function isPlainObject(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null) return false;
  const prototype = Object.getPrototypeOf(value);
  if (prototype === Object.prototype || prototype === null) return true;
  return !Array.isArray(value) && kindThatIsNoData(value) === undefined;
}

export function isPlainArray(value: unknown): value is unknown[] {
  return Array.isArray(value) && Object.getPrototypeOf(value) === Array.prototype;
}

function of(schema: z.core.$ZodType): z.core.$ZodTypes {
  return schema as z.core.$ZodTypes;
}
