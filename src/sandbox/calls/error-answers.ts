/** Every refusal that the sandbox can answer with, in the document's shapes (document: Errors; C3; U12). */
import type { ErrorItem } from '../../../schemas/error-bodies.js';
import { INVALID_PHONE_NUMBER } from '../../../schemas/fields.js';
import type { OperationName } from '../../../schemas/operations.js';
import { isObject } from '../../validation/objects.js';
import type { SandboxSettings } from '../settings/settings.js';
import type { Outcome } from './call.js';

/** Body code of an account whose data is wrong. The one such code that the document shows. */
const ACCOUNT_FAILED_VALIDATION = 'account_failed_validation';
/** Body code of any other request whose data is wrong (U12). */
const VALIDATION_FAILED = 'validation_failed';

const ACCOUNT_DATA: readonly OperationName[] = ['accounts.validate', 'accounts.stage'];

/** 400: the request's own data is wrong, in these places. */
export function invalidRequest(operation: OperationName, errors: readonly ErrorItem[]): Outcome {
  return invalid(ACCOUNT_DATA.includes(operation) ? ACCOUNT_FAILED_VALIDATION : VALIDATION_FAILED, errors);
}

/** 400: the account's data is wrong, whichever endpoint came upon it. */
export function invalidAccount(errors: readonly ErrorItem[]): Outcome {
  return invalid(ACCOUNT_FAILED_VALIDATION, errors);
}

/** 400: the data is in order, and yet it cannot be done. Body and item carry the same code. */
export function refused(code: string, attr: string, detail: string): Outcome {
  return { status: 400, body: { detail, code, errors: [{ detail, code, attr }] } };
}

/** An answer without places: 401, 404, 405, 413, 429, 500. */
export function failed(status: number, code: string, detail: string, headers?: Outcome['headers']): Outcome {
  return { status, body: { detail, code }, ...(headers && { headers }) };
}

function invalid(code: string, errors: readonly ErrorItem[]): Outcome {
  const [first] = errors;
  const where = first?.attr ? `${first.attr}: ` : '';
  const more = errors.length > 1 ? ` (1 of ${errors.length} errors)` : '';
  return { status: 400, body: { detail: `${where}${first?.detail ?? ''}${more}`, code, errors } };
}

/** The codes that the document shows; all others are the sandbox's own (U12). */
const DOCUMENTED_CODES: ReadonlySet<unknown> = new Set([ACCOUNT_FAILED_VALIDATION, INVALID_PHONE_NUMBER]);

/**
 * An error's body as the settings want it (U12). `watched` is read only where the body is not the document's own:
 * reading it says that the answer rests on a choice.
 */
export function formatErrorBody(outcome: Outcome, given: SandboxSettings, watched: SandboxSettings): Outcome {
  const { status, body } = outcome;
  if (status < 400 || !isErrorBody(body)) return outcome;
  const codes = [body.code, ...(body.errors ?? []).map(({ code }) => code)];
  const isDocumented = given.errorBodies === 'documented' && codes.every((code) => DOCUMENTED_CODES.has(code));
  if (isDocumented) return outcome;
  const { errorBodies, errorCodes } = watched;
  // Nested bodies carry no codes, and are formed by those that the sandbox gave.
  if (errorBodies === 'nested') return { ...outcome, body: nest(body) };
  return Object.keys(errorCodes).length === 0 ? outcome : { ...outcome, body: rename(body, errorCodes) };
}

interface ErrorBody {
  detail: string;
  code: string;
  errors?: readonly ErrorItem[];
}

function isErrorBody(body: unknown): body is ErrorBody {
  return typeof body === 'object' && body !== null && 'detail' in body && 'code' in body;
}

function rename<Body extends ErrorBody>(body: Body, codes: Readonly<Record<string, string>>): Body {
  const other = (code: string) => (Object.hasOwn(codes, code) ? (codes[code] ?? code) : code);
  const errors = body.errors?.map((item) => ({ ...item, code: other(item.code) }));
  return { ...body, code: other(body.code), ...(errors && { errors }) };
}

/**
 * As older deployments answer: what is wrong with the request stands nested at its place, `{"customers": {"0":
 * {"landline": ["…"]}}}`; why it cannot be done stands under `non_field_errors`, with whatever else the body carries.
 */
function nest({ detail, code, errors, ...rest }: ErrorBody): unknown {
  if (errors === undefined) return { detail, ...rest };
  const isAboutPlaces = code === ACCOUNT_FAILED_VALIDATION || code === VALIDATION_FAILED;
  if (!isAboutPlaces || errors.length === 0) return { non_field_errors: [detail], ...rest };
  const nested: Record<string, unknown> = {};
  for (const item of errors) {
    const path = item.attr === '' ? ['non_field_errors'] : item.attr.split('.');
    let level = nested;
    for (const key of path.slice(0, -1)) {
      const inner = own(level, key);
      // What is wrong with a whole object and with a field of it cannot both stand at its place.
      level = isObject(inner) ? inner : define(level, key, {});
    }
    const last = path.at(-1) ?? '';
    const before = own(level, last);
    if (isObject(before)) define(before, 'non_field_errors', [item.detail]);
    else define(level, last, [...(Array.isArray(before) ? before : []), item.detail]);
  }
  return nested;
}

/** What was put there, and nothing of `Object.prototype`, which a key `__proto__` would otherwise change for all. */
function own(level: Record<string, unknown>, key: string): unknown {
  return Object.hasOwn(level, key) ? level[key] : undefined;
}

/** Also where the key is `__proto__`. */
function define<Value>(level: Record<string, unknown>, key: string, value: Value): Value {
  Object.defineProperty(level, key, { value, enumerable: true, writable: true, configurable: true });
  return value;
}
