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
  inCheck('landline that is no telephone number', ({ account }) => [account.customers?.[0], 'landline', 'ask first']),
  inCheck('misspelt field', ({ account }) => [account, 'biling_postcode', '99101']),
  {
    name: 'contract that no business has',
    shows: 'service',
    make({ account }) {
      set(account, 'account_type', 'BUSINESS');
      return set(account, 'business', { business_contract_identifier: 'NONE' });
    },
  },
  inCheck('date in another notation', ({ account }) => [account, 'last_billed_to_date', '31/12/2025']),
  {
    name: 'payment instruction that the vendor does not confirm',
    shows: 'service',
    // The sandbox's payment vendor is never reached for this one.
    make: (record) =>
      set(record, 'payment_instruction', { vendor: 'VENDOR-1', reference: 'sbx-vendor-persistent', type: 'CARD' }),
  },
  inCheck('mobile not in international form', ({ account }) => [account.customers?.[0], 'mobile', '0639980000']),
  {
    name: 'number of an earlier account',
    shows: 'line',
    make: ({ account }) => set(account, 'external_account_number', accountNumber(0)),
  },
  inCheck('birthday that no calendar has', ({ account }) => [account.customers?.[0], 'date_of_birth', '1990-02-30']),
  inCheck('unknown supply type', (record) => [pointOf(record), 'supply_type', 'WATER']),
  { name: 'line that is cut off', shows: 'line', make: (record) => JSON.stringify(record).slice(0, -100) },
  inCheck('supply point as a number', (record) => [pointOf(record), 'identifier', 7_000_001]),
  inCheck('null instead of nothing', ({ account }) => [account.customers?.[0], 'email', null]),
  inCheck('note without content', (record) => [record, 'notes', [{ is_pinned: true }]]),
  {
    name: 'no account number',
    shows: 'line',
    make: ({ account }) => set(account, 'external_account_number', undefined),
  },
  inCheck('transaction of an unknown type', (record) => [
    record,
    'transactions',
    [{ type: 'REFUND', transaction_id: `${record.account.external_account_number}-9`, amount: 5 }],
  ]),
  inCheck('amount as text', (record) => [pointOf(record)?.payment_schedules?.[0], 'amount', '24,50']),
];

type Change = [target: object | undefined, field: string, value: unknown];

function inCheck(name: string, changeOf: (record: AccountRecord) => Change): Mistake {
  return { name, shows: 'check', make: (record) => set(...changeOf(record)) };
}

// The types forbid most of these, as they should; exports from elsewhere are not typed.
function set(...[target, field, value]: Change): undefined {
  Object.assign(target ?? {}, { [field]: value });
}

function pointOf({ account }: AccountRecord) {
  return account.supply_addresses?.[0]?.supply_points?.[0];
}
