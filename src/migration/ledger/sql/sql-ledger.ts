/**
 * Exports `createSqlLedger`: the queries and writes of a ledger in SQL, for all databases. Every write is a compare-and-set on the
 * version of the record; every list continues after the last key of a page.
 */
import { isDeepStrictEqual } from 'node:util';
import { type CompiledQuery, type Kysely, type Selectable, sql } from 'kysely';
import { zeros } from '../../shared/zero-counts.js';
import {
  IMPORTED,
  idOf,
  type Ledger,
  type LedgerCounts,
  type LedgerFilter,
  type LedgerRecord,
  OUTCOMES,
  type Outcome,
  type ReadStoredLine,
  type RecordKey,
  StaleRecordError,
  staleAt,
} from '../ledger.js';
import { toColumn } from './column-text.js';
import { type Direct, hasKey, type Statement, tableIn } from './direct.js';
import { GroupCommit } from './group-commit.js';
import { createStatements, inColumns, type Ownership, PAGE_OF_LINES, type Statements, type Write } from './queries.js';
import { type LineRow, lineOfRow, NO_ERRORS, recordOf, rowOfLine, type Tables } from './tables.js';

export interface SqlLedgerOptions {
  /** Direct statements to the same database. */
  direct: Direct;
  /** Wraps every read: repeats it, or converts its error to one with a remedy. */
  read: <T>(task: () => Promise<T>) => Promise<T>;
  /** Wraps every write. `isAgain`: the previous attempt was interrupted and may have taken effect. */
  write: <T>(task: (isAgain: boolean) => Promise<T>) => Promise<T>;
  /** Set if several workers use the ledger. */
  ownership?: Ownership;
  /** Closes the connection. Called when no write is pending. */
  leave: () => Promise<void>;
}

/** Rows per page. */
const PAGE = 500;
interface Ways {
  direct: Direct;
  statements: Statements;
  ownership: Ownership | undefined;
}

export function createSqlLedger(db: Kysely<Tables>, options: SqlLedgerOptions): Ledger {
  const { direct, read, write, leave, ownership } = options;
  const statements = createStatements(db, ownership);
  const ways = { direct, statements, ownership };
  const adding = insertionOfLines(db);
  const writes = new GroupCommit<Write>(
    ({ record }) => idOf(record),
    (group) => write((isAgain) => commit(group, isAgain, ways)),
  );
  let closing: Promise<void> | undefined;
  return {
    find: (key) => read(() => one(direct, statements.find(key))),
    write: (record, contracts = [], isOver = false) => writes.add({ record, contracts, isOver }),
    async remove(record) {
      if (!(await write((isAgain) => remove(record, isAgain, db, ways)))) throw staleAt(record);
    },
    isNumberOfOther: async (record) => (await read(() => direct.rows(statements.numbered(record)))).length > 0,
    business: (supplier, contract) => read(() => one(direct, statements.business({ supplier, contract }))),
    async *list(filter = {}) {
      const page = (after: number) => read(() => recordsAfter(after, filter, db, direct));
      for await (const rows of pages(page)) for (const { record } of rows) yield record;
    },
    async addLines(reading, lines) {
      const rows = lines.map((line) => rowOfLine(line, reading));
      if (rows.length > 0) await write(() => db.executeQuery(adding(rows)));
    },
    async *lines(reading, kind) {
      for (let after = 0; ; ) {
        const page = await read(() => linesAt(statements.lines({ reading, kind, after }), direct));
        for (const { line } of page) yield line;
        if (page.length < PAGE_OF_LINES) return;
        after = page.at(-1)?.seq ?? after;
      }
    },
    async line(key, hash) {
      const found = await read(() => linesAt(statements.linesOf(key), direct));
      return found.filter(({ line }) => hash === undefined || line.hash === hash).at(-1)?.line;
    },
    async eraseLines(keys) {
      for (let at = 0; at < keys.length; at += ERASED_AT_ONCE) {
        await write(() => eraseLines(keys.slice(at, at + ERASED_AT_ONCE), db));
      }
    },
    async eraseLinesBefore(reading) {
      await write(() => eraseLinesBefore(reading, db));
    },
    counts: (filter = {}) => read(() => count(filter, db)),
    async fact(name) {
      const found = sql<{ value: string }>`select value from ${tableIn(db, 'fact')} where name = ${name}`;
      return (await read(() => found.execute(db))).rows[0]?.value;
    },
    async setFact(name, value) {
      await write(() => setFact(name, value, db));
    },
    raiseFact: (name, value) => write(() => raiseFact(name, value, db)),
    async close() {
      closing ??= writes.settled().then(leave);
      await closing;
    },
  };
}

