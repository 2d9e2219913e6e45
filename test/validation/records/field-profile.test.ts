/** How often each field is filled, by its path in the schemas. */
import { describe, expect, test } from 'vitest';
import { createFieldProfile, type FieldProfiler } from '../../../src/validation/records/field-profile.js';
import type { ImportRecord } from '../../../src/validation/records/import-record.js';
import { businessAccount } from '../../examples/account.js';

function countsOf(...records: unknown[]) {
  return filledIn(profiled(createFieldProfile(), records));
}

function filledIn(profiler: FieldProfiler) {
  const filled = profiler.fields().filter((field) => field.filled > 0);
  return Object.fromEntries(filled.map((field) => [field.path, field.filled]));
}

function profiled(profiler: FieldProfiler, records: readonly unknown[]): FieldProfiler {
  for (const record of records) profiler.add(record as ImportRecord);
  return profiler;
}

const IDS = { import_supplier: 'S', external_account_number: 'A-1' };

describe('a field', () => {
  test('counts where it is not empty', () => {
    const customers = [{ landline: '' }, { landline: '0123456789', email: 'a@example.com' }];
    expect(countsOf({ account: { ...IDS, customers } }, { account: IDS })).toEqual({
      'account.external_account_number': 2,
      'account.import_supplier': 2,
      'account.customers.*.email': 1,
      'account.customers.*.landline': 1,
    });
  });

  test('counts in every part of a record', () => {
    const account = {
      account: { supply_addresses: [{ supply_points: [{ agreements: [{ addons: [{ band: 'x' }] }] }] }] },
      notes: [{ body: 'n', document_paths: [{ document_path: 'x' }] }],
      transactions: [{ line_items: [{ units: [1, 2] }] }],
      statements: [{ statement_id: 'S' }],
      payment_instruction: { vendor: 'V' },
    };
    const business = {
      business: {
        external_business_identifier: 'B-1',
        business: {
          business_contracts: [
            {
              versions: [
                {
                  terms: [
                    { term_type: 'PRODUCT_RATE_OVERRIDE_SCHEDULE', schedules: [{ items: [{ rate_band: 'x' }] }] },
                    { term_type: 'RATE_GROUP_ELIGIBILITY', schedules: [{ effective_period: { start_date: 'x' } }] },
                  ],
                },
              ],
            },
          ],
        },
      },
      payment_instructions: [{ accounts: [{ external_account_number: 'A-1' }] }],
    };
    const terms = 'business.business.business_contracts.*.versions.*.terms.*';
    expect(countsOf(account, business)).toEqual({
      'business.external_business_identifier': 1,
      'payment_instructions.*.accounts.*.external_account_number': 1,
      [`${terms}.term_type`]: 2,
      [`${terms}.schedules.*.items.*.rate_band`]: 1,
      [`${terms}.schedules.*.effective_period.start_date`]: 1,
      'account.supply_addresses.*.supply_points.*.agreements.*.addons.*.band': 1,
      'payment_instruction.vendor': 1,
      'statements.*.statement_id': 1,
      'transactions.*.line_items.*.units.*': 2,
      'notes.*.body': 1,
      'notes.*.document_paths.*.document_path': 1,
    });
  });

  test('whose name the schemas do not have is *, and so are the keys of objects that may have any', () => {
    const fields = countsOf({
      account: {
        'alix@example.com': 1,
        other: { Arbois: 2 },
        metadata: [{ key: 'k', value: { Alix: { Arbois: 1 } } }],
      },
      Arbois: 1,
    });
    expect(fields).toEqual({ 'account.metadata.*.key': 1, 'account.metadata.*.value.*': 1, 'account.*': 2, '*': 1 });
  });

  test('a value that is undefined or has an unexpected type is not searched', () => {
    expect(countsOf({ account: { billing_postcode: undefined, customers: 'x', sales_channel: { a: 1 } } })).toEqual({
      'account.sales_channel': 1,
    });
    expect(countsOf({ account: null }, { account: 'x' }, { account: ['x'] })).toEqual({});
  });

  test('of every name in the example of the API specification is one of the schemas', () => {
    const fields = countsOf({ account: businessAccount });
    const unknown = Object.keys(fields).filter((path) => path.endsWith('.*'));
    expect(unknown.filter((path) => !/metadata|consent_data|terms/.test(path))).toEqual([]);
  });
});

test('a profile that is continued has the counts of both parts, in the order of the schemas', () => {
  const first = profiled(createFieldProfile(), [{ account: { customers: [{ email: 'x' }] } }]);
  const continued = profiled(createFieldProfile(first.stats()), [
    { business: { import_supplier_code: 'S' } },
    { account: { customers: [{ title: 'x', email: 'y' }] } },
  ]);
  expect(Object.entries(filledIn(continued))).toEqual([
    ['business.import_supplier_code', 1],
    ['account.customers.*.title', 1],
    ['account.customers.*.email', 2],
  ]);
});
