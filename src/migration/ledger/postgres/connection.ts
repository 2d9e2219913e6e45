/** Connections to PostgreSQL as the ledger has them: one that writes, and a few beside it that read. */
import type { Client, ClientBase, ClientConfig, CustomTypesConfig, Pool, PoolConfig } from 'pg';
import type { Direct, Statement } from '../sql/direct.js';
import type { Pg } from './driver.js';

/**
 * The server keeps the plan of a statement that it was told once. One that was made while the ledger was small would read
 * all of it for every record later. What it must read whole nevertheless, the one row of the turn, it takes for so costly
 * that it would make machine code for it: 15 ms each time.
 */
export const BY_KEY = "select set_config('enable_seqscan', 'off', false), set_config('jit', 'off', false)";

const READERS = 2;
const FINDERS = 4;
const CONNECT_TIMEOUT_MS = 10_000;
/** Past these a connection counts as cut: a network that swallows everything says nothing for a quarter of an hour. */
export const WRITE_TIMEOUT_MS = 30_000;
const READ_TIMEOUT_MS = 120_000;

const INT8 = 20;

function configOf(pg: Pg, connectionString: string): ClientConfig {
  const getTypeParser = ((oid: number, format?: 'text') => {
    // No ledger has as many records as would need more digits.
    return oid === INT8 ? Number : pg.types.getTypeParser(oid, format);
  }) as CustomTypesConfig['getTypeParser'];
  return {
    connectionString,
    application_name: 'data-import',
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    keepAlive: true,
    types: { getTypeParser },
  };
}

/** Not yet connected. */
export function createWriterClient(pg: Pg, connectionString: string): Client {
  const client = new pg.Client({
    ...configOf(pg, connectionString),
    pipeline: true,
    query_timeout: WRITE_TIMEOUT_MS,
  });
  // Whoever asks it next is told.
  client.on('error', () => {});
  return client;
}

/** For whoever reads a part of the table, or all of it. */
export function createReaders(pg: Pg, connectionString: string): Pool {
  return poolOf(pg, { ...configOf(pg, connectionString), max: READERS });
}

/** For what is found by its key. */
export function createFinders(pg: Pg, connectionString: string): Pool {
  const onConnect = (client: ClientBase) => client.query(BY_KEY);
  return poolOf(pg, { ...configOf(pg, connectionString), max: FINDERS, onConnect });
}

/** For whoever writes beside the writer: each connection is prepared by `onConnect`. */
export function createBeside(
  pg: Pg,
  connectionString: string,
  options: { max: number; timeoutMs: number; onConnect: (client: ClientBase) => Promise<void> },
): Pool {
  const { max, timeoutMs, onConnect } = options;
  const config = { ...configOf(pg, connectionString), max, onConnect, connectionTimeoutMillis: timeoutMs };
  // One that has a lock keeps it while nobody asks for anything.
  return poolOf(pg, { ...config, query_timeout: timeoutMs, idleTimeoutMillis: 0 });
}

function poolOf(pg: Pg, config: PoolConfig): Pool {
  const pool = new pg.Pool({ query_timeout: READ_TIMEOUT_MS, ...config });
  // Of those that wait in it, and of those that are in use: whoever uses one is told by what they asked.
  pool.on('error', () => {});
  pool.on('connect', (client) => void client.on('error', () => {}));
  return pool;
}

/** Gives each text a name, under which the server keeps it prepared. */
export function createNames() {
  const names = new Map<string, string>();
  return ({ sql, parameters }: Statement) => {
    let name = names.get(sql);
    if (name === undefined) {
      name = `s${names.size + 1}`;
      names.set(sql, name);
    }
    return { name, text: sql, values: [...parameters] };
  };
}

export function postgresDirect(
  pool: Pool,
  named: ReturnType<typeof createNames>,
  transact: Direct['transact'],
): Direct {
  return {
    join: 'string_agg',
    rows: async (statement) => (await pool.query(named(statement))).rows,
    transact,
  };
}
