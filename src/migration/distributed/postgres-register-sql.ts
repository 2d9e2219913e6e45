/** What is done with rows that COPY brought, in this order, in one transaction. */

/** Columns of the temporary table, as they come. */
export const STAGED = [
  'seq',
  'supplier',
  'kind',
  'number',
  'version',
  'hash',
  'content_hash',
  'done',
  'intent',
  '"end"',
  'platform_number',
  'unknown',
  'errors',
  'lacking',
  'items',
  'contract',
  'source',
  'line',
  'updated_at',
  'contracts',
  'body',
  'line_source',
  'line_start',
  'line_length',
] as const;

const RECORD = STAGED.slice(0, STAGED.indexOf('contracts'));

export interface RegisterSql {
  stage: string;
  /** As many numbers for the order of first writing. `$1`: the table; `$2`: how many. */
  places: string;
  /** Takes out, and gives, what is there already as another record. */
  dropOthers: string;
  keep: readonly string[];
}

export function registerSql(schema: string): RegisterSql {
  const sameKey = (one: string, other: string) =>
    `(${one}.supplier, ${one}.kind, ${one}.number) = (${other}.supplier, ${other}.kind, ${other}.number)`;
  // Whoever ends such a business frees the accounts that it sees. Its row is held until these are seen; where it has ended
  // meanwhile, it is not found here any more.
  const blocked = `
    blocked as (
      select asked.supplier, asked.contract
      from (select distinct supplier, contract from staged where kind = 'account') as asked
      join ${schema}.contract on (contract.supplier, contract.contract) = (asked.supplier, asked.contract)
      join ${schema}.record as business on ${sameKey('business', 'contract')}
      where business."end" is null or business."end" not in ('created', 'alreadyThere')
      for share of business)`;
  const waits =
    'exists (select from blocked where (blocked.supplier, blocked.contract) = (staged.supplier, staged.contract))';
  const columns = RECORD.join(', ');
  const values = RECORD.map((column) => (column === 'version' ? '1' : `staged.${column}`)).join(', ');
  return {
    stage: `
      create temporary table if not exists staged (
        seq bigint, supplier text, kind text, number text, version integer, hash text, content_hash text, done text, intent text, "end" text,
        platform_number text, unknown text, errors text, lacking text, items text, contract text, source text, line integer,
        updated_at text, contracts text[], body bytea, line_source text, line_start bigint, line_length integer
      ) on commit delete rows`,
    places: `select nextval(pg_get_serial_sequence($1, 'seq')) as seq from generate_series(1, $2::integer)`,
    dropOthers: `
      delete from staged using ${schema}.record
      where staged.version = 0 and ${sameKey('record', 'staged')}
        and (record.hash, record.source, record.line) is distinct from (staged.hash, staged.source, staged.line)
      returning staged.supplier, staged.kind, staged.number`,
    keep: [
      `insert into ${schema}.record (${columns})
        select ${values} from staged where version = 0 and kind = 'business' order by seq
        on conflict (supplier, kind, number) do nothing`,
      `insert into ${schema}.contract (supplier, contract, kind, number)
        select distinct on (staged.supplier, declared) staged.supplier, declared, 'business', staged.number
        from staged, unnest(staged.contracts) as declared
        where version = 0 and kind = 'business'
        order by staged.supplier, declared, staged.seq desc
        on conflict (supplier, contract) do update set number = excluded.number`,
      `with ${blocked}
        insert into ${schema}.record (${columns}, waits)
        select ${values}, ${waits} from staged where version = 0 and kind = 'account' order by seq
        on conflict (supplier, kind, number) do nothing`,
      // An account that is tried again may belong to another business now.
      `with ${blocked}
        update ${schema}.record set waits = not waits from staged
        where staged.version > 0 and staged.kind = 'account' and ${sameKey('record', 'staged')}
          and record.version = staged.version and record."end" is null and record.waits <> ${waits}`,
      `insert into ${schema}.line (hash, body, source, start, length)
        select distinct on (staged.hash) decode(staged.hash, 'hex'), body, line_source, line_start, line_length
        from staged order by staged.hash
        on conflict (hash) do update
          set body = excluded.body, source = excluded.source, start = excluded.start, length = excluded.length
          where line.body is null or excluded.body is null`,
    ],
  };
}
