/** Mistakes of real exports, made on purpose: each leads to its own finding in a run. */
import type { AccountRecord } from '../../../validation/records/import-record.js';
import { accountNumber } from './account.js';

export interface Mistake {
  name: string;
  /** Where it shows: as the line is read, in the check before anything is sent, or only on the service. */
  shows: 'line' | 'check' | 'service';
  /** Changes the record, or returns the line that replaces it. */
  make: (record: AccountRecord) => string | undefined;
}

/** In the order in which they come: a short input has the first of them. */
export const MISTAKES: readonly Mistake[] = [
  change('check', 'landline that is no telephone number', customerOf, { landline: 'ask first' }),
  change('check', 'misspelt field', accountOf, { biling_postcode: '99101' }),
  change('service', 'contract that no business has', accountOf, {
    account_type: 'BUSINESS',
    business: { business_contract_identifier: 'NONE' },
  }),
  change('check', 'date in another notation', accountOf, { last_billed_to_date: '31/12/2025' }),
  // The sandbox's payment vendor is never reached for this one.
  change('service', 'payment instruction that the vendor does not confirm', (record) => record, {
    payment_instruction: { vendor: 'VENDOR-1', reference: 'sbx-vendor-persistent', type: 'CARD' },
  }),
  change('check', 'mobile not in international form', customerOf, { mobile: '0639980000' }),
  change('line', 'number of an earlier account', accountOf, { external_account_number: accountNumber(0) }),
  change('check', 'birthday that no calendar has', customerOf, { date_of_birth: '1990-02-30' }),
  change('check', 'unknown supply type', pointOf, { supply_type: 'WATER' }),
  { name: 'line that is cut off', shows: 'line', make: (record) => JSON.stringify(record).slice(0, -100) },
  change('check', 'supply point as a number', pointOf, { identifier: 7_000_001 }),
  change('check', 'null instead of nothing', customerOf, { email: null }),
  change('check', 'note without content', (record) => record, { notes: [{ is_pinned: true }] }),
  change('line', 'no account number', accountOf, { external_account_number: undefined }),
  {
    name: 'transaction of an unknown type',
    shows: 'check',
    make: (record) =>
      set(record, {
        transactions: [{ type: 'REFUND', transaction_id: `${record.account.external_account_number}-9`, amount: 5 }],
      }),
  },
  change('check', 'amount as text', (record) => pointOf(record)?.payment_schedules?.[0], { amount: '24,50' }),
];

/** `targetOf`: the part of the record that gets the fields. */
function change(
  shows: Mistake['shows'],
  name: string,
  targetOf: (record: AccountRecord) => object | undefined,
  fields: object,
): Mistake {
  return { name, shows, make: (record) => set(targetOf(record), fields) };
}

// The types forbid most of these, as they should; exports from elsewhere are not typed.
function set(target: object | undefined, fields: object): undefined {
  Object.assign(target ?? {}, fields);
}

function accountOf({ account }: AccountRecord) {
  return account;
}

function customerOf({ account }: AccountRecord) {
  return account.customers?.[0];
}

function pointOf({ account }: AccountRecord) {
  return account.supply_addresses?.[0]?.supply_points?.[0];
}
