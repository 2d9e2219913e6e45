/**
 * Exports `createSqlLedger`: the queries and writes of a ledger in SQL, for all databases. Every write is a compare-and-set on the
 * version of the record; every list continues after the last key of a page.
 */
import { isDeepStrictEqual } from 'node:util';
import { type CompiledQuery, type ExpressionBuilder, type Kysely, type Selectable, sql } from 'kysely';
import {
  idOf,
  type Ledger,
  type LedgerCounts,
  type LedgerFilter,
  type LedgerRecord,
  type Outcome,
  type ReadStoredLine,
  type RecordKey,
  StaleRecordError,
  staleAt,
} from '../ledger.js';
import { toColumn } from './column-text.js';
import type { Direct, Statement } from './direct.js';
import { GroupCommit } from './group-commit.js';
import { createStatements, type Ownership, PAGE_OF_LINES, type Statements, type Write } from './queries.js';
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
/** Hashes per page: they are short, and a run waits for them at its start. */
const PAGE_OF_HASHES = 10_000;

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
    async *endedHashes() {
      for (let after = 0; ; ) {
        const [found] = await read(() => endedHashesAfter(after, db, direct));
        if (found === undefined || found.hashes === null) return;
        yield* found.hashes.split(' ');
        after = found.seq;
      }
    },
    async *list(filter = {}) {
      const page = (after: number) => read(() => recordsAfter(after, filter, db));
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
      const row = await read(() => db.selectFrom('fact').select('value').where('name', '=', name).executeTakeFirst());
      return row?.value;
    },
    async setFact(name, value) {
      await write(() => setFact(name, value, db));
    },
    raiseFact: async (name, value) => Number((await write(() => raiseFact(name, value, db))).value),
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
  const { kind, version } = record;
  const [supplier, number] = [toColumn(record.supplier), toColumn(record.number)];
  if (kind === 'business') {
    await db.deleteFrom('contract').where('supplier', '=', supplier).where('number', '=', number).execute();
  }
  await db
    .deleteFrom('payload')
    .where(({ and }) => and({ supplier, kind, number }))
    .execute();
  const { numDeletedRows } = await db
    .deleteFrom('record')
    .where(({ and }) => and({ supplier, kind, number, version }))
    .executeTakeFirstOrThrow();
  return numDeletedRows > 0n || (isAgain && (await rowFor(direct, statements.find(record))) === undefined);
}

async function linesAt(statement: Statement, direct: Direct): Promise<{ seq: number; line: ReadStoredLine }[]> {
  const rows = (await direct.rows(statement)) as Selectable<Tables['payload']>[];
  return rows.map((row) => ({ seq: row.seq, line: lineOfRow(row) }));
}

/** Records of a statement, which has a condition for each. */
const ERASED_AT_ONCE = 100;

function eraseLines(keys: readonly RecordKey[], db: Kysely<Tables>) {
  return db
    .deleteFrom('payload')
    .where(({ or, and }) =>
      or(
        keys.map(({ supplier, kind, number }) => and({ supplier: toColumn(supplier), kind, number: toColumn(number) })),
      ),
    )
    .execute();
}

/** Lines of a statement: it is compiled once for this number. */
const LINES_AT_ONCE = 200;

/** Returns a function that creates the statement which stores lines. */
function insertionOfLines(db: Kysely<Tables>): (rows: readonly LineRow[]) => CompiledQuery {
  let whole: CompiledQuery | undefined;
  const compiledFor = (rows: readonly LineRow[]) =>
    db
      .insertInto('payload')
      .values(rows)
      .onConflict((conflict) =>
        conflict.columns(['supplier', 'kind', 'number', 'hash']).doUpdateSet(({ ref }) => ({
          reading: ref('excluded.reading'),
          source: ref('excluded.source'),
          line: ref('excluded.line'),
          label: ref('excluded.label'),
          cells: ref('excluded.cells'),
          corrects: ref('excluded.corrects'),
          body: ref('excluded.body'),
        })),
      )
      .compile();
  return (rows) => {
    if (rows.length !== LINES_AT_ONCE) return compiledFor(rows);
    whole ??= compiledFor(rows);
    return { ...whole, parameters: rows.flatMap((row) => Object.values(row)) };
  };
}

function eraseLinesBefore(reading: number, db: Kysely<Tables>) {
  return db
    .deleteFrom('payload')
    .where('reading', '<', reading)
    .where(({ not, exists, selectFrom }) => not(exists(selectFrom('record').select('record.seq').where(IS_OF_RECORD))))
    .execute();
}

/** Whether a line is one of the record. */
const IS_OF_RECORD = sql<boolean>`(payload.supplier, payload.kind, payload.number) = (record.supplier, record.kind, record.number)`;

