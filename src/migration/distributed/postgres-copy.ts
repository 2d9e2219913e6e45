/** Rows for PostgreSQL's COPY, by `pg-copy-streams`: an optional peer, loaded by whoever fills a fleet's ledger alone. */
import type { PoolClient } from 'pg';
import type { from } from 'pg-copy-streams';
import { LedgerDatabaseError } from '../ledger/postgres/database-error.js';

export type CopyFrom = typeof from;

/** Rejects with a `LedgerDatabaseError` that says what to install. */
export async function loadCopy(
  load: () => Promise<{ from: CopyFrom }> = () => import('pg-copy-streams'),
): Promise<CopyFrom> {
  try {
    return (await load()).from;
  } catch (cause) {
    throw new LedgerDatabaseError(
      'ledger: a fleet’s ledger is filled by the package pg-copy-streams. Install it with "npm install pg-copy-streams@7".',
      { cause },
    );
  }
}

export type CopyValue = string | number | Buffer | readonly string[] | null;

/** All of them go in one piece. Where it breaks off, the connection is of no use any more. */
export async function copyRows(
  client: PoolClient,
  copyFrom: CopyFrom,
  into: string,
  rows: readonly (readonly CopyValue[])[],
): Promise<void> {
  const text = rows.map((row) => `${row.map(copyText).join('\t')}\n`).join('');
  await new Promise<void>((resolve, reject) => {
    const stream = client.query(copyFrom(`copy ${into} from stdin`));
    stream.on('finish', resolve).on('error', (error) => {
      // Otherwise it goes on sending, to a connection that is not there any more.
      stream.destroy();
      reject(error);
    });
    stream.end(text);
  });
}

const ESCAPES: Readonly<Record<string, string>> = { '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r' };

/** As the text format has it. */
function copyText(value: CopyValue): string {
  if (value === null) return '\\N';
  if (typeof value === 'number') return String(value);
  if (Buffer.isBuffer(value)) return `\\\\x${value.toString('hex')}`;
  return (typeof value === 'string' ? value : arrayText(value)).replace(
    /[\\\t\n\r]/g,
    (found) => ESCAPES[found] ?? found,
  );
}

function arrayText(texts: readonly string[]): string {
  return `{${texts.map((text) => `"${text.replace(/[\\"]/g, '\\$&')}"`).join(',')}}`;
}
