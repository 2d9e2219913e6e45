import { describe, expect, test } from 'vitest';
import { applyEvent } from '../../../src/migration/record/events/apply-event.js';
import { contentHashOf, isSameButItems } from '../../../src/migration/shared/content-hash.js';
import { canonicalJson } from '../../../src/validation/records/canonical-json.js';
import { record } from '../ledger/records.js';

const hashOf = (text: string) => contentHashOf(JSON.parse(text));

test('canonical JSON has the keys of every object in order, the items of lists as they are, and no spacing', () => {
  const value = JSON.parse('{ "b": 1.50, "a": { "d": [ { "z": 1, "y": "\\u00e9" }, null ], "c": true } }');
  expect(canonicalJson(value)).toBe('{"a":{"c":true,"d":[{"y":"é","z":1},null]},"b":1.5}');
});

test.each([1, 2, 39, 40, 41, 200])(
  'an object with %i keys has them in the order of their UTF-16 code units',
  (count) => {
    // The multiplication puts the numbers out of order; é and 𝄞 sort after all letters, and 𝄞 (U+D834) before ﬁ (U+FB01).
    const keys = Array.from(
      { length: count },
      (_, index) => `${['Z', 'a', 'é', '𝄞', 'ﬁ'][index % 5]}${(index * 7919) % 1009}`,
    );
    const text = canonicalJson(Object.fromEntries(keys.map((key) => [key, 0])));
    expect(text).toBe(
      `{${[...keys]
        .sort()
        .map((key) => `"${key}":0`)
        .join(',')}}`,
    );
  },
);

test('the content hash has 32 digits: of the whole content, and of the content without its items', () => {
  // printf '{"a":1,"b":2}' | sha256sum; printf '43258cff783fe703' | sha256sum
  expect(hashOf('{"b": 2, "a": 1}')).toBe('0b286cd350a7eefa43258cff783fe703');
});

const withNotes = (...bodies: string[]) =>
  hashOf(JSON.stringify({ account: {}, notes: bodies.map((body) => ({ body })) }));

test('items in another order are the same content, and other items are not', () => {
  expect(withNotes('one', 'two')).toBe(withNotes('two', 'one'));
  for (const other of [withNotes('one'), withNotes('one', 'three'), withNotes('one', 'two', 'two')]) {
    expect(other.slice(0, 16)).not.toBe(withNotes('one', 'two').slice(0, 16));
    expect(isSameButItems(other, withNotes('one', 'two'))).toBe(true);
  }
  expect(isSameButItems(hashOf('{"account":{"a":1}}'), withNotes('one'))).toBe(false);
});

test('an empty list of items is other content than none', () => {
  expect(hashOf('{"account":{},"notes":[]}')).not.toBe(hashOf('{"account":{}}'));
});

test.each([
  ['a value', '{"a":1}', '{"a":2}'],
  ['the type of a value', '{"a":1}', '{"a":"1"}'],
  ['the order of a list', '{"a":[1,2]}', '{"a":[2,1]}'],
  ['null and nothing', '{"a":null}', '{}'],
  ['the depth of a field', '{"a":{"b":1}}', '{"a":1,"b":1}'],
  ['a field by the name __proto__', '{"a":1,"__proto__":{"b":1}}', '{"a":1,"__proto__":{"b":2}}'],
])('two records differ by %s', (_, one, other) => {
  expect(hashOf(one)).not.toBe(hashOf(other));
});

describe('a record whose line is written otherwise', () => {
  const rewritten = { type: 'lineRewritten', hash: 'b'.repeat(64), source: 'other.jsonl', line: 7 } as const;
  const at = '2026-01-15T10:00:00.000Z';

  test('takes hash and place of the line, and keeps its outcome and its content hash', () => {
    const known = record('A-1', { hash: 'a'.repeat(64), done: 'process', outcome: 'created', serviceNumber: '77' });
    const { hash, source, line } = rewritten;
    expect(applyEvent(known, rewritten, at)).toEqual({ ...known, hash, source, line, updatedAt: at });
  });

  test.each([
    ['the same content: it may be repeated at once', 'a'.repeat(64), 'b'.repeat(64)],
    ['other content: that stays known', 'c'.repeat(64), 'c'.repeat(64)],
  ])('has a request in flight with %s', (_, intentHash, expected) => {
    const known = record('A-1', { hash: 'a'.repeat(64), intent: 'stage', intentHash });
    expect(applyEvent(known, rewritten, at)).toMatchObject({ intent: 'stage', intentHash: expected });
  });
});
