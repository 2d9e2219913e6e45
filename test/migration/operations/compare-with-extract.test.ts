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
  expect(await compareWithExtract(ledger, extractOf([row('A-1', '1')]), async () => {})).toMatchObject({
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

test('an account whose creation is unknown and that the extract has is one to ask about', async () => {
  const lost = record('A-1', { outcome: 'unknown', unknown: ['process'] });
  const ledger = await ledgerOf([lost, record('A-2', { outcome: 'unknown', unknown: ['process'] })]);
  expect(await compareWithExtract(ledger, extractOf([row('A-1', '1')]), async () => {}, 10)).toMatchObject({
    ...{ different: 1, answered: 1 },
    answers: [{ supplier: 'SANDBOX_SUPPLIER', account: 'A-1', step: 'process', as: null }],
  });
});

test('an item in doubt whose step is not unknown is no answer', async () => {
  const ledger = await ledgerOf([{ ...created('A-1', ['unknown CHARGE 5']), unknown: ['notes'] }]);
  expect(await compareWithExtract(ledger, extractOf([row('A-1', '5')]), async () => {}, 10)).toMatchObject({
    answered: 0,
  });
});

test('where the ledger does not know the service account number, any that no other account has agrees', async () => {
  const one = items({ transactions: ['sent CHARGE 1'] });
  const ledger = await ledgerOf([
    record('A-1', { outcome: 'created', items: one }),
    record('A-2', { outcome: 'created', serviceNumber: 'P-2', items: one }),
  ]);
  const both = { numberedBy: ['external_account_number', 'service_account_number'] } as const;
  const compared = async (...services: string[]) => {
    const rows = services.map((service, at) => ({ ...row(`A-${at + 1}`, '1'), service }));
    return compareWithExtract(ledger, extractOf(rows, both), async () => {}, 10);
  };
  expect(await compared('P-1', 'P-2')).toMatchObject({ same: 2, otherNumber: 0 });
  expect(await compared('P-2', 'P-2')).toMatchObject({
    ...{ same: 1, otherNumber: 1 },
    first: [{ account: 'A-1', ledger: null, extract: 'P-2' }],
  });
});

test('two accounts of the ledger with one service account number: each row is compared with its own', async () => {
  const one = { items: items({ transactions: ['sent CHARGE 1'] }), outcome: 'created', serviceNumber: 'P-1' } as const;
  const ledger = await ledgerOf([record('A-1', one), record('A-2', one)]);
  const rows = [
    { ...row('A-1', '1'), service: 'P-1' },
    { ...row('A-2', '1'), service: 'P-2' },
  ];
  const both = { numberedBy: ['external_account_number', 'service_account_number'] } as const;
  expect(await compareWithExtract(ledger, extractOf(rows, both), async () => {}, 10)).toMatchObject({
    ...{ same: 1, otherNumber: 1 },
    first: [{ account: 'A-2', ledger: 'P-1', extract: 'P-2' }],
  });
});

test('a number of the service that the ledger has with other zeros is otherwise written', async () => {
  const ledger = await ledgerOf([created('A-1', ['sent CHARGE 1'])]);
  const found = await compareWithExtract(
    ledger,
    extractOf([{ ...row('', '1', 'CHARGE', 'S-1'), service: 'p-A-1' }], {
      numberedBy: ['service_account_number'],
      hasSupplier: true,
    }),
    async () => {},
    10,
  );
  expect(found).toMatchObject({
    notInLedger: 1,
    otherwiseWritten: 1,
    first: [{ account: 'A-1' }, { account: 'p-A-1', supplier: 'S-1' }],
  });
  const other = extractOf([{ ...row('', '1'), service: 'P-9' }], { numberedBy: ['service_account_number'] });
  expect(await compareWithExtract(ledger, other, async () => {})).toMatchObject({
    notInLedger: 1,
    otherwiseWritten: 0,
  });
});
