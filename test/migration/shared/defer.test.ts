/** What can wait comes after the answers that are there: in its order, eight at a time, with a look at the network between. */
import { expect, test } from 'vitest';
import { defer } from '../../../src/migration/shared/defer.js';
import { CallQueue } from '../../../src/migration/throttle/call-queue.js';
import { machineClock } from '../../../src/migration/throttle/clock.js';

const turn = () => new Promise(setImmediate);

test('tasks run at the end of the turn, eight a turn, in the order of the calls', async () => {
  const done: number[] = [];
  for (let task = 0; task < 20; task++) defer(() => void done.push(task));
  expect(done).toEqual([]);
  const seen: number[] = [];
  while (done.length < 20) {
    await turn();
    seen.push(done.length);
  }
  expect(seen).toEqual([8, 16, 20]);
  expect(done).toEqual(Array.from({ length: 20 }, (_, task) => task));
});

test('after an answer, the next call starts before other work', async () => {
  const limit = { limit: 1, isLeast: true };
  const queue = new CallQueue({ concurrency: 1, rps: 0, window: undefined, clock: machineClock, limit });
  const happened: string[] = [];
  const call = (name: string) =>
    queue
      .schedule('stage', async () => void happened.push(`${name} leaves`))
      .then(() => happened.push(`${name} resolves`));
  await Promise.all([call('first'), call('second'), call('third')]);
  expect(happened).toEqual([
    'first leaves',
    'second leaves',
    'third leaves',
    'first resolves',
    'second resolves',
    'third resolves',
  ]);
});

test('work after an answer starts at the end of the turn', async () => {
  const limit = { limit: 1, isLeast: true };
  const queue = new CallQueue({ concurrency: 1, rps: 0, window: undefined, clock: machineClock, limit });
  let hasRun = false;
  const done = queue
    .schedule('stage', async () => {})
    .then(() => {
      hasRun = true;
    });
  for (let moment = 0; moment < 50; moment++) await Promise.resolve();
  expect(hasRun).toBe(false);
  await done;
  expect(hasRun).toBe(true);
});
