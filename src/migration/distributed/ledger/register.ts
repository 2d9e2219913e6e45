/**
 * Exports `createRegister`, which adds records to the ledger for the workers, thousands per transaction. An interrupted batch is
 * written again; if it had been stored, this changes nothing.
 */
import type { Pool, PoolClient } from 'pg';
import { idOf, type LedgerRecord, type RecordKey, StaleRecordError } from '../../ledger/ledger.js';
import type { PostgresBase } from '../../ledger/postgres/base.js';
import { takenOver } from '../../ledger/postgres/run-lock.js';
import { toColumn } from '../../ledger/sql/column-text.js';
import type { Statement } from '../../ledger/sql/direct.js';
import { GroupCommit } from '../../ledger/sql/group-commit.js';
import { rowOf } from '../../ledger/sql/tables.js';
import { jsonText } from '../state/state-row.js';
import { registerSql } from './queries.js';

/**
 * Resolves when the record is on disk, and the workers may take it. A new record (version 0) is stored as version 1, with the contracts
 * that a business declares. An account waits while the business of its contract is in the ledger and not created.
 */
export type Register = (record: LedgerRecord, contracts: readonly string[]) => Promise<LedgerRecord>;

interface Entry {
  record: LedgerRecord;
  contracts: readonly string[];
}

const MOST = 1000;

/** `mine` returns a row as long as this distributed run owns the ledger. `coordinator`: the id of this process. */
export function createRegister(base: PostgresBase, pool: Pool, mine: Statement, coordinator: string): Register {
  const { schema, where, patient, named } = base;
  const sql = registerSql(schema, coordinator);

  /** Stores the group. Returns the keys that the ledger has as another record. */
  async function keep(client: PoolClient, group: readonly Entry[]): Promise<ReadonlySet<string>> {
    await client.query('begin');
    if ((await client.query(named(mine))).rowCount !== 1) throw takenOver(where);
    await client.query(sql.createStaged);
    const { rows: numbers } = await client.query<{ seq: number }>(sql.numbers, [`${schema}.record`, group.length]);
    const rows = group.map((entry, index) => ({ ...stagedRow(entry), seq: numbers[index]?.seq }));
    await client.query(sql.stage, [jsonText(rows)]);
    const { rows: others } = await client.query<RecordKey>(sql.dropOthers);
    await client.query(sql.keep);
    return new Set(others.map(idOf));
  }
  async function commit(group: readonly Entry[]): Promise<(Error | undefined)[]> {
    const client = await pool.connect();
    let others: ReadonlySet<string> | undefined;
    try {
      others = await keep(client, group);
    } finally {
      // After an error the connection is destroyed, which ends its transaction.
      client.release(others === undefined);
    }
    return group.map(({ record }) =>
      others.has(columnId(record)) ? new StaleRecordError({ ...record, version: 1 }) : undefined,
    );
  }
  const registers = new GroupCommit<Entry>(
    ({ record }) => idOf(record),
    (group) => patient('write to', () => commit(group)),
    MOST,
  );
  return async (record, contracts) => {
    await registers.add({ record, contracts });
    return record.version === 0 ? { ...record, version: 1 } : record;
  };
}

function columnId({ supplier, kind, number }: RecordKey): string {
  return idOf({ supplier: toColumn(supplier), kind, number: toColumn(number) });
}

/** Returns the row for table `staged`, by column names. */
function stagedRow({ record, contracts }: Entry): object {
  return { ...rowOf(record), contracts: contracts.map(toColumn) };
}
