/**
 * Exports `createDueRecords`: how the workers of a distributed run share its records. A worker claims records that are due, and owns them
 * until they end or it releases them. Records of a worker whose heartbeats have ended are due again.
 */
import type { Selectable } from 'kysely';
import type { Pool } from 'pg';
import type { ImportRecord } from '../../../validation/records/import-record.js';
import { idOf, type LedgerRecord, type RecordKey } from '../../ledger/ledger.js';
import type { PostgresBase } from '../../ledger/postgres/base.js';
import { toColumn } from '../../ledger/sql/column-text.js';
import { DamagedRowError } from '../../ledger/sql/damaged-row.js';
import { GroupCommit } from '../../ledger/sql/group-commit.js';
import { lineOfRow, recordOf, type Tables } from '../../ledger/sql/tables.js';
import { dueSql } from './queries.js';

export interface ClaimedRecord {
  record: LedgerRecord;
  payload: ImportRecord;
}

export interface DueRecords {
  /**
   * Claims due records for this worker, in the order of first writing. `inHand`: the records that it has claimed and works on. If it
   * owns others, the answer to an earlier claim was lost, and they are due again. `mayTakeAccounts`: otherwise it claims only others.
   */
  claim(most: number, inHand: readonly RecordKey[], mayTakeAccounts?: boolean): Promise<ClaimedRecord[]>;
  /**
   * Gives the record back, if it is still this worker's: any worker may claim it, after `ms` milliseconds; null: after it is registered
   * again.
   */
  release(record: RecordKey, ms: number | null): Promise<void>;
  /** Makes all unfinished records due. Called when a run begins or continues. */
  makeAllDue(): Promise<void>;
  /** Returns how many unfinished records this session has registered, at most `most`. */
  countWork(most: number): Promise<number>;
  /** Returns how many businesses must be registered again, because they wait for their accounts. */
  countSetAside(): Promise<number>;
}

interface Release extends RecordKey {
  ms: number | null;
}

type ClaimedRow = Selectable<Tables['record']> & { stored: Selectable<Tables['payload']> | null };

export function createDueRecords({ schema, patient, named }: PostgresBase, pool: Pool, worker: string): DueRecords {
  const sql = dueSql(schema);
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
    claim: (most, inHand, mayTakeAccounts = true) =>
      patient('write to', async () => {
        const parameters = [most, worker, ...keyColumns(inHand), mayTakeAccounts];
        const { rows } = await pool.query<ClaimedRow>(named({ sql: sql.claim, parameters }));
        return rows.map((row) => ({ record: recordOf(row), payload: payloadOf(row) }));
      }),
    release: ({ supplier, kind, number }, ms) => releases.add({ supplier, kind, number, ms }),
    makeAllDue: () => patient('write to', async () => void (await pool.query(sql.makeAllDue))),
    countWork: (most) => count(sql.countWork, [most]),
    countSetAside: () => count(sql.setAside, []),
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
