/**
 * Exports `createRegister`, which adds records to the ledger for the workers, thousands per statement. An interrupted batch is
 * written again; if it had been stored, this changes nothing.
 */
import type { Pool } from 'pg';
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
 * that a business declares. Rejects with a `StaleRecordError` if the ledger has another record or if it has ended.
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

  async function commit(group: readonly Entry[]): Promise<(Error | undefined)[]> {
    const rows = group.map(({ record }) => rowOf(record));
    const declared = group.flatMap(({ contracts }, index) =>
      contracts.map((contract) => ({ ...rows[index], contract: toColumn(contract) })),
    );
    const sql = registerSql(schema, mine, Object.keys(rows[0] ?? {}));
    const parameters = [...mine.parameters, jsonText(rows), coordinator, jsonText(declared)];
    const { rows: kept } = await pool.query<RecordKey>(named({ sql, parameters }));
    if (kept.length < rows.length && (await pool.query(named(mine))).rowCount !== 1) throw takenOver(where);
    const registered = new Set(kept.map(idOf));
    return group.map(({ record }, index) => {
      const { supplier, kind, number } = rows[index] ?? record;
      return registered.has(idOf({ supplier, kind, number })) ? undefined : new StaleRecordError(record);
    });
  }
  const registers = new GroupCommit<Entry>(
    ({ record }) => idOf(record),
    (group) => patient('write to', () => commit(group)),
    MOST,
  );
  return async (record, contracts) => {
    const registered = record.version === 0 ? { ...record, version: 1 } : record;
    await registers.add({ record: registered, contracts: record.version === 0 ? contracts : [] });
    return registered;
  };
}