/** Whether the record is removed. `isAgain`: the previous attempt was interrupted and may have removed it. */
async function remove(
  record: Parameters<Ledger['remove']>[0],
  isAgain: boolean,
  db: Kysely<Tables>,
  { direct, statements }: Ways,
): Promise<boolean> {
  const key = inColumns(record);
  if (key.kind === 'business') {
    const contract = sql`delete from ${tableIn(db, 'contract')} where supplier = ${key.supplier} and number = ${key.number}`;
    await contract.execute(db);
  }
  await sql`delete from ${tableIn(db, 'payload')} where ${hasKey(key)}`.execute(db);
  const removal = sql`delete from ${tableIn(db, 'record')} where ${hasKey(key)} and version = ${record.version}`;
  const { numAffectedRows = 0n } = await removal.execute(db);
  return numAffectedRows > 0n || (isAgain && (await rowFor(direct, statements.find(record))) === undefined);
}

async function linesAt(statement: Statement, direct: Direct): Promise<{ seq: number; line: ReadStoredLine }[]> {
  const rows = (await direct.rows(statement)) as Selectable<Tables['payload']>[];
  return rows.map((row) => ({ seq: row.seq, line: lineOfRow(row) }));
}

/** Records of a statement, which has a condition for each. */
const ERASED_AT_ONCE = 100;

function eraseLines(keys: readonly RecordKey[], db: Kysely<Tables>) {
  const each = keys.map((key) => sql`(${hasKey(inColumns(key))})`);
  return sql`delete from ${tableIn(db, 'payload')} where ${sql.join(each, sql` or `)}`.execute(db);
}

/** Lines of a statement: it is compiled once for this number. */
const LINES_AT_ONCE = 500;

/** Returns a function that creates the statement which stores lines. */
function insertionOfLines(db: Kysely<Tables>): (rows: readonly LineRow[]) => CompiledQuery {
  let whole: CompiledQuery | undefined;
  const compiledFor = (rows: readonly LineRow[]) => {
    const values = rows.map((row) => sql`(${sql.join(Object.values(row))})`);
    return sql`insert into ${tableIn(db, 'payload')} (${sql.join(Object.keys(rows[0] ?? {}).map((name) => sql.ref(name)))})
      values ${sql.join(values)} on conflict (supplier, kind, number, hash) do update set reading = excluded.reading,
      source = excluded.source, line = excluded.line, label = excluded.label, cells = excluded.cells,
      corrects = excluded.corrects, body = excluded.body`.compile(db);
  };
  return (rows) => {
    if (rows.length !== LINES_AT_ONCE) return compiledFor(rows);
    whole ??= compiledFor(rows);
    return { ...whole, parameters: rows.flatMap((row) => Object.values(row)) };
  };
}

function eraseLinesBefore(reading: number, db: Kysely<Tables>) {
  return sql`delete from ${tableIn(db, 'payload')} where payload.reading < ${reading}
    and not exists (select 1 from ${tableIn(db, 'record')} where
      (record.supplier, record.kind, record.number, record.hash) =
      (payload.supplier, payload.kind, payload.number, payload.hash))`.execute(db);
}

async function recordsAfter(
  after: number,
  filter: LedgerFilter,
  db: Kysely<Tables>,
  direct: Direct,
): Promise<{ seq: number; record: LedgerRecord }[]> {
  const page = sql`select * from ${tableIn(db, 'record')} where seq > ${after} and ${matches(filter)}
    order by seq limit ${sql.lit(PAGE)}`;
  const rows = (await direct.page(page.compile(db))) as RecordRow[];
  return rows.map((row) => ({ seq: row.seq, record: recordOf(row) }));
}

export function setFact(name: string, value: string, db: Kysely<Tables>) {
  return sql`insert into ${tableIn(db, 'fact')} (name, value) values (${name}, ${value})
    on conflict (name) do update set value = excluded.value`.execute(db);
}

