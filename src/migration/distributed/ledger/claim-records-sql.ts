/** The SQL texts of a distributed run, in addition to those of the ledger. `schema` is the ledger's. */

import type { Statement } from '../../ledger/sql/direct.js';
import { GONE, IS_THERE } from '../dead-worker.js';

const NOW_MS = '(extract(epoch from clock_timestamp()) * 1000)::float8 as now';
const sameKey = (one: string, other: string) =>
  `(${one}.supplier, ${one}.kind, ${one}.number) = (${other}.supplier, ${other}.kind, ${other}.number)`;

/**
 * Registers a batch of records in this order, and returns the keys of those that are as given. `mine`: a query; if it finds no row, nothing
 * is registered. After its parameters: the records as JSON, this process, and the contracts that new businesses declare, as JSON.
 */
export function registerSql(schema: string, mine: Statement, columns: readonly string[]): string {
  const [records, coordinator, contracts] = [1, 2, 3].map((index) => `$${mine.parameters.length + index}`);
  const names = columns.map((column) => `"${column}"`).join(', ');
  return `
    with mine as (${mine.sql}),
    asked as (
      select * from json_populate_recordset(null::${schema}.record, ${records}) with ordinality
      where exists (select from mine)),
    registered as (
      insert into ${schema}.record (${names}, read_in)
      select ${names}, (select distributed_turn from ${schema}.ledger) from asked order by ordinality
      on conflict (supplier, kind, number) do update
        set read_in = excluded.read_in,
          owner = case when record.read_in = excluded.read_in then record.owner else nullif(record.owner, ${coordinator}) end
        where record.outcome is null
          and (record.hash, record.source, record.line) is not distinct from (excluded.hash, excluded.source, excluded.line)
      returning record.supplier, record.kind, record.number),
    declared as (
      insert into ${schema}.contract (supplier, contract, kind, number)
      select distinct on (supplier, contract) supplier, contract, kind, number
      from json_populate_recordset(null::${schema}.contract, ${contracts}) with ordinality
      where (supplier, kind, number) in (select * from registered)
      order by supplier, contract, ordinality desc
      on conflict (supplier, contract) do update set number = excluded.number)
    select * from registered`;
}

/**
 * Unfinished records, read from an index of only such records. A record that this session of the coordinator has not registered yet is neither
 * taken nor counted: its line may have been changed, may no longer be in the input, or waits for other records.
 */
export function dueSql(schema: string) {
  const isOpen = `outcome is null and read_in = (select distributed_turn from ${schema}.ledger)`;
  return {
    /**
     * `$1`: how many at most. `$2`: the worker. `$3` to `$5`: the keys of the records that it has in hand; if it owns others, the answer to their
     * claim was lost, and they are due. Records of a dead worker are due at once.
     */
    claim: `
      with due as (
        select seq from ${schema}.record
        where ${isOpen} and case when owner is null then due_at is null or due_at <= clock_timestamp()
          when owner = $2 then (supplier, kind, number) not in (select * from unnest($3::text[], $4::text[], $5::text[]))
          else not exists (select from ${schema}.worker where worker.id = record.owner and ${IS_THERE}) end
        order by seq limit $1 for update skip locked),
      claimed as (
        update ${schema}.record set owner = $2, due_at = null from due where record.seq = due.seq returning record.*)
      select claimed.*, row_to_json(payload) as stored from claimed
      left join ${schema}.payload on ${sameKey('payload', 'claimed')} and payload.hash = claimed.hash
      order by claimed.seq`,
    release: `
      update ${schema}.record set owner = null, due_at = clock_timestamp() + asked.ms * interval '1 millisecond',
        read_in = case when asked.ms is not null and read_in = (select distributed_turn from ${schema}.ledger) then read_in end
      from unnest($2::text[], $3::text[], $4::text[], $5::float8[]) as asked(supplier, kind, number, ms)
      where ${sameKey('record', 'asked')} and record.owner = $1 and record.outcome is null`,
    makeAllDue: `update ${schema}.record set due_at = null, read_in = coalesce(read_in, 0) where outcome is null and (due_at is not null or read_in is null)`,
    countWork: `select count(*)::integer as count from (
      select from ${schema}.record where ${isOpen} limit $1) as unfinished`,
    setAside: `select count(*)::integer as count from ${schema}.record where outcome is null and read_in is null and kind = any($1)`,
  };
}

export const stateSql = (schema: string) => ({
  read: `select state, ${NOW_MS} from ${schema}.run_state`,
  lock: `select state, ${NOW_MS} from ${schema}.run_state for update`,
  /** `$2`: a worker that reports; `$3`: its counts. */
  write: `
    with heartbeat as (update ${schema}.worker set expires_at = clock_timestamp() + ${GONE}, work = $3 where id = $2)
    update ${schema}.run_state set state = $1`,
});

export const workersSql = (schema: string) => ({
  join: `
    insert into ${schema}.worker (id, name, host, pid, work, joined_at, expires_at)
    values ($1, $2, $3, $4, $5, clock_timestamp(), clock_timestamp() + ${GONE})
    on conflict (id) do update set expires_at = excluded.expires_at`,
  leave: `update ${schema}.worker set left_at = clock_timestamp() where id = $1 and left_at is null`,
  all: `
    select id, name, host, pid, joined_at, left_at, ${IS_THERE} as is_there, work
    from ${schema}.worker order by joined_at, id`,
});
