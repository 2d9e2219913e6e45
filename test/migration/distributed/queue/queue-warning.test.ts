/** A work queue without TLS or without a password gets one warning, before anything is sent. */
import { expect, test } from 'vitest';
import { queueWarning } from '../../../../src/migration/distributed/queue/queue-address.js';
import { openWorkQueue } from '../../../../src/migration/distributed/queue/work-queue.js';

const PLACE = 'warning: queue: Redis on queue.example.com:6379 is used without';

test.each([
  ['redis://queue.example.com', 'password and TLS'],
  ['redis://queue.example.com:6379/3', 'password and TLS'],
  ['rediss://queue.example.com', 'a password'],
  ['rediss://importer@queue.example.com', 'a password'],
  ['redis://importer:s3cret@queue.example.com', 'TLS'],
  ['redis://queue.example.com?password=s3cret', 'TLS'],
])('%s is used without %s', (address, lacks) => {
  const warning = queueWarning(address);
  expect(warning).toBe(
    `${PLACE} ${lacks}: other machines may read its jobs, which contain account numbers, or change them. ` +
      'Use a Redis with password and TLS: --queue rediss://user:password@host:6379.',
  );
  expect(warning).not.toContain('s3cret');
});

test.each([
  'rediss://importer:s3cret@queue.example.com',
  'rediss://queue.example.com?password=s3cret',
  'redis://localhost',
  'redis://127.0.0.1:6379',
  'redis://[::1]',
  'redis://',
  'postgres://importer@queue.example.com/import',
])('%s is used without a warning', (address) => {
  expect(queueWarning(address)).toBeUndefined();
});

test('a worker that opens such a queue prints it once, before it connects', async () => {
  const notes: string[] = [];
  const absent = () => {
    notes.push('loads its packages');
    return Promise.reject(new Error('not installed'));
  };
  const opening = openWorkQueue(
    { queue: 'redis://:s3cret@queue.example.com', ledgerId: 'run-1', name: 'one', onNote: (note) => notes.push(note) },
    { bullmq: absent, ioredis: absent, pg: absent },
  );
  await expect(opening).rejects.toMatchObject({ name: 'QueueError' });
  expect(notes).toEqual([expect.stringContaining(`${PLACE} TLS`), 'loads its packages', 'loads its packages']);
});
