/** The errors of the command line, and what decides the exit code of an error from elsewhere. */
import type { DataImportError } from '../../errors/data-import-error.js';
import { isApiError, isTokenError } from '../../errors/guards.js';
import { isOfDisk as isOfDiskToSqlite } from '../../migration/ledger/sqlite/file-error.js';
import type { EndingSignal } from './command-context.js';
import { EXIT_OF_SIGNAL, type ExitCode } from './exit-codes.js';

/** An invalid option, environment variable, file or folder. The user has to change it. Exit code 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** The disk or the ledger's server failed. The command line is correct: the same command can be repeated. Exit code 1. */
export class BrokenOffError extends Error {
  override readonly name = 'BrokenOffError';
}

/** A signal ended the command, or its terminal was closed during a question. The exit code is that of the signal. */
export class InterruptedError extends Error {
  override readonly name = 'InterruptedError';
  readonly exitCode: ExitCode;

  constructor(signal: EndingSignal) {
    super(`${signal} ended the command. It can be repeated.`);
    this.exitCode = EXIT_OF_SIGNAL[signal];
  }
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
  return isTokenError(error) || (isApiError(error) && error.status === 401);
}
