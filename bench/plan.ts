/**
 * Defines each row of the tables and its goal. A goal is compared with the median of all rounds; a row without a goal is
 * only reported. The modules in `groups/` measure, and set the figures by these ids.
 */

export type Goal = { atLeast: number } | { atMost: number };

/** `times` is a ratio of two contestants in one run; the other units are absolute. */
export type Unit = 'times' | 'us' | 's' | 'MiB' | 'MB' | 'kB' | '%' | '';

interface PlannedRow {
  what: string;
  unit: Unit;
  goal?: Goal;
}

export interface PlannedGroup {
  title: string;
  /** The group needs packages of bench/package.json. */
  needsPeers?: true;
  /** Measured only if named: it takes longer than all other groups together. */
  isLong?: true;
  rows: Readonly<Record<string, PlannedRow>>;
}

const atLeast = (value: number, unit: Unit = 'times'): { unit: Unit; goal: Goal } => ({
  unit,
  goal: { atLeast: value },
});
const atMost = (value: number, unit: Unit = 'times'): { unit: Unit; goal: Goal } => ({ unit, goal: { atMost: value } });

const PLAN = {
  client: {
    title: '`accounts.stage` over a bare loop on undici',
    rows: {
      'rate 16': { what: 'without local check, 16 in flight: requests/s over bare', ...atLeast(1) },
      'rate 64': { what: 'without local check, 64 in flight: requests/s over bare', ...atLeast(1) },
      'checked rate 16': { what: 'with it, 16 in flight: requests/s over bare', ...atLeast(0.8) },
      'checked rate 64': { what: 'with it, 64 in flight: requests/s over bare', ...atLeast(0.8) },
      'checked cpu 16': { what: 'with it, 16 in flight: CPU a call over bare', ...atMost(1.25) },
      'checked cpu 64': { what: 'with it, 64 in flight: CPU a call over bare', ...atMost(1.25) },
      'p99 16': { what: 'without local check, 16 in flight: p99 over bare', ...atMost(1.15) },
      'p99 64': { what: 'without local check, 64 in flight: p99 over bare', ...atMost(1.15) },
      'checked p99 16': { what: 'with it, 16 in flight: p99 over bare', ...atMost(1.15) },
      'checked p99 64': { what: 'with it, 64 in flight: p99 over bare', ...atMost(1.15) },
      limits: { what: 'retry, limit and deadline on the way of success: CPU a call', ...atMost(5, 'us') },
      'idiom limits': { what: 'the same by p-limit, p-retry and AbortSignal.timeout: CPU a call', unit: 'us' },
      added: { what: 'all that the client adds to dispatch and JSON: CPU a call', unit: 'us' },
      heap: { what: 'heap growth from 100,000 calls to 1,000,000 with one client', ...atMost(0.5, 'MiB') },
    },
  },
  peers: {
    title: 'Everything on, 64 in flight: requests/s of the client over',
    needsPeers: true,
    rows: {
      stripe: { what: 'stripe-node', ...atLeast(2) },
      axios: { what: 'axios with axios-retry', ...atLeast(5) },
      openai: { what: 'openai-node', ...atLeast(8) },
      ky: { what: 'ky', ...atLeast(9) },
      generated: { what: 'a client generated from our OpenAPI document, with zod', ...atLeast(10) },
      got: { what: 'got', unit: 'times' },
      fetch: { what: 'global fetch with a timeout, no retries', unit: 'times' },
      bare: { what: 'a bare loop on undici', unit: 'times' },
    },
  },
  check: {
    title: 'Local check of a full account, CPU over `JSON.parse` of its text',
    rows: {
      plain: { what: 'phones included, warnings off', ...atMost(0.8) },
      warnings: { what: 'phones included, warnings on', ...atMost(1.2) },
      zod: { what: 'only zod with the same schema, for comparison', unit: 'times' },
    },
  },
  input: {
    title: 'An input file: read, parse and check every line',
    rows: {
      checked: { what: 'readline, `JSON.parse` and the same check, CPU a line over ours', ...atLeast(1.05) },
      hashed: { what: 'the same over ours with the hash of each line', unit: 'times' },
      read: { what: 'the same without the check, over ours without it', unit: 'times' },
      gzip: { what: 'gzip: CPU a line over the plain file', unit: 'times' },
      csv: { what: 'CSV of short rows through a map: CPU a line over the plain file', unit: 'times' },
      memory: { what: 'peak resident memory after 1,000,000 lines', ...atMost(140, 'MB') },
      'memory of few': { what: 'the same after 100,000 lines', unit: 'MB' },
    },
  },
  sql: {
    title: 'SQL as the input: 1,000,000 accounts from six files in Windows-1252 as sorted JSON records',
    isLong: true,
    rows: {
      time: { what: 'time until the last record', ...atMost(15, 's') },
      memory: { what: 'peak resident memory', ...atMost(1500, 'MB') },
    },
  },
  totals: {
    title: '`verify --extract`: 2,000,000 transactions of 100,000 accounts with 1,000 errors of one cent',
    isLong: true,
    rows: {
      found: { what: 'errors that are found', ...atLeast(1000, '') },
      wrong: { what: 'other differences that are reported', ...atMost(0, '') },
      time: { what: 'time until the result', ...atMost(60, 's') },
      memory: { what: 'peak resident memory', ...atMost(300, 'MB') },
    },
  },
  import: {
    title: 'Start of the package as published: time of a new process over `node -e 0`',
    rows: {
      help: { what: '`data-import-sdk --help`', ...atMost(2.5) },
      esm: { what: 'import', ...atMost(1.8) },
      cjs: { what: 'require', ...atMost(1.8) },
      'esm zod': { what: 'for comparison: import of zod', unit: 'times' },
      'cjs zod': { what: 'for comparison: require of zod', unit: 'times' },
      'beyond zod': { what: 'import, over import of zod', ...atMost(1.3) },
      'first call': { what: 'import and a first call, over zod and undici', unit: 'times' },
    },
  },
  types: {
    title: 'Type-check of a ten-line script, over the same with plain interfaces',
    rows: {
      time: { what: 'time of tsc', ...atMost(1.15) },
      instantiations: { what: 'type instantiations beyond it', ...atMost(20_000, '') },
    },
  },
  size: {
    title: 'Size, minified by esbuild',
    rows: {
      client: { what: 'the client without its dependencies', ...atMost(80, 'kB') },
      'client gzip': { what: 'the same, gzip', unit: 'kB' },
      bundle: { what: "a consumer's bundle, dependencies and all", unit: 'kB' },
      'bundle gzip': { what: 'the same, gzip', unit: 'kB' },
    },
  },
  path: {
    title: 'The whole path: from a line of the input to a processed account, CPU an account',
    needsPeers: true,
    rows: {
      bare: { what: 'openInput and the client, over the best loop by hand', ...atMost(1.15) },
      unchecked: { what: 'the same, over that loop without its check', unit: 'times' },
      idiom: { what: 'readline, zod, p-limit, p-retry and fetch, over ours', ...atLeast(2.3) },
      openai: { what: 'readline, zod and openai-node, over ours', ...atLeast(6) },
      run: { what: 'a migration with its ledger and report, over ours', unit: 'times' },
      cost: { what: 'ours, as it is', unit: 'us' },
    },
  },
  sandbox: {
    title: 'The sandbox over HTTP, over a bare server that parses and answers the same',
    rows: {
      'validate rate': { what: 'validate: requests/s', ...atLeast(0.5) },
      'stage rate': { what: 'stage: requests/s', ...atLeast(0.5) },
      'validate cpu': { what: 'validate: CPU a request', unit: 'times' },
      'stage cpu': { what: 'stage: CPU a request', unit: 'times' },
    },
  },
  run: {
    title: 'A migration with 32 calls in flight, its ledger and its report: requests/s over a bare loop on undici',
    rows: {
      'rate 0 32': { what: 'a service that answers at once', ...atLeast(0.5) },
      'rate 20 32': { what: 'a service that takes 20 ms', ...atLeast(0.95) },
      'rate 0 64': { what: '64 in flight, at once', unit: 'times' },
      'rate 20 64': { what: '64 in flight, 20 ms', unit: 'times' },
      'wire rate 0 32': { what: 'over a loop without JSON, at once', unit: 'times' },
      'wire rate 20 32': { what: 'over a loop without JSON, 20 ms', unit: 'times' },
      'wire rate 0 64': { what: 'over a loop without JSON, 64 in flight, at once', unit: 'times' },
      'wire rate 20 64': { what: 'over a loop without JSON, 64 in flight, 20 ms', unit: 'times' },
    },
  },
  ledger: {
    title: 'Durable writes of the ledger on PostgreSQL, over SQLite on the same machine',
    isLong: true,
    rows: {
      'rate 1': { what: 'one at a time: writes/s', unit: 'times' },
      'cpu 1': { what: 'one at a time: CPU a write, without that of the server', unit: 'times' },
      'rate 64': { what: '64 at a time: writes/s', ...atLeast(0.4) },
      'cpu 64': { what: '64 at a time: CPU a write, without that of the server', unit: 'times' },
    },
  },
  distributed: {
    title: 'A run by several workers, each a process with 4 calls in flight, at a service that takes 20 ms',
    isLong: true,
    rows: {
      'rate 2': { what: '2 workers: records/s over 1', ...atLeast(1.8) },
      'rate loop': {
        what: '2 workers: records/s over a plain loop with as many records at a time and the same ledger',
        ...atLeast(0.9),
      },
      'rate 3': { what: '3 workers: records/s over 1', ...atLeast(2.6) },
      'records bytes': { what: 'database: bytes a record, with its indexes', unit: '' },
      'lines bytes': { what: 'database: bytes a line of 3 KB during the run', unit: '' },
      'wal bytes': { what: 'write-ahead log: bytes a record', unit: '' },
      statements: { what: 'statements a record', unit: '' },
      'worker cpu': { what: 'worker: CPU a record', unit: 'us' },
      'database cpu': { what: 'database: CPU a record', unit: 'us' },
      connections: { what: 'connections to the database, a worker more', unit: '' },
    },
  },
  'distributed-cap': {
    title: 'Three workers at a service that processes 24, then 8, then 40 accounts at a time, for 30 s each',
    isLong: true,
    rows: {
      use: { what: 'use of that number', ...atLeast(90, '%') },
      refused: { what: 'share of 429', ...atMost(5, '%') },
    },
  },
  migration: {
    title: 'A migration, run by the runner',
    isLong: true,
    rows: {
      resident: {
        what: 'peak resident memory of 1,000,000 accounts over 10,000, index of keys apart',
        ...atMost(1.25),
      },
      heap: { what: 'peak heap of the same', unit: 'times' },
      restart: { what: 'first request after a restart with 900,000 of 1,000,000 done', ...atMost(1, 's') },
      items: { what: 'an account with 24,000 notes over one with 8,000: time', ...atMost(5) },
      'cap use': { what: 'use of an unknown cap of 24, the first three minutes of a run', ...atLeast(90, '%') },
      'cap refused': { what: 'share of 429 in the first three', ...atMost(5, '%') },
      'cap use lower': { what: 'use in three minutes after it falls to 8', ...atLeast(90, '%') },
      'cap refused lower': { what: 'share of 429 in the three after it falls', ...atMost(5, '%') },
      'cap use higher': { what: 'use in three minutes after it rises to 40', ...atLeast(90, '%') },
      'cap refused higher': { what: 'share of 429 in the three after it rises', ...atMost(5, '%') },
    },
  },
} as const satisfies Readonly<Record<string, PlannedGroup>>;

export type GroupName = keyof typeof PLAN;
export type RowId<Name extends GroupName> = string & keyof (typeof PLAN)[Name]['rows'];

export const GROUP_NAMES = Object.keys(PLAN) as GroupName[];

/** Returns the group with its optional properties set. */
export function planOf(name: GroupName): PlannedGroup {
  return PLAN[name];
}
