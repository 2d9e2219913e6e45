/**
 * What is wrong with a payload, in the shape in which the service says it: one finding an offending field, with a
 * stable code and a dotted path. Shared by the local check and the sandbox, so that both speak alike.
 */
import type * as z from 'zod';
import type { ErrorItem } from '../../schemas/errors.js';
import { fieldNamesAt } from '../../schemas/field-names.js';
import { INVALID_PHONE_NUMBER, NO_PHONE_NUMBER } from '../../schemas/fields.js';
import { accepts } from './accepts.js';
import { closestName } from './known-names.js';
import { fieldOf } from './select.js';

/** One finding of the local check. Errors block; advice is suspicious, and blocks only when asked to. */
export interface Finding extends ErrorItem {
  /** An error blocks; advice does where `advice` is `reject`. */
  severity: 'error' | 'advice';
  /** Of an unknown field: the documented field of the same object whose name is closest, where one is close. */
  didYouMean?: string;
}

/** What the check of a schema finds. */
export type SchemaFinding = Omit<Finding, 'severity'>;

type Path = readonly PropertyKey[];
type Issue = z.core.$ZodIssue;

/** Every finding of a schema's check; empty when the payload is as the document says. */
export function schemaFindings(schema: z.ZodType, payload: unknown): SchemaFinding[] {
  if (accepts(schema, payload)) return [];
  const result = schema.safeParse(payload);
  return result.success ? [] : findingsOf(result.error.issues, payload, schema);
}

/** Zod issues as findings. `payload` is what was parsed. Neither code nor detail quotes a value from it. */
function findingsOf(issues: readonly Issue[], payload: unknown, schema: z.ZodType): SchemaFinding[] {
  return issues.flatMap((issue) => {
    if (issue.code === 'unrecognized_keys') {
      const holder = valueAt(payload, issue.path);
      const names = fieldNamesAt(schema, issue.path);
      const detail = 'This field is not documented; only documented fields may be sent.';
      return issue.keys.map((key) =>
        unknownField(toAttr([...issue.path, key]), detail, fieldMeant(key, names, holder)),
      );
    }
    return { ...describe(issue, valueAt(payload, issue.path)), attr: toAttr(issue.path) };
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

function valueAt(payload: unknown, path: Path): unknown {
  let value = payload;
  for (const key of path) {
    if (value === null || typeof value !== 'object') return undefined;
    value = (value as Record<PropertyKey, unknown>)[key];
  }
  return value;
}
