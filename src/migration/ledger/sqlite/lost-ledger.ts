/** Exports `expectNotLost`, which finds a run without its ledger: with a new ledger, everything would be sent again. */
import { existsSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { LedgerFileError } from './file-error.js';

/** Name of the ledger file in a run folder. */
export const LEDGER_FILE = 'ledger.sqlite';
/** A file that is written after the ledger exists. */
const BEGUN = 'run.json';

/** What to do about a ledger that is not where it was. */
export const RESTORE_LOST =
  'Restore it, or a copy of it, then compare with data-import-sdk verify. Without it, everything is sent again: ' +
  'if you want that, give another folder.';

/** Throws if a run has begun in the folder and its ledger is missing or empty. */
export function expectNotLost(path: string): void {
  if (basename(path) !== LEDGER_FILE || !existsSync(join(dirname(path), BEGUN))) return;
  const size = statSync(path, { throwIfNoEntry: false })?.size;
  if (size !== undefined && size > 0) return;
  throw new LedgerFileError(
    `ledger: ${path} is ${size === 0 ? 'empty' : 'gone'}, and the file ${BEGUN} next to it shows that a run has begun. ` +
      RESTORE_LOST,
  );
}
