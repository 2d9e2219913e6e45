/** Records of a ledger in every state that the summary tells apart. */
import type { Ledger, LedgerRecord } from '../../../src/migration/ledger/ledger.js';
import { createMemoryLedger } from '../../../src/migration/ledger/memory.js';
import type { LineCounts } from '../../../src/migration/report/lines.js';

export const NO_LINES: LineCounts = { rejected: 0, skipped: 0, changed: 0, groups: [], changedSamples: [] };

export function accountRecord(number: string, more: Partial<LedgerRecord> = {}): LedgerRecord {
  return {
    supplier: 'SANDBOX_SUPPLIER',
    kind: 'account',
    number,
    version: 1,
    hash: hashOf(number),
    done: null,
    intent: null,
    end: null,
    platformNumber: null,
    unknown: [],
    errors: [],
    lacking: null,
    contract: null,
    source: 'book.jsonl',
    line: 1,
    updatedAt: '2026-01-15T09:00:00.000Z',
    ...more,
  };
}

export const businessRecord = (number: string, more: Partial<LedgerRecord> = {}) =>
  accountRecord(number, { kind: 'business', ...more });

/** Any 64 hexadecimal digits that differ by number. */
function hashOf(number: string): string {
  return Buffer.from(number).toString('hex').padEnd(64, '0');
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
