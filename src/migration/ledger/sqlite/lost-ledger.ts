/** The error of a run whose ledger is gone: with a new, empty ledger everything would be sent again. */
import { existsSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { LedgerFileError } from './file-error.js';

/** The ledger of a run, where it is in the run's folder. */
export const LEDGER_FILE = 'ledger.sqlite';
/** Written when the ledger is there already. */
const BEGUN = 'run.json';

/** Throws where a run has begun in the folder, and its ledger is not there any more, or is empty. */
export function expectNotLost(path: string): void {
  if (basename(path) !== LEDGER_FILE || !existsSync(join(dirname(path), BEGUN))) return;
  const size = statSync(path, { throwIfNoEntry: false })?.size;
  if (size !== undefined && size > 0) return;
  throw new LedgerFileError(
    `ledger: ${path} is ${size === 0 ? 'empty' : 'gone'}, and the file ${BEGUN} next to it shows that a run has begun. ` +
      'Put it back, or a copy of it, and then compare with data-import verify. Without it, everything is sent again: ' +
      'where that is meant, name another folder.',
  );
}
