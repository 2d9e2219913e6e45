/**
 * Exports `createSharedRecords`: how the processes of a distributed run share its records. The coordinator registers them. A worker claims
 * records that are due, and owns them until they end or it releases them. Records of a worker whose heartbeats have ended are due again.
 */
import type { Selectable } from 'kysely';
import type { Pool } from 'pg';
import type { ImportRecord } from '../../../validation/records/import-record.js';
import { idOf, type LedgerRecord, type RecordKey, type RecordKind, StaleRecordError } from '../../ledger/ledger.js';
import type { PostgresBase } from '../../ledger/postgres/base.js';
import { takenOver } from '../../ledger/postgres/run-lock.js';
import { toColumn } from '../../ledger/sql/column-text.js';
import { DamagedRowError } from '../../ledger/sql/damaged-row.js';
import type { Statement } from '../../ledger/sql/direct.js';
import { GroupCommit } from '../../ledger/sql/group-commit.js';
import { lineOfRow, recordOf, rowOf, type Tables } from '../../ledger/sql/tables.js';
import { jsonText } from '../state/state-row.js';
import { dueSql, registerSql } from './claim-records-sql.js';

export interface ClaimedRecord {
  record: LedgerRecord;
  payload: ImportRecord;
}

interface Registration {
  record: LedgerRecord;
  contracts: readonly string[];
}

interface Release extends RecordKey {
  ms: number | null;
}

type ClaimedRow = Selectable<Tables['record']> & { stored: Selectable<Tables['payload']> | null };

/** Records that one statement registers. */
const MOST = 1000;

export type SharedRecords = ReturnType<typeof createSharedRecords>;

/** `mine` returns a row as long as this distributed run owns the ledger. `worker`: the id of this process. */
export function createSharedRecords(base: PostgresBase, pool: Pool, mine: Statement, worker: string) {
  const { schema, where, patient, named } = base;
  const sql = dueSql(schema);

  async function commit(group: readonly Registration[]): Promise<(Error | undefined)[]> {
    const rows = group.map(({ record }) => rowOf(record));
    const declared = group.flatMap(({ contracts }, index) =>
      contracts.map((contract) => ({ ...rows[index], contract: toColumn(contract) })),
    );
    const parameters = [...mine.parameters, jsonText(rows), worker, jsonText(declared)];
    const statement = { sql: registerSql(schema, mine, Object.keys(rows[0] ?? {})), parameters };
    const { rows: kept } = await pool.query<RecordKey>(named(statement));
    if (kept.length < rows.length && (await pool.query(named(mine))).rowCount !== 1) throw takenOver(where);
    const registered = new Set(kept.map(idOf));
    return group.map(({ record }, index) => {
      const { supplier, kind, number } = rows[index] ?? record;
      return registered.has(idOf({ supplier, kind, number })) ? undefined : new StaleRecordError(record);
    });
  }
  // An interrupted batch is written again; if it had been stored, this changes nothing.
  const registers = new GroupCommit<Registration>(
    ({ record }) => idOf(record),
    (group) => patient('write to', () => commit(group)),
    MOST,
  );
  const releases = new GroupCommit<Release>(idOf, (group) =>
    patient('write to', async () => {
      const parameters = [worker, ...keyColumns(group), group.map(({ ms }) => ms)];
      await pool.query(named({ sql: sql.release, parameters }));
      return group.map(() => undefined);
    }),
  );
  const count = (text: string, values: unknown[]) =>
    patient('read', async () => (await pool.query<{ count: number }>(text, values)).rows[0]?.count ?? 0);
  return {
    /**
     * Resolves when the record is on disk, and the workers may take it. A new record (version 0) is stored as version 1, with the contracts
     * that a business declares. Rejects with a `StaleRecordError` if the ledger has another record or if it has ended.
     */
    async register(record: LedgerRecord, contracts: readonly string[]): Promise<LedgerRecord> {
      const isNew = record.version === 0;
      const registered = isNew ? { ...record, version: 1 } : record;
      await registers.add({ record: registered, contracts: isNew ? contracts : [] });
      return registered;
    },
    /**
     * Claims due records for this worker, in the order of first writing. `inHand`: the records that it has claimed and works on. If it
     * owns others, the answer to an earlier claim was lost, and they are due again.
     */
    claim: (most: number, inHand: readonly RecordKey[]): Promise<ClaimedRecord[]> =>
      patient('write to', async () => {
        const parameters = [most, worker, ...keyColumns(inHand)];
        const { rows } = await pool.query<ClaimedRow>(named({ sql: sql.claim, parameters }));
        return rows.map((row) => ({ record: recordOf(row), payload: payloadOf(row) }));
      }),
    /**
     * Gives the record back, if it is still this worker's: any worker may claim it, after `ms` milliseconds. After it is registered again for
     * `ms` null, and for a record that this session has not registered: it had ended before, until a late answer to this worker.
     */
    release: ({ supplier, kind, number }: RecordKey, ms: number | null): Promise<void> =>
      releases.add({ supplier, kind, number, ms }),
    /** Makes all unfinished records due. Called when a run begins or continues. */
    makeAllDue: (): Promise<void> => patient('write to', async () => void (await pool.query(sql.makeAllDue))),
    /** Returns how many unfinished records this session has registered, at most `most`. */
    countWork: (most: number) => count(sql.countWork, [most]),
    /** Returns how many records of these kinds were given back and must be registered again. */
    countSetAside: (kinds: readonly RecordKind[]) => count(sql.setAside, [kinds]),
  };
}

function keyColumns(keys: readonly RecordKey[]): string[][] {
  return [
    keys.map(({ supplier }) => toColumn(supplier)),
    keys.map(({ kind }) => kind),
    keys.map(({ number }) => toColumn(number)),
  ];
}

function payloadOf({ seq, stored }: ClaimedRow): ImportRecord {
  if (stored === null) throw new DamagedRowError(`row ${Number(seq)} of its table record, whose line is missing`);
  return lineOfRow(stored).record;
}
