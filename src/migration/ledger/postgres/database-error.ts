/** Exports the errors of a ledger on PostgreSQL. Messages have the database, the cause and the remedy, without passwords. */

import { LedgerLockedError } from '../locked-error.js';
import { DamagedRowError } from '../sql/damaged-row.js';

export class LedgerDatabaseError extends Error {
  override readonly name: string = 'LedgerDatabaseError';
}

/** The schema has no ledger. */
export class NoLedgerError extends LedgerDatabaseError {
  override readonly name = 'NoLedgerError';
}

/** The server refused a value of one record (SQLSTATE class 22). Other records of the same statement are not affected. */
export class RefusedValueError extends LedgerDatabaseError {
  override readonly name = 'RefusedValueError';
}

const AGAIN = 'and repeat the command.';
const UNREACHED = `Start the server, or correct its address or the network, ${AGAIN}`;
const TRUST = 'Give the file of its authority with ?sslmode=verify-full&sslrootcert=<path> in the address.';

const RESTORE = 'The database is damaged: restore it from a copy.';

/** SQLSTATE class of data exceptions: a value that is invalid for its type. */
const OF_VALUES = /^22/;

/** Remedies by SQLSTATE, by SQLSTATE class, or by error code of the system. */
const REMEDIES: Readonly<Record<string, string>> = {
  '08': UNREACHED,
  '22021': 'Create a database with the encoding UTF8, and give its address.',
  '25006':
    'It is a read-only replica, or was set read-only (default_transaction_read_only): give the address of the primary server, or make it writable, and repeat the command.',
  '28000':
    'Ask its administrator to allow this user from this machine (pg_hba.conf). If the message has "no encryption", add ?sslmode=verify-full to the address.',
  '28P01':
    'Correct user or password: they are in the address, in PGUSER and PGPASSWORD, or in the file .pgpass of this user.',
  '3D000': 'Create the database with "createdb", or give an existing one.',
  '3F000': 'Give the schema of an existing ledger.',
  '42501':
    'Grant this user the right to create a schema in the database, or create the schema with this user as its owner.',
  '42703': 'Its tables are not those of a ledger: give another schema.',
  '42P01': 'Its tables are not those of a ledger: give another schema.',
  '53100': `Free disk space on the server, ${AGAIN}`,
  '53200': `Give the server more memory, ${AGAIN}`,
  '53300':
    'It has no free connection: close some, or raise max_connections; if the message names a role or a database, raise its CONNECTION LIMIT.',
  '54000': 'A number or a contract in the input is longer than 2,700 bytes. Correct its line, then repeat the command.',
  '57': `Wait until the server is up, ${AGAIN}`,
  '58': `Check the disk of the server, ${AGAIN}`,
  XX: `The log of the server has the cause: correct it, ${AGAIN}`,
  XX001: RESTORE,
  XX002: RESTORE,
  ECONNREFUSED: UNREACHED,
  ENOTFOUND: UNREACHED,
  EAI_AGAIN: UNREACHED,
  ENOENT: UNREACHED,
  ETIMEDOUT: UNREACHED,
  EHOSTUNREACH: UNREACHED,
  ENETUNREACH: UNREACHED,
  ECONNRESET: UNREACHED,
  EPIPE: UNREACHED,
  DEPTH_ZERO_SELF_SIGNED_CERT: TRUST,
  SELF_SIGNED_CERT_IN_CHAIN: TRUST,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: TRUST,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: TRUST,
  CERT_HAS_EXPIRED: 'Ask its administrator to renew its certificate.',
  ERR_TLS_CERT_ALTNAME_INVALID: 'Use the host name of its certificate in the address.',
};

/** Remedies for messages of the client without a code, by their beginning. */
const REMEDIES_OF_CLIENT: Readonly<Record<string, string>> = {
  'SASL: SCRAM-SERVER-FIRST-MESSAGE: client password':
    'It requires a password: give it in the address, in PGPASSWORD, or in the file .pgpass of this user.',
  'The server does not support SSL': 'Ask its administrator to turn on TLS, or remove sslmode from the address.',
  'There was an error establishing an SSL': UNREACHED,
  'Connection terminated': UNREACHED,
  'Client has encountered a connection error': UNREACHED,
  'Query read timeout': `${UNREACHED} If it is behind a connection pooler, raise the size of its pool.`,
  'timeout expired': UNREACHED,
  'timeout exceeded when trying to connect': UNREACHED,
};

/**
 * Codes of lost or currently unavailable connections. An unknown host name is not one of them: it is a typing
 * mistake.
 */
const LOST = /^(08...|53300|57P0[123]|ECONNREFUSED|ECONNRESET|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|EAI_AGAIN)$/;
const LOST_BY_CLIENT = /^(Connection terminated|Client has encountered|Client was closed|Query read timeout|timeout e)/;
/** SQLSTATE class of conflicting transactions, of which one has to be repeated. */
const COLLIDED = /^40/;
const STARTING = '57P03';

/** Returns the error with the remedy; an error of the ledger unchanged. `doing`: such as "open" or "write to". */
export function ledgerDatabaseError(doing: string, where: string, cause: unknown): Error {
  if (cause instanceof LedgerDatabaseError || cause instanceof LedgerLockedError) return cause;
  if (cause instanceof DamagedRowError) {
    return new LedgerDatabaseError(`ledger: cannot ${doing} ${where} (${cause.message}). ${RESTORE}`);
  }
  const { code, message } = named(cause);
  // The server's message about an invalid value quotes the value, so the error omits that message.
  if (OF_VALUES.test(code)) {
    return new RefusedValueError(`ledger: cannot ${doing} ${where} (${code}). ${REMEDIES[code] ?? RESTORE}`);
  }
  const ofClient = Object.entries(REMEDIES_OF_CLIENT).find(([beginning]) => message.startsWith(beginning))?.[1];
  const remedy = REMEDIES[code] ?? REMEDIES[code.slice(0, 2)] ?? ofClient ?? `Correct the cause, ${AGAIN}`;
  return new LedgerDatabaseError(`ledger: cannot ${doing} ${where} (${message || code}). ${remedy}`, { cause });
}

/** Returns whether the connection broke, so that another one may succeed. */
export function isLost(error: unknown): boolean {
  const { code, message } = named(error);
  return LOST.test(code) || (code === '' && LOST_BY_CLIENT.test(message));
}

/** Returns whether the session is read-only, so that a later one may write: during a failover, or while an administrator allows no writes. */
export function isReadOnly(error: unknown): boolean {
  return named(error).code === '25006';
}

export function hasCollided(error: unknown): boolean {
  return COLLIDED.test(named(error).code);
}

/** Returns whether the server, or this user, has no free connection, according to the error or its cause. */
export function hasNoFreeConnection(error: unknown): boolean {
  return (
    named(error).code === '53300' ||
    (error instanceof Error && error.cause !== undefined && hasNoFreeConnection(error.cause))
  );
}

/** Returns whether the server is starting, so that it will accept connections soon. */
export function isStarting(error: unknown): boolean {
  return named(error).code === STARTING;
}

/** Returns code and message. For a host name with several addresses, Node.js throws one error without a message for all of them. */
function named(error: unknown): { code: string; message: string } {
  const of = error instanceof AggregateError && error.errors.length > 0 ? (error.errors[0] as unknown) : error;
  const { code, message } = of as NodeJS.ErrnoException;
  return { code: typeof code === 'string' ? code : '', message };
}
