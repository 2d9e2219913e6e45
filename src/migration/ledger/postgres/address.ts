/** Exports the address of a ledger on PostgreSQL: its check, and its description without secrets. */
import { LedgerDatabaseError } from './database-error.js';

export interface PostgresPlace {
  connectionString: string;
  schema: string;
}

const EXPECTED = 'Expected postgres://user@host:5432/database';
/** Names that PostgreSQL does not change, so that they are the same with and without quotes. */
const SCHEMA = /^[a-z_][a-z0-9_]{0,62}$/;

/**
 * Throws a `LedgerDatabaseError` for an invalid address. The message quotes no part of it: it may contain a password.
 */
export function checkPlace({ connectionString, schema }: PostgresPlace): void {
  const address = parsed(connectionString);
  if (address === undefined)
    throw new LedgerDatabaseError(`ledger: the address is not a PostgreSQL address. ${EXPECTED}.`);
  // A special character in the password, if not encoded, makes a part of the password the host or the database.
  const isCutShort =
    address.hash !== '' || [address.pathname, ...address.searchParams.keys()].some((part) => part.includes('@'));
  if (isCutShort) {
    throw new LedgerDatabaseError(
      `ledger: in the address, an @ or # follows the host. ${EXPECTED}; encode special characters of user and password, such as ` +
        '/ ? # @ as %2F %3F %23 %40.',
    );
  }
  if (!SCHEMA.test(schema)) {
    throw new LedgerDatabaseError(
      'ledger: the schema cannot have this name. Expected lower-case letters, digits and _, such as data_import.',
    );
  }
}

/** Returns the description of the database of a client, including the values that the client takes from the environment. */
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
