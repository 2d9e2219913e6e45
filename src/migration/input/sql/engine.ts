/** `openEngine`: DuckDB in this process, which loads no extension and, once it is locked, opens no file outside one folder. */
import { MissingPackageError } from '../../shared/missing-package.js';
import { MACROS } from './macros.js';
import { registerPhone } from './phone-function.js';

export type DuckDb = typeof import('@duckdb/node-api');

const INSTALL = 'Install it with "npm install @duckdb/node-api@1.5.6-r.1".';
const OLDEST_MINOR = 5;

/** Loads the package. Rejects with a `MissingPackageError` if it is not installed, or has another version of DuckDB. */
export async function loadDuckDb(): Promise<DuckDb> {
  let duckDb: DuckDb;
  try {
    duckDb = await import('@duckdb/node-api');
  } catch (error) {
    throw new MissingPackageError(
      `input: SQL needs the package @duckdb/node-api, which is not installed or has no binary for this system. ${INSTALL}`,
      { cause: error },
    );
  }
  const version = duckDb.version();
  const [, major, minor] = /^v?(\d+)\.(\d+)/.exec(version) ?? [];
  if (Number(major) === 1 && Number(minor) >= OLDEST_MINOR) return duckDb;
  throw new MissingPackageError(
    `input: SQL needs DuckDB 1.${OLDEST_MINOR} or a later 1.x, and @duckdb/node-api has ${version}. ${INSTALL}`,
  );
}

export type Engine = Awaited<ReturnType<typeof openEngine>>;

/** `spillFolder`: for data that exceed DuckDB's memory limit. */
export async function openEngine(
  duckDb: DuckDb,
  { memoryMiB, spillFolder }: { memoryMiB: number; spillFolder: string },
) {
  const instance = await duckDb.DuckDBInstance.create(':memory:', {
    memory_limit: `${memoryMiB}MiB`,
    temp_directory: spillFolder,
    preserve_insertion_order: 'false',
    autoinstall_known_extensions: 'false',
    autoload_known_extensions: 'false',
    allow_community_extensions: 'false',
  });
  const connection = await instance.connect();
  /** Runs one statement after another. */
  const run = async (...statements: string[]) => {
    for (const statement of statements) await connection.run(statement);
  };
  registerPhone(duckDb, connection);
  await run("SET TimeZone = 'UTC'", 'SET errors_as_json = true', MACROS);
  // For the rows of the sources. Compressed at each checkpoint: less than a fifth of the memory, and twice as fast to read.
  await run("ATTACH ':memory:' AS loaded (COMPRESS)");
  return {
    duckDb,
    connection,
    run,
    /** The first column of the rows. */
    async column(sql: string): Promise<unknown[]> {
      const reader = await connection.runAndReadAll(sql);
      return reader.getRows().map(([value]) => value);
    },
    /** After this call statements can open only files in `folder`, and `files`. */
    lock: (folder: string, files: readonly string[]) =>
      run(
        `SET allowed_directories = [${literal(folder)}]`,
        `SET allowed_paths = [${files.map(literal).join(', ')}]`,
        'SET enable_external_access = false',
      ),
    /** After this call no setting can be changed. */
    lockSettings: () => run('SET lock_configuration = true'),
    close() {
      connection.closeSync();
      instance.closeSync();
    },
  };
}

/** Returns a text as a SQL literal. */
export function literal(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

/** Returns a name as a quoted SQL identifier. */
export function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
