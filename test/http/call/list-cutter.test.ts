/** A list that comes in chunks is cut into the same entries that JSON.parse finds in the whole of it. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ListCutter, NotAListError } from '../../../src/http/call/list-cutter.js';
import { anyText } from '../../helpers/any-text.js';
import { seed } from '../../helpers/seed.js';

const LARGE = 1_000_000;

/** The entries of a body that is cut after each of these shares of its bytes. */
function read(body: Uint8Array | string, cuts: readonly number[] = [], maxEntryBytes = LARGE): unknown[] {
  const bytes = Buffer.from(body as string);
  const places = [...cuts.map((share) => Math.floor(share * bytes.length)).sort((a, b) => a - b), bytes.length];
  const cutter = new ListCutter(maxEntryBytes);
  const texts: string[] = [];
  let from = 0;
  for (const to of places) {
    texts.push(...cutter.add(bytes.subarray(from, to)));
    from = to;
  }
  cutter.end();
  return texts.map((text) => JSON.parse(text));
}

/** As a share of the bytes, so that a body of any length is cut anywhere. */
const cuts = fc.array(fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true }), { maxLength: 12 });
const value = fc.oneof(
  fc.jsonValue(),
  anyText(),
  fc.constantFrom('"', '\\', '],[', '}{', '\\"', '\u2028', 'é', '€', '😀', '\uFEFF', {}, [], [[{}]], { ']': ['}'] }),
);

test('any list, cut anywhere, has the entries that JSON.parse finds', { tags: 'long' }, () => {
  fc.assert(
    fc.property(fc.array(value), cuts, fc.constantFrom('', ' ', '\r\n\t'), fc.boolean(), (list, at, space, hasMark) => {
      const text = `${space}[${list.map((entry) => `${space}${JSON.stringify(entry, null, space.length)}`).join(`${space},`)}${space}]${space}`;
      expect(read((hasMark ? '\uFEFF' : '') + text, at)).toEqual(JSON.parse(text));
    }),
    { seed, numRuns: 1000 },
  );
});

test('refuses and accepts the same texts as JSON.parse', { tags: 'long' }, () => {
  // Few characters, so that many texts are nearly lists.
  const character = fc.constantFrom('[', ']', '{', '}', ',', ':', '"', '\\', '1', 'a', ' ', '"a":1', '\u00a0');
  const tried = (task: () => unknown) => {
    try {
      return { value: task() };
    } catch {
      return 'refused';
    }
  };
  fc.assert(
    fc.property(fc.array(character, { maxLength: 12 }), fc.boolean(), cuts, (characters, isFramed, at) => {
      const text = isFramed ? `[${characters.join('')}]` : characters.join('');
      const parsed = tried(() => JSON.parse(text));
      const isList = parsed !== 'refused' && Array.isArray(parsed.value);
      expect(tried(() => read(text, at))).toEqual(isList ? parsed : 'refused');
    }),
    { seed, numRuns: 5000 },
  );
});

describe('hostile input', () => {
  test.each([
    ['{"results": []}', 'expected a JSON list', false],
    ['<html>', 'expected a JSON list', false],
    ['"[]"', 'expected a JSON list', false],
    ['\u00ef[]', 'expected a JSON list', false],
    ['', 'empty', false],
    [' \n', 'empty', false],
    ['[]]', 'there is more after the list', false],
    ['[1] 2', 'there is more after the list', false],
    ['[', 'the list has no end', true],
    ['[1', 'the list has no end', true],
    ['[1,', 'the list has no end', true],
    ['["a]', 'the list has no end', true],
    ['[{"a": "\\"}]', 'the list has no end', true],
  ])('%s: %s', (text, message, isIncomplete) => {
    expect(() => read(text)).toThrow(expect.objectContaining({ name: 'Error', message, isIncomplete }));
  });

  test('a part of a byte order mark is not white space', () => {
    for (const bytes of [
      [0xef, 0x5b, 0x5d],
      [0xef, 0xbb, 0x5b, 0x5d],
    ]) {
      expect(() => read(Uint8Array.from(bytes))).toThrow(NotAListError);
    }
    expect(read(Uint8Array.from([0xef, 0xbb, 0xbf, 0x5b, 0x5d]), [0.3, 0.5])).toEqual([]);
  });

  test('an entry larger than the limit is read no further, in one chunk or in many', () => {
    const entry = JSON.stringify('x'.repeat(98));
    expect(read(`[${entry},${entry}]`, [0.5], 100)).toHaveLength(2);
    expect(() => read(`[${entry},${entry}]`, [0.5], 99)).toThrow('0: larger than maxAnswerBytes');
    expect(() => read(`[1, 2, ${entry}]`, [0.5], 99)).toThrow('2: larger than maxAnswerBytes');
    const cutter = new ListCutter(1000);
    const add = (chunk: Buffer) => expect([...cutter.add(chunk)]).toEqual([]);
    add(Buffer.from('["'));
    const endless = () => {
      for (let chunk = 0; chunk < 20; chunk++) add(Buffer.alloc(100, 'x'));
    };
    expect(endless).toThrow('0: larger than maxAnswerBytes');
  });
});
