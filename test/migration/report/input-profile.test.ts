/** The profile of an input, and one that a later session continues. */
import { expect, test } from 'vitest';
import { createInputProfile } from '../../../src/migration/report/summary/input-profile.js';
import type { ImportRecord } from '../../../src/validation/records/import-record.js';

const record = (number: string, more: object = {}): ImportRecord =>
  ({ account: { import_supplier: 'ACME', external_account_number: number, ...more } }) as never;

const RECORDS: ImportRecord[] = [
  {
    ...record('A-1'),
    transactions: [
      { type: 'CHARGE', amount: 0.1 },
      { type: 'CHARGE', amount: -0.005 },
    ],
  } as never,
  { ...record('A-2'), transactions: [{ type: 'CHARGE', amount: 12345678901.25 }, { type: 'CHARGE' }] } as never,
  record('A-3', { customers: [{ date_of_birth: '1962-03-04' }], last_billed_to_date: '2025-12-31', unknown: 1 }),
  record('A-44', { customers: [{ date_of_birth: '1990-07-01' }], last_billed_to_date: '2026-01-31' }),
  { business: { import_supplier_code: 'ACME', external_business_identifier: 'B-1', business: {} } } as never,
];

test('amounts have their sums, net sum, lowest and highest, to the last digit', () => {
  const profiler = createInputProfile();
  for (const one of RECORDS) profiler.add(one);
  expect(profiler.profile().amounts).toEqual([
    {
      type: 'CHARGE',
      positive: { count: 2, sum: '12345678901.35' },
      negative: { count: 1, sum: '-0.005' },
      zero: 0,
      without: 1,
      net: '12345678901.345',
      least: '-0.005',
      most: '12345678901.25',
    },
  ]);
});

test.each([1, 2, 3, 4])('a profile that is continued after %i records is that of all', (first) => {
  const whole = createInputProfile();
  for (const one of RECORDS) whole.add(one);
  const before = createInputProfile();
  for (const one of RECORDS.slice(0, first)) before.add(one);
  const stored = JSON.stringify(before.state());
  // No day of birth of a person is stored.
  expect(stored).not.toMatch(/1962-|1990-/);
  const continued = createInputProfile(JSON.parse(stored));
  for (const one of RECORDS.slice(first)) continued.add(one);
  expect(continued.profile()).toEqual(whole.profile());
});
