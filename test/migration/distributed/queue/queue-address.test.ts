/** The address of a work queue: which server it names, what ioredis gets, and what is wrong with an invalid one. */
import { describe, expect, test } from 'vitest';
import { queueError, queuePlace, redisConnection } from '../../../../src/migration/distributed/queue/queue-address.js';

describe('an address of Sentinels', () => {
  test('names each of them, the primary, and for ioredis user, passwords and database', () => {
    const address =
      'redis+sentinel://importer:s3cr%2Ft@one.example.com:26380,two.example.com,[::1]:26381/my%20primary/3?sentinelPassword=of%20them';
    expect(queuePlace(address)).toEqual({
      engine: 'redis',
      words: 'Redis my primary of the Sentinels one.example.com:26380, two.example.com:26379, [::1]:26381',
    });
    expect(redisConnection(address)).toEqual({
      sentinels: [
        { host: 'one.example.com', port: 26_380 },
        { host: 'two.example.com', port: 26_379 },
        { host: '::1', port: 26_381 },
      ],
      name: 'my primary',
      db: 3,
      username: 'importer',
      password: 's3cr/t',
      sentinelPassword: 'of them',
    });
  });

  test('with rediss uses TLS to the Sentinels and to the Redis', () => {
    expect(redisConnection('rediss+sentinel://one.example.com/mymaster')).toEqual({
      ...{ sentinels: [{ host: 'one.example.com', port: 26_379 }], name: 'mymaster', db: 0 },
      ...{ tls: {}, sentinelTLS: {}, enableTLSForSentinelMode: true },
    });
  });
});

test('the address of a single Redis goes to ioredis unchanged', () => {
  const url = 'rediss://importer:s3cr%2Ft@one.example.com:6380/2';
  expect(redisConnection(url)).toEqual({ url });
  expect(queuePlace(url)).toEqual({ engine: 'redis', words: 'Redis on one.example.com:6380' });
});

const EXPECTED =
  'Expected redis://host:6379, rediss://user:password@host:6379/0, redis+sentinel://host:26379,host2:26379/mymaster or ' +
  'postgres://user@host:5432/database; encode special characters of user and password, such as / ? # @, as %2F %3F %23 %40.';

test.each([
  ['redis://s3cret@one:6379,two:6379/mymaster', 'is neither a Redis nor a PostgreSQL address'],
  ['redis+cluster://s3cret@one/mymaster', 'is neither a Redis nor a PostgreSQL address'],
  ['redis+sentinel://one:s3cret,two/mymaster', 'is neither a Redis nor a PostgreSQL address'],
  ['redis+sentinel://:s3@cret@one,two/mymaster', 'is neither a Redis nor a PostgreSQL address'],
  ['redis+sentinel://one,two', 'of Sentinels needs the name of the primary that they monitor'],
  ['redis+sentinel://one,two/', 'of Sentinels needs the name of the primary that they monitor'],
  ['redis+sentinel://one/mymaster/s3cret', 'of Sentinels needs the name of the primary that they monitor'],
  ['redis+sentinel://:s3/cret@one/mymaster', 'is neither a Redis nor a PostgreSQL address'],
  ['redis+sentinel://one/mymaster#s3cret', 'has an @ or # after the host'],
  ['redis+sentinel://:s3cret%@one/mymaster', 'has a % that begins no encoded character: write it as %25'],
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
  ['', 'All sentinels are unreachable and retry is disabled.', 'Start the Sentinels'],
  ['08P01', 'unsupported startup parameter: options', 'cannot use a connection pooler such as PgBouncer'],
])('the failure %s %s has a remedy', (code, message, remedy) => {
  const error = queueError('open', 'Redis on one.example.com:6379', causeOf(code, message));
  expect(error.message).toContain(`queue: cannot open Redis on one.example.com:6379 (${message}). `);
  expect(error.message).toContain(remedy);
});
