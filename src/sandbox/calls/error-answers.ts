/** Exports the builders of all refusals (`invalidRequest`, `refused`, `failed`) and `formatErrorBody` (spec: Errors; C3; U12). */
import type { ErrorItem } from '../../../schemas/error-bodies.js';
import { fieldOf, isObject, setField } from '../../../schemas/objects.js';
import type { OperationName } from '../../../schemas/operations.js';
import { INVALID_PHONE_NUMBER } from '../../../schemas/phone-numbers.js';
import type { SandboxSettings } from '../settings/settings.js';
import type { Outcome } from './call.js';

/** Body code of an account with invalid data; the only documented body code. */
const ACCOUNT_FAILED_VALIDATION = 'account_failed_validation';
/** Body code of any other request with invalid data (U12). */
const VALIDATION_FAILED = 'validation_failed';

const ACCOUNT_DATA: readonly OperationName[] = ['accounts.validate', 'accounts.stage'];

/** Returns a 400 for invalid data of the request. */
export function invalidRequest(operation: OperationName, errors: readonly ErrorItem[]): Outcome {
  return invalid(ACCOUNT_DATA.includes(operation) ? ACCOUNT_FAILED_VALIDATION : VALIDATION_FAILED, errors);
}

/** Returns a 400 for invalid data of an account, at any endpoint. */
export function invalidAccount(errors: readonly ErrorItem[]): Outcome {
  return invalid(ACCOUNT_FAILED_VALIDATION, errors);
}

/** Returns a 400 for valid data that cannot be accepted. Body and item have the same code. */
export function refused(code: string, attr: string, detail: string): Outcome {
  return { status: 400, body: { detail, code, errors: [{ detail, code, attr }] } };
}

/** Returns an error that concerns no field: 401, 404, 405, 413, 429, 500. */
export function failed(status: number, code: string, detail: string, headers?: Outcome['headers']): Outcome {
  return { status, body: { detail, code }, ...(headers && { headers }) };
}

function invalid(code: string, errors: readonly ErrorItem[]): Outcome {
  const [first] = errors;
  const where = first?.attr ? `${first.attr}: ` : '';
  const more = errors.length > 1 ? ` (1 of ${errors.length} errors)` : '';
  return { status: 400, body: { detail: `${where}${first?.detail ?? ''}${more}`, code, errors } };
}

/** Documented codes; all others are the sandbox's own (U12). */
export const DOCUMENTED_CODES: ReadonlySet<unknown> = new Set([ACCOUNT_FAILED_VALIDATION, INVALID_PHONE_NUMBER]);

/**
 * Returns the outcome with the error body in the form of the settings (U12). `watched` is read only if the body is not
 * fully documented, because a read setting appears in the log.
 */
export function formatErrorBody(outcome: Outcome, given: SandboxSettings, watched: SandboxSettings): Outcome {
  const { status, body } = outcome;
  if (status < 400 || !isErrorBody(body)) return outcome;
  const codes = [body.code, ...(body.errors ?? []).map(({ code }) => code)];
  const isDocumented = given.errorBodies === 'documented' && codes.every((code) => DOCUMENTED_CODES.has(code));
  if (isDocumented) return outcome;
  const { errorBodies, errorCodes } = watched;
  // Nested bodies contain no codes, so renaming does not apply.
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
 * Returns the body in the form of older deployments: errors of fields are nested at their place, `{"customers": {"0":
 * {"landline": ["…"]}}}`; other refusals are under `non_field_errors`, next to the other properties of the body.
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
      const inner = fieldOf(level, key);
      // An error of the whole object is replaced: an object cannot have both that and errors of its fields.
      level = isObject(inner) ? inner : setField(level, key, {});
    }
    const last = path.at(-1) ?? '';
    const before = fieldOf(level, last);
    if (isObject(before)) setField(before, 'non_field_errors', [item.detail]);
    else setField(level, last, [...(Array.isArray(before) ? before : []), item.detail]);
  }
  return nested;
}
