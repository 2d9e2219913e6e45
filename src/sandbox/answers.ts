/** Every refusal that the sandbox can answer with, in the document's shapes (document: Errors; C3; U12). */
import type { ErrorItem } from '../../schemas/errors.js';
import type { OperationName } from '../../schemas/operations.js';
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
