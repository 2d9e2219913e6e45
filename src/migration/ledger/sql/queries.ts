/** Exports the queries and writes that run for every record. */
import { type Kysely, sql } from 'kysely';
import type { LedgerRecord, RecordKey, RecordKind } from '../ledger.js';
import { toColumn } from './column-text.js';
import { compiled, hasKey, KEY, type RowWrite, tableIn } from './direct.js';
import { rowOf, type Tables } from './tables.js';

export interface Write {
  record: LedgerRecord;
  contracts: readonly string[];
  isOver: boolean;
}

export type Statements = ReturnType<typeof createStatements>;

/** The worker that writes, in a distributed run. */
export interface Ownership {
  /** Returns the id of this worker. */
  id(): string;
  /** Returns whether the id is that of this worker. */
  isMine(id: string | null): boolean;
}

/** A line may have four megabytes. */
export const PAGE_OF_LINES = 32;

export function createStatements(db: Kysely<Tables>, ownership?: Ownership) {
  const [record, payload, contract] = [tableIn(db, 'record'), tableIn(db, 'payload'), tableIn(db, 'contract')];
  const declare = compiled(
    sql`insert into ${contract} (supplier, contract, kind, number)
      values (${'supplier'}, ${'contract'}, 'business', ${'number'})
      on conflict (supplier, contract) do update set number = excluded.number`,
    db,
  );
  const find = compiled(sql`select * from ${record} where ${hasKey(KEY)}`, db);
  const numbered = compiled(
    sql`select seq from ${record} where service_number = ${'serviceNumber'} and kind = ${'kind'}
      and (supplier != ${'supplier'} or number != ${'number'}) limit 1`,
    db,
  );
  const business = compiled(
    sql`select record.* from ${contract} join ${record} using (supplier, kind, number)
      where contract.supplier = ${'supplier'} and contract.contract = ${'contract'}`,
    db,
  );
  const page = (kind: RecordKind) => {
    // SQLite uses the index of lines without accounts only if the query repeats its condition.
    const index = kind === 'account' ? sql`` : sql`and kind != 'account'`;
    return compiled(
      sql`select * from ${payload} where kind = ${sql.lit(kind)} ${index} and reading = ${'reading'} and seq > ${'after'}
        order by seq limit ${sql.lit(PAGE_OF_LINES)}`,
      db,
    );
  };
  const pages = { populate: page('populate'), business: page('business'), account: page('account') };
  const linesOf = compiled(sql`select * from ${payload} where ${hasKey(KEY)} order by reading, seq`, db);
  return {
    /** The next lines of a reading, at most `PAGE_OF_LINES`. */
    lines: ({ kind, ...of }: { reading: number; kind: RecordKind; after: number }) => pages[kind](of),
    /** The lines of a record. */
    linesOf: (key: RecordKey) => linesOf(inColumns(key)),
    find: (key: RecordKey) => find(inColumns(key)),
    /** At most one row: another record of the kind with this number of the service. */
    numbered: (of: RecordKey & { serviceNumber: string }) =>
      numbered({ ...inColumns(of), serviceNumber: toColumn(of.serviceNumber) }),
    /** Resolves with the business of this supplier that declares the contract; undefined if there is none. */
    business: ({ supplier, contract }: { supplier: string; contract: string }) =>
      business({ supplier: toColumn(supplier), contract: toColumn(contract) }),
    write({ record, contracts, isOver }: Write): RowWrite {
      const row = rowOf(record);
      if (ownership !== undefined) row.owner = record.outcome === null ? ownership.id() : null;
      const { supplier, number } = row;
      const after = contracts.map((contract) => declare({ supplier, contract: toColumn(contract), number }));
      return { row, isOver, after };
    },
  };
}

/** Returns the key as the columns have it. */
export function inColumns({ supplier, kind, number }: RecordKey): RecordKey {
  return { supplier: toColumn(supplier), kind, number: toColumn(number) };
}
