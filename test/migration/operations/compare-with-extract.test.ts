/** The comparison of the ledger with the operator's extract: every planted cent is found, and nothing else. */
import { expect, test } from 'vitest';
import type { AmountType } from '../../../src/migration/ledger/amounts.js';
import { compareWithExtract } from '../../../src/migration/operations/verify/compare-with-extract.js';
import type { Extract, ExtractRow, UnreadRow } from '../../../src/migration/operations/verify/extract-rows.js';
import { items, ledgerOf, record } from '../ledger/records.js';

const created = (number: string, transactions: string[], supplier = 'S-1') =>
  record(number, {
    ...{ supplier, outcome: 'created', serviceNumber: `P-${number}` },
    items: items({ transactions }),
  });

function extractOf(rows: readonly (ExtractRow | UnreadRow)[], more: Partial<Extract> = {}): Extract {
  async function* read() {
    yield* rows;
  }
  return { numberedBy: ['external_account_number'], hasSupplier: false, rows: read(), ...more };
}

const row = (account: string, amount: string, type: AmountType = 'CHARGE', supplier?: string): ExtractRow => ({
  ...{ line: 1, supplier, external: account, type, count: 1, amount },
});

test('of 20,000 transactions of 1,000 accounts, exactly the 100 that differ by one cent are found', {
  tags: 'long',
}, async () => {
  const ledger = await ledgerOf(
    Array.from({ length: 1000 }, (_, at) => created(`A-${at}`, Array(20).fill('sent CHARGE 0.01'))),
  );
  const rows = Array.from({ length: 20_000 }, (_, at) =>
    row(`A-${at % 1000}`, at < 1000 && at % 10 === 0 ? '0.02' : '0.01'),
  );
  const written: string[] = [];
  const found = await compareWithExtract(ledger, extractOf(rows), async (text) => void written.push(text));
  expect(found).toMatchObject({ rows: 20_000, same: 900, differing: 100, different: 100, unread: 0 });
  expect(written.map((text) => text.split(';')[1])).toEqual(Array.from({ length: 100 }, (_, at) => `A-${10 * at}`));
  expect(written.every((text) => text.includes(';20;0,2;20;0,21;0,01;;different'))).toBe(true);
});

test('items that the service had before count as confirmed, those with an unknown outcome do not', async () => {
  const ledger = await ledgerOf([created('A-1', ['existed PAYMENT 5.005']), created('A-2', ['unknown PAYMENT 5.005'])]);
  const found = await compareWithExtract(ledger, extractOf([row('A-1', '5.0050', 'PAYMENT')]), async () => {});
  expect(found).toMatchObject({ same: 1, differing: 0, notInExtract: 0 });
});

test('the same number of two import suppliers needs their codes', async () => {
  const one = ['sent CHARGE 1'];
  const ledger = await ledgerOf([created('A-1', one, 'S-1'), created('A-1', one, 'S-2')]);
  const without = await compareWithExtract(ledger, extractOf([row('A-1', '1')]), async () => {});
  expect(without).toMatchObject({
    unread: 1,
    firstUnread: { problem: 'several accounts of the ledger have this number; add the column import_supplier' },
  });
  const rows = [row('A-1', '1', 'CHARGE', 'S-2'), row('A-1', '1', 'CHARGE', 'S-1')];
  expect(await compareWithExtract(ledger, extractOf(rows, { hasSupplier: true }), async () => {})).toMatchObject({
    same: 2,
    differing: 0,
  });
});

test('a number that begins or ends with a space is the one that a sheet has without it', async () => {
  const ledger = await ledgerOf([created(' A-1 ', ['sent CHARGE 1'])]);
  expect(await compareWithExtract(ledger, extractOf([row('A-1', '1')]), async () => {})).toMatchObject({
    ...{ same: 1, differing: 0 },
  });
});

test('the amount of the answer is the confirmed one, also of a SUPPLY_CHARGE that was sent without one', async () => {
  const ledger = await ledgerOf([created('A-1', ['sent CHARGE 1 = 1.01', 'sent SUPPLY_CHARGE = 42.5'])]);
  const rows = [row('A-1', '1.01'), row('A-1', '42.50', 'SUPPLY_CHARGE')];
  expect(await compareWithExtract(ledger, extractOf(rows), async () => {})).toMatchObject({ same: 1, differing: 0 });
});

test('an item of an earlier version of the line was confirmed too', async () => {
  const ledger = await ledgerOf([created('A-1', ['sent CHARGE 1', 'gone sent CHARGE 2'])]);
  const rows = [row('A-1', '1'), row('A-1', '2')];
  expect(await compareWithExtract(ledger, extractOf(rows), async () => {})).toMatchObject({ same: 1, differing: 0 });
});