/** One row with many hashes: to read a row for each would take longer than to read the input. */
function endedHashesAfter(after: number, db: Kysely<Tables>, direct: Direct) {
  return db
    .selectFrom((from) =>
      from
        .selectFrom('record')
        .select(({ fn }) => ['seq', fn.coalesce('corrected_from', 'hash').as('hash')])
        .where('seq', '>', after)
        .where('outcome', 'is not', null)
        .where('difference', 'is', null)
        .where(({ or, eb, not, exists, selectFrom }) =>
          or([
            eb('corrected_from', 'is not', null),
            not(
              exists(
                selectFrom('payload')
                  .select('payload.seq')
                  .where(IS_OF_RECORD)
                  .whereRef('payload.hash', '=', 'record.hash'),
              ),
            ),
          ]),
        )
        // Otherwise it is a content hash: see `unreadableLineOf`.
        .where(({ or, eb, fn }) =>
          or([eb('corrected_from', 'is', null), eb(fn('length', ['corrected_from']), '=', 64)]),
        )
        .orderBy('seq')
        .limit(PAGE_OF_HASHES)
        .as('page'),
    )
    .select(({ fn, ref, val }) => [
      fn.max('seq').as('seq'),
      fn<string | null>(direct.join, [ref('hash'), val(' ')]).as('hashes'),
    ])
    .execute();
}

async function recordsAfter(
  after: number,
  filter: LedgerFilter,
  db: Kysely<Tables>,
): Promise<{ seq: number; record: LedgerRecord }[]> {
  const rows = await db
    .selectFrom('record')
    .selectAll()
    .where('seq', '>', after)
    .where(matches(filter))
    .orderBy('seq')
    .limit(PAGE)
    .execute();
  return rows.map((row) => ({ seq: row.seq, record: recordOf(row) }));
}

function setFact(name: string, value: string, db: Kysely<Tables>) {
  return db
    .insertInto('fact')
    .values({ name, value })
    .onConflict((conflict) => conflict.column('name').doUpdateSet({ value }))
    .execute();
}

/** Stores the value unless the fact has a greater one. Returns what is stored then. */
function raiseFact(name: string, value: number, db: Kysely<Tables>) {
  const greater = sql<string>`case when cast(fact.value as bigint) > ${value} then fact.value else excluded.value end`;
  return db
    .insertInto('fact')
    .values({ name, value: String(value) })
    .onConflict((conflict) => conflict.column('name').doUpdateSet({ value: greater }))
    .returning('value')
    .executeTakeFirstOrThrow();
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
  const rows = await db
    .selectFrom('record')
    .select(({ fn }) => [
      'outcome',
      fn.countAll<number>().as('records'),
      fn.count<number>('intent').as('intents'),
      fn.sum<number>('version').as('writes'),
    ])
    .where(matches({ ...(kind && { kind }) }))
    .groupBy('outcome')
    .execute();
  const ended: Record<Outcome, number> = { created: 0, alreadyImported: 0, rejected: 0, skipped: 0, unknown: 0 };
  const counts = { total: 0, unfinished: 0, intents: 0, writes: 0, ended };
  for (const { outcome, records, intents, writes } of rows) {
    counts.total += Number(records);
    counts.writes += Number(writes);
    if (outcome !== null) ended[outcome] = Number(records);
    else Object.assign(counts, { unfinished: Number(records), intents: Number(intents) });
  }
  return counts;
}

type Where = ExpressionBuilder<Tables, 'record'>;

function matches({ kind, supplier, outcome, hasIntent, hasErrors, isCorrected, difference }: LedgerFilter) {
  return (is: Where) =>
    is.and([
      ...(kind === undefined ? [] : [is('kind', '=', kind)]),
      // An expression, so that SQLite does not use the index of the key: it would sort all records of the supplier for each page,
      // 0.4 s for a million.
      ...(supplier === undefined ? [] : [is(sql`supplier || ''`, '=', toColumn(supplier))]),
      ...(outcome === undefined ? [] : [outcome === null ? is('outcome', 'is', null) : is('outcome', '=', outcome)]),
      ...(hasIntent === undefined ? [] : [is('intent', hasIntent ? 'is not' : 'is', null)]),
      ...(hasErrors === undefined ? [] : [is('errors', hasErrors ? '!=' : '=', sql.lit(NO_ERRORS))]),
      ...(isCorrected === undefined ? [] : [is('corrected_from', isCorrected ? 'is not' : 'is', null)]),
      ...(difference === undefined ? [] : [is('difference', 'like', `{"is":"${difference}"%`)]),
    ]);
}

/** Pages by key and not by offset, so that each page takes the same time. */
async function* pages<Row extends { seq: number }>(page: (after: number) => Promise<Row[]>): AsyncGenerator<Row[]> {
  for (let rows = await page(0); rows.length > 0; rows = await page(rows.at(-1)?.seq ?? 0)) yield rows;
}
