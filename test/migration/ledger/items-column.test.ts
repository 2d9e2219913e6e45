/** The items of a record as text of one column: short, exact, and readable by the version before amounts. */
import { describe, expect, test } from 'vitest';
import type { RecordItems } from '../../../src/migration/ledger/ledger.js';
import { itemsFromColumn, itemsToColumn } from '../../../src/migration/ledger/sql/items-column.js';
import { itemsIn } from '../../../src/migration/record/items/item-counts.js';
import type { ImportRecord } from '../../../src/validation/records/import-record.js';
import { account } from '../rehearsal.js';

const transactions = [
  { type: 'CHARGE', amount: 12.5 },
  { type: 'CHARGE', amount: 25 },
  { type: 'PAYMENT', amount: -1.05 },
];
const untried = itemsIn(account('A-1', {}, { transactions, notes: [{ body: 'n' }] }) as ImportRecord);

function withSent(items: RecordItems): RecordItems {
  const counts = items.transactions;
  if (counts?.amounts == null) throw new Error('no amounts');
  return {
    ...items,
    transactions: {
      ...counts,
      sent: 3,
      digest: '0a1b2c3d',
      amounts: { ...counts.amounts, sent: counts.amounts.total },
    },
  };
}

describe('amounts', () => {
  test('before anything is sent: the sums of the line', () => {
    expect(itemsToColumn(untried)).toBe('{"t":[3],"ta":"C2:37.5,P1:-1.05","n":[1]}');
    expect(itemsFromColumn(itemsToColumn(untried))).toEqual(untried);
  });

  test('all confirmed as sent: one character more', () => {
    const sent = withSent(untried);
    expect(itemsToColumn(sent)).toBe('{"t":[3,3,0,0,0,0,"0a1b2c3d"],"ta":"C2:37.5,P1:-1.05;=","n":[1]}');
    expect(itemsFromColumn(itemsToColumn(sent))).toEqual(sent);
  });

  test('a column of an earlier version has none', () => {
    const { transactions: counts } = itemsFromColumn('{"t":[3,3,0,0,0,0,"0a1b2c3d"]}');
    expect(counts).toMatchObject({ total: 3, sent: 3, amounts: null });
  });

  test.each(['1', '"C"', '"X1:1"', '"C1:1e5"', '"C1:1;;;;;;C0:1"', '"C-1:1"', '"C1:"', 'null'])(
    '%s is damaged',
    (text) => {
      expect(() => itemsFromColumn(`{"t":[1],"ta":${text}}`)).toThrow(TypeError);
    },
  );
});
