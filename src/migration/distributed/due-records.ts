/** Which records of a distributed run are due, and their lines: read from indexes that hold unfinished records alone. */
import { inflateRawSync } from 'node:zlib';
import type { Selectable } from 'kysely';
import type { Pool } from 'pg';
import type { LedgerRecord, RecordKey, Step } from '../ledger/ledger.js';
import type { PostgresBase } from '../ledger/postgres/base.js';
import { NOT_FED_FOR } from '../ledger/postgres/queries.js';
import { idOf } from '../ledger/record-id.js';
import { fromColumn, toColumn } from '../ledger/sql/column-text.js';
import { createGroupCommit } from '../ledger/sql/group-commit.js';
import { recordOf, type Tables } from '../ledger/sql/tables.js';
import type { DistributedLedger, LinePlace } from './distributed-ledger.js';
import type { RecordJob } from './work-queue.js';
import { IS_THERE } from './worker-rows.js';

/** What decides to which queue a due record goes. */
export interface DueRecord extends RecordJob {
  done: Step | null;
  intent: Step | null;
}

export interface LoadedRecord {
  record: LedgerRecord;
  /** undefined where its line was taken out of the database. */
  line: LinePlace | undefined;
}

type Queries = Pick<
  DistributedLedger,
  'load' | 'defer' | 'takeDue' | 'makeAllDue' | 'hasWork' | 'countWork' | 'forgetLines'
>;

export function createDueRecords({ schema, finders, patient, named }: PostgresBase, pool: Pool): Queries {
  const key = '(record.supplier, record.kind, record.number) = (asked.supplier, asked.kind, asked.number)';
  const keys = 'unnest($1::text[], $2::text[], $3::text[]) as asked(supplier, kind, number)';
  const versions =
    'unnest($1::text[], $2::text[], $3::text[], $4::integer[], $5::float8[]) as asked(supplier, kind, number, version, ms)';
  const sql = {
    load: `
      select record.*, line.body, line.source as line_source, line.start, line.length
      from ${keys} join ${schema}.record on ${key}
      left join ${schema}.line on line.hash = decode(record.hash, 'hex')
      where record."end" is null and not record.waits`,
    defer: `
      update ${schema}.record set due_at = clock_timestamp() + asked.ms * interval '1 millisecond' from ${versions}
      where ${key} and record.version = asked.version and record."end" is null`,
    // Records of a worker that is gone are due at once.
    takeDue: `
      with due as (
        select seq from ${schema}.record
        where "end" is null and not waits and (due_at is null or due_at <= clock_timestamp()
          or (owner is not null and not exists (select from ${schema}.member where member.id = record.owner and ${IS_THERE})))
        order by seq limit $1 for update skip locked)
      update ${schema}.record set due_at = clock_timestamp() + ${NOT_FED_FOR}, owner = null from due
      where record.seq = due.seq returning record.seq, supplier, kind, number, version, done, intent`,
    makeAllDue: `update ${schema}.record set due_at = null where "end" is null and due_at is not null`,
    countWork: `select count(*)::integer as count from (
      select from ${schema}.record where "end" is null and not waits limit $1) as unfinished`,
    hasWork: `select from ${schema}.record where "end" is null and not waits order by seq limit 1`,
  };
  interface Asked extends RecordKey {
    loaded: LoadedRecord | undefined;
  }
  const loads = createGroupCommit<Asked>(idOf, (group) =>
    patient('read', async () => {
      const { rows } = await pool.query<LoadedRow>(named({ sql: sql.load, parameters: columnsOf(group) }));
      const asked = new Map(group.map((one) => [idOf(one), one]));
      for (const row of rows) {
        const record = recordOf(row);
        const one = asked.get(idOf(record));
        if (one !== undefined) one.loaded = { record, line: lineOf(row) };
      }
      return group.map(() => undefined);
    }),
  );
  interface Deferred extends RecordKey {
    version: number;
    ms: number;
  }
  const defers = createGroupCommit<Deferred>(idOf, (group) =>
    patient('write to', async () => {
      const parameters = [...columnsOf(group), group.map(({ version }) => version), group.map(({ ms }) => ms)];
      await pool.query(named({ sql: sql.defer, parameters }));
      return group.map(() => undefined);
    }),
  );

  return {
    async load({ supplier, kind, number }) {
      const asked: Asked = { supplier, kind, number, loaded: undefined };
      await loads.add(asked);
      return asked.loaded;
    },
    defer: ({ supplier, kind, number, version }, ms) => defers.add({ supplier, kind, number, version, ms }),
    takeDue: (most) =>
      patient('write to', async () => {
        const { rows } = await pool.query<DueRecord & { seq: number }>(named({ sql: sql.takeDue, parameters: [most] }));
        return rows
          .toSorted((one, other) => one.seq - other.seq)
          .map(({ supplier, kind, number, version, done, intent }) => ({
            ...{ supplier: fromColumn(supplier), kind, number: fromColumn(number), version, done, intent },
          }));
      }),
    makeAllDue: () => patient('write to', async () => void (await pool.query(sql.makeAllDue))),
    hasWork: () => patient('read', async () => (await finders.query(sql.hasWork)).rows.length > 0),
    countWork: (most) =>
      patient('read', async () => (await finders.query<{ count: number }>(sql.countWork, [most])).rows[0]?.count ?? 0),
    forgetLines: () => patient('write to', async () => void (await finders.query(`truncate ${schema}.line`))),
  };
}

interface LoadedRow extends Selectable<Tables['record']> {
  body: Buffer | null;
  line_source: string | null;
  start: number | null;
  length: number | null;
}

function columnsOf(keys: readonly RecordKey[]): unknown[] {
  return [
    keys.map(({ supplier }) => toColumn(supplier)),
    keys.map(({ kind }) => kind),
    keys.map(({ number }) => toColumn(number)),
  ];
}

function lineOf({ body, line_source, start, length }: LoadedRow): LinePlace | undefined {
  if (body !== null) return { text: textOf(body) };
  if (line_source === null || start === null || length === null) return undefined;
  return { source: line_source, start, length };
}

/** Whoever reads a line compares its hash, and says what is wrong with one that is damaged. */
function textOf(body: Buffer): string {
  try {
    return inflateRawSync(body).toString('utf8');
  } catch {
    return '';
  }
}
