/**
 * Exports `loadSqlite`, which loads `node:sqlite` if it is new enough, otherwise the package with the same interface and file format.
 * Neither is loaded before a ledger is opened.
 */
import { MissingPackageError } from '../../shared/missing-package.js';

/** The part of `node:sqlite` that the ledger uses. */
export interface SqliteConnection {
  exec(sql: string): void;
  prepare(sql: string): SqliteStatement;
  readonly isTransaction: boolean;
  close(): void;
}

export interface SqliteStatement {
  all(...parameters: SqliteValue[]): unknown[];
  get(...parameters: SqliteValue[]): unknown;
  iterate(...parameters: SqliteValue[]): IterableIterator<unknown>;
  run(...parameters: SqliteValue[]): { changes: number | bigint; lastInsertRowid: number | bigint };
  columns(): readonly { name: string }[];
}

export type SqliteValue = null | number | bigint | string;

export type OpenSqlite = (path: string, options: { readOnly: boolean }) => SqliteConnection;

interface SqliteModule {
  DatabaseSync: new (path: string, options: { readOnly: boolean }) => SqliteConnection;
}

/** The sources of both. Tests replace them. */
export interface SqliteSources {
  /** Version of the SQLite in Node.js; undefined if it has none. */
  ownVersion: string | undefined;
  own: () => SqliteModule;
  other: () => Promise<SqliteModule>;
}

/** Oldest safe version: earlier ones can lose a commit that meets a checkpoint. */
const OLDEST_SOUND = [3, 51, 3];

const HERE: SqliteSources = {
  ownVersion: process.versions['sqlite'],
  own: nodeSqlite,
  other: () => import('@photostructure/sqlite') as Promise<SqliteModule>,
};

/** Resolves with a function that opens a database. Rejects with a `MissingPackageError` that has the command to install the package. */
export async function loadSqlite(sources: SqliteSources = HERE): Promise<OpenSqlite> {
  const { DatabaseSync } = isSound(sources.ownVersion) ? sources.own() : await otherSqlite(sources);
  return (path, options) => new DatabaseSync(path, options);
}

export function hasOwnSqlite(): boolean {
  return isSound(HERE.ownVersion);
}

async function otherSqlite({ ownVersion, other }: SqliteSources): Promise<SqliteModule> {
  try {
    return await other();
  } catch (cause) {
    const has = ownVersion === undefined ? 'has no built-in SQLite' : `has SQLite ${ownVersion}`;
    throw new MissingPackageError(
      `ledger: this Node (${process.version}) ${has}, and a ledger needs ${OLDEST_SOUND.join('.')} or later. ` +
        'Install one with "npm install @photostructure/sqlite@1.2.1", or run with the newest Node 22, 24 or later.',
      { cause },
    );
  }
}

function isSound(version: string | undefined): boolean {
  if (version === undefined) return false;
  const parts = version.split('.').map(Number);
  const differing = OLDEST_SOUND.findIndex((oldest, index) => parts[index] !== oldest);
  return differing === -1 || (parts[differing] ?? 0) > (OLDEST_SOUND[differing] ?? 0);
}

/** Returns `node:sqlite` through `process`, because bundlers would treat an import as a package. Hides its experimental warning. */
function nodeSqlite(): SqliteModule {
  const { emitWarning } = process;
  process.emitWarning = ((warning: string | Error, ...rest: never[]) => {
    if (!String(warning).startsWith('SQLite is an experimental feature')) emitWarning.call(process, warning, ...rest);
  }) as typeof emitWarning;
  try {
    return (process as unknown as { getBuiltinModule(id: string): SqliteModule }).getBuiltinModule('node:sqlite');
  } finally {
    process.emitWarning = emitWarning;
  }
}
