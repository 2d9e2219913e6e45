/**
 * How the book gets into a fleet's ledger: records and lines by the thousand, in one transaction each. A batch that broke
 * off is made again, and changes nothing where it was carried out.
 */
import { deflateRawSync } from 'node:zlib';
import type { Pool, PoolClient } from 'pg';
import { type LedgerRecord, type RecordKey, StaleRecordError } from '../ledger/ledger.js';
import type { PostgresBase } from '../ledger/postgres/base.js';
import { takenOver } from '../ledger/postgres/run-lock.js';
import { idOf } from '../ledger/record-id.js';
import { toColumn } from '../ledger/sql/column-text.js';
import type { Statement } from '../ledger/sql/direct.js';
import { createGroupCommit } from '../ledger/sql/group-commit.js';
import { rowOf } from '../ledger/sql/tables.js';
import type { DistributedLedger, LinePlace } from './distributed-ledger.js';
import { type CopyFrom, type CopyValue, copyRows } from './postgres-copy.js';
import { registerSql, STAGED } from './postgres-register-sql.js';

export interface RegisterOptions {
  pool: Pool;
  /** Finds a row as long as this fleet has the ledger. */
  mine: Statement;
  copyFrom: () => Promise<CopyFrom>;
}

interface Entry {
  record: LedgerRecord;
  contracts: readonly string[];
  line: { body: Buffer | null; source: string | null; start: number | null; length: number | null };
  size: number;
}

const MOST = 1000;
const MOST_BYTES = 4_000_000;

export function postgresRegister(base: PostgresBase, options: RegisterOptions): DistributedLedger['register'] {
  const { schema, where, patient, named } = base;
  const { pool, mine, copyFrom } = options;
  const sql = registerSql(schema);

  async function keep(client: PoolClient, group: readonly Entry[]): Promise<ReadonlySet<string>> {
    const copy = await copyFrom();
    await client.query('begin');
    const { rowCount } = await client.query(named(mine));
    if (rowCount !== 1) throw takenOver(where);
    await client.query(sql.stage);
    const { rows: places } = await client.query<{ seq: number }>(sql.places, [`${schema}.record`, group.length]);
    await copyRows(
      client,
      copy,
      `staged (${STAGED.join(', ')})`,
      group.map((entry, index) => rowFor(entry, places[index]?.seq ?? 0)),
    );
    // Another record by this number.
    const { rows: others } = await client.query<RecordKey>(sql.dropOthers);
    for (const text of sql.keep) await client.query(text);
    await client.query('commit');
    return new Set(others.map(idOf));
  }

  const registers = createGroupCommit<Entry>(
    ({ record }) => idOf(record),
    (group) =>
      patient('write to', async () => {
        const client = await pool.connect();
        // What is asked next is told.
        const ignore = () => {};
        client.on('error', ignore);
        try {
          const others = await keep(client, group);
          client.off('error', ignore);
          client.release();
          return group.map(({ record }) =>
            others.has(columnKey(record)) ? new StaleRecordError({ ...record, version: 1 }) : undefined,
          );
        } catch (error) {
          // Its transaction ends with it.
          client.release(true);
          throw error;
        }
      }),
    { most: MOST, mostSize: MOST_BYTES, sizeOf: ({ size }) => size },
  );
  const columnKey = ({ supplier, kind, number }: RecordKey) =>
    idOf({ supplier: toColumn(supplier), kind, number: toColumn(number) });

  return async (record, contracts, line) => {
    await registers.add({ record, contracts, line: columnsOf(line), size: 'text' in line ? line.text.length : 0 });
    return record.version === 0 ? { ...record, version: 1 } : record;
  };
}

function columnsOf(line: LinePlace): Entry['line'] {
  if ('text' in line) return { body: deflateRawSync(line.text), source: null, start: null, length: null };
  return { body: null, source: toColumn(line.source), start: line.start, length: line.length };
}

/** In the order of `STAGED`. */
function rowFor({ record, contracts, line }: Entry, seq: number): CopyValue[] {
  const row = rowOf(record);
  return [
    seq,
    row.supplier,
    row.kind,
    row.number,
    row.version,
    row.hash,
    row.content_hash ?? null,
    row.done ?? null,
    row.intent ?? null,
    row.end ?? null,
    row.platform_number ?? null,
    row.unknown,
    row.errors,
    row.lacking ?? null,
    row.items ?? null,
    row.contract ?? null,
    row.source,
    row.line,
    row.updated_at,
    contracts.map(toColumn),
    line.body,
    line.source,
    line.start,
    line.length,
  ];
}
