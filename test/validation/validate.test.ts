/** Each validateX gives every finding, in the service's own shape (DESIGN 4, C3). */
import {
  type Account,
  defineProfile,
  InvalidPayloadError,
  parseAccount,
  parseBusiness,
  parseBusinessPaymentInstruction,
  parseHistoricalStatements,
  parseNotes,
  parsePaymentInstruction,
  parsePopulate,
  parseProcess,
  parseTransactions,
  type Validate,
  validateAccount,
  validateBusiness,
  validateBusinessPaymentInstruction,
  validateHistoricalStatements,
  validateNotes,
  validatePaymentInstruction,
  validatePopulate,
  validateProcess,
  validateTransactions,
} from 'data-import-sdk';
import { describe, expect, it } from 'vitest';
import { businessAccount, domesticAccount } from '../examples/account.js';
import { business } from '../examples/business.js';
import { historicalStatements } from '../examples/historical-statements.js';
import { notes } from '../examples/notes.js';
import { businessPaymentInstruction, paymentInstruction } from '../examples/payment-instructions.js';
import { populate } from '../examples/populate.js';
import { dryRun, process } from '../examples/process.js';
import { transactions } from '../examples/transactions.js';
import { clientOf } from '../helpers/client-of.js';
import { answer, misbehavingServer } from '../helpers/misbehaving-server.js';

const siret = '73282932000074';

describe('documented payloads have no finding, not even a warning', () => {
  it.each<[string, Validate, unknown]>([
    ['validateAccount, domestic', validateAccount, domesticAccount],
    [
      'validateAccount, BUSINESS',
      validateAccount,
      { ...businessAccount, business: { ...businessAccount.business, siret } },
    ],
    ['validateBusiness', validateBusiness, { ...business, business: { ...business.business, siret } }],
    ['validateBusinessPaymentInstruction', validateBusinessPaymentInstruction, businessPaymentInstruction],
    ['validateHistoricalStatements', validateHistoricalStatements, historicalStatements],
    ['validateNotes', validateNotes, notes],
    ['validatePaymentInstruction', validatePaymentInstruction, paymentInstruction],
    ['validatePopulate', validatePopulate, populate],
    ['validateProcess', validateProcess, process],
    ['validateProcess, dry run', validateProcess, dryRun],
    ['validateTransactions', validateTransactions, transactions],
  ])('%s', (_, validate, payload) => {
    expect(validate(payload)).toEqual({ ok: true, payload, findings: [] });
  });
});

describe('every finding, not the first', () => {
  const ids = { import_supplier: 'ACME', external_account_number: 'A-1' };
  const businessIds = { import_supplier_code: 'ACME', external_business_identifier: 'B-1' };

  it.each<[Validate, payload: object, ...findings: string[]]>([
    [
      validateAccount,
      {
        ...{ import_supplier: 'ACME', odd: 1, more: 2, unknown_occupier: 'no' },
        customers: [{ landline: 'x', mobile: '0612345678', date_of_birth: '1984-02-30' }],
      },
      ...['external_account_number required', 'unknown_occupier invalid_type'],
      ...['customers.0.mobile invalid_phone_number', 'customers.0.landline invalid_phone_number'],
      ...['customers.0.date_of_birth invalid_date', 'odd unknown_field', 'more unknown_field'],
    ],
    [
      validateBusiness,
      {
        ...businessIds,
        business: {
          details: [{ key: 'k' }],
          business_contracts: [
            { versions: [{ terms: [{ term_type: 'RENT' }, { term_type: 'DELAYER_DAYS', days: 1.5 }] }] },
          ],
        },
      },
      'business.details.0.value required',
      'business.business_contracts.0.versions.0.terms.0.term_type invalid_choice',
      'business.business_contracts.0.versions.0.terms.1.days invalid_type',
    ],
    [
      validateBusinessPaymentInstruction,
      { ...businessIds, accounts: [{}] },
      ...['vendor required', 'reference required', 'accounts.0.external_account_number required'],
    ],
    [
      validateHistoricalStatements,
      { ...ids, statements: [{ issued_date: '5 January' }, null] },
      ...['statements.0.issued_date invalid_date', 'statements.1 null'],
    ],
    [
      validateNotes,
      { ...ids, notes: [{}, { body: 'x', created_at: '2024-01-15' }] },
      ...['notes.0 required', 'notes.1.created_at invalid_datetime'],
    ],
    [validatePaymentInstruction, { ...ids, vendor: 1 }, 'vendor invalid_type', 'reference required'],
    [validatePopulate, { prm_ids: 'x', pce_ids: [7] }, 'prm_ids invalid_type', 'pce_ids.0 invalid_type'],
    [
      validateProcess,
      { dry_run: 'true' },
      ...['external_account_number required', 'import_supplier_code required', 'operations_team_name required'],
      'dry_run invalid_type',
    ],
    [
      validateTransactions,
      { ...ids, transactions: [{}, { type: 'CHARGE', amount: '12.50' }] },
      ...['transactions.0.type required', 'transactions.1.amount invalid_type'],
    ],
  ])('%o %#', (validate, payload, ...expected) => {
    const { ok, findings } = validate(payload, { warnings: false });
    expect(ok).toBe(false);
    expect(findings.map(({ attr, code }) => `${attr} ${code}`)).toEqual(expected);
    expect(findings.every(({ severity, detail }) => severity === 'error' && detail.length > 10)).toBe(true);
  });

  it.each([undefined, null, 7, 'x', [], () => {}])('%o is no payload', (payload) => {
    for (const validate of [validateAccount, validateBusiness, validateNotes, validateProcess, validateTransactions]) {
      const { ok, findings } = validate(payload);
      expect(ok).toBe(false);
      expect(findings).toHaveLength(1);
      expect(findings[0]).toMatchObject({ attr: '', severity: 'error' });
    }
  });
});

