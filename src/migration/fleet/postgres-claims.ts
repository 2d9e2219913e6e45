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
import { recordOf, type Tables } from '../ledger/tables.js';
import type { Bell } from './bell.js';
import type { Claimed, FleetLedger, Lease, LinePlace } from './fleet-ledger.js';
import type { Held } from './held.js';
import { IS_THERE } from './postgres-members.js';
import { inFleetsTurn } from './postgres-turn.js';

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
  const keyOf = ({ supplier, kind, number }: RecordKey) => JSON.stringify([supplier, kind, number]);

  const claims = createGroupCommit<Asked>(keyOf, (group) =>
    patient('claim records in', async (isAgain) => {
      const { id, generation } = lease();
      if (!lease().isValid(generation)) return group.map(() => undefined);
      const number = held.begin();
      let noted: number | undefined;
      try {
        const asked = [...columnsOf(group), group.map(({ alsoWaiting }) => alsoWaiting), id];
        // After a try that was broken off: what it may still be at is waited for.
        const text = isAgain ? sql.waiting : sql.skipping;
        const found = await rowsOf(text, [...asked, number ?? null]);
        noted = number;
        // And what it had done is had.
        if (isAgain) found.push(...(await rowsOf(sql.had, [...columnsOf(group), id])));
        for (const row of found) {
          const { record, line } = claimedOf(row);
          const one = group.find((asked) => keyOf(asked) === keyOf(record));
          if (one === undefined || held.has(record)) continue;
          one.claimed = { record, line, isTakenOver: row.before !== null };
          held.keep(record);
        }
        return group.map(() => undefined);
      } finally {
        held.end(noted);
      }
    }),
  );

  const releases = createGroupCommit<Versioned>(keyOf, (group) =>
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

const ASKED = 'unnest($1::text[], $2::text[], $3::text[], $4::integer[])';
const KEY = '(record.supplier, record.kind, record.number) = (asked.supplier, asked.kind, asked.number)';

function columnsOf(keys: readonly Versioned[]): unknown[] {
  return [
    keys.map(({ supplier }) => toColumn(supplier)),
    keys.map(({ kind }) => kind),
    keys.map(({ number }) => toColumn(number)),
    keys.map(({ version }) => version),
  ];
}

function claimSql(schema: string) {
  const lines = `left join ${schema}.line on line.hash = decode(found.hash, 'hex')`;
  const line = 'line.body, line.source as line_source, line.start, line.length';
  const claim = (locking: string) => `
    with turn as (${inFleetsTurn(schema).sql}),
    busy as (update ${schema}.member set claiming = $7 where id = $6 and $7::bigint is not null),
    free as (
      select record.seq, record.owner as before
      from ${ASKED.replace(')', ', $5::boolean[])')} as asked(supplier, kind, number, version, also_waiting)
      join ${schema}.record on ${KEY} and record.version = asked.version
      where record."end" is null and (not record.waits or asked.also_waiting) and exists (select from turn)
        and (record.owner is null or not exists (
          select from ${schema}.member where member.id = record.owner and ${IS_THERE}))
      for update of record ${locking}),
    found as (
      update ${schema}.record set version = record.version + 1, owner = $6 from free
      where record.seq = free.seq returning record.*, free.before)
    select found.*, ${line} from found ${lines}`;
  return {
    skipping: claim('skip locked'),
    waiting: claim(''),
    had: `
      with found as (
        select record.* from ${ASKED} as asked(supplier, kind, number, version)
        join ${schema}.record on ${KEY} and record.version = asked.version + 1
        where record.owner = $5 and record."end" is null)
      select found.*, null as before, ${line} from found ${lines}`,
    release: `
      update ${schema}.record set owner = null from ${ASKED} as asked(supplier, kind, number, version)
      where ${KEY} and record.version = asked.version and record.owner = $5`,
  };
}

function claimedOf(row: ClaimRow): Pick<Claimed, 'record' | 'line'> {
  return { record: recordOf(row), line: lineOf(row) };
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
