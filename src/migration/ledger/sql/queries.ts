/** Exports the queries and writes that run for every record. */
import { type Kysely, sql } from 'kysely';
import type { LedgerRecord, RecordKey, RecordKind } from '../ledger.js';
import { toColumn } from './column-text.js';
import { compiled, namesOf, type RowWrite, type Statement } from './direct.js';
import { rowOf, type Tables } from './tables.js';

export interface Write {
  record: LedgerRecord;
  contracts: readonly string[];
  isOver: boolean;
}

export interface Statements {
  find(key: RecordKey): Statement;
  /** At most one row: another record of the kind with this number of the service. */
  numbered(of: RecordKey & { serviceNumber: string }): Statement;
  /** Resolves with the business of this supplier that declares the contract; undefined if there is none. */
  business(of: { supplier: string; contract: string }): Statement;
  /** The next lines of a reading, at most `PAGE_OF_LINES`. */
  lines(of: { reading: number; kind: RecordKind; after: number }): Statement;
  /** The lines of a record. */
  linesOf(key: RecordKey): Statement;
  write(write: Write): RowWrite;
}

/** The worker that writes, in a distributed run. */
export interface Ownership {
  /** Returns the id of this worker. */
  id(): string;
  /** Returns whether the id is that of this worker. */
  isMine(id: string | null): boolean;
}

/** A line may have four megabytes. */
export const PAGE_OF_LINES = 32;

export function createStatements(db: Kysely<Tables>, ownership?: Ownership): Statements {
  const key = namesOf<RecordKey>({ supplier: '', kind: 'account', number: '' });
  const contractKey = namesOf({ supplier: '', contract: '' });
  const declare = compiled(
    db
      .insertInto('contract')
      .values({ ...contractKey, kind: sql.lit('business'), number: 'number' })
      .onConflict((conflict) => conflict.columns(['supplier', 'contract']).doUpdateSet({ number: 'number' })),
  );
  const find = compiled(
    db
      .selectFrom('record')
      .selectAll()
      .where(({ and }) => and(key)),
  );
  const numbered = compiled(
    db
      .selectFrom('record')
      .select('seq')
      .where('service_number', '=', 'serviceNumber')
      .where('kind', '=', key.kind)
      .where(({ or, eb }) => or([eb('supplier', '!=', key.supplier), eb('number', '!=', key.number)]))
      .limit(sql.lit(1)),
  );
  const business = compiled(
    db
      .selectFrom('contract')
      .innerJoin('record', (join) =>
        join
          .onRef('record.supplier', '=', 'contract.supplier')
          .onRef('record.kind', '=', 'contract.kind')
          .onRef('record.number', '=', 'contract.number'),
      )
      .selectAll('record')
      .where('contract.supplier', '=', contractKey.supplier)
      .where('contract.contract', '=', contractKey.contract),
  );
  const page = (kind: RecordKind) =>
    compiled(
      db
        .selectFrom('payload')
        .selectAll()
        // A constant, so that the index of the few records that are no accounts is used.
        .where('kind', '=', sql.lit(kind))
        .where('reading', '=', sql<number>`${'reading'}`)
        .where('seq', '>', sql<number>`${'after'}`)
        .orderBy('seq')
        .limit(sql.lit(PAGE_OF_LINES)),
    );
  const pages = { populate: page('populate'), business: page('business'), account: page('account') };
  const linesOf = compiled(
    db
      .selectFrom('payload')
      .selectAll()
      .where(({ and }) => and(key))
      .orderBy('reading')
      .orderBy('seq'),
  );
  return {
    lines: ({ kind, ...of }) => pages[kind](of),
    linesOf: ({ supplier, kind, number }) => linesOf({ supplier: toColumn(supplier), kind, number: toColumn(number) }),
    find: ({ supplier, kind, number }) => find({ supplier: toColumn(supplier), kind, number: toColumn(number) }),
    numbered: ({ supplier, kind, number, serviceNumber }) =>
      numbered({
        supplier: toColumn(supplier),
        kind,
        number: toColumn(number),
        serviceNumber: toColumn(serviceNumber),
      }),
    business: ({ supplier, contract }) => business({ supplier: toColumn(supplier), contract: toColumn(contract) }),
    write({ record, contracts, isOver }) {
      const row = rowOf(record);
      if (ownership !== undefined) row.owner = record.outcome === null ? ownership.id() : null;
      const { supplier, number } = row;
      const after = contracts.map((contract) => declare({ supplier, contract: toColumn(contract), number }));
      return { row, isOver, after };
    },
  };
}
