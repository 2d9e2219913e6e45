/** Ledger records for tests, and a folder for their files. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { LedgerRecord } from '../../../src/migration/ledger/ledger.js';

export const record = (number: string, more: Partial<LedgerRecord> = {}): LedgerRecord => ({
  supplier: 'SANDBOX_SUPPLIER',
  kind: 'account',
  number,
  version: 1,
  hash: '0a'.repeat(32),
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
});

export const business = (number: string, more: Partial<LedgerRecord> = {}) =>
  record(number, { kind: 'business', ...more });

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
