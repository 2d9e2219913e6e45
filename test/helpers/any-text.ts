/** `anyText`: as `fc.string({ unit: 'binary' })`, which takes a second of each process to compute the ranges of all characters. */
import fc, { type StringConstraints } from 'fast-check';

const [SURROGATES, COUNT] = [0xd800, 0x800];

/** Every code point but halves of a pair. */
const character = fc.integer({ min: 0, max: 0x10ffff - COUNT }).map(
  (place) => String.fromCodePoint(place < SURROGATES ? place : place + COUNT),
  (text) => {
    const point = String(text).codePointAt(0);
    if (typeof text !== 'string' || point === undefined || text !== String.fromCodePoint(point))
      throw new Error('none');
    return point < SURROGATES ? point : point - COUNT;
  },
);

export function anyText(constraints: Omit<StringConstraints, 'unit'> = {}): fc.Arbitrary<string> {
  return fc.string({ unit: character, ...constraints });
}
