/** The items of a record as text of one column: short, because every write contains it, and exact. */
import { describe, expect, test } from 'vitest';
import { NO_ITEMS } from '../../../src/migration/ledger/items.js';
import { itemsFromColumn, itemsToColumn } from '../../../src/migration/ledger/sql/items-column.js';
import { items } from './records.js';

test('a record without items', () => {
  expect(itemsToColumn(NO_ITEMS)).toBe('{}');
  expect(itemsFromColumn('{}')).toBe(NO_ITEMS);
});

test.each<[string, ReturnType<typeof items>, string]>([
  [
    'equal states are one number',
    items({ notes: ['sent', 'sent', 'waiting'] }),
    '{"n":"00000000,00000001,00000002|2s,w"}',
  ],
  [
    'amounts, also of the answer, and an account that existed',
    items(
      { transactions: ['moved sent CHARGE 12.5 = 12.51', 'sent SUPPLY_CHARGE = 3', 'gone existed PAYMENT -1'] },
      true,
    ),
    '{"t":"00000000::C12.5,00000001::S,00000002::P-1|s!=12.51,s=3,e-~","x":1}',
  ],
])('%s', (_, given, text) => {
  expect(itemsToColumn(given)).toBe(text);
  expect(itemsFromColumn(text)).toEqual(given);
});

test('an identifier has its own digest', () => {
  const [statement] = itemsFromColumn('{"s":"q1w2e3r4:t5y6u7i8:T10|s"}').statements;
  expect(statement?.key).toEqual({ digest: 'q1w2e3r4', id: 't5y6u7i8', type: 'STATEMENT', amount: '10' });
});

describe('a damaged column is a TypeError', () => {
  test.each([
    ...['1', '""', '"|"', '"q1w2e3r4"', '"q1w2e3r4|"', '"q1w2e3r4|2s"', '"q1w2e3r4,q1w2e3r5|s"', '"q1w2e3r4|x"'],
    ...['"q1w2e3r4|999999999s"', '"q1w2e3r|s"', '"q1w2e3r4::X1|s"', '"q1w2e3r4::C1e5|s"', '"q1w2e3r4|s=1e5"'],
    ...['"q1w2e3r4|s|s"', 'null'],
  ])('%s', (text) => {
    expect(() => itemsFromColumn(`{"t":${text}}`)).toThrow(TypeError);
  });
});
