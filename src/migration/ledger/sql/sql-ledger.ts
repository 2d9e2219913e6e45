/**
 * The ledger's queries and writes in SQL, for all databases: every write is a compare-and-set on the record's
 * version, every list continues after the last key of its page.
 */
import { isDeepStrictEqual } from 'node:util';
import { type ExpressionBuilder, type Kysely, type Selectable, sql } from 'kysely';
import {
  type Ledger,
  type LedgerCounts,
  type LedgerFilter,
  type LedgerRecord,
  type Outcome,
  StaleRecordError,
  staleAt,
} from '../ledger.js';
import { idOf } from '../record-id.js';
import { toColumn } from './column-text.js';
import type { Direct, Statement } from './direct.js';
import { createGroupCommit } from './group-commit.js';
import { createStatements, type Ownership, type Statements, type Write } from './queries.js';
import { NO_ERRORS, recordOf, type Tables } from './tables.js';

export interface SqlLedgerOptions {
  /** To the same database. */
  direct: Direct;
  /** Around every read: turns what goes wrong into an error that says what to do, or tries again. */
  read: <T>(task: () => Promise<T>) => Promise<T>;
  /** Wraps every write. `isAgain`: the previous attempt was interrupted and may have taken effect. */
  write: <T>(task: (isAgain: boolean) => Promise<T>) => Promise<T>;
  /** Where several have the ledger at once. */
  ownership?: Ownership;
  /** Leaves the database, once nothing is being written any more. */
  leave: () => Promise<void>;
}

/** Rows in memory at a time. */
const PAGE = 500;
/** Hashes are short, and a run waits for them at its start. */
const PAGE_OF_HASHES = 10_000;

interface Ways {
  direct: Direct;
  statements: Statements;
  ownership: Ownership | undefined;
}

export function createSqlLedger(db: Kysely<Tables>, options: SqlLedgerOptions): Ledger {
  const { direct, read, write, leave, ownership } = options;
  const statements = createStatements(db, ownership);
  const writes = createGroupCommit<Write>(
    ({ record }) => idOf(record),
    (group) => write((isAgain) => commit(group, isAgain, { direct, statements, ownership })),
  );
  let closing: Promise<void> | undefined;
  return {
    find: (key) => read(() => one(direct, statements.find(key))),
    write: (record, contracts = []) => writes.add({ record, contracts }),
    async remove(record) {
      const { version } = record;
      const [supplier, number] = [toColumn(record.supplier), toColumn(record.number)];
      const isRemoved = await write(async (isAgain) => {
        if (record.kind === 'business') {
          await db.deleteFrom('contract').where('supplier', '=', supplier).where('number', '=', number).execute();
        }
        const { numDeletedRows } = await db
          .deleteFrom('record')
          .where(({ and }) => and({ supplier, kind: record.kind, number, version }))
          .executeTakeFirstOrThrow();
        // The try that was broken off may have removed it.
        return numDeletedRows > 0n || (isAgain && (await rowFor(direct, statements.find(record))) === undefined);
      });
      if (!isRemoved) throw staleAt(record);
    },
    business: (supplier, contract) => read(() => one(direct, statements.business({ supplier, contract }))),
    async *endedHashes() {
      // A row for each would take longer than to look at the book.
      const page = (after: number) =>
        db
          .selectFrom((from) =>
            from
              .selectFrom('record')
              .select(['seq', 'hash'])
              .where('seq', '>', after)
              .where('outcome', 'is not', null)
              .orderBy('seq')
              .limit(PAGE_OF_HASHES)
              .as('page'),
          )
          .select(({ fn, ref, val }) => [
            fn.max('seq').as('seq'),
            fn<string | null>(direct.join, [ref('hash'), val(' ')]).as('hashes'),
          ])
          .execute();
      for (let after = 0; ; ) {
        const [found] = await read(() => page(after));
        if (found === undefined || found.hashes === null) return;
        yield* found.hashes.split(' ');
        after = found.seq;
      }
    },
    async *list(filter = {}) {
      const page = async (after: number) => {
        const rows = await db
          .selectFrom('record')
          .selectAll()
          .where('seq', '>', after)
          .where(matches(filter))
          .orderBy('seq')
          .limit(PAGE)
          .execute();
        return rows.map((row) => ({ seq: row.seq, record: recordOf(row) }));
      };
      for await (const rows of pages((after) => read(() => page(after)))) for (const { record } of rows) yield record;
    },
    counts: (filter = {}) => read(() => count(filter, db)),
    async fact(name) {
      const row = await read(() => db.selectFrom('fact').select('value').where('name', '=', name).executeTakeFirst());
      return row?.value;
    },
    async setFact(name, value) {
      await write(() =>
        db
          .insertInto('fact')
          .values({ name, value })
          .onConflict((conflict) => conflict.column('name').doUpdateSet({ value }))
          .execute(),
      );
    },
    async raiseFact(name, value) {
      const greater = sql<string>`case when cast(fact.value as bigint) > ${value} then fact.value else excluded.value end`;
      const { value: stored } = await write(() =>
        db
          .insertInto('fact')
          .values({ name, value: String(value) })
          .onConflict((conflict) => conflict.column('name').doUpdateSet({ value: greater }))
          .returning('value')
          .executeTakeFirstOrThrow(),
      );
      return Number(stored);
    },
    async close() {
      closing ??= writes.settled().then(leave);
      await closing;
    },
  };
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
    .select(({ fn }) => ['outcome', fn.countAll<number>().as('records'), fn.count<number>('intent').as('intents')])
    .where(matches({ ...(kind && { kind }) }))
    .groupBy('outcome')
    .execute();
  const ended: Record<Outcome, number> = { created: 0, alreadyImported: 0, rejected: 0, skipped: 0, unknown: 0 };
  const counts = { total: 0, unfinished: 0, intents: 0, ended };
  for (const { outcome, records, intents } of rows) {
    counts.total += Number(records);
    if (outcome !== null) ended[outcome] = Number(records);
    else Object.assign(counts, { unfinished: Number(records), intents: Number(intents) });
  }
  return counts;
}

type Where = ExpressionBuilder<Tables, 'record'>;

function matches({ kind, supplier, outcome, hasIntent, hasErrors }: LedgerFilter) {
  return (is: Where) =>
    is.and([
      ...(kind === undefined ? [] : [is('kind', '=', kind)]),
      // As an expression, so that SQLite does not take the index of the key: it would sort all records of the supplier for each
      // page, 0.4 s of a million.
      ...(supplier === undefined ? [] : [is(sql`supplier || ''`, '=', toColumn(supplier))]),
      ...(outcome === undefined ? [] : [outcome === null ? is('outcome', 'is', null) : is('outcome', '=', outcome)]),
      ...(hasIntent === undefined ? [] : [is('intent', hasIntent ? 'is not' : 'is', null)]),
      ...(hasErrors === undefined ? [] : [is('errors', hasErrors ? '!=' : '=', sql.lit(NO_ERRORS))]),
    ]);
}

/** By key and never by offset: a page costs the same at the end of a million as at their beginning. */
async function* pages<Row extends { seq: number }>(page: (after: number) => Promise<Row[]>): AsyncGenerator<Row[]> {
  for (let rows = await page(0); rows.length > 0; rows = await page(rows.at(-1)?.seq ?? 0)) yield rows;
}