describe('details have the expected and the found type, and quote no value', () => {
  it.each([
    [{ odd: 1 }, 'odd', 'This field is not documented; only documented fields may be sent.'],
    [{ external_account_number: undefined }, 'external_account_number', 'Required: expected a string.'],
    [
      { external_account_number: null },
      'external_account_number',
      'Expected a string, not null; leave an optional field out.',
    ],
    [{ customers: [null] }, 'customers.0', 'Expected an object, not null; leave an optional field out.'],
    [{ external_account_number: 7 }, 'external_account_number', 'Expected a string, found a number.'],
    [{ external_account_number: 7.5 }, 'external_account_number', 'Expected a string, found a number with decimals.'],
    [{ external_account_number: Number.NaN }, 'external_account_number', 'Expected a string, found NaN.'],
    [{ external_account_number: [] }, 'external_account_number', 'Expected a string, found an array.'],
    [{ external_account_number: {} }, 'external_account_number', 'Expected a string, found an object.'],
    [{ external_account_number: new Date(0) }, 'external_account_number', expect.stringContaining('found')],
    [
      { external_account_number: Object.create(null) },
      'external_account_number',
      'Expected a string, found an object.',
    ],
    [{ external_account_number: 1n }, 'external_account_number', 'Expected a string, found a bigint.'],
    [{ unknown_occupier: 'no' }, 'unknown_occupier', 'Expected a boolean, found a string.'],
    [{ customers: {} }, 'customers', 'Expected an array, found an object.'],
    [{ last_billed_to_date: '29/02/2024' }, 'last_billed_to_date', 'Expected a calendar date, YYYY-MM-DD.'],
    [
      { notes: [{ body: 'x', created_at: 'now' }] },
      'notes.0.created_at',
      'Expected a datetime, YYYY-MM-DDTHH:MM:SS and then Z or an offset such as +02:00.',
    ],
    [{ notes: [{}] }, 'notes.0', 'A note must contain at least one of body or document_paths.'],
    [
      { customers: [{ landline: 'Jean' }] },
      'customers.0.landline',
      'Expected a telephone number, best in international form such as +33612345678.',
    ],
    [{ metadata: [{ key: 'k', value: { at: new Date(0) } }] }, 'metadata.0.value.at', expect.stringContaining('JSON')],
    [
      { supply_addresses: [{ supply_points: [{ supply_type: 'WATER' }] }] },
      'supply_addresses.0.supply_points.0.supply_type',
      'Expected one of ELECTRICITY, GAS.',
    ],
    [
      { supply_addresses: [{ supply_points: [{ billing_frequency: 1e300 }] }] },
      'supply_addresses.0.supply_points.0.billing_frequency',
      'Expected a whole number that JSON represents exactly.',
    ],
  ])('%o', (change, attr, detail) => {
    const { findings } = validateAccount(
      { import_supplier: 'ACME', external_account_number: 'A-1', ...change },
      { warnings: false },
    );
    expect(findings).toEqual([{ attr, code: expect.any(String), detail, severity: 'error' }]);
  });

  const types = 'expected one of CHARGE, CREDIT, PAYMENT, REPAYMENT, SUPPLY_CHARGE';
  it.each([
    [{}, 'required', `Required: ${types}.`],
    [{ type: null }, 'null', `E${types.slice(1)}, not null; leave an optional field out.`],
    [{ type: 'FEE' }, 'invalid_choice', `E${types.slice(1)}.`],
  ])('transactions %o', (transaction, code, detail) => {
    const payload = { import_supplier: 'ACME', external_account_number: 'A-1', transactions: [transaction] };
    expect(validateTransactions(payload, { warnings: false }).findings).toEqual([
      { attr: 'transactions.0.type', detail, code, severity: 'error' },
    ]);
  });

  it('a term without its type', () => {
    const payload = {
      import_supplier_code: 'A',
      external_business_identifier: 'B',
      business: { business_contracts: [{ versions: [{ terms: [{}] }] }] },
    };
    expect(validateBusiness(payload, { warnings: false }).findings[0]).toMatchObject({
      attr: 'business.business_contracts.0.versions.0.terms.0.term_type',
      code: 'required',
    });
  });
});

