/** Why a ledger's file cannot be worked with: the file, the cause, and what to do. */

import { DamagedRowError } from '../sql/damaged-row.js';

export class LedgerFileError extends Error {
  override readonly name = 'LedgerFileError';
}

/** Deleting the ledger or giving another path would start a new run that sends everything again. */
const RESTORE =
  'put a copy in its place, then compare with data-import verify. Do not delete it: a run without its ledger begins anew.';

/** By SQLite's primary result code. */
const REMEDY_OF_SQLITE: Readonly<Record<number, string>> = {
  5: 'Another program writes to it: close it, and give the same command again.',
  8: 'Make the file and its folder writable, and give the same command again.',
  10: 'Check the disk, and give the same command again.',
  11: `The file is damaged: ${RESTORE}`,
  13: 'Make room on the disk, and give the same command again.',
  14: 'Check that the file and its folder are there, and that you may read and write them.',
  26: `The file is no ledger, or damaged at its beginning: ${RESTORE}`,
};

const REMEDY_OF_LOCK =
  'Check that no run is active, then delete this file: it contains only the name of the process that has the ledger.';

/** By the code of the file system. */
const REMEDY_OF_SYSTEM: Readonly<Record<string, string>> = {
  EACCES: 'Give yourself the right to read and write it.',
  EISDIR: 'Give the path of a file.',
  ENOENT: 'Make its folder first.',
  ENOSPC: 'Make room on the disk, and give the same command again.',
  EROFS: 'Choose a folder that may be written.',
};

const SQLITE_BUSY = 5;

/** Of the file system, or of SQLite, which says `errstr`. */
type SystemError = NodeJS.ErrnoException & { errstr?: string };

/** `doing`: "open", "write to". Nothing of an error that is one already is hidden by another. */
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
    : (REMEDY_OF_SQLITE[number] ?? REMEDY_OF_SYSTEM[code] ?? 'Correct the cause, and give the same command again.');
  // The system's message repeats its code and the path; a lock that is refused is another file than the ledger.
  const [file, why] = syscall === undefined ? [path, errstr ?? message] : [refused, code];
  return new LedgerFileError(`ledger: cannot ${doing} ${file} (${why}). ${remedy}`, { cause });
}

export function isBusy(error: unknown): boolean {
  return resultCode(error) === SQLITE_BUSY;
}

/** Also of what goes wrong while rows are read, where the library of Node 20 gives no number. */
export function isOfSqlite(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ERR_SQLITE_ERROR';
}

const OF_DISK: ReadonlySet<number> = new Set([10, 13]);

/** SQLite's own word for a disk that fails or is full. */
export function isOfDisk(error: unknown): boolean {
  return OF_DISK.has(resultCode(error));
}

const SQLITE_CORRUPT = 11;
const SQLITE_NOTADB = 26;

/** Extended codes carry the primary one in their last byte. */
function resultCode(error: unknown): number {
  const { errcode, message } = error as { errcode?: number; message?: string };
  if (errcode === undefined && message === 'database disk image is malformed') return SQLITE_CORRUPT;
  return (errcode ?? 0) & 0xff;
}
