/**
 * Claims, and what is given back. Those that come together are one statement. A claim counts the record's version up, so
 * whoever had it before writes nothing more.
 */
import { inflateRawSync } from 'node:zlib';
import type { Selectable } from 'kysely';
import type { Pool } from 'pg';
import { toColumn } from '../ledger/column-text.js';
import { createGroupCommit } from '../ledger/group-commit.js';
import type { RecordKey } from '../ledger/ledger.js';
import type { PostgresBase } from '../ledger/postgres-base.js';
import { idOf } from '../ledger/record-id.js';
import { recordOf, type Tables } from '../ledger/tables.js';
import type { Bell } from './bell.js';
import type { Claimed, FleetLedger, Lease, LinePlace } from './fleet-ledger.js';
import type { Held } from './held.js';
import { claimSql } from './postgres-claims-sql.js';

export interface ClaimsOptions {
  pool: Pool;
  held: Held;
  lease: () => Lease;
}

interface Asked extends Bell {
  alsoWaiting: boolean;
  claimed: Claimed | undefined;
}

type Versioned = RecordKey & { version: number };

export function postgresClaims(
  base: PostgresBase,
  { pool, held, lease }: ClaimsOptions,
): Pick<FleetLedger, 'claim' | 'release'> {
  const { schema, patient, named } = base;
  const sql = claimSql(schema);

  const claims = createGroupCommit<Asked>(idOf, (group) =>
    patient('claim records in', async (isAgain) => {
      const nothing = group.map(() => undefined);
      const { id, generation } = lease();
      if (!lease().isValid(generation)) return nothing;
      const asked = new Map(group.map((one) => [idOf(one), one]));
      const isClaimed = (row: ClaimRow) => {
        const record = recordOf(row);
        const one = asked.get(idOf(record));
        if (one !== undefined) one.claimed = { record, line: lineOf(row), isTakenOver: row.before !== null };
        held.keep(record);
      };
      const number = held.begin();
      let noted: number | undefined;
      try {
        const keys = columnsOf(group);
        const waiting = group.map(({ alsoWaiting }) => alsoWaiting);
        // After a try that was broken off: what it may still be at is waited for.
        const rows = await rowsOf(isAgain ? sql.waiting : sql.skipping, [...keys, waiting, id, number ?? null]);
        noted = number;
        rows.forEach(isClaimed);
        if (!isAgain) return nothing;
        // And what it had done is had, unless an earlier bell has it.
        const had = await rowsOf(sql.had, [...keys, id]);
        had.filter((row) => !held.has(recordOf(row))).forEach(isClaimed);
        return nothing;
      } finally {
        held.end(noted);
      }
    }),
  );

  const releases = createGroupCommit<Versioned>(idOf, (group) =>
    patient('give records back in', async () => {
      await pool.query(named({ sql: sql.release, parameters: [...columnsOf(group), lease().id] }));
      return group.map(() => undefined);
    }),
  );

  async function rowsOf(text: string, parameters: unknown[]): Promise<ClaimRow[]> {
    const { rows } = await pool.query<ClaimRow>(named({ sql: text, parameters }));
    return rows;
  }

  return {
    async claim(bell, alsoWaiting = false) {
      const asked: Asked = { ...bell, alsoWaiting, claimed: undefined };
      await claims.add(asked);
      return asked.claimed;
    },
    async release(record) {
      await releases.add(record);
      held.drop(record);
    },
  };
}

interface ClaimRow extends Selectable<Tables['record']> {
  before: string | null;
  body: Buffer | null;
  line_source: string | null;
  start: number | null;
  length: number | null;
}

function columnsOf(keys: readonly Versioned[]): unknown[] {
  return [
    keys.map(({ supplier }) => toColumn(supplier)),
    keys.map(({ kind }) => kind),
    keys.map(({ number }) => toColumn(number)),
    keys.map(({ version }) => version),
  ];
}

function lineOf({ body, line_source, start, length }: ClaimRow): LinePlace | undefined {
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
