import type { DataImportError } from '../../errors/data-import-error.js';
import { isApiError, isTokenError } from '../../errors/guards.js';

/** Whether the service does not accept the token, or none could be had. */
export function isNotAccepted(error: unknown): error is DataImportError {
  return isTokenError(error) || (isApiError(error) && error.status === 401);
}
