/** What the ledger says of an error of PostgreSQL, and which of them it rides out. */
import { describe, expect, test } from 'vitest';
import { LedgerLockedError } from '../../../../src/migration/ledger/locked-error.js';
import {
  hasCollided,
  isLost,
  isStarting,
  ledgerDatabaseError,
} from '../../../../src/migration/ledger/postgres/database-error.js';

const errorOf = (code: string | undefined, message: string) => Object.assign(new Error(message), code && { code });
const said = (error: unknown) => ledgerDatabaseError('write to', 'schema s of database d on h:1', error).message;

describe('an error of the server or of the way to it', () => {
  test.each([
    [
      '53300',
      'sorry, too many clients already',
      'It has no free connection: close some, or raise max_connections; if the message names a role or a database, raise its CONNECTION LIMIT.',
    ],
    [
      '25006',
      'cannot execute INSERT in a read-only transaction',
      'It is a read-only replica, or was set read-only (default_transaction_read_only): give the address of the primary server, or make it writable, and repeat the command.',
    ],
    ['58030', 'could not fsync file', 'Check the disk of the server, and repeat the command.'],
    [
      '57P01',
      'terminating connection due to administrator command',
      'Wait until the server is up, and repeat the command.',
    ],
    ['XX001', 'invalid page in block 0', 'The database is damaged: restore it from a copy.'],
    ['XX000', 'could not read block 0', 'The log of the server has the cause: correct it, and repeat the command.'],
    [
      '54000',
      'index row size 2800 exceeds btree version 4 maximum 2704',
      'A number or a contract in the input is longer than 2,700 bytes. Correct its line, then repeat the command.',
    ],
    [
      'ENOTFOUND',
      'getaddrinfo ENOTFOUND h',
      'Start the server, or correct its address or the network, and repeat the command.',
    ],
    [
      'SELF_SIGNED_CERT_IN_CHAIN',
      'self-signed certificate in certificate chain',
      'Give the file of its authority with ?sslmode=verify-full&sslrootcert=<path> in the address.',
    ],
    [
      undefined,
      'Connection terminated unexpectedly',
      'Start the server, or correct its address or the network, and repeat the command.',
    ],
    [
      undefined,
      'Query read timeout',
      'Start the server, or correct its address or the network, and repeat the command. If it is behind a connection pooler, raise the size of its pool.',
    ],
    [undefined, 'something new', 'Correct the cause, and repeat the command.'],
  ])('%s: %s', (code, message, remedy) => {
    expect(said(errorOf(code, message))).toBe(
      `ledger: cannot write to schema s of database d on h:1 (${message}). ${remedy}`,
    );
  });

  test('of a host with several addresses, the error of the first is reported', () => {
    const refused = errorOf('ECONNREFUSED', 'connect ECONNREFUSED ::1:1');
    const all = new AggregateError([refused, errorOf('ECONNREFUSED', 'connect ECONNREFUSED 127.0.0.1:1')], '');
    expect(said(all)).toContain('(connect ECONNREFUSED ::1:1). Start the server');
    expect(isLost(all)).toBe(true);
  });

  test('an error that has a remedy is unchanged', () => {
    const locked = new LedgerLockedError('taken');
    expect(ledgerDatabaseError('open', 'there', locked)).toBe(locked);
    const first = ledgerDatabaseError('open', 'there', errorOf('53100', 'full'));
    expect(ledgerDatabaseError('write to', 'elsewhere', first)).toBe(first);
  });
});

test.each([
  ['57P01', 'terminating connection due to administrator command', true],
  ['57P03', 'the database system is starting up', true],
  ['08006', 'connection failure', true],
  ['ECONNRESET', 'read ECONNRESET', true],
  ['', 'Client has encountered a connection error and is not queryable', true],
  ['', 'Query read timeout', true],
  ['28P01', 'password authentication failed', false],
  ['ENOTFOUND', 'getaddrinfo ENOTFOUND h', false],
  ['53100', 'No space left on device', false],
  ['23505', 'Connection terminated, says a value', false],
])('%s %s: another connection may do: %s', (code, message, lost) => {
  expect(isLost(errorOf(code || undefined, message))).toBe(lost);
});

test('which are tried again though the connection holds, and which server is about to be there', () => {
  const [serialization, deadlock, starting] = ['40001', '40P01', '57P03'].map((code) => errorOf(code, ''));
  expect([serialization, deadlock, starting].map(hasCollided)).toEqual([true, true, false]);
  expect([serialization, deadlock, starting].map(isStarting)).toEqual([false, false, true]);
});
