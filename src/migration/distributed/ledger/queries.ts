/** The SQL texts of a distributed run, in addition to those of the ledger. `schema` is the ledger's. */
import type { Statement } from '../../ledger/sql/direct.js';

/** A worker without a heartbeat for so long is considered dead: others take over its records. */
const GONE = "interval '5 seconds'";
const IS_THERE = 'worker.left_at is null and worker.expires_at > clock_timestamp()';
const NOW_MS = '(extract(epoch from clock_timestamp()) * 1000)::float8 as now';
const sameKey = (one: string, other: string) =>
  `(${one}.supplier, ${one}.kind, ${one}.number) = (${other}.supplier, ${other}.kind, ${other}.number)`;

/**
 * Creates the tables or brings them up to date. The indexes contain only unfinished or waiting records, so they stay
 * small when nearly all have ended, and no change of version or owner touches an index. The fill factor leaves space
 * in each page for a row's next version.
 */
export const tablesSql = (schema: string): string => `
  alter table ${schema}.ledger
    add column if not exists distributed_turn bigint;
  alter table ${schema}.record
    add column if not exists owner text,
    add column if not exists waits boolean not null default false,
    add column if not exists due_at timestamptz,
    add column if not exists read_in bigint;
  alter table ${schema}.record set (fillfactor = 80);
  create index if not exists record_due on ${schema}.record (read_in, seq) where outcome is null and not waits;
  create index if not exists record_waits on ${schema}.record (supplier, contract) where waits;
  create index if not exists contract_of_business on ${schema}.contract (supplier, number);
  create table if not exists ${schema}.worker (
    id text primary key, name text not null, host text not null, pid integer not null,
    joined_at timestamptz not null, expires_at timestamptz not null, left_at timestamptz, work jsonb not null);
  create table if not exists ${schema}.run_state (
    one boolean primary key default true check (one), state jsonb) with (fillfactor = 50);
  insert into ${schema}.run_state (one) values (true) on conflict do nothing`;

/** Returns a row if the last run that began was distributed: a run on one machine increments only `turn`. */
export const isOurTurn = (schema: string): Statement => ({
  sql: `select 1 from ${schema}.ledger where turn = distributed_turn for share`,
  parameters: [],
});

export function turnSql(schema: string) {
  const blocking = `
    from ${schema}.contract join ${schema}.record as business on ${sameKey('business', 'contract')}
    where (contract.supplier, contract.contract) = (record.supplier, record.contract)
      and (business.outcome is null or business.outcome not in ('created', 'alreadyImported'))`;
  return {
    /** `$1`: the table of the state. */
    exists: 'select to_regclass($1) is not null as exists',
    former: `
      select turn is distinct from distributed_turn as was_other,
        not exists (select from ${schema}.worker where ${IS_THERE}) as is_empty
      from ${schema}.ledger for update`,
    next: `
      update ${schema}.ledger set turn = turn + 1, distributed_turn = turn + 1, pid = $1, host = $2, since = $3
      returning turn::text`,
    forgetOwners: `update ${schema}.record set owner = null where owner is not null`,
    /** An account waits while the business that declares its contract is known and is not imported. */
    waitAnew: `
      update ${schema}.record set waits = false where waits and not exists (select ${blocking});
      update ${schema}.record set waits = true ${blocking}
        and record.outcome is null and not record.waits and record.kind = 'account'`,
  };
}

const RECORD =
  'seq, supplier, kind, number, version, hash, content_hash, done, intent, outcome, service_number, unknown, errors, warnings, items, contract, source, line, updated_at';

