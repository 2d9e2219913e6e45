/** Places for requests under way: who comes first is served first, and who left is passed over (DESIGN 6). */
import { expect, it } from 'vitest';
import { Places } from '../../src/http/turn.js';
import { Wait } from '../../src/http/wait.js';

/** Takes a place for each name; tells in which order they got one. */
function line(places: Places, names: string[]) {
  const got: string[] = [];
  const waits = names.map((name) => {
    const wait = new Wait();
    Promise.resolve(places.take(wait)).then(
      () => got.push(name),
      (reason) => got.push(`${name} left: ${reason}`),
    );
    return wait;
  });
  return { got, waits };
}

const settled = () => new Promise(setImmediate);

it('as many as there are places get one at once; the others when one is given back, in the order in which they came', async () => {
  const places = new Places(2);
  const { got } = line(places, ['a', 'b', 'c', 'd']);
  await settled();
  expect(got).toEqual(['a', 'b']);
  places.give();
  await settled();
  expect(got).toEqual(['a', 'b', 'c']);
  places.give();
  await settled();
  expect(got).toEqual(['a', 'b', 'c', 'd']);
});

it('who leaves the line is passed over, wherever it stood, and takes no place with it', async () => {
  const places = new Places(1);
  const { got, waits } = line(places, ['a', 'b', 'c', 'd']);
  waits[1]?.end('deadline');
  waits[3]?.end('abort');
  await settled();
  expect(got).toEqual(['a', 'b left: deadline', 'd left: abort']);
  places.give();
  places.give();
  await settled();
  expect(got).toEqual(['a', 'b left: deadline', 'd left: abort', 'c']);
  // Both were given back, and nobody is in line: the one place is free again.
  expect(places.take(new Wait())).toBeUndefined();
  expect(places.take(new Wait())).toBeInstanceOf(Promise);
});

it('a line that was empty fills again', async () => {
  const places = new Places(1);
  const first = line(places, ['a', 'b']);
  places.give();
  const second = line(places, ['c']);
  places.give();
  await settled();
  expect([first.got, second.got]).toEqual([['a', 'b'], ['c']]);
});

it('whose wait has ended before gets none', async () => {
  const places = new Places(1);
  line(places, ['a']);
  const wait = new Wait();
  wait.end('aborted');
  await expect(places.take(wait)).rejects.toBe('aborted');
});

it('without a limit nobody waits', () => {
  const places = new Places(Number.POSITIVE_INFINITY);
  for (let count = 0; count < 1000; count++) expect(places.take(new Wait())).toBeUndefined();
});
