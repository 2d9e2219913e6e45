/** Records of a SQLite ledger as one text: handed over value by value, rows take twice as long. */
import { type Kysely, sql } from 'kysely';
import type { RecordQuery } from './direct.js';
import type { StoredRow, Tables } from './tables.js';

const COLUMNS = [
  'seq',
  'supplier',
  'kind',
  'number',
  'version',
  'hash',
  'done',
  'intent',
  'end',
  'platform_number',
  'unknown',
  'errors',
  'lacking',
  'contract',
  'source',
  'line',
  'updated_at',
] as const satisfies readonly (keyof StoredRow)[];

type ValuesOf<Names extends readonly (keyof StoredRow)[]> = { [Place in keyof Names]: StoredRow[Names[Place]] };
type Values = ValuesOf<typeof COLUMNS>;

/** The records that the query names, by `seq`. */
export async function pageOf(db: Kysely<Tables>, query: RecordQuery): Promise<StoredRow[]> {
  const values = sql`json_array(${sql.join(COLUMNS.map((name) => sql.ref(name)))})`;
  const { rows } = await db
    .selectFrom(query.select(COLUMNS).orderBy('seq').as('page'))
    .select(sql<string>`json_group_array(${values} order by ${sql.ref('seq')})`.as('rows'))
    .executeTakeFirstOrThrow();
  return (JSON.parse(rows) as Values[]).map(storedRow);
}

/** Takes the values in the order of `COLUMNS`. */
function storedRow([
  seq,
  supplier,
  kind,
  number,
  version,
  hash,
  done,
  intent,
  end,
  platform_number,
  unknown,
  errors,
  lacking,
  contract,
  source,
  line,
  updated_at,
]: Values): StoredRow {
  return {
    seq,
    supplier,
    kind,
    number,
    version,
    hash,
    done,
    intent,
    end,
    platform_number,
    unknown,
    errors,
    lacking,
    contract,
    source,
    line,
    updated_at,
  };
}
