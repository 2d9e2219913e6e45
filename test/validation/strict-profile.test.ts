/** The rules of the strict profile, each with a value that passes and one that does not. */
import {
  defineProfile,
  type Validation,
  validateAccount,
  validateBusiness,
  validateBusinessPaymentInstruction,
  validateHistoricalStatements,
  validateNotes,
  validatePaymentInstruction,
  validateProcess,
  validateTransactions,
} from 'data-import-sdk';
import { STRICT_PROFILE } from 'data-import-sdk/sandbox';
import { expect, it } from 'vitest';
import { businessAccount, domesticAccount } from '../examples/account.js';
import { business as businessExample } from '../examples/business.js';
import { historicalStatements } from '../examples/historical-statements.js';
import { notes as notesExample } from '../examples/notes.js';
import {
  businessPaymentInstruction as businessInstructionExample,
  paymentInstruction as instructionExample,
} from '../examples/payment-instructions.js';
import { process as processExample } from '../examples/process.js';
import { transactions as transactionsExample } from '../examples/transactions.js';

const profile = defineProfile(STRICT_PROFILE);
const options = { profile, warnings: false };

const ids = { import_supplier: 'ACME', external_account_number: 'A-1' };
const businessIds = { import_supplier_code: 'ACME', external_business_identifier: 'B-1' };

type Change = Record<string, unknown>;
type Check = (change: Change) => Validation;

const account: Check = (change) => validateAccount({ ...ids, ...change }, options);
const business: Check = (change) => validateBusiness({ ...businessIds, business: {}, ...change }, options);
const customer: Check = (change) => account({ customers: [change] });
const fullAddress = {
  supply_address1: '1 rue',
  supply_postcode: '69003',
  customer_at_supply_address_from_date: '2019-07-01',
};
const address: Check = (change) => account({ supply_addresses: [{ ...fullAddress, ...change }] });
const point: Check = (change) => address({ supply_points: [change] });
const agreement: Check = (change) =>
  point({ agreements: [{ tariff_code: 'T', effective_from: '2024-01-01', ...change }] });
const schedule: Check = (change) =>
  point({ payment_schedules: [{ means: 'DD', start_date: '2024-01-01', ...change }] });
const pointInstruction: Check = (change) => point({ payment_instructions: [change] });
const fullContract = { identifier: 'C-1', signed_at_date: '2024-01-01', valid_from_date: '2024-02-01' };
const accountContract: Check = (change) => account({ account_contracts: [{ ...fullContract, ...change }] });
const businessContract: Check = (change) =>
  business({ business: { business_contracts: [{ ...fullContract, ...change }] } });
const accountTerm: Check = (term) => accountContract({ versions: [{ terms: [term] }] });
const businessTerm: Check = (term) => businessContract({ versions: [{ terms: [term] }] });
const fullStatement = {
  bill_period_from_date: '2024-01-01',
  bill_period_to_date: '2024-01-31',
  statement_id: 'S-1',
};
const accountStatement: Check = (change) => account({ statements: [{ ...fullStatement, ...change }] });
const statement: Check = (change) =>
  validateHistoricalStatements({ ...ids, statements: [{ ...fullStatement, ...change }] }, options);
const transaction: Check = (change) => validateTransactions({ ...ids, transactions: [change] }, options);
const keyed = { transaction_id: 'T-1', transaction_date: '2024-01-01', amount: 1 };
const charge: Check = (change) => transaction({ type: 'CHARGE', reason: 'R', ...keyed, ...change });
const credit: Check = (change) => transaction({ type: 'CREDIT', reason: 'R', ...keyed, ...change });
const payment: Check = (change) => transaction({ type: 'PAYMENT', ...keyed, ...change });
const repayment: Check = (change) => transaction({ type: 'REPAYMENT', ...keyed, ...change });
const supplyCharge: Check = (change) =>
  transaction({ type: 'SUPPLY_CHARGE', product_code: 'P', line_items: [], ...change });
const statements: Check = (change) => validateHistoricalStatements({ ...ids, statements: [], ...change }, options);
const notes: Check = (change) => validateNotes({ ...ids, notes: [], ...change }, options);
const transactions: Check = (change) => validateTransactions({ ...ids, transactions: [], ...change }, options);
const instruction: Check = (change) =>
  validatePaymentInstruction({ ...ids, vendor: 'V', reference: 'R', ...change }, options);
const businessInstruction: Check = (change) =>
  validateBusinessPaymentInstruction({ ...businessIds, vendor: 'V', reference: 'R', ...change }, options);
const process: Check = (change) =>
  validateProcess(
    { external_account_number: 'A-1', import_supplier_code: 'ACME', operations_team_name: 'M', ...change },
    options,
  );

it('the documented payloads pass', () => {
  for (const { ok } of [
    validateAccount(domesticAccount, options),
    validateAccount(businessAccount, options),
    validateBusiness(businessExample, options),
    validateBusinessPaymentInstruction(businessInstructionExample, options),
    validateHistoricalStatements(historicalStatements, options),
    validateNotes(notesExample, options),
    validatePaymentInstruction(instructionExample, options),
    validateProcess(processExample, options),
    validateTransactions(transactionsExample, options),
  ]) {
    expect(ok).toBe(true);
  }
});

const POINT = 'supply_addresses.0.supply_points.0';

