/** The first 100 errors of one record, and the number of the others. */
import { checkRecords, type RecordFinding } from 'data-import-sdk';
import { expect, it } from 'vitest';

const IDS = { import_supplier: 'ACME', external_account_number: 'A-1' };

it.each([
  ['customers', { account: { ...IDS, customers: Array(250).fill(1) } }, 'account.customers.0'],
  ['fields', { account: { ...IDS, ...names(250) } }, 'account.x0'],
  ['parts', { account: IDS, ...names(250) }, 'x0'],
  ['notes', { account: IDS, notes: Array(250).fill({}) }, 'notes.0'],
  ['payment instructions', { account: IDS, payment_instructions: Array(125).fill({ vendor: 1 }) }, undefined],
])('of 250 wrong %s', async (_, record, first) => {
  const findings: RecordFinding[] = [];
  for await (const finding of checkRecords([record], { warnings: false })) findings.push(finding);
  expect(findings).toHaveLength(101);
  if (first !== undefined) expect(findings[0]?.attr).toBe(first);
  const { code, count, severity, attr } = findings[100] ?? {};
  expect({ code, severity, attr }).toEqual({ code: 'further_findings', severity: 'error', attr: '' });
  if (first !== undefined) expect(count).toBe(150);
  else expect(count).toBeGreaterThan(100);
});

function names(count: number): Record<string, number> {
  return Object.fromEntries(Array.from({ length: count }, (_, index) => [`x${index}`, 1]));
}
