/** Why a ledger on PostgreSQL cannot be worked with: where it is, the cause, and what to do. Never a password. */

import { LedgerLockedError } from '../locked-error.js';
import { DamagedRowError } from '../sql/damaged-row.js';

export class LedgerDatabaseError extends Error {
  override readonly name: string = 'LedgerDatabaseError';
}

/** The error of a schema without a run. */
export class NoLedgerError extends LedgerDatabaseError {
  override readonly name = 'NoLedgerError';
}

/** The server refused a value of one record (SQLSTATE class 22): what else was asked with it is not concerned. */
export class RefusedValueError extends LedgerDatabaseError {
  override readonly name = 'RefusedValueError';
}

const AGAIN = 'and give the same command again.';
const UNREACHED = `Start the server, or correct its address or the network, ${AGAIN}`;
const TRUST = 'Name the file of its authority with ?sslmode=verify-full&sslrootcert=<path> in the address.';

const RESTORE = 'The database is damaged: restore it from a copy.';

/** Data exceptions: a value that is of another form than its type. */
const OF_VALUES = /^22/;

/** By the server's SQLSTATE, its class where it stands for all of them, or the code of the system. */
const REMEDIES: Readonly<Record<string, string>> = {
  '08': UNREACHED,
  '22021': 'Make a database whose encoding is UTF8, and name that one.',
  '25006': 'It is a copy that may only be read: give the address of the primary server.',
  '28000':
    'Have its administrator admit this user from here (pg_hba.conf); where it says "no encryption", add ?sslmode=verify-full to the address.',
  '28P01':
    'Correct user or password: they stand in the address, in PGUSER and PGPASSWORD, or in the file .pgpass of this user.',
  '3D000': 'Make the database with "createdb", or name one that is there.',
  '3F000': 'Name the schema of a ledger that is there.',
  '42501':
    'Grant this user the right to make a schema in the database, or make one of the name given and let the user own it.',
  '42703': 'Its tables are not those of a ledger: name another schema.',
  '42P01': 'Its tables are not those of a ledger: name another schema.',
  '53100': `Make room on the disk of the server, ${AGAIN}`,
  '53200': `Give the server more memory, ${AGAIN}`,
  '53300': `It has as many connections as it admits: close some or raise max_connections, ${AGAIN}`,
  '54000':
    'A number or a contract in the input is longer than 2,700 bytes. Correct its line, then start the run again.',
  '57': `Wait until the server is up, ${AGAIN}`,
  '58': `Correct the disk of the server, ${AGAIN}`,
  XX: `Look into the log of the server for the cause, correct it, ${AGAIN}`,
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
  CERT_HAS_EXPIRED: 'Have its administrator renew its certificate.',
  ERR_TLS_CERT_ALTNAME_INVALID: 'Give the address by the name that its certificate is made out to.',
};

/** What the client says without a code, by how it begins. */
const REMEDIES_OF_CLIENT: Readonly<Record<string, string>> = {
  'SASL: SCRAM-SERVER-FIRST-MESSAGE: client password':
    'It wants a password: give it in the address, in PGPASSWORD, or in the file .pgpass of this user.',
  'The server does not support SSL': 'Have its administrator turn on TLS, or leave sslmode out of the address.',
  'There was an error establishing an SSL': UNREACHED,
  'Connection terminated': UNREACHED,
  'Client has encountered a connection error': UNREACHED,
  'Query read timeout': UNREACHED,
  'timeout expired': UNREACHED,
  'timeout exceeded when trying to connect': UNREACHED,
};

/**
 * Codes of lost or currently unavailable connections. An unknown host name is not one of them: it is a typing
 * mistake.
 */
const LOST = /^(08...|53300|57P0[123]|ECONNREFUSED|ECONNRESET|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|EAI_AGAIN)$/;
const LOST_BY_CLIENT = /^(Connection terminated|Client has encountered|Client was closed|Query read timeout|timeout e)/;
/** Two transactions conflicted, and the server asked one to try again. */
const COLLIDED = /^40/;
const STARTING = '57P03';

/** `doing`: "open", "write to". Nothing of an error that is one already is hidden by another. */
export function ledgerDatabaseError(doing: string, where: string, cause: unknown): Error {
  if (cause instanceof LedgerDatabaseError || cause instanceof LedgerLockedError) return cause;
  if (cause instanceof DamagedRowError) {
    return new LedgerDatabaseError(`ledger: cannot ${doing} ${where} (${cause.message}). ${RESTORE}`);
  }
  const { code, message } = named(cause);
  // The server's message about a value that it cannot convert quotes the value.
  if (OF_VALUES.test(code)) {
    return new RefusedValueError(`ledger: cannot ${doing} ${where} (${code}). ${REMEDIES[code] ?? RESTORE}`);
  }
  const ofClient = Object.entries(REMEDIES_OF_CLIENT).find(([beginning]) => message.startsWith(beginning))?.[1];
  const remedy = REMEDIES[code] ?? REMEDIES[code.slice(0, 2)] ?? ofClient ?? 'Correct the cause, and try again.';
  return new LedgerDatabaseError(`ledger: cannot ${doing} ${where} (${message || code}). ${remedy}`, { cause });
}

/** Whether the connection broke, so that another one may do. */
export function isLost(error: unknown): boolean {
  const { code, message } = named(error);
  return LOST.test(code) || (code === '' && LOST_BY_CLIENT.test(message));
}

export function hasCollided(error: unknown): boolean {
  return COLLIDED.test(named(error).code);
}

/** Whether the server, or the user, has as many connections as it admits; also behind an error that was made of it. */
export function hasNoFreeConnection(error: unknown): boolean {
  return (
    named(error).code === '53300' ||
    (error instanceof Error && error.cause !== undefined && hasNoFreeConnection(error.cause))
  );
}

/** The server is there, and will take connections in a moment. */
export function isStarting(error: unknown): boolean {
  return named(error).code === STARTING;
}

/** Where a name has several addresses, the errors of all come as one without a text. */
function named(error: unknown): { code: string; message: string } {
  const of = error instanceof AggregateError && error.errors.length > 0 ? (error.errors[0] as unknown) : error;
  const { code, message } = of as NodeJS.ErrnoException;
  return { code: typeof code === 'string' ? code : '', message };
}
