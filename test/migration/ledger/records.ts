/** Ledger records for tests, and a folder for their files. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { ItemCounts, ItemStep, Ledger, LedgerRecord, RecordItems } from '../../../src/migration/ledger/ledger.js';
import { createMemoryLedger } from '../../../src/migration/ledger/memory.js';

export const record = (number: string, more: Partial<LedgerRecord> = {}): LedgerRecord => ({
  supplier: 'SANDBOX_SUPPLIER',
  kind: 'account',
  number,
  version: 1,
  hash: hashOf(number),
  contentHash: hashOf(number).slice(0, 32),
  correctedFrom: null,
  done: null,
  intent: null,
  intentAt: more.intent ? '2026-01-15T08:59:59.000Z' : null,
  intentHash: more.intent ? hashOf('sent with the intent') : null,
  intentOnce: false,
  stageUnansweredAt: null,
  outcome: null,
  serviceNumber: null,
  unknown: [],
  errors: [],
  warnings: [],
  missing: null,
  items: null,
  contract: null,
  source: 'input.jsonl',
  line: 1,
  updatedAt: '2026-01-15T09:00:00.000Z',
  ...more,
});

/** Items of a record by the step that sends them; what is not given is 0. */
export const items = (
  counts: Partial<Record<ItemStep, Partial<ItemCounts> & { total: number }>>,
  existed = false,
): RecordItems => {
  const of = (step: ItemStep): ItemCounts | null =>
    counts[step] === undefined
      ? null
      : {
          ...{
            sent: 0,
            alreadyImported: 0,
            rejected: 0,
            unknown: 0,
            earlier: 0,
            digest: null,
            moved: [],
            amounts: null,
          },
          ...counts[step],
        };
  return {
    existed,
    replaced: null,
    paymentInstruction: of('paymentInstruction'),
    statements: of('statements'),
    transactions: of('transactions'),
    notes: of('notes'),
  };
};

export const business = (number: string, more: Partial<LedgerRecord> = {}) =>
  record(number, { kind: 'business', ...more });

/** Any 64 hexadecimal digits that differ by number. */
function hashOf(number: string): string {
  return Buffer.from(number).toString('hex').padEnd(64, '0').slice(0, 64);
}

/** `contracts` by the number of the business that declares them. */
export async function ledgerOf(
  records: readonly LedgerRecord[],
  contracts: Readonly<Record<string, readonly string[]>> = {},
): Promise<Ledger> {
  const ledger = createMemoryLedger();
  for (const record of records) await ledger.write(record, contracts[record.number]);
  return ledger;
}

export async function all<T>(stream: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const one of stream) found.push(one);
  return found;
}

/** Removed after the test. */
export function emptyFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'ledger-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
