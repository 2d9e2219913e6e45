/** U7: enumerations are closed if the API specification lists all values of a field, and open otherwise. */
import { describe, expect, it } from 'vitest';
import {
  accountSchema,
  businessPaymentInstructionSchema,
  contractSchema,
  contractTermSchema,
  paymentInstructionSchema,
  transactionSchema,
  transactionsPayloadSchema,
} from '../../schemas/index.js';
import { businessAccount, domesticAccount } from '../examples/account.js';
import { contract } from '../examples/contract.js';
import { businessPaymentInstruction, paymentInstruction } from '../examples/payment-instructions.js';
import { transactions } from '../examples/transactions.js';
import { attrsAndCodes, withValue } from './change.js';

const SUPPLY_POINT = 'supply_addresses.0.supply_points.0';

describe('U7 open: an undocumented value passes', () => {
  it.each([
    ['account_type', accountSchema, businessAccount, 'account_type'],
    ['schedule frequency', accountSchema, domesticAccount, `${SUPPLY_POINT}.payment_schedules.0.frequency`],
    ['schedule means', accountSchema, domesticAccount, `${SUPPLY_POINT}.payment_schedules.0.means`],
    ['instruction type', accountSchema, domesticAccount, `${SUPPLY_POINT}.payment_instructions.0.type`],
    ['supply_type of a termination fee', contractSchema, contract, 'versions.0.terms.2.supply_type'],
    ['fee_type', contractSchema, contract, 'versions.0.terms.2.fee_type'],
    ['issuance frequency', contractSchema, contract, 'versions.0.terms.3.frequency'],
    ['delayer strategy', contractSchema, contract, 'versions.0.terms.6.strategy'],
    ['transaction reason', transactionsPayloadSchema, transactions, 'transactions.0.reason'],
    ['payment_type', transactionsPayloadSchema, transactions, 'transactions.2.payment_type'],
    ['tax_type', transactionsPayloadSchema, transactions, 'transactions.4.tax_items.0.tax_type'],
    ['tax unit_type', transactionsPayloadSchema, transactions, 'transactions.4.tax_items.0.unit_type'],
    ['payment instruction type', paymentInstructionSchema, paymentInstruction, 'type'],
    ['business payment instruction type', businessPaymentInstructionSchema, businessPaymentInstruction, 'type'],
  ])('%s', (_, schema, payload, attr) => {
    expect(attrsAndCodes(schema, withValue(payload, attr, 'NEVER_SEEN'))).toEqual([]);
    expect(attrsAndCodes(schema, withValue(payload, attr, ''))).toEqual([]);
  });
});

describe('closed: only the listed values pass', () => {
  it.each(['ELECTRICITY', 'GAS'])('supply_type of a supply point takes %s', (value) => {
    expect(attrsAndCodes(accountSchema, withValue(domesticAccount, `${SUPPLY_POINT}.supply_type`, value))).toEqual([]);
  });
  it.each(['WATER', 'electricity', ''])('supply_type of a supply point refuses %j', (value) => {
    expect(attrsAndCodes(accountSchema, withValue(domesticAccount, `${SUPPLY_POINT}.supply_type`, value))).toEqual([
      { attr: `${SUPPLY_POINT}.supply_type`, code: 'invalid_choice' },
    ]);
  });

  it.each(['CHARGE', 'CREDIT', 'PAYMENT', 'REPAYMENT', 'SUPPLY_CHARGE'])('transaction type takes %s', (type) => {
    expect(attrsAndCodes(transactionSchema, { type })).toEqual([]);
  });
  it.each(['REFUND', 'charge', ''])('transaction type refuses %j', (type) => {
    expect(attrsAndCodes(transactionSchema, { type })).toEqual([{ attr: 'type', code: 'invalid_choice' }]);
  });

  it.each([
    ...['CONTRACT_METADATA', 'PRODUCT_RATE_OVERRIDE_SCHEDULE', 'TERMINATION_FEE', 'ISSUANCE_FREQUENCY'],
    ...['GUARANTEE_OF_ORIGIN_CONFIGURATION', 'PAYS_BY_DIRECT_DEBIT', 'DELAYER_DAYS', 'RATE_GROUP_ELIGIBILITY'],
    ...['CHARACTERISTIC_OVERRIDE'],
  ])('term_type takes %s', (term_type) => {
    expect(attrsAndCodes(contractTermSchema, { term_type })).toEqual([]);
  });
  it.each(['BROKER', 'delayer_days', '', 5])('term_type refuses %j', (term_type) => {
    expect(attrsAndCodes(contractTermSchema, { term_type, days: 3 })).toEqual([
      { attr: 'term_type', code: 'invalid_choice' },
    ]);
  });
});

describe('a term has only the fields of its term_type', () => {
  it.each([
    ['CONTRACT_METADATA', 'schedules', []],
    ['PRODUCT_RATE_OVERRIDE_SCHEDULE', 'metadata', {}],
    ['TERMINATION_FEE', 'days', 30],
    ['ISSUANCE_FREQUENCY', 'strategy', 'FIXED'],
    ['GUARANTEE_OF_ORIGIN_CONFIGURATION', 'amount', 1],
    ['PAYS_BY_DIRECT_DEBIT', 'is_variable', true],
    ['DELAYER_DAYS', 'multiplier', 1],
    ['RATE_GROUP_ELIGIBILITY', 'overrides', []],
    ['CHARACTERISTIC_OVERRIDE', 'schedules', []],
  ])('%s refuses %s', (term_type, field, value) => {
    expect(attrsAndCodes(contractTermSchema, { term_type, [field]: value })).toEqual([
      { attr: field, code: 'unknown_field' },
    ]);
  });

  it('the schedules of a rate override and of an eligibility are not the same', () => {
    expect(
      attrsAndCodes(contractTermSchema, {
        term_type: 'RATE_GROUP_ELIGIBILITY',
        schedules: [{ effective_from: '2023-06-01', items: [] }],
      }),
    ).toEqual([
      { attr: 'schedules.0.effective_from', code: 'unknown_field' },
      { attr: 'schedules.0.items', code: 'unknown_field' },
    ]);
  });
});
