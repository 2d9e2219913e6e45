/** Exports `openSqliteLedger`: a ledger in one SQLite file, for a run on one machine, and for commands that read it during the run. */
import { chmodSync, closeSync, existsSync, statSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { Kysely, sql } from 'kysely';
import { checkOptionKinds, clockOf, expectKind } from '../../../validation/option-kinds.js';
import { openOwnSync, refuseIrregular } from '../../shared/regular-file.js';
import type { Ledger } from '../ledger.js';
import { LedgerLockedError } from '../locked-error.js';
import { DamagedRowError } from '../sql/damaged-row.js';
import { createTables, OTHER_VERSION, SCHEMA_VERSION, type TableWays } from '../sql/schema.js';
import { createSqlLedger } from '../sql/sql-ledger.js';
import type { Tables } from '../sql/tables.js';
import { sqliteDialect } from './dialect.js';
import { sqliteDirect } from './direct.js';
import { hasOwnSqlite, loadSqlite, type OpenSqlite, type SqliteConnection } from './driver.js';
import { isOfRights, LedgerFileError, ledgerFileError } from './file-error.js';
import { takeLock } from './file-lock.js';
import { expectNotLost, RESTORE_LOST } from './lost-ledger.js';
import { preparing, transacting } from './transact.mjs';
import { createWriter, type ThreadChoice } from './writer.js';

/** Options of `openSqliteLedger`. */
export interface SqliteLedgerOptions {
  /**
   * Opens the ledger without a lock and without writing, to read it during a run.
   * @default false
   */
  readOnly?: boolean;
  /**
   * The clock for the start time that the lock shows.
   * @default the clock of the machine
   */
  now?: () => Date;
  /**
   * Whether commits wait for the disk in a separate thread: `auto` uses one for a ledger with many writes, if the
   * runtime has threads.
   * @default 'auto'
   */
  thread?: ThreadChoice;
}

/** Marks the file as a ledger, in the header of the SQLite file: "diml". */
const APPLICATION_ID = 0x64696d6c;

const WAYS: TableWays = {
  counter: ['integer', (column) => column.primaryKey()],
  noteVersion: async (db, version) => {
    await sql.raw(`pragma user_version = ${version}`).execute(db);
  },
};

/** Of the files that SQLite keeps beside a database, and opens by itself. */
const SQLITE_SUFFIXES = ['-journal', '-wal', '-shm'];

/** Pragmas of every connection that writes. */
const SETTINGS = ['busy_timeout = 5000', 'synchronous = full', 'foreign_keys = on', 'secure_delete = on'];

/**
 * Creates the file if it does not exist, with permissions for its owner only. Rejects with a `LedgerLockedError` if a
 * run has it, and with a `LedgerFileError` if it is not a ledger, was lost since its run began, was written by another
 * version, or cannot be opened.
 */
export async function openSqliteLedger(path: string, options: SqliteLedgerOptions = {}): Promise<Ledger> {
  expectKind('openSqliteLedger: path', path, 'name');
  checkOptionKinds('openSqliteLedger', options, { readOnly: 'boolean?', now: 'function?', thread: 'string?' });
  const { readOnly = false, thread = 'auto' } = options;
  const startedAt = clockOf('openSqliteLedger', options.now)();
  const open = await loadSqlite();
  const lockPath = `${path}.lock`;
  let connection: SqliteConnection | undefined;
  let release = () => {};
  try {
    expectNotLost(path);
    for (const file of [path, lockPath]) for (const suffix of SQLITE_SUFFIXES) refuseIrregular(file + suffix);
    if (readOnly) closeSync(openOwnSync(path, 'read'));
    else {
      makePrivate(path);
      makePrivate(lockPath);
      release = takeLock(path, lockPath, open, startedAt);
    }
    connection = readOnly ? openToRead(path, open) : open(path, { readOnly });
    const db = new Kysely<Tables>({ dialect: sqliteDialect(connection) });
    if (!readOnly) await prepareWriting(path, connection, db);
    const stay = readOnly ? [] : [path, lockPath].map(place);
    const held = connection;
    const prepared = preparing(held);
    const data = { path, isOwn: hasOwnSqlite(), settings: SETTINGS };
    const writer = createWriter(transacting(held, prepared), data, thread);
    const ledger = createSqlLedger(db, {
      direct: sqliteDirect(db, prepared, writer),
      read: (task) =>
        task().catch((error: unknown) => {
          throw error instanceof DamagedRowError ? ledgerFileError('read', path, error) : error;
        }),
      write: (task) => guarded(path, readOnly, stay, () => task(false)),
      async leave() {
        try {
          await writer.close();
          // Only one of the two SQLite drivers does this itself: everything is then in the one file.
          if (!readOnly) held.exec('pragma wal_checkpoint(truncate)');
        } catch (error) {
          throw ledgerFileError('close', path, error);
        } finally {
          await db.destroy();
          release();
        }
      },
    });
    return { ...ledger, file: path };
  } catch (error) {
    connection?.close();
    release();
    throw error instanceof LedgerLockedError ? error : ledgerFileError('open', path, error);
  }
}

/** `name`: of the file for SQLite, which may be a URL with settings. */
function openToRead(path: string, open: OpenSqlite, name = path): SqliteConnection {
  const connection = open(name, { readOnly: true });
  try {
    const version = schemaVersion(path, connection);
    if (version === 0) throw new LedgerFileError(`ledger: ${path} is empty. A run fills it; then repeat this command.`);
    connection.exec('pragma busy_timeout = 5000');
    return connection;
  } catch (error) {
    connection.close();
    // Beside each ledger SQLite creates files, which a read-only disk refuses. Without a write-ahead log, the one file has everything.
    if (name !== path || !isOfRights(error) || existsSync(`${path}-wal`)) throw error;
    return openToRead(path, open, `${pathToFileURL(path).href}?immutable=1`);
  }
}

async function prepareWriting(path: string, connection: SqliteConnection, db: Kysely<Tables>): Promise<void> {
  const version = schemaVersion(path, connection);
  // The files that SQLite creates next to it get the same permissions.
  chmodSync(path, 0o600);
  const { journal_mode } = connection.prepare('pragma journal_mode = wal').get() as { journal_mode: string };
  if (journal_mode !== 'wal') {
    throw new LedgerFileError(
      `ledger: ${path} is on a disk that does not support a ledger. Choose a folder on a local disk.`,
    );
  }
  for (const setting of [...SETTINGS, `application_id = ${APPLICATION_ID}`]) connection.exec(`pragma ${setting}`);
  if (version === 0) await createTables(db, WAYS);
}

/** Returns the version of the tables; 0 for an empty file. Throws for a file that is not a ledger, and for another version. */
function schemaVersion(path: string, connection: SqliteConnection): number {
  const pragma = (name: string) => Object.values(connection.prepare(`pragma ${name}`).get() as object)[0] as number;
  const isEmpty = connection.prepare('select 1 from sqlite_schema').get() === undefined;
  if (!isEmpty && pragma('application_id') !== APPLICATION_ID) {
    throw new LedgerFileError(`ledger: ${path} is another database. Give the path of a ledger.`);
  }
  const version = pragma('user_version');
  if (version !== 0 && version !== SCHEMA_VERSION) throw new LedgerFileError(`ledger: ${path} ${OTHER_VERSION}`);
  return version;
}

/** Creates the file with permissions for its owner. An existing file is not changed: it may not be a ledger. */
function makePrivate(path: string): void {
  closeSync(openOwnSync(path, 'append'));
}

interface Place {
  path: string;
  inode: number;
}

function place(path: string): Place {
  return { path, inode: statSync(path).ino };
}

/** Without this check, a moved or deleted file would accept writes that are lost. */
async function guarded<T>(
  path: string,
  readOnly: boolean,
  stay: readonly Place[],
  write: () => Promise<T>,
): Promise<T> {
  if (readOnly) throw new LedgerFileError(`ledger: ${path} was opened read-only. To write, open it without readOnly.`);
  try {
    const written = await write();
    const gone = stay.find(({ path: where, inode }) => statSync(where, { throwIfNoEntry: false })?.ino !== inode);
    if (gone !== undefined) {
      const remedy = gone.path === path ? RESTORE_LOST : 'Repeat the command.';
      const text = `ledger: ${gone.path} was moved or deleted during the run, so nothing more can be stored. ${remedy}`;
      throw Object.assign(new LedgerFileError(text), { isLost: true });
    }
    return written;
  } catch (error) {
    throw ledgerFileError('write to', path, error);
  }
}
