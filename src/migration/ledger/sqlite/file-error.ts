/** Exports `LedgerFileError`: a ledger file cannot be used. The message has the file, the cause and the remedy. */

import { DamagedRowError } from '../sql/damaged-row.js';

export class LedgerFileError extends Error {
  override readonly name = 'LedgerFileError';
  /** Whether the file vanished during the work: something may have been sent before. */
  isLost = false;
}

/** Deleting the ledger or giving another path would start a new run that sends everything again. */
const RESTORE =
  'restore it from a copy, then compare with data-import-sdk verify. Do not delete it: a run without its ledger starts from the beginning.';

/** Remedies by the primary result code of SQLite. */
const REMEDY_OF_SQLITE: Readonly<Record<number, string>> = {
  5: 'Another program writes to it: close it, and repeat the command.',
  8: 'Make the file and its folder writable, and repeat the command.',
  10: 'Check the disk, and repeat the command.',
  11: `The file is damaged: ${RESTORE}`,
  13: 'Free disk space, and repeat the command.',
  14: 'Check that the file and its folder exist, and that you may read and write them. The disk may be read-only: copy the folder to another one.',
  26: `The file is not a ledger, or damaged at its beginning: ${RESTORE}`,
};

const REMEDY_OF_LOCK =
  'Check that no run is active, then delete this file: it contains only the name of the process that has the ledger.';

/** Remedies by the error code of the system. */
const REMEDY_OF_SYSTEM: Readonly<Record<string, string>> = {
  EACCES: 'Give this user the right to read and write it.',
  EISDIR: 'Give the path of a file.',
  ENOENT: 'Create its folder first.',
  ENOSPC: 'Free disk space, and repeat the command.',
  EROFS: 'Choose a folder that may be written.',
};

const SQLITE_BUSY = 5;

/** An error of the file system, or of SQLite, which has `errstr`. */
type SystemError = NodeJS.ErrnoException & { errstr?: string };

/** Returns the error with the remedy; an error of the ledger unchanged. `doing`: such as "open" or "write to". */
export function ledgerFileError(doing: string, path: string, cause: unknown): LedgerFileError {
  if (cause instanceof LedgerFileError) return cause;
  if (cause instanceof DamagedRowError) {
    return new LedgerFileError(
      `ledger: cannot ${doing} ${path} (${cause.message}). ${REMEDY_OF_SQLITE[SQLITE_CORRUPT]}`,
    );
  }
  const { code = '', message, errstr, syscall, path: refused = path } = cause as SystemError;
  const number = resultCode(cause);
  const isBadLock = doing === 'lock' && (number === SQLITE_CORRUPT || number === SQLITE_NOTADB);
  const remedy = isBadLock
    ? REMEDY_OF_LOCK
    : (REMEDY_OF_SQLITE[number] ?? REMEDY_OF_SYSTEM[code] ?? 'Correct the cause, and repeat the command.');
  // The message of the system has the path, which for the lock is another file than the ledger.
  const text = number === SQLITE_FULL ? 'database or disk is full' : (errstr ?? message);
  const [file, why] = syscall === undefined ? [path, text] : [refused, code];
  return new LedgerFileError(`ledger: cannot ${doing} ${file} (${why}). ${remedy}`, { cause });
}

export function isBusy(error: unknown): boolean {
  return resultCode(error) === SQLITE_BUSY;
}

const OF_RIGHTS: ReadonlySet<number> = new Set([8, 14]);

/** Returns whether SQLite may not write, or cannot create the files beside a ledger, that it also needs to read it. */
export function isOfRights(error: unknown): boolean {
  return OF_RIGHTS.has(resultCode(error));
}

/** Returns whether it is an error of SQLite. On Node.js 20, errors while rows are read have no number. */
export function isOfSqlite(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ERR_SQLITE_ERROR';
}

const OF_DISK: ReadonlySet<number> = new Set([10, 13]);

/** Returns whether SQLite reports a failing or full disk. */
export function isOfDisk(error: unknown): boolean {
  return OF_DISK.has(resultCode(error));
}

const SQLITE_CORRUPT = 11;
const SQLITE_FULL = 13;
/** The file with the shared memory of the write-ahead log cannot grow, also while the ledger is only read: the disk is full. */
const SQLITE_IOERR_SHMSIZE = 4874;
const SQLITE_NOTADB = 26;

/** Returns the primary code: the last byte of an extended code. */
function resultCode(error: unknown): number {
  const { errcode, message } = error as { errcode?: number; message?: string };
  if (errcode === undefined && message === 'database disk image is malformed') return SQLITE_CORRUPT;
  if (errcode === SQLITE_IOERR_SHMSIZE) return SQLITE_FULL;
  return (errcode ?? 0) & 0xff;
}