it.each<[what: string, Check, at: string, ...fields: string[]]>([
  [
    'supply address',
    address,
    'supply_addresses.0',
    ...['supply_address1', 'supply_postcode', 'customer_at_supply_address_from_date'],
  ],
  ['agreement', agreement, `${POINT}.agreements.0`, 'tariff_code', 'effective_from'],
  ['schedule', schedule, `${POINT}.payment_schedules.0`, 'means', 'start_date'],
  ['contract of an account', accountContract, 'account_contracts.0', ...Object.keys(fullContract)],
  ['contract of a business', businessContract, 'business.business_contracts.0', ...Object.keys(fullContract)],
  ['statement of an account', accountStatement, 'statements.0', ...Object.keys(fullStatement)],
  ['historical statement', statement, 'statements.0', ...Object.keys(fullStatement)],
  ['CHARGE', charge, 'transactions.0', 'transaction_id', 'transaction_date', 'amount', 'reason'],
  ['CREDIT', credit, 'transactions.0', 'transaction_id', 'transaction_date', 'amount', 'reason'],
  ['PAYMENT', payment, 'transactions.0', 'transaction_id', 'transaction_date', 'amount'],
  ['REPAYMENT', repayment, 'transactions.0', 'transaction_id', 'transaction_date', 'amount'],
  ['SUPPLY_CHARGE', supplyCharge, 'transactions.0', 'product_code', 'line_items'],
])('%s: its fields are required', (_, check, at, ...fields) => {
  expect(check({}).findings).toEqual([]);
  for (const field of fields) {
    expect(check({ [field]: undefined }).findings).toEqual([
      { attr: `${at}.${field}`, code: 'required', detail: 'Required by the profile.', severity: 'error' },
    ]);
  }
});

const FREQUENCIES = ['MONTHLY', 'QUARTERLY', 'WEEKLY', 'FORTNIGHTLY', 'FOUR_WEEKLY', 'ANNUALLY', 'SIX_MONTHLY'];
const FEES = ['FLAT', 'WHOLE_MONTHS_REMAINING', 'WHOLE_DAYS_REMAINING'];

it.each<[string, Check, string[]]>([
  ['deceased', customer, ['Reported', 'Confirmed', '']],
  ['means', schedule, ['DD', 'CARD', 'MANUAL', 'PAYMENT_SLIP']],
  ['frequency', schedule, FREQUENCIES],
  ['type', pointInstruction, ['CARD', 'DIRECT_DEBIT']],
  ['type', instruction, ['CARD', 'DIRECT_DEBIT']],
  ['type', businessInstruction, ['CARD', 'DIRECT_DEBIT']],
  ['fee_type', (change) => accountTerm({ term_type: 'TERMINATION_FEE', ...change }), FEES],
  ['fee_type', (change) => businessTerm({ term_type: 'TERMINATION_FEE', ...change }), FEES],
  ['frequency', (change) => accountTerm({ term_type: 'ISSUANCE_FREQUENCY', ...change }), FREQUENCIES],
  ['frequency', (change) => businessTerm({ term_type: 'ISSUANCE_FREQUENCY', ...change }), FREQUENCIES],
  ['strategy', (change) => accountTerm({ term_type: 'DELAYER_DAYS', ...change }), ['FIXED', 'WORKING_DAYS']],
  ['strategy', (change) => businessTerm({ term_type: 'DELAYER_DAYS', ...change }), ['FIXED', 'WORKING_DAYS']],
])('%s has only the values seen %#', (field, check, values) => {
  for (const value of values) expect(check({ [field]: value }).findings).toEqual([]);
  expect(check({ [field]: 'Other' }).findings).toEqual([
    {
      attr: expect.stringMatching(new RegExp(`(^|\\.)${field}$`)),
      ...{ code: 'invalid_choice', detail: `The profile allows ${values.join(', ')}.`, severity: 'error' },
    },
  ]);
});

const phone = (length: number) => `+33${' '.repeat(length - 12)}612345678`;

it.each<[most: number, field: string, ...Check[]]>([
  [128, 'external_account_number', account, process, statements, notes, transactions, instruction],
  [
    128,
    'external_account_number',
    (change) => businessInstruction({ accounts: [{ external_account_number: 'A-1', ...change }] }),
  ],
  [128, 'external_business_identifier', business, businessInstruction],
  [32, 'import_supplier', account, statements, notes, transactions, instruction],
  [32, 'import_supplier_code', business, businessInstruction, process],
  [512, 'billing_address1', account],
  [512, 'billing_address2', account],
  [512, 'billing_address3', account],
  [512, 'billing_address4', account],
  [512, 'supply_address1', address],
  [512, 'supply_address2', address],
  [512, 'supply_address3', address],
  [512, 'supply_address4', address],
  [255, 'given_name', customer],
  [255, 'family_name', customer],
  [255, 'company_name', (change) => business({ business: change })],
  [254, 'email', customer],
  [20, 'title', customer],
  [10, 'billing_postcode', account],
  [10, 'supply_postcode', address],
  [512, 'reference', pointInstruction, instruction, businessInstruction, payment],
  [1024, 'key', (change) => account({ metadata: [{ value: {}, ...change }] })],
])('at most %i characters of %s %#', (most, field, ...checks) => {
  for (const check of checks) {
    expect(check({ [field]: 'x'.repeat(most) }).findings).toEqual([]);
    expect(check({ [field]: 'x'.repeat(most + 1) }).findings).toEqual([
      {
        attr: expect.stringMatching(new RegExp(`(^|\\.)${field}$`)),
        ...{ code: 'max_length', detail: `The profile allows at most ${most}.`, severity: 'error' },
      },
    ]);
  }
});

it.each(['mobile', 'landline'])('at most 32 characters of a %s', (field) => {
  expect(customer({ [field]: phone(32) }).findings).toEqual([]);
  expect(customer({ [field]: phone(33) }).findings).toMatchObject([
    { attr: `customers.0.${field}`, code: 'max_length' },
  ]);
});
