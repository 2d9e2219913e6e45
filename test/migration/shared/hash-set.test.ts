/** A set of hashes: what was added and nothing else, in little memory. */
import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createHashSet } from '../../../src/migration/shared/hash-set.js';
import { seed } from '../../helpers/seed.js';

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

test('a hash is new once, and in from then on', () => {
  const set = createHashSet();
  expect(set.has('ab'.repeat(32))).toBe(false);
  expect(set.add('ab'.repeat(32))).toBe(true);
  expect(set.add('ab'.repeat(32))).toBe(false);
  expect(set.has('ab'.repeat(32))).toBe(true);
  expect(set.has('ac'.repeat(32))).toBe(false);
});

test('hashes that differ in one of their first 8 bytes are different', () => {
  const set = createHashSet();
  const zeros = '00'.repeat(32);
  expect(set.add(zeros)).toBe(true);
  for (let byte = 0; byte < 8; byte++) {
    const hash = `${zeros.slice(0, 2 * byte)}f0${zeros.slice(2 * byte + 2)}`;
    expect(set.has(hash)).toBe(false);
    expect(set.add(hash)).toBe(true);
  }
  expect(set.add(zeros)).toBe(false);
});

test('an entry can have a note, which can be changed', () => {
  const set = createHashSet();
  expect(set.noteOf('ab'.repeat(32))).toBe(undefined);
  set.add('ab'.repeat(32));
  set.add('ac'.repeat(32), 0xffffffff);
  expect(set.noteOf('ab'.repeat(32))).toBe(0);
  expect(set.noteOf('ac'.repeat(32))).toBe(0xffffffff);
  set.setNote('ab'.repeat(32), 2);
  expect(set.noteOf('ab'.repeat(32))).toBe(2);
  set.setNote('ad'.repeat(32), 1);
  expect(set.noteOf('ad'.repeat(32))).toBe(undefined);
});

test('notes keep their entries while the set grows', () => {
  const set = createHashSet();
  const hashes = Array.from({ length: 5000 }, (_, number) => sha256(`A-${number}`));
  for (const [number, one] of hashes.entries()) {
    if (number % 2 === 0) set.add(one, number % 3);
    else {
      set.add(one);
      set.setNote(one, number % 3);
    }
  }
  expect(hashes.map((one) => set.noteOf(one))).toEqual(hashes.map((_, number) => number % 3));
});

test('behaves as a plain set, also if all hashes collide', () => {
  // Few different words, so that most hashes meet others on their way.
  const word = fc.constantFrom('00000000', '00000001', '01000000', 'ffffffff', '00000400');
  const hash = fc.tuple(word, word, word, word).map((words) => words.join('') + '0'.repeat(32));
  fc.assert(
    fc.property(fc.array(hash, { maxLength: 400 }), (hashes) => {
      // A hash that begins with an empty word counts as the next one, which is as unlikely as two hashes that are equal by chance.
      const plain = (text: string) => text.slice(0, 16).replace(/^0{8}/, '01000000');
      const model = new Set<string>();
      const set = createHashSet();
      for (const one of hashes) {
        expect(set.has(one)).toBe(model.has(plain(one)));
        expect(set.add(one)).toBe(!model.has(plain(one)));
        model.add(plain(one));
      }
    }),
    { seed },
  );
});

test('a million take 12 MiB, and none is lost while it grows', { tags: 'long' }, () => {
  // One long digest cut into pieces: a digest each would take nearly all of the time.
  const bytesOfAll = 16 * 1_000_000;
  const digits = (name: string) => createHash('shake256', { outputLength: bytesOfAll }).update(name).digest('hex');
  const [added, others] = [digits('added'), digits('others')];
  const hashOf = (all: string, number: number) => all.slice(32 * number, 32 * number + 32) + '0'.repeat(32);
  const set = createHashSet();
  const before = process.memoryUsage().arrayBuffers;
  for (let number = 0; number < 1_000_000; number++) {
    if (!set.add(hashOf(added, number))) throw new Error(`hash ${number} was not new`);
  }
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThanOrEqual(12 * 2 ** 20);
  for (let number = 0; number < 1_000_000; number += 7) {
    if (!set.has(hashOf(added, number))) throw new Error(`hash ${number} was lost`);
    if (set.has(hashOf(others, number))) throw new Error(`other hash ${number} was never added`);
  }
});
