/** What is said of an address that no doorbell can be at, and of packages that are not installed. */
import { EventEmitter } from 'node:events';
import { describe, expect, test } from 'vitest';
import { queueLoaders } from '../../../src/migration/fleet/bullmq-driver.js';
import { hearErrors } from '../../../src/migration/fleet/bullmq-postgres-connection.js';
import { openDoorbell } from '../../../src/migration/fleet/doorbell.js';
import { bellOf, jobOf } from '../../../src/migration/fleet/doorbell-job.js';
import { queueError } from '../../../src/migration/fleet/queue-error.js';
import { queuePlace } from '../../../src/migration/fleet/queue-place.js';

const EXPECTED =
  'Expected redis://host:6379, rediss://user:password@host:6379/0 or postgres://user@host:5432/database; ' +
  'write characters of user and password such as / ? # @ as %2F %3F %23 %40.';
const missing = () => Promise.reject(new Error('Cannot find package'));
const open = (queue: string, loaders = queueLoaders) => openDoorbell({ queue, ledgerId: 'a-1', name: 'one' }, loaders);

describe('the address of the queue', () => {
  test.each([
    ['redis://ada:not-to-be-seen@queue.example.com/2', 'redis', 'Redis on queue.example.com:6379'],
    ['rediss://queue.example.com:6380', 'redis', 'Redis on queue.example.com:6380'],
    ['postgres://ada@db.example.com/run', 'postgres', 'PostgreSQL on db.example.com:5432'],
    ['postgresql://ada:not-to-be-seen@db.example.com:5433/run', 'postgres', 'PostgreSQL on db.example.com:5433'],
    ['postgres:///run', 'postgres', 'PostgreSQL on localhost:5432'],
  ])('%s', (address, engine, words) => {
    expect(queuePlace(address)).toEqual({ engine, address, words });
  });

  test.each([
    '',
    'not-to-be-seen',
    'localhost:6379',
    'http://not-to-be-seen.example.com',
    'mysql://a:not-to-be-seen@b',
  ])('garbage, such as "%s": what is expected, and nothing of what was given', async (address) => {
    await expect(open(address)).rejects.toMatchObject({
      name: 'QueueError',
      message: `queue: the address is neither one of Redis nor one of PostgreSQL. ${EXPECTED}`,
    });
  });

  test.each(['redis://ada:12/not-to-be-seen@queue.example.com', 'redis://ada:12#not-to-be-seen@queue.example.com'])(
    'a password that is not written as addresses want it (%s): how it is written',
    async (address) => {
      await expect(open(address)).rejects.toThrow(
        `queue: in the address, an @ or # stands behind the host. ${EXPECTED}`,
      );
    },
  );

  test('a database of Redis that is no number', async () => {
    await expect(open('redis://queue.example.com/not-to-be-seen')).rejects.toThrow(
      `queue: the database of Redis is no number. ${EXPECTED}`,
    );
  });
});

describe('packages that are not installed', () => {
  test.each(['bullmq', 'ioredis'] as const)('on Redis, %s', async (name) => {
    await expect(open('redis://queue.example.com', { ...queueLoaders, [name]: missing })).rejects.toThrow(
      'queue: a queue on Redis needs the packages bullmq and ioredis. Install them with "npm install bullmq@6 ioredis@5".',
    );
  });
  test.each(['bullmq', 'pg'] as const)('on PostgreSQL, %s', async (name) => {
    await expect(open('postgres://db.example.com/run', { ...queueLoaders, [name]: missing })).rejects.toThrow(
      'queue: a queue on PostgreSQL needs the packages bullmq and pg. Install them with "npm install bullmq@6 pg@8".',
    );
  });
});

