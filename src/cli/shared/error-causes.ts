/** `exitCodeOfError`: the exit code of an error that ends a command. Loaded when there is one: it needs the client and the ledger. */
import { ApiError } from '../../errors/api-errors.js';
import { TokenError } from '../../errors/client-errors.js';
import type { DataImportError } from '../../errors/data-import-error.js';
import { CannotJoinError } from '../../migration/distributed/cannot-join.js';
import { InputError } from '../../migration/input/input-error.js';
import { LedgerLockedError } from '../../migration/ledger/locked-error.js';
import { isLost, LedgerDatabaseError } from '../../migration/ledger/postgres/database-error.js';
import { isOfDisk as isOfDiskToSqlite, LedgerFileError } from '../../migration/ledger/sqlite/file-error.js';
import { ControlError } from '../../migration/operations/control/control-command.js';
import { ResolveError } from '../../migration/operations/resolve.js';
import { RunFolderError } from '../../migration/report/folder/run-folder-error.js';
import { RunTargetError } from '../../migration/run/expect-target.js';
import { MissingPackageError } from '../../migration/shared/missing-package.js';
import { InterruptedError, UsageError } from './errors.js';
import { EXIT, type ExitCode } from './exit-codes.js';

const OF_JOINING: Readonly<Record<CannotJoinError['because'], ExitCode>> = {
  settings: EXIT.usage,
  notAccepted: EXIT.notAccepted,
  unreachable: EXIT.internal,
};

/** Errors that the user has to correct, as their messages say, unless disk or server failed: repeating the command would end in the same error. */
const TO_CORRECT = [
  ...[UsageError, InputError, ControlError, ResolveError],
  ...[RunFolderError, RunTargetError, LedgerFileError, LedgerDatabaseError, MissingPackageError],
];

export function isToCorrect(error: unknown): error is Error {
  return TO_CORRECT.some((kind) => error instanceof kind);
}

export function exitCodeOfError(error: unknown): ExitCode {
  if (error instanceof InterruptedError) return error.exitCode;
  if (isNotAccepted(error)) return EXIT.notAccepted;
  if (error instanceof LedgerLockedError) return EXIT.inUse;
  if (error instanceof CannotJoinError) return OF_JOINING[error.because];
  return isToCorrect(error) && !isOfDisk(error) && !isOfServer(error) ? EXIT.usage : EXIT.internal;
}

/** Whether the server of the ledger cannot be reached, or was lost during the work. */
function isOfServer(error: unknown): boolean {
  return error instanceof LedgerDatabaseError && error.cause !== undefined && isLost(error.cause);
}

/** Codes of the file system, and of PostgreSQL for the disk of its server. */
const DISK_CODE = /^(ENOSPC|EDQUOT|EFBIG|EIO|53100|58...)$/;

/** Whether the ledger has vanished during the work. */
export function isLedgerLost(error: unknown): boolean {
  return error instanceof LedgerFileError && error.isLost;
}

/** Whether the disk is full or failing, according to the error or one of its causes, or the ledger has vanished during the work. */
function isOfDisk(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (isLedgerLost(error)) return true;
  const { code } = error as NodeJS.ErrnoException;
  return (typeof code === 'string' && DISK_CODE.test(code)) || isOfDiskToSqlite(error) || isOfDisk(error.cause);
}

/** Whether the service rejects the token, or no token could be obtained. Exit code 8. */
export function isNotAccepted(error: unknown): error is DataImportError {
  return error instanceof TokenError || (error instanceof ApiError && error.status === 401);
}
