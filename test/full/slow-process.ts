/** What the kill tests against a service with slow calls migrate, and what the service must have in the end (U30, U31). */
import { writeFileSync } from 'node:fs';
import type { startImportService } from '../support/import-service.js';

type ImportService = Awaited<ReturnType<typeof startImportService>>;

/** Each account has one note and one transaction. */
export function writeSlowInput(path: string, accounts: number): void {
  const lines = Array.from({ length: accounts }, (_, index) => ({
    account: { import_supplier: 'ACME', external_account_number: `A-${index}` },
    notes: [{ body: `Note of ${index}` }],
    transactions: [{ transaction_id: `T-${index}`, transaction_date: '2026-01-10', amount: 12.5, type: 'CREDIT' }],
  }));
  writeFileSync(path, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
}

export interface Found {
  lost: string[];
  twice: string[];
}

/** Accounts, notes and transactions of the input that the service does not have, or has more than once. */
export function foundAt({ accounts }: Pick<ImportService, 'accounts'>, expected: number): Found {
  const found: Found = { lost: [], twice: [] };
  for (let index = 0; index < expected; index++) {
    const { numbers = [], notes = [], transactions = [] } = accounts.get(`ACME/A-${index}`) ?? {};
    for (const [what, { length }] of Object.entries({ account: numbers, note: notes, transaction: transactions })) {
      if (length === 0) found.lost.push(`${what} of A-${index}`);
      if (length > 1) found.twice.push(`${what} of A-${index}`);
    }
  }
  return found;
}
