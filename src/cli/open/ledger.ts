/** Opens the ledger of a run: the one in its folder, or the one on a PostgreSQL, which the folder then knows of. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Ledger } from '../../migration/ledger/ledger.js';
import { openSqliteLedger } from '../../migration/ledger/sqlite/sqlite-ledger.js';
import { type LedgerNote, readLedgerNote, writeLedgerNote } from '../../migration/report/folder/ledger-note.js';
import { LEDGER_FILE } from '../../migration/report/folder/run-folder.js';
import type { LedgerFlags } from '../options/run-folder-options.js';
import { withoutPasswords } from '../shared/command-text.js';
import { UsageError } from '../shared/errors.js';

/** Rejects with a UsageError where folder and flags do not agree on where it is; else as folders and ledgers do. */
export async function openLedger({ run, database, databaseSchema }: LedgerFlags, readOnly: boolean): Promise<Ledger> {
  if (database === undefined) {
    const note = await readLedgerNote(run);
    if (note === undefined) return openSqliteLedger(join(run, LEDGER_FILE), { readOnly });
    throw new UsageError(
      `the ledger of the run in ${run} is on PostgreSQL: ${inWords(note)}. Give --database (or DATA_IMPORT_DATABASE).`,
    );
  }
  // Loaded by whoever has a ledger there, and by nobody else.
  const { postgresLedger } = await import('../../migration/ledger/postgres/postgres-ledger.js');
  return openOnServer(run, { database, databaseSchema, readOnly }, (place) => postgresLedger({ ...place, readOnly }));
}

interface OnServer {
  database: string;
  databaseSchema: string | undefined;
  readOnly: boolean;
}

/** What holds a ledger on a server, once folder and flags agree that it is the one of this run. */
export async function openOnServer<Opened extends { close(): Promise<void>; fact: Ledger['fact'] }>(
  run: string,
  { database, databaseSchema, readOnly }: OnServer,
  open: (place: { connectionString: string; schema: string }) => Promise<Opened>,
): Promise<Opened> {
  const note = await readLedgerNote(run);
  if (existsSync(join(run, LEDGER_FILE))) {
    throw new UsageError(
      `the run in ${run} has its ledger there, in ${LEDGER_FILE}. Leave out --database (and DATA_IMPORT_DATABASE), or name another folder with --run.`,
    );
  }
  const { DEFAULT_SCHEMA, LEDGER_ID } = await import('../../migration/ledger/postgres/schema.js');
  const schema = databaseSchema ?? DEFAULT_SCHEMA;
  const ledger = await open({ connectionString: database, schema });
  try {
    const id = (await ledger.fact(LEDGER_ID)) ?? '';
    if (note !== undefined && note.id !== id) {
      throw new UsageError(
        `the ledger there is not the one of the run in ${run}, which is ${inWords(note)}. Give its address, or name another folder with --run.`,
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
