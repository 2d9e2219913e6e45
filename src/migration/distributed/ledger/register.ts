/**
 * Exports `createRegister`, which adds records and their lines to the ledger, thousands per transaction. An interrupted batch is
 * written again; if it had been stored, this changes nothing.
 */
import { deflateRawSync } from 'node:zlib';
import type { Pool, PoolClient } from 'pg';
import { idOf, type LedgerRecord, type RecordKey, StaleRecordError } from '../../ledger/ledger.js';
import type { PostgresBase } from '../../ledger/postgres/base.js';
import { takenOver } from '../../ledger/postgres/run-lock.js';
import { toColumn } from '../../ledger/sql/column-text.js';
import type { Statement } from '../../ledger/sql/direct.js';
import { GroupCommit } from '../../ledger/sql/group-commit.js';
import { rowOf } from '../../ledger/sql/tables.js';
import { jsonText } from '../state/state-row.js';
import type { LinePlace } from './due-records.js';
import { registerSql } from './queries.js';

/**
 * Resolves when record and line are on disk. A new record (version 0) is stored as version 1, with the contracts that a business
 * declares. Of a known record only the line is stored, and the record becomes due. An account waits while the business of its contract
 * is in the ledger and not created.
 */
export type Register = (record: LedgerRecord, contracts: readonly string[], line: LinePlace) => Promise<LedgerRecord>;

interface Entry {
  record: LedgerRecord;
  contracts: readonly string[];
  line: LinePlace;
}

const MOST = 1000;
const MOST_BYTES = 4_000_000;

/** `mine` returns a row as long as this distributed run owns the ledger. */
export function createRegister(base: PostgresBase, pool: Pool, mine: Statement): Register {
  const { schema, where, patient, named } = base;
  const sql = registerSql(schema);

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
    { most: MOST, mostSize: MOST_BYTES, sizeOf: ({ line }) => ('text' in line ? line.text.length : 0) },
  );
  return async (record, contracts, line) => {
    await registers.add({ record, contracts, line });
    return record.version === 0 ? { ...record, version: 1 } : record;
  };
}

function columnId({ supplier, kind, number }: RecordKey): string {
  return idOf({ supplier: toColumn(supplier), kind, number: toColumn(number) });
}

/** Returns the row for table `staged`, by column names. */
function stagedRow({ record, contracts, line }: Entry): object {
  const row = { ...rowOf(record), contracts: contracts.map(toColumn) };
  if ('text' in line) return { ...row, body: `\\x${deflateRawSync(line.text).toString('hex')}` };
  return { ...row, line_source: toColumn(line.source), line_start: line.start, line_length: line.length };
}
