/** `openLedger`: opens the ledger of a run, which is in its folder or on PostgreSQL. The folder notes which. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Ledger } from '../../migration/ledger/ledger.js';
import { openSqliteLedger } from '../../migration/ledger/sqlite/sqlite-ledger.js';
import { type LedgerNote, readLedgerNote, writeLedgerNote } from '../../migration/report/folder/ledger-note.js';
import { LEDGER_FILE } from '../../migration/report/folder/run-folder.js';
import type { RunFlags } from '../options/run-options.js';
import { withoutPasswords } from '../shared/command-text.js';
import { UsageError } from '../shared/errors.js';

/** Rejects with a `UsageError` if folder and flags disagree on where the ledger is; otherwise as folders and ledgers do. */
export async function openLedger(flags: RunFlags, readOnly: boolean): Promise<Ledger> {
  const { run, database } = flags;
  if (database === undefined) {
    const note = await readLedgerNote(run);
    if (note === undefined) return openSqliteLedger(join(run, LEDGER_FILE), { readOnly });
    throw new UsageError(
      `the ledger of the run in ${run} is on PostgreSQL: ${inWords(note)}. Give --database (or DATA_IMPORT_DATABASE).`,
    );
  }
  // Loaded here, so that a run with a local ledger does not need the packages.
  const { postgresLedger } = await import('../../migration/ledger/postgres/postgres-ledger.js');
  return openOnServer({ ...flags, database }, readOnly, (place) => postgresLedger({ ...place, readOnly }));
}

/** Opens a ledger on a server, and checks that it is the one of the run folder. Rejects as `openLedger`. */
export async function openOnServer<Opened extends { close(): Promise<void>; fact: Ledger['fact'] }>(
  { run, database, databaseSchema }: RunFlags & { database: string },
  readOnly: boolean,
  open: (place: { connectionString: string; schema: string }) => Promise<Opened>,
): Promise<Opened> {
  const note = await readLedgerNote(run);
  if (existsSync(join(run, LEDGER_FILE))) {
    throw new UsageError(
      `the ledger of the run in ${run} is the file ${LEDGER_FILE} there. Leave out --database (and DATA_IMPORT_DATABASE), or name another folder with --run.`,
    );
  }
  const { DEFAULT_SCHEMA, LEDGER_ID } = await import('../../migration/ledger/postgres/schema.js');
  const schema = databaseSchema ?? DEFAULT_SCHEMA;
  const ledger = await open({ connectionString: database, schema });
  try {
    const id = (await ledger.fact(LEDGER_ID)) ?? '';
    if (note !== undefined && note.id !== id) {
      throw new UsageError(
        `the ledger at --database is not the one of the run in ${run}, which is ${inWords(note)}. Give that address, or name another folder with --run.`,
      );
    }
    if (note === undefined && !readOnly) {
      await writeLedgerNote(run, { id, database: withoutPasswords(database), schema });
    }
    return ledger;
  } catch (error) {
    await ledger.close();
    throw error;
  }
}

function inWords({ database, schema }: LedgerNote): string {
  return `schema ${schema} of ${database}`;
}
