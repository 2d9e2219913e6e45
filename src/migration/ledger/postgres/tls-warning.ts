/** Exports `tlsWarning`: a PostgreSQL server beyond this machine that is used without TLS, or with a certificate that is not checked. */
import { fieldOf } from '../../../../schemas/objects.js';
import { isThisMachine } from '../../../http/transport/address.js';
import { checkPlace } from './address.js';
import { createWriterClient } from './connection.js';
import { loadPg } from './driver.js';
import { DEFAULT_SCHEMA } from './schema.js';

/**
 * Resolves with the warning; with undefined if there is none, and if the address is invalid, which is an error later. The client is
 * asked, because parts of the address may be in PGHOST, PGSSLMODE and the like.
 */
export async function tlsWarning(connectionString: string): Promise<string | undefined> {
  const { host, port, ssl } = (await clientOf(connectionString)) ?? {};
  // A path is that of a socket.
  if (host === undefined || host.startsWith('/') || isThisMachine(host)) return undefined;
  const isChecked = ssl === true || (typeof ssl === 'object' && fieldOf(ssl, 'rejectUnauthorized') !== false);
  if (isChecked) return undefined;
  return (
    `PostgreSQL on ${host}:${port} is used ${ssl ? 'without a check of its certificate' : 'without TLS'}: other machines may read or change ` +
    'what it has of the run, such as account numbers. Add ?sslmode=verify-full to its address.'
  );
}

interface Connecting {
  host: string;
  port: number;
  ssl: boolean | object;
}

async function clientOf(connectionString: string): Promise<Connecting | undefined> {
  try {
    checkPlace({ connectionString, schema: DEFAULT_SCHEMA });
    return createWriterClient(await loadPg(), connectionString) as unknown as Connecting;
  } catch {
    return undefined;
  }
}
