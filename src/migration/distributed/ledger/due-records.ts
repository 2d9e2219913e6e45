/** Exports `createDueRecords`: queries for the records of a distributed run that are due, and their lines. */
import type { Selectable } from 'kysely';
import type { Pool } from 'pg';
import type { ImportRecord } from '../../../validation/records/import-record.js';
import { idOf, type LedgerRecord, type RecordKey, type Step } from '../../ledger/ledger.js';
import type { PostgresBase } from '../../ledger/postgres/base.js';
import { fromColumn, toColumn } from '../../ledger/sql/column-text.js';
import { GroupCommit } from '../../ledger/sql/group-commit.js';
import { lineOfRow, recordOf, type Tables } from '../../ledger/sql/tables.js';
import type { RecordJob } from '../queue/queue-consumer.js';
import { dueSql } from './queries.js';

/** A due record, with the fields that decide its queue. */
export interface DueRecord extends RecordJob {
  done: Step | null;
  intent: Step | null;
}

export interface LoadedRecord {
  record: LedgerRecord;
  payload: ImportRecord;
}

export interface DueRecords {
  /** Returns the record with its line; undefined if it is unknown, has ended, waits for its business, or this session has not read its line. */
  load(key: RecordKey): Promise<LoadedRecord | undefined>;
  /** Keeps the record out of the queue for `ms` milliseconds. */
  defer(record: RecordKey & { version: number }, ms: number): Promise<void>;
  /** Returns due records for the work queue, in the order of first writing. They are not returned again for 20 s. */
  takeDue(most: number): Promise<DueRecord[]>;
  /** Makes all unfinished records due. Called when a run begins or continues. */
  makeAllDue(): Promise<void>;
  /** Returns whether there is an unfinished record whose line this session has read, and that does not wait for its business. */
  hasWork(): Promise<boolean>;
  /** Returns how many such records there are, at most `most`. */
  countWork(most: number): Promise<number>;
}

interface Load extends RecordKey {
  loaded?: LoadedRecord;
}

interface Defer extends RecordKey {
  version: number;
  ms: number;
}

interface LoadedRow extends Selectable<Tables['record']> {
  stored: Selectable<Tables['payload']>;
}

export function createDueRecords({ schema, finders, patient, named }: PostgresBase, pool: Pool): DueRecords {
  const sql = dueSql(schema);
  const loads = new GroupCommit<Load>(idOf, (group) =>
    patient('read', async () => {
      const { rows } = await pool.query<LoadedRow>(named({ sql: sql.load, parameters: keyColumns(group) }));
      const asked = new Map(group.map((one) => [idOf(one), one]));
      for (const row of rows) {
        const record = recordOf(row);
        Object.assign(asked.get(idOf(record)) ?? {}, { loaded: { record, payload: lineOfRow(row.stored).record } });
      }
      return group.map(() => undefined);
    }),
  );
  const defers = new GroupCommit<Defer>(idOf, (group) =>
    patient('write to', async () => {
      const parameters = [...keyColumns(group), group.map(({ version }) => version), group.map(({ ms }) => ms)];
      await pool.query(named({ sql: sql.defer, parameters }));
      return group.map(() => undefined);
    }),
  );
  return {
    async load({ supplier, kind, number }) {
      const asked: Load = { supplier, kind, number };
      await loads.add(asked);
      return asked.loaded;
    },
    defer: ({ supplier, kind, number, version }, ms) => defers.add({ supplier, kind, number, version, ms }),
    takeDue: (most) =>
      patient('write to', async () => {
        const { rows } = await pool.query<DueRecord & { seq: number }>(named({ sql: sql.takeDue, parameters: [most] }));
        const inOrder = rows.toSorted((one, other) => one.seq - other.seq);
        return inOrder.map(({ seq, supplier, number, ...rest }) => {
          return { supplier: fromColumn(supplier), number: fromColumn(number), ...rest };
        });
      }),
    makeAllDue: () => patient('write to', async () => void (await pool.query(sql.makeAllDue))),
    hasWork: () => patient('read', async () => (await finders.query(sql.hasWork)).rows.length > 0),
    countWork: (most) =>
      patient('read', async () => (await finders.query<{ count: number }>(sql.countWork, [most])).rows[0]?.count ?? 0),
  };
}

function keyColumns(keys: readonly RecordKey[]): unknown[] {
  return [
    keys.map(({ supplier }) => toColumn(supplier)),
    keys.map(({ kind }) => kind),
    keys.map(({ number }) => toColumn(number)),
  ];
}
