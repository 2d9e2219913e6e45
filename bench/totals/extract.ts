/** Writes a ledger of accounts with confirmed transactions, and an extract with the same transactions and planted errors of one cent. */
import { once } from 'node:events';
import { createWriteStream, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type AmountType, type Item, type LedgerRecord, openSqliteLedger } from 'data-import-sdk/migration';
import { NO_ITEMS } from '../../src/migration/ledger/items.js';

const PER_ACCOUNT = 20;
const TYPES = ['CHARGE', 'PAYMENT'] as const;
const AT_ONCE = 2000;

interface Planted {
  accounts: number;
  errors: number;
}

/** Returns the numbers of the accounts with an error. */
export async function writeTotals(folder: string, { accounts, errors }: Planted): Promise<ReadonlySet<string>> {
  await writeLedger(folder, accounts);
  const file = createWriteStream(join(folder, '..', 'extract.csv'));
  file.write('external_account_number,type,amount\n');
  const transactions = accounts * PER_ACCOUNT;
  const planted = new Set<string>();
  // In another order than the accounts have in the ledger: a prime number that does not divide their number.
  for (let row = 0; row < transactions; row++) {
    const at = (row * 7_368_787) % transactions;
    const [account, nth] = [Math.floor(at / PER_ACCOUNT), at % PER_ACCOUNT];
    const isWrong = nth === 3 && account % Math.floor(accounts / errors) === 0 && planted.size < errors;
    if (isWrong) planted.add(numberOf(account));
    const cents = centsOf(account, nth) + (isWrong ? 1 : 0);
    const text = `${numberOf(account)},${TYPES[nth % 2]},${Math.floor(cents / 100)}.${String(cents % 100).padStart(2, '0')}\n`;
    if (!file.write(text)) await once(file, 'drain');
  }
  file.end();
  await once(file, 'close');
  return planted;
}

async function writeLedger(folder: string, accounts: number): Promise<void> {
  writeFileSync(join(folder, '.gitignore'), '*\n');
  const ledger = await openSqliteLedger(join(folder, 'ledger.sqlite'));
  for (let first = 0; first < accounts; first += AT_ONCE) {
    const some = Array.from({ length: Math.min(AT_ONCE, accounts - first) }, (_, at) => recordOf(first + at));
    await Promise.all(some.map((record) => ledger.write(record)));
  }
  await ledger.close();
}

function centsOf(account: number, nth: number): number {
  return (account * 7919 + nth * 104_729) % 1_000_000;
}

function numberOf(account: number): string {
  return `A-${String(account).padStart(7, '0')}`;
}

function recordOf(account: number): LedgerRecord {
  const transactions = Array.from({ length: PER_ACCOUNT }, (_, nth): Item => {
    const amount = String(centsOf(account, nth) / 100);
    const key = { digest: String(nth).padStart(8, '0'), id: '', type: TYPES[nth % 2] as AmountType, amount };
    return { key, status: 'sent', isGone: false, absence: null, isMoved: false, confirmed: null };
  });
  return {
    ...{ supplier: 'SUPPLIER', kind: 'account', number: numberOf(account), version: 1, hash: '0'.repeat(64) },
    ...{ contentHash: '', correctedFrom: null, done: 'notes', intent: null, intentAt: null, intentHash: null },
    ...{
      intentOnce: false,
      stageUnansweredAt: null,
      outcome: 'created',
      serviceNumber: `S-${account}`,
      unknown: [],
      errors: [],
      warnings: [],
    },
    difference: null,
    decisions: [],
    items: { ...NO_ITEMS, transactions },
    ...{ contract: null, source: 'input.jsonl', line: account + 1, updatedAt: '2026-01-15T09:00:00.000Z' },
  };
}
