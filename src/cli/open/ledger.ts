/** `openLedger`: opens the ledger of a run, which is in its folder or on PostgreSQL. The folder notes which. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Ledger } from '../../migration/ledger/ledger.js';
import { NoLedgerError } from '../../migration/ledger/postgres/database-error.js';
import { RESTORE_LOST } from '../../migration/ledger/sqlite/lost-ledger.js';
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
export async function openOnServer<Opened extends Pick<Ledger, 'close' | 'fact'>>(
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
  const place = { connectionString: database, schema };
  const here = { database: withoutPasswords(database), schema };
  if (note !== undefined) {
    // Read before it is opened to write, which would create a ledger where there is none.
    const id = await idAt(place, LEDGER_ID);
    if (note.id !== id) throw new UsageError(whyAnother(note, here, id, run));
  }
  const ledger = await open(place);
  if (note !== undefined || readOnly) return ledger;
  try {
    await writeLedgerNote(run, { id: (await ledger.fact(LEDGER_ID)) ?? '', ...here });
    return ledger;
  } catch (error) {
    await ledger.close();
    throw error;
  }
}

/** Resolves with the id of the ledger; undefined if there is none. */
async function idAt(place: { connectionString: string; schema: string }, name: string): Promise<string | undefined> {
  const { postgresLedger } = await import('../../migration/ledger/postgres/postgres-ledger.js');
  try {
    const ledger = await postgresLedger({ ...place, readOnly: true });
    return await ledger.fact(name).finally(() => ledger.close());
  } catch (error) {
    if (error instanceof NoLedgerError) return undefined;
    throw error;
  }
}

function whyAnother(note: LedgerNote, here: Omit<LedgerNote, 'id'>, id: string | undefined, run: string): string {
  if (note.database === here.database && note.schema === here.schema) {
    const found = id === undefined ? 'no ledger' : 'another ledger';
    return `the ledger of the run in ${run} is lost: ${inWords(note)} has ${found}. The database was emptied or made anew. ${RESTORE_LOST}`;
  }
  return `the ledger at --database is not the one of the run in ${run}, which is ${inWords(note)}. Give that address, or name another folder with --run.`;
}

function inWords({ database, schema }: Omit<LedgerNote, 'id'>): string {
  return `schema ${schema} of ${database}`;
}
