/** The address of a work queue: which server it names, and what is wrong with an invalid one. */
import { expect, test } from 'vitest';
import { queueError, queuePlace } from '../../../../src/migration/distributed/queue/queue-address.js';

test('names server and engine', () => {
  const url = 'rediss://importer:s3cr%2Ft@one.example.com:6380/2';
  expect(queuePlace(url)).toEqual({ engine: 'redis', words: 'Redis on one.example.com:6380' });
});

const EXPECTED =
  'Expected redis://host:6379, rediss://user:password@host:6379/0 or postgres://user@host:5432/database; ' +
  'encode special characters of user and password, such as / ? # @, as %2F %3F %23 %40.';

test.each([
  ['redis://s3cret@one:6379,two:6379/mymaster', 'is neither a Redis nor a PostgreSQL address'],
  ['redis+sentinel://s3cret@one/mymaster', 'is neither a Redis nor a PostgreSQL address'],
  ['redis+cluster://s3cret@one/mymaster', 'is neither a Redis nor a PostgreSQL address'],
  ['redis://:s3@cret@one/x@y', 'has an @ or # after the host'],
  ['redis://one/s3cret', 'the database of Redis is not a number'],
])('%s is refused without a part of it in the message', (address, problem) => {
  const { message } = (() => {
    try {
      return new Error(queuePlace(address).words);
    } catch (error) {
      return error as Error;
    }
  })();
  expect(message).toMatch(/^queue: /);
  expect(message).toContain(problem);
  expect(message.endsWith(`. ${EXPECTED}`)).toBe(true);
  expect(message).not.toContain('cret');
});

const causeOf = (code: string, message: string) => Object.assign(new Error(message), { code });

test.each([
  ['SELF_SIGNED_CERT_IN_CHAIN', 'self-signed certificate in certificate chain', 'NODE_EXTRA_CA_CERTS'],
  ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'unable to verify the first certificate', 'NODE_EXTRA_CA_CERTS'],
  ['CERT_HAS_EXPIRED', 'certificate has expired', 'renew its certificate'],
  [
    'ERR_TLS_CERT_ALTNAME_INVALID',
    "Hostname/IP does not match certificate's altnames",
    'a host name of its certificate',
  ],
  ['ECONNRESET', 'write ECONNRESET', 'with rediss://, otherwise with redis://'],
  ['ETIMEDOUT', 'connect ETIMEDOUT', 'with rediss://, otherwise with redis://'],
  ['', "Stream isn't writeable and enableOfflineQueue options is false", 'Start the server'],
  ['08P01', 'unsupported startup parameter: options', 'cannot use a connection pooler such as PgBouncer'],
])('the failure %s %s has a remedy', (code, message, remedy) => {
  const error = queueError('open', 'Redis on one.example.com:6379', causeOf(code, message));
  expect(error.message).toContain(`queue: cannot open Redis on one.example.com:6379 (${message}). `);
  expect(error.message).toContain(remedy);
});
