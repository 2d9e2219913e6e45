/** How long a ledger waits for a server that has gone away. Time is counted by its waits, not by a clock. */
import { beforeEach, expect, test, vi } from 'vitest';
import { retryConnection } from '../../../../src/migration/ledger/postgres/retry-connection.js';

const waits: number[] = [];
beforeEach(() => {
  vi.spyOn(globalThis, 'setTimeout').mockImplementation(((done: () => void, ms: number) => {
    waits.push(ms);
    done();
  }) as typeof setTimeout);
});

const lost = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
const collided = Object.assign(new Error('deadlock detected'), { code: '40P01' });
const refused = Object.assign(new Error('permission denied'), { code: '42501' });

/** A task that fails `times` times with `error`. `tries` has for each attempt whether it was marked as a repetition. */
function failing(times: number, error: Error) {
  const tries: boolean[] = [];
  waits.length = 0;
  const task = async (isAgain: boolean) => {
    tries.push(isAgain);
    if (tries.length <= times) throw error;
    return 'done';
  };
  return { tries, task };
}

test('a successful connection is tried once', async () => {
  const { tries, task } = failing(0, lost);
  expect(await retryConnection(60_000, task)).toBe('done');
  expect([tries, waits]).toEqual([[false], []]);
});

test('a server that is away for a moment: each wait is twice as long, up to two seconds', async () => {
  const { tries, task } = failing(7, lost);
  expect(await retryConnection(60_000, task)).toBe('done');
  expect(waits).toEqual([100, 200, 400, 800, 1600, 2000, 2000]);
  expect(tries).toEqual([false, true, true, true, true, true, true, true]);
});

test('a server that stays unavailable: after the time limit, the error is thrown', async () => {
  const { tries, task } = failing(100, lost);
  await expect(retryConnection(1000, task)).rejects.toBe(lost);
  expect(waits).toEqual([100, 200, 400, 800]);
  expect(tries).toHaveLength(5);
});

test('a serialization conflict is retried ten times', async () => {
  const { tries, task } = failing(100, collided);
  await expect(retryConnection(0, task)).rejects.toBe(collided);
  expect(tries).toHaveLength(11);
});

test('a permanent error is not retried', async () => {
  const { tries, task } = failing(1, refused);
  await expect(retryConnection(60_000, task)).rejects.toBe(refused);
  expect([tries, waits]).toEqual([[false], []]);
});
