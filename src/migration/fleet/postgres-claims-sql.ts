/** What is asked to claim records, and to give them back. Keys and versions come as a list for each column, `$1` to `$4`. */
import { IS_THERE } from './member-row.js';
import { inFleetsTurn } from './postgres-turn.js';

export interface ClaimSql {
  /** `$5`: whether it may wait for its business; `$6`: the member; `$7`: the number of the claim, to be noted, or null. */
  skipping: string;
  /** The same, which waits for whoever is at one of the records. */
  waiting: string;
  /** What the member `$5` has at the next version. */
  had: string;
  /** `$5`: the member. */
  release: string;
}

const ASKED = 'unnest($1::text[], $2::text[], $3::text[], $4::integer[])';
const KEY = '(record.supplier, record.kind, record.number) = (asked.supplier, asked.kind, asked.number)';

export function claimSql(schema: string): ClaimSql {
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