it('checking does not change the payload', () => {
  const before = JSON.stringify(businessAccount);
  validateAccount(businessAccount);
  expect(JSON.stringify(businessAccount)).toBe(before);
});

it('an option that there is not is a TypeError: a misspelt one would count as left out', () => {
  expect(() => validateAccount(domesticAccount, { advce: false } as never)).toThrow(
    new TypeError('validateAccount: no option advce; there are profile, warnings.'),
  );
  expect(() => validateTransactions(transactions, { operation: 'x' } as never)).toThrow(
    new TypeError('validateTransactions: no option operation; there are profile, warnings.'),
  );
});

it.each([
  ['consent_data', '{"__proto__": "true", "ELEC_CURVES": true}', 'supply_addresses.0.supply_points.0.consent_data'],
  ['metadata of a contract', '{"__proto__": 7}', 'account_contracts.0.versions.0.terms.0.metadata'],
])('%s: a key __proto__ has the type of every other key', (name, json, attr) => {
  const value = JSON.parse(json);
  const account = {
    ...{ import_supplier: 'ACME', external_account_number: 'A-1' },
    ...(name === 'consent_data'
      ? { supply_addresses: [{ supply_points: [{ consent_data: value }] }] }
      : {
          account_type: 'BUSINESS',
          account_contracts: [{ versions: [{ terms: [{ term_type: 'CONTRACT_METADATA', metadata: value }] }] }],
        }),
  };
  expect(validateAccount(account, { warnings: false }).findings).toEqual([
    { attr: `${attr}.__proto__`, code: 'invalid_type', detail: expect.any(String), severity: 'error' },
  ]);
});

it('passed to map, it does not read the index as an option', () => {
  expect([domesticAccount].map(validateAccount as (account: unknown) => { ok: boolean })[0]?.ok).toBe(true);
});

describe('parse functions', () => {
  const wrong = { ...domesticAccount, customers: [{ landline: 'x', mobile: 'y' }] };

  it('return the same value, which has its type then', () => {
    const row: unknown = domesticAccount;
    const account: Account = parseAccount(row);
    expect(account).toBe(row);
  });

  it('throw an InvalidPayloadError with all errors and the name of the function', () => {
    const thrown = (() => {
      try {
        return parseAccount(wrong);
      } catch (error) {
        return error;
      }
    })();
    if (!(thrown instanceof InvalidPayloadError)) throw thrown;
    expect(thrown.errors.map(({ attr, code }) => `${attr} ${code}`)).toEqual([
      'customers.0.mobile invalid_phone_number',
      'customers.0.landline invalid_phone_number',
    ]);
    expect(thrown.message).toBe(
      'parseAccount: invalid_payload, customers.0.mobile invalid_phone_number (1 of 2): Expected a telephone number, best in international form such as +33612345678. Nothing was sent: fix the payload. [invalid-payload-error]',
    );
  });

  it('know the profile, and do not count warnings', () => {
    const profile = defineProfile({ required: { Account: ['sales_channel'] } });
    expect(() => parseAccount({ ...domesticAccount, sales_channel: undefined }, { profile })).toThrow(
      'sales_channel required',
    );
    expect(
      parseAccount({ ...businessAccount, business: { ...businessAccount.business, siret: '73282932000075' } }),
    ).toBeDefined();
  });

  it.each<[string, (payload: unknown) => unknown, unknown]>([
    ['parseBusiness', parseBusiness, business],
    ['parseBusinessPaymentInstruction', parseBusinessPaymentInstruction, businessPaymentInstruction],
    ['parseHistoricalStatements', parseHistoricalStatements, historicalStatements],
    ['parseNotes', parseNotes, notes],
    ['parsePaymentInstruction', parsePaymentInstruction, paymentInstruction],
    ['parsePopulate', parsePopulate, populate],
    ['parseProcess', parseProcess, process],
    ['parseTransactions', parseTransactions, transactions],
  ])('%s takes its own payload and refuses any other', (name, parse, payload) => {
    expect(parse(payload)).toBe(payload);
    expect(() => parse({ odd: 1 })).toThrow(`${name}: invalid_payload`);
  });
});