/** Stores the value unless the fact has a greater one. Returns what is stored then. */
async function raiseFact(name: string, value: number, db: Kysely<Tables>): Promise<number> {
  const { rows } = await sql<{ value: string }>`
    insert into ${tableIn(db, 'fact')} (name, value) values (${name}, ${String(value)}) on conflict (name) do update
    set value = case when cast(fact.value as bigint) > ${value} then fact.value else excluded.value end
    returning value`.execute(db);
  return Number(rows[0]?.value);
}

type RecordRow = Selectable<Tables['record']>;

async function rowFor(direct: Direct, statement: Statement): Promise<RecordRow | undefined> {
  const [row] = await direct.rows(statement);
  return row as RecordRow | undefined;
}

async function one(direct: Direct, statement: Statement): Promise<LedgerRecord | undefined> {
  const row = await rowFor(direct, statement);
  return row === undefined ? undefined : recordOf(row);
}

async function commit(
  group: readonly Write[],
  isAgain: boolean,
  { direct, statements, ownership }: Ways,
): Promise<(Error | undefined)[]> {
  const isWritten = [...(await direct.transact(group.map((write) => statements.write(write))))];
  for (const [index, { record }] of group.entries()) {
    if (!isAgain || isWritten[index] === true) continue;
    // A row that already has the new content was written by the previous attempt: no other process has the record.
    const row = await rowFor(direct, statements.find(record));
    if (row === undefined || !isDeepStrictEqual(recordOf(row), record)) continue;
    isWritten[index] = ownership === undefined || record.outcome !== null || ownership.isMine(row.owner);
  }
  return group.map(({ record }, index) => (isWritten[index] === true ? undefined : new StaleRecordError(record)));
}

async function count({ kind }: Pick<LedgerFilter, 'kind'>, db: Kysely<Tables>): Promise<LedgerCounts> {
  const { rows } = await sql<{ outcome: Outcome | null; records: number; intents: number; writes: number }>`
    select outcome, count(*) as records, count(intent) as intents, sum(version) as writes from ${tableIn(db, 'record')}
    where ${matches({ ...(kind && { kind }) })} group by outcome`.execute(db);
  const ended = zeros(OUTCOMES);
  const counts = { total: 0, unfinished: 0, intents: 0, writes: 0, ended };
  for (const { outcome, records, intents, writes } of rows) {
    counts.total += Number(records);
    counts.writes += Number(writes);
    if (outcome !== null) ended[outcome] = Number(records);
    else Object.assign(counts, { unfinished: Number(records), intents: Number(intents) });
  }
  return counts;
}

function matches({ kind, supplier, outcome, hasErrors, isCorrected, difference, isSettled }: LedgerFilter) {
  const conditions = [
    sql`true`,
    ...(kind === undefined ? [] : [sql`kind = ${kind}`]),
    // An expression, so that SQLite does not use the index of the key: it would sort all records of the supplier for each page,
    // 0.4 s for a million.
    ...(supplier === undefined ? [] : [sql`supplier || '' = ${toColumn(supplier)}`]),
    ...(outcome === undefined ? [] : [outcome === null ? sql`outcome is null` : sql`outcome = ${outcome}`]),
    ...(hasErrors === undefined ? [] : [sql`errors ${sql.raw(hasErrors ? '!=' : '=')} ${sql.lit(NO_ERRORS)}`]),
    ...(isCorrected === undefined ? [] : [sql`corrected_from is ${sql.raw(isCorrected ? 'not null' : 'null')}`]),
    ...(difference === undefined ? [] : [sql`difference like ${`{"is":"${difference}"%`}`]),
    ...(isSettled === undefined ? [] : [isSettled ? SETTLED : sql`not ${SETTLED}`]),
  ];
  return sql.join(conditions, sql` and `);
}

/** An item whose confirmed amount differs has `=` in the column: `items-column.ts`. */
const SETTLED = sql`(outcome is not null and outcome in (${sql.join(IMPORTED.map((outcome) => sql.lit(outcome)))})
  and errors = ${sql.lit(NO_ERRORS)} and unknown = ${sql.lit(NO_ERRORS)} and difference is null and items not like ${sql.lit('%=%')})`;

/** Pages by key and not by offset, so that each page takes the same time. */
async function* pages<Row extends { seq: number }>(page: (after: number) => Promise<Row[]>): AsyncGenerator<Row[]> {
  for (let rows = await page(0); rows.length > 0; rows = await page(rows.at(-1)?.seq ?? 0)) yield rows;
}
