/** Where a ledger on PostgreSQL is: the address as it was given, and the words for it, which hold no secret. */
import { LedgerDatabaseError } from './database-error.js';

export interface PostgresPlace {
  connectionString: string;
  schema: string;
}

const EXPECTED = 'Expected postgres://user@host:5432/database';
/** As PostgreSQL writes names by itself, so that they mean the same with quotes and without. */
const SCHEMA = /^[a-z_][a-z0-9_]{0,62}$/;

/**
 * Throws a `LedgerDatabaseError` for an invalid address. The message quotes no part of it: it may contain a password.
 */
export function checkPlace({ connectionString, schema }: PostgresPlace): void {
  const address = parsed(connectionString);
  if (address === undefined) throw new LedgerDatabaseError(`ledger: the address is none of a PostgreSQL. ${EXPECTED}.`);
  // A character of the password that has a meaning in addresses makes a part of it the host or the database.
  const isCutShort =
    address.hash !== '' || [address.pathname, ...address.searchParams.keys()].some((part) => part.includes('@'));
  if (isCutShort) {
    throw new LedgerDatabaseError(
      `ledger: in the address, an @ or # stands behind the host. ${EXPECTED}; write characters of user and password such as ` +
        '/ ? # @ as %2F %3F %23 %40.',
    );
  }
  if (!SCHEMA.test(schema)) {
    throw new LedgerDatabaseError(
      'ledger: the schema cannot have this name. Expected lower-case letters, digits and _, such as data_import.',
    );
  }
}

/** Of a client that was made for the address: with what it takes from the environment. */
export function placeInWords(client: { host: string; port: number; database?: string | undefined }, schema: string) {
  return `schema ${schema} of database ${client.database ?? ''} on ${client.host}:${client.port}`;
}

function parsed(connectionString: string): URL | undefined {
  try {
    const address = new URL(connectionString);
    return /^postgres(ql)?:$/.test(address.protocol) ? address : undefined;
  } catch {
    return undefined;
  }
}
