import { describe, expect, test } from 'vitest';
import { applyEvent } from '../../../src/migration/record/events/apply-event.js';
import { changedPaths, digestsOf, identityIn, isSameButItems } from '../../../src/migration/shared/content-digests.js';
import { canonicalJson } from '../../../src/validation/records/canonical-json.js';
import { record } from '../ledger/records.js';

const hashOf = (text: string) => digestsOf(JSON.parse(text));

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
    expect(canonicalJson(Object.fromEntries(keys.map((key) => [key, 0])))).toBe(
      `{${[...keys]
        .sort()
        .map((key) => `"${key}":0`)
        .join(',')}}`,
    );
  },
);

const withNotes = (...bodies: string[]) =>
  hashOf(JSON.stringify({ account: {}, notes: bodies.map((body) => ({ body })) }));

test('other items are other content, of the same account', () => {
  for (const other of [withNotes('one'), withNotes('one', 'three'), withNotes('one', 'two', 'two')]) {
    expect(other).not.toBe(withNotes('one', 'two'));
    expect(isSameButItems(other, withNotes('one', 'two'))).toBe(true);
  }
  expect(isSameButItems(hashOf('{"account":{"a":1}}'), withNotes('one'))).toBe(false);
});

test('each of 100,000 supply points has its own digests, which tell that an account exists already', {
  tags: ['long'],
}, () => {
  const of = (identifier: string) =>
    ({ account: { supply_addresses: [{ supply_points: [{ identifier }] }] } }) as never;
  const found = new Set<string>();
  for (let index = 0; index < 100_000; index++) {
    found.add(identityIn(digestsOf(of(String(50_000_000_000_000 + index)), 'A-1')).supplyPoints.join());
  }
  expect(found.size).toBe(100_000);
});

test.each([
  ['the order of keys', '{"account":{"a":1,"b":"2"}}', '{"account":{"b":"2","a":1}}'],
  ['spacing', '{"account":{"a":[1,{"b":2}]}}', '{ "account" : { "a" : [ 1.0, { "b" : 2 } ] } }'],
  [
    'the order of transactions',
    '{"transactions":[{"transaction_id":"T1","amount":1},{"transaction_id":"T2","amount":2}]}',
    '{"transactions":[{"transaction_id":"T2","amount":2},{"transaction_id":"T1","amount":1}]}',
  ],
  ['the order of notes', '{"notes":[{"body":"one"},{"body":"two"}]}', '{"notes":[{"body":"two"},{"body":"one"}]}'],
])('two records that differ only by %s have the same digests', (_, one, other) => {
  expect(hashOf(one)).toBe(hashOf(other));
});

test('a record under another number has the same digests, also where another field has the number in it', () => {
  const of = (number: string) =>
    ({
      account: { external_account_number: number, statements: [{ statement_path: `2024/${number}-02.pdf` }] },
    }) as never;
  expect(digestsOf(of('ACC-0001'), 'ACC-0001')).toBe(digestsOf(of('N-77-3'), 'N-77-3'));
});

const before = {
  account: {
    billing_postcode: '69003',
    customers: [{ given_name: 'Camille', landline: '' }, { given_name: 'Andrea' }],
    metadata: [{ key: 'legacy', value: { secret: 'x' } }],
  },
  transactions: [{ transaction_id: 'T1', amount: 1 }],
  notes: [{ body: 'one' }],
};

test.each([
  ['nothing', {}, []],
  ['a value', { account: { ...before.account, billing_postcode: '69004' } }, ['account.billing_postcode']],
  [
    'a field that is no longer there',
    { account: { ...before.account, customers: [{ given_name: 'Camille' }, { given_name: 'Andrea' }] } },
    ['account.customers.*.landline'],
  ],
  [
    'an element that is no longer there',
    { account: { ...before.account, customers: [{ given_name: 'Camille', landline: '' }] } },
    ['account.customers.*.given_name'],
  ],
  ['an unknown name, which may be personal data', { account: { ...before.account, camille: 1 } }, ['account.*']],
  ['an amount', { transactions: [{ transaction_id: 'T1', amount: 2 }] }, ['transactions.*.amount']],
  ['another item', { notes: [{ body: 'one' }, { body: 'two' }] }, ['notes.*.body']],
  ['an item that is no longer there', { notes: [] }, ['notes.*.body']],
])('from the digests it is known which paths differ: %s', (_, change, paths) => {
  const now = { ...before, ...change } as never;
  expect(changedPaths(now, 'A-1', digestsOf(before as never, 'A-1'))).toEqual(paths);
});

test('the digests of a record with more than 10,000 values are as short as those of a few, and tell which part differs', {
  tags: 'long',
}, () => {
  const of = (notes: number, unknown: number) =>
    ({
      account: { billing_postcode: '69003' },
      notes: Array.from({ length: notes }, (_, index) => ({ body: `note ${index}` })),
      ...Object.fromEntries(Array.from({ length: unknown }, (_, index) => [`part ${index}`, index])),
    }) as never;
  for (const [notes, unknown, path] of [
    [20_000, 0, 'notes'],
    [1, 20_000, '*'],
  ] as const) {
    const text = digestsOf(of(notes, unknown));
    expect(text.length).toBeLessThan(100);
    expect(text).toBe(digestsOf(of(notes, unknown)));
    expect(changedPaths(of(notes, unknown), '', text)).toEqual([]);
    expect(changedPaths(of(notes + (unknown ? 0 : 1), unknown && unknown + 1), '', text)).toEqual([path]);
  }
});

test.each([
  ['a value', '{"a":1}', '{"a":2}'],
  ['the type of a value', '{"a":1}', '{"a":"1"}'],
  ['the order of a list', '{"a":[1,2]}', '{"a":[2,1]}'],
  ['two values that changed places', '{"a":{"b":1,"c":2}}', '{"a":{"b":2,"c":1}}'],
  ['an empty list and nothing', '{"a":[]}', '{}'],
  ['an empty object and an empty list', '{"a":{}}', '{"a":[]}'],
  ['null and nothing', '{"a":null}', '{}'],
  ['the depth of a field', '{"a":{"b":1}}', '{"a":1,"b":1}'],
  ['a field by the name __proto__', '{"a":1,"__proto__":{"b":1}}', '{"a":1,"__proto__":{"b":2}}'],
])('two records differ by %s', (_, one, other) => {
  expect(hashOf(one)).not.toBe(hashOf(other));
});

describe('a record whose line is written otherwise', () => {
  const rewritten = { type: 'lineRewritten', hash: 'b'.repeat(64), source: 'other.jsonl', line: 7 } as const;
  const at = '2026-01-15T10:00:00.000Z';

  test('takes hash and place of the line, and keeps its outcome, its content hash and the time of its last request', () => {
    const known = record('A-1', { hash: 'a'.repeat(64), done: 'process', outcome: 'created', serviceNumber: '77' });
    const { hash, source, line } = rewritten;
    expect(applyEvent(known, rewritten, at)).toEqual({ ...known, hash, source, line });
  });

  test.each([
    ['the same content: it may be repeated at once', 'a'.repeat(64), 'b'.repeat(64)],
    ['other content: that stays known', 'c'.repeat(64), 'c'.repeat(64)],
  ])('has a request in flight with %s', (_, intentHash, expected) => {
    const known = record('A-1', { hash: 'a'.repeat(64), intent: 'stage', intentHash });
    expect(applyEvent(known, rewritten, at)).toMatchObject({ intent: 'stage', intentHash: expected });
  });
});