describe('an engine that is not reached', () => {
  test.each([
    ['redis://:not-to-be-seen@127.0.0.1:1', 'Redis'],
    ['postgres://ada:not-to-be-seen@127.0.0.1:1/run', 'PostgreSQL'],
  ])('%s: says where, why and what to do, without the password', async (address, engine) => {
    await expect(open(address)).rejects.toThrow(
      `queue: cannot open ${engine} on 127.0.0.1:1 (connect ECONNREFUSED 127.0.0.1:1). ` +
        'Start the server, or mend its address or the network, and give the same command again.',
    );
  });

  test.each([
    [Object.assign(new Error('password authentication failed for user "ada"'), { code: '28P01' }), 'Mend user or'],
    [new Error('WRONGPASS invalid username-password pair or user is disabled.'), 'Mend user or'],
    [Object.assign(new Error('permission denied for database run'), { code: '42501' }), 'Grant this user'],
    [new Error("OOM command not allowed when used memory > 'maxmemory'."), 'Give the server more memory'],
    [new Error("READONLY You can't write against a read only replica."), 'It is a copy that may only be read'],
    [
      new AggregateError([Object.assign(new Error('connect ECONNREFUSED ::1:1'), { code: 'ECONNREFUSED' })]),
      'Start the',
    ],
    [new Error('something else'), 'Mend the cause, and try again.'],
  ])('the remedy for: %s', (cause, remedy) => {
    const { message } = queueError('ring at', 'Redis on queue.example.com:6379', cause);
    expect(message).toContain(`). ${remedy}`);
    expect(message).toMatch(/^queue: cannot ring at Redis on queue\.example\.com:6379 \(\w/);
  });
});

describe('a bell as a job', () => {
  const bell = { supplier: 'SANDBOX_SUPPLIER', kind: 'account', number: 'A:1', version: 3 } as const;

  test('carries the key and the version, and no more', () => {
    const more = { ...bell, payload: 'not-to-be-seen' };
    expect(jobOf(more).data).toEqual(bell);
    expect(bellOf(jobOf(more).data)).toEqual(bell);
  });

  test('has one name for one bell, which BullMQ takes, and another for each other bell', () => {
    const name = jobOf(bell).opts.jobId;
    expect(name).toBe(jobOf({ ...bell }).opts.jobId);
    expect(name).toMatch(/^bell-[\w-]{43}$/);
    const others = [
      { ...bell, version: 4 },
      { ...bell, number: 'A:2' },
      { ...bell, kind: 'business' as const },
      { ...bell, supplier: 'OTHER' },
    ];
    expect(new Set([name, ...others.map((other) => jobOf(other).opts.jobId)]).size).toBe(5);
  });

  test('is left behind by nobody: done or failed, it makes room for the next of its name', () => {
    expect(jobOf(bell).opts).toMatchObject({ attempts: 1, removeOnComplete: true, removeOnFail: true });
  });

  test.each([[undefined], [{}], [{ ...bell, version: 'x' }], [{ ...bell, kind: 'other' }], ['bell']])(
    'is not what else stands in a queue: %j',
    (data) => {
      expect(bellOf(data)).toBeUndefined();
    },
  );
});

describe('a connection of BullMQ to PostgreSQL', () => {
  /** As `pg` has them: an error without a listener is thrown. */
  const client = () => Object.assign(new EventEmitter(), { query: async () => ({ rows: [] }), release: () => {} });

  test('that is looking at the tables, of which nobody hears errors: they end no process', () => {
    const pool = Object.assign(new EventEmitter(), {
      query: async () => ({ rows: [] }),
      connect: async () => client(),
      end: async () => {},
    });
    hearErrors({ pool, getListenClient: async () => client() });
    const made = client();
    pool.emit('connect', made);
    expect(() => made.emit('error', new Error('Connection terminated unexpectedly'))).not.toThrow();
  });

  test('that listens, and is being closed without its listeners: nor does an error then', async () => {
    const listening = client();
    const connection = {
      pool: Object.assign(new EventEmitter(), {
        query: listening.query,
        connect: async () => client(),
        end: async () => {},
      }),
      getListenClient: async () => listening,
    };
    hearErrors(connection);
    for (let asked = 0; asked < 3; asked++) await connection.getListenClient();
    listening.on('notification', () => {});
    listening.removeAllListeners('notification');
    expect(listening.listenerCount('error')).toBe(0);
    listening.removeAllListeners();
    expect(listening.eventNames()).toEqual(['error']);
    expect(listening.listenerCount('error')).toBe(1);
    expect(() => listening.emit('error', new Error('read ETIMEDOUT'))).not.toThrow();
  });
});