/** Registers a batch of records, in this order, in one transaction. `coordinator`: the id of this process. */
export function registerSql(schema: string, coordinator: string) {
  // Ending such a business unblocks the accounts that the transaction sees, so its row is locked until they are read.
  // A business that has ended in between does not match here.
  const blocked = `
    blocked as (
      select asked.supplier, asked.contract
      from (select distinct supplier, contract from staged where kind = 'account') as asked
      join ${schema}.contract on (contract.supplier, contract.contract) = (asked.supplier, asked.contract)
      join ${schema}.record as business on ${sameKey('business', 'contract')}
      where business.outcome is null or business.outcome not in ('created', 'alreadyImported')
      for share of business)`;
  const waits =
    'exists (select from blocked where (blocked.supplier, blocked.contract) = (staged.supplier, staged.contract))';
  const values = RECORD.replace('version', '1');
  const turn = `(select distributed_turn from ${schema}.ledger)`;
  return {
    createStaged: `
      create temporary table if not exists staged (
        seq bigint, supplier text, kind text, number text, version integer, hash text, content_hash text, done text, intent text, outcome text,
        service_number text, unknown text, errors text, warnings text, items text, contract text, source text, line integer,
        updated_at text, contracts text[]
      ) on commit delete rows`,
    /** Reserves numbers for the order of first writing. `$1`: the table; `$2`: how many. */
    numbers: `select nextval(pg_get_serial_sequence($1, 'seq')) as seq from generate_series(1, $2::integer)`,
    /** `$1`: the batch as JSON. */
    stage: 'insert into staged select * from json_populate_recordset(null::staged, $1)',
    /** Removes from `staged`, and returns, the rows whose key exists as another record. */
    dropOthers: `
      delete from staged using ${schema}.record
      where staged.version = 0 and ${sameKey('record', 'staged')}
        and (record.hash, record.source, record.line) is distinct from (staged.hash, staged.source, staged.line)
      returning staged.supplier, staged.kind, staged.number`,
    // A retried account may now belong to another business.
    keep: `
      insert into ${schema}.record (${RECORD}, read_in)
        select ${values}, ${turn} from staged where version = 0 and kind = 'business' order by seq
        on conflict (supplier, kind, number) do nothing;
      insert into ${schema}.contract (supplier, contract, kind, number)
        select distinct on (staged.supplier, declared) staged.supplier, declared, 'business', staged.number
        from staged, unnest(staged.contracts) as declared
        where version = 0 and kind = 'business'
        order by staged.supplier, declared, staged.seq desc
        on conflict (supplier, contract) do update set number = excluded.number;
      with ${blocked}
        insert into ${schema}.record (${RECORD}, read_in, waits)
        select ${values}, ${turn}, ${waits} from staged where version = 0 and kind = 'account' order by seq
        on conflict (supplier, kind, number) do nothing;
      with ${blocked}
        update ${schema}.record set waits = not waits from staged
        where staged.version > 0 and staged.kind = 'account' and ${sameKey('record', 'staged')}
          and record.version = staged.version and record.outcome is null and record.waits <> ${waits};
      update ${schema}.record set read_in = ${turn}, owner = nullif(record.owner, '${coordinator}') from staged
        where staged.version > 0 and ${sameKey('record', 'staged')} and record.outcome is null and record.read_in is distinct from ${turn};
      commit`,
  };
}

/**
 * Unfinished records that do not wait for a business, read from an index of only such records. A record whose line this session of the
 * coordinator has not registered yet is neither taken nor counted: the line may have been changed, or may no longer be in the input.
 */
export function dueSql(schema: string) {
  const isOpen = `outcome is null and not waits and read_in = (select distributed_turn from ${schema}.ledger)`;
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
      update ${schema}.record set owner = null, due_at = clock_timestamp() + asked.ms * interval '1 millisecond'
      from unnest($2::text[], $3::text[], $4::text[], $5::float8[]) as asked(supplier, kind, number, ms)
      where ${sameKey('record', 'asked')} and record.owner = $1 and record.outcome is null`,
    makeAllDue: `update ${schema}.record set due_at = null where outcome is null and due_at is not null`,
    countWork: `select count(*)::integer as count from (
      select from ${schema}.record where ${isOpen} limit $1) as unfinished`,
    hasWork: `select from ${schema}.record where ${isOpen} order by seq limit 1`,
  };
}

export const stateSql = (schema: string) => ({
  read: `select state, ${NOW_MS} from ${schema}.run_state`,
  lock: `select state, ${NOW_MS} from ${schema}.run_state for update`,
  write: `update ${schema}.run_state set state = $1`,
});

export const workersSql = (schema: string) => ({
  join: `
    insert into ${schema}.worker (id, name, host, pid, work, joined_at, expires_at)
    values ($1, $2, $3, $4, $5, clock_timestamp(), clock_timestamp() + ${GONE})
    on conflict (id) do update set expires_at = excluded.expires_at`,
  beat: `update ${schema}.worker set expires_at = clock_timestamp() + ${GONE}, work = $2 where id = $1`,
  leave: `update ${schema}.worker set left_at = clock_timestamp() where id = $1 and left_at is null`,
  exists: 'select where to_regclass($1) is not null',
  all: `
    select id, name, host, pid, joined_at, left_at, ${IS_THERE} as is_there, work
    from ${schema}.worker order by joined_at, id`,
});
