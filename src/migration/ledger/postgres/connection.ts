/** Exports the connections of the PostgreSQL ledger: one that writes, and pools that read. */
import type { Client, ClientBase, ClientConfig, CustomTypesConfig, Pool, PoolConfig } from 'pg';
import type { Direct, Statement } from '../sql/direct.js';
import type { Pg } from './driver.js';

/**
 * Planner settings of a connection. The server keeps the plan of a prepared statement. A plan made while the ledger
 * was small would scan the whole table for every record later, so sequential scans are off. One row that is always
 * read by a scan, that of the turn, then has such a high estimated cost that the server would compile machine code
 * (15 ms each time), so JIT is off too.
 */
const BY_KEY = "select set_config('enable_seqscan', 'off', false), set_config('jit', 'off', false)";

/**
 * Settings of every session, whatever the defaults of the server, the database and the role. The lock of a lost machine is released within
 * 30 s. The client has its own time limits.
 */
const SESSION = `
  set tcp_keepalives_idle = 10;
  set tcp_keepalives_interval = 5;
  set tcp_keepalives_count = 3;
  set tcp_user_timeout = 30000;
  set idle_in_transaction_session_timeout = 60000;
  set default_transaction_isolation = 'read committed';
  select set_config('synchronous_commit', 'on', false) where current_setting('synchronous_commit') = 'off';
  select set_config(name, '0', false) from pg_settings
    where name in ('lock_timeout', 'statement_timeout', 'transaction_timeout', 'idle_session_timeout') and setting <> '0'`;

/** Prepares a session for writing and for queries by key. Call it first. */
export async function preparing(client: ClientBase): Promise<void> {
  await client.query(`${BY_KEY}; ${SESSION}`);
}

const READERS = 2;
const FINDERS = 4;
const CONNECT_TIMEOUT_MS = 10_000;
/** After this time without an answer, a connection counts as broken: TCP reports a silent network only after 15 minutes. */
export const WRITE_TIMEOUT_MS = 30_000;
const READ_TIMEOUT_MS = 120_000;

const INT8 = 20;

function configOf(pg: Pg, connectionString: string): ClientConfig {
  const getTypeParser = ((oid: number, format?: 'text') => {
    // Safe: counts of a ledger are far below 2^53.
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

/** Returns the client that writes, not yet connected. */
export function createWriterClient(pg: Pg, connectionString: string): Client {
  const client = new pg.Client({
    ...configOf(pg, connectionString),
    pipeline: true,
    query_timeout: WRITE_TIMEOUT_MS,
  });
  // The next query on the client rejects with the error.
  client.on('error', () => {});
  return client;
}

/** Returns a pool for queries that scan the table or a part of it. */
export function createReaders(pg: Pg, connectionString: string): Pool {
  const onConnect = (client: ClientBase) => client.query(SESSION);
  return poolOf(pg, { ...configOf(pg, connectionString), max: READERS, onConnect });
}

/** Returns a pool for queries by key. */
export function createFinders(pg: Pg, connectionString: string): Pool {
  return poolOf(pg, { ...configOf(pg, connectionString), max: FINDERS, onConnect: preparing });
}

/** Returns a pool for other writers than that of the ledger. `onConnect` prepares each connection. */
export function createWriters(
  pg: Pg,
  connectionString: string,
  options: { max: number; timeoutMs: number; onConnect: (client: ClientBase) => Promise<void> },
): Pool {
  const { max, timeoutMs, onConnect } = options;
  const config = { ...configOf(pg, connectionString), max, onConnect, connectionTimeoutMillis: timeoutMs };
  // An idle connection that has a lock keeps it.
  return poolOf(pg, { ...config, query_timeout: timeoutMs, idleTimeoutMillis: 0 });
}

function poolOf(pg: Pg, config: PoolConfig): Pool {
  const pool = new pg.Pool({ query_timeout: READ_TIMEOUT_MS, ...config });
  // Errors of idle connections need no handler. A connection in use rejects its query.
  pool.on('error', () => {});
  pool.on('connect', (client) => void client.on('error', () => {}));
  return pool;
}

/** Returns a function that names each statement text, so that the server prepares it once. */
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
  const rows: Direct['rows'] = async (statement) => (await pool.query(named(statement))).rows;
  return { rows, page: rows, transact };
}
