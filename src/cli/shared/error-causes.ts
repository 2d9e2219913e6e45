/** `exitCodeOf`: the exit code of an error that ends a command. Loaded when there is one: it needs the client and the ledger. */
import { ApiError } from '../../errors/api-errors.js';
import { TokenError } from '../../errors/client-errors.js';
import type { DataImportError } from '../../errors/data-import-error.js';
import { CannotJoinError } from '../../migration/distributed/cannot-join.js';
import { InputError } from '../../migration/input/input-error.js';
import { LedgerLockedError } from '../../migration/ledger/locked-error.js';
import { isOfDisk as isOfDiskToSqlite } from '../../migration/ledger/sqlite/file-error.js';
import { isMissingPackageError } from '../../migration/shared/missing-package.js';
import { InterruptedError, UsageError } from './errors.js';
import { EXIT, type ExitCode } from './exit-codes.js';

const OF_JOINING: Readonly<Record<CannotJoinError['because'], ExitCode>> = {
  settings: EXIT.usage,
  notAccepted: EXIT.notAccepted,
  unreachable: EXIT.internal,
};

export function exitCodeOf(error: unknown): ExitCode {
  if (error instanceof InterruptedError) return error.exitCode;
  if (isNotAccepted(error)) return EXIT.notAccepted;
  if (error instanceof LedgerLockedError) return EXIT.inUse;
  if (error instanceof CannotJoinError) return OF_JOINING[error.because];
  // The user has to correct these: repeating the command would end in the same error.
  const isOfUsage = isMissingPackageError(error) || error instanceof UsageError || error instanceof InputError;
  return isOfUsage && !isOfDisk(error) ? EXIT.usage : EXIT.internal;
}

/** Codes of the file system, and of PostgreSQL for the disk of its server. */
const DISK_CODE = /^(ENOSPC|EDQUOT|EFBIG|EIO|53100|58...)$/;

/** Whether the disk is full or failing, according to the error or one of its causes. */
export function isOfDisk(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { code } = error as NodeJS.ErrnoException;
  return (typeof code === 'string' && DISK_CODE.test(code)) || isOfDiskToSqlite(error) || isOfDisk(error.cause);
}

/** Whether the service rejects the token, or no token could be obtained. Exit code 8. */
export function isNotAccepted(error: unknown): error is DataImportError {
  return error instanceof TokenError || (error instanceof ApiError && error.status === 401);
}