describe('objects of classes', () => {
  class Customer {
    landline = 'x';
    readonly #secret = 1;
    greet() {
      return this.#secret;
    }
  }
  class Computed {
    landline = '+33199003885';
    get given_name() {
      return 'Brumelle';
    }
  }
  class Encoded {
    landline = '+33199003885';
    toJSON() {
      return { landline: 'something else' };
    }
  }
  const withCustomers = (...customers: unknown[]) => ({ ...domesticAccount, customers });
  const errorsOf = (payload: unknown) =>
    validateAccount(payload, { warnings: false }).findings.map(({ attr, code, detail }) => [attr, code, detail]);

  it('are taken as their own fields, which is what JSON writes of them', () => {
    expect(errorsOf(withCustomers(new Customer()))).toEqual([
      ['customers.0.landline', 'invalid_phone_number', expect.any(String)],
    ]);
    class Row {
      import_supplier = 'ACME';
      external_account_number = 'A-1';
    }
    expect(errorsOf(new Row())).toEqual([]);
    expect(errorsOf(Object.assign(Object.create(Row.prototype), { ...domesticAccount }))).toEqual([]);
  });

  it('are refused with the true reason if JSON does not write their own fields', () => {
    const reason = (kind: string) => `JSON does not write ${kind} field by field: send a plain object.`;
    const code = 'invalid_json_value';
    expect(errorsOf(withCustomers(new Encoded()))).toEqual([
      ['customers.0', code, reason('an object with a method toJSON')],
    ]);
    // JSON would leave given_name out.
    expect(errorsOf(withCustomers(new Computed()))).toEqual([
      ['customers.0', code, reason('an object whose class has getters')],
    ]);
    expect(errorsOf(withCustomers(new Map()))).toEqual([['customers.0', code, reason('an object of the class Map')]]);
    expect(errorsOf(withCustomers(Object.create({ landline: '+33199003885' })))).toEqual([
      ['customers.0', code, reason('an object with inherited fields')],
    ]);
    expect(errorsOf({ ...domesticAccount, billing_postcode: new Date(0) })).toEqual([
      ['billing_postcode', 'invalid_type', 'Expected a string, found an object of the class Date.'],
    ]);
  });

  it('are sent as they were checked', async () => {
    const server = await misbehavingServer({
      'account-import-process/create-or-update/': answer(201, {
        import_supplier: 'ACME',
        external_account_number: 'A-1',
      }),
    });
    class Row {
      import_supplier = 'ACME';
      external_account_number = 'A-1';
    }
    await clientOf(server).accounts.stage(new Row());
    expect(JSON.parse(server.requests[0]?.body ?? '')).toEqual({
      import_supplier: 'ACME',
      external_account_number: 'A-1',
    });
  });
});

it('a field that is undefined is no unknown field: JSON leaves it out', () => {
  expect(validateAccount({ ...domesticAccount, odd: undefined, customers: [{ odd: undefined }] })).toMatchObject({
    ok: true,
    findings: [],
  });
  expect(validateTransactions({ ...transactions, odd: undefined, odder: 1 }).findings).toMatchObject([
    { attr: 'odder' },
  ]);
});

it('an object that holds itself in four fields is refused there, at once', () => {
  const value: Record<string, unknown> = {};
  for (const field of ['a', 'b', 'c', 'd']) value[field] = value;
  const { ok, findings } = validateAccount({ ...domesticAccount, metadata: [{ key: 'legacy', value }] });

  expect(ok).toBe(false);
  expect(findings.map(({ attr }) => attr)).toContain('metadata.0.value.a');
});
