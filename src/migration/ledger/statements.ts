/** What is asked and written for every record. Every write is a compare-and-set on the record's version. */
import { type Kysely, sql } from 'kysely';
import { toColumn } from './column-text.js';
import { compiled, type DirectWrite, namesOf, type Statement } from './direct.js';
import type { LedgerRecord, RecordKey } from './ledger.js';
import { rowOf, type Tables } from './tables.js';

export interface Write {
  record: LedgerRecord;
  contracts: readonly string[];
}

export interface Statements {
  find(key: RecordKey): Statement;
  /** The business of this supplier that declares the contract. */
  business(of: { supplier: string; contract: string }): Statement;
  write(write: Write): DirectWrite;
}

type Row = ReturnType<typeof rowOf>;

export function createStatements(db: Kysely<Tables>): Statements {
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
  // Compiled with the first row: it says itself which columns it has.
  let writes: ReturnType<typeof compileWrites> | undefined;
  return {
    find: ({ supplier, kind, number }) => find({ supplier: toColumn(supplier), kind, number: toColumn(number) }),
    business: ({ supplier, contract }) => business({ supplier: toColumn(supplier), contract: toColumn(contract) }),
    write({ record, contracts }) {
      const row = rowOf(record);
      writes ??= compileWrites(db, row);
      const { supplier, number } = row;
      return {
        write: record.version === 1 ? writes.insert(row) : writes.update({ ...row, before: record.version - 1 }),
        after: contracts.map((contract) => declare({ supplier, contract: toColumn(contract), number })),
      };
    },
  };
}

function compileWrites(db: Kysely<Tables>, row: Row) {
  const names = namesOf(row);
  const { supplier, kind, number, ...changed } = names;
  return {
    insert: compiled(
      db
        .insertInto('record')
        .values(names)
        .onConflict((conflict) => conflict.columns(['supplier', 'kind', 'number']).doNothing()),
    ),
    update: compiled(
      db
        .updateTable('record')
        .set(changed)
        .where(({ and }) => and({ supplier, kind, number }))
        .where('version', '=', 'before' as never),
    ),
  };
}
