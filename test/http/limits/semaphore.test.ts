/** `Semaphore`: callers get a place in the order of their requests, and cancelled ones are skipped (DESIGN 6). */
import { expect, it } from 'vitest';
import { Semaphore } from '../../../src/http/limits/semaphore.js';
import { Cancellation } from '../../../src/http/time/cancellation.js';

/** Takes a place for each name; tells in which order they got one. */
function line(places: Semaphore, names: string[]) {
  const got: string[] = [];
  const waits = names.map((name) => {
    const wait = new Cancellation();
    Promise.resolve(places.acquire(wait)).then(
      () => got.push(name),
      (reason) => got.push(`${name} left: ${reason}`),
    );
    return wait;
  });
  return { got, waits };
}

const settled = () => new Promise(setImmediate);

it('calls within the limit start at once; the others when a slot is released, in the order of arrival', async () => {
  const places = new Semaphore(2);
  const { got } = line(places, ['a', 'b', 'c', 'd']);
  await settled();
  expect(got).toEqual(['a', 'b']);
  places.release();
  await settled();
  expect(got).toEqual(['a', 'b', 'c']);
  places.release();
  await settled();
  expect(got).toEqual(['a', 'b', 'c', 'd']);
});

it('a call that leaves the queue is skipped, at any position, and takes no slot', async () => {
  const places = new Semaphore(1);
  const { got, waits } = line(places, ['a', 'b', 'c', 'd']);
  waits[1]?.cancel('deadline');
  waits[3]?.cancel('abort');
  await settled();
  expect(got).toEqual(['a', 'b left: deadline', 'd left: abort']);
  places.release();
  places.release();
  await settled();
  expect(got).toEqual(['a', 'b left: deadline', 'd left: abort', 'c']);
  // Both were released, and no caller waits: the one place is free again.
  expect(places.acquire(new Cancellation())).toBeUndefined();
  expect(places.acquire(new Cancellation())).toBeInstanceOf(Promise);
});

it('a line that was empty fills again', async () => {
  const places = new Semaphore(1);
  const first = line(places, ['a', 'b']);
  places.release();
  const second = line(places, ['c']);
  places.release();
  await settled();
  expect([first.got, second.got]).toEqual([['a', 'b'], ['c']]);
});

it('whose wait has ended before gets none', async () => {
  const places = new Semaphore(1);
  line(places, ['a']);
  const wait = new Cancellation();
  wait.cancel('aborted');
  await expect(places.acquire(wait)).rejects.toBe('aborted');
});

it('without a limit no call waits', () => {
  const places = new Semaphore(Number.POSITIVE_INFINITY);
  for (let count = 0; count < 1000; count++) expect(places.acquire(new Cancellation())).toBeUndefined();
});
