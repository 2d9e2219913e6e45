/** What a coordinator asks before anybody works: of ten million records it may take its time. */
import type { Client, QueryResult } from 'pg';

/** Of each statement. */
const query_timeout = 3_600_000;

export function askAtLeisure<Row extends object>(
  client: Client,
  text: string,
  values: unknown[] = [],
): Promise<QueryResult<Row>> {
  const query = { text, values, query_timeout };
  return client.query<Row>(query);
}

export async function inTransaction<T>(client: Client, task: () => Promise<T>): Promise<T> {
  await client.query('begin');
  try {
    const done = await task();
    await client.query('commit');
    return done;
  } catch (error) {
    await client.query('rollback').catch(() => {});
    throw error;
  }
}
