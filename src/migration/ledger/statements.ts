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

/** Where several write: whose what they write is. */
export interface Ownership {
  /** Of this member now. It may change when a lease is lost. */
  id(): string;
  /** Whether that was or is this member. */
  isMine(id: string | null): boolean;
}

type Row = ReturnType<typeof rowOf>;

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
  const free = compiled(
    db
      .updateTable('record')
      .set({ waits: sql.lit(false) })
      .where('supplier', '=', 'supplier')
      .where('waits', '=', sql.lit(true))
      .where('contract', 'in', (contracts) =>
        contracts
          .selectFrom('contract as declared')
          .select('declared.contract')
          .where('declared.supplier', '=', 'supplier')
          .where('declared.number', '=', 'number'),
      ),
  );
  // Compiled with the first row: it says itself which columns it has.
  let writes: ReturnType<typeof compileWrites> | undefined;
  return {
    find: ({ supplier, kind, number }) => find({ supplier: toColumn(supplier), kind, number: toColumn(number) }),
    business: ({ supplier, contract }) => business({ supplier: toColumn(supplier), contract: toColumn(contract) }),
    write({ record, contracts }) {
      const row = rowOf(record);
      if (ownership !== undefined) row.owner = record.end === null ? ownership.id() : null;
      writes ??= compileWrites(db, row);
      const { supplier, number } = row;
      const after = contracts.map((contract) => declare({ supplier, contract: toColumn(contract), number }));
      const isThere = record.end === 'created' || record.end === 'alreadyThere';
      if (ownership !== undefined && record.kind === 'business' && isThere) after.push(free({ supplier, number }));
      return {
        write: record.version === 1 ? writes.insert(row) : writes.update({ ...row, before: record.version - 1 }),
        after,
      };
    },
  };
}

function compileWrites(db: Kysely<Tables>, row: Row) {
  const names = namesOf(row);
  const { supplier, kind, number, ...changed } = names;
  // Whoever claimed it has it until it has ended; what nobody has is the writer's.
  const owner = sql<string>`case when ${'owner'}::text is null then null else coalesce(record.owner, ${'owner'}) end`;
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
        .set('owner' in row ? { ...changed, owner } : changed)
        .where(({ and }) => and({ supplier, kind, number }))
        .where('version', '=', 'before' as never),
    ),
  };
}
