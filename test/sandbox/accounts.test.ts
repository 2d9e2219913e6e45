import { describe, expect, test } from 'vitest';
import { account, importAccount, openSandbox, STAGE } from './talk.js';

const VALIDATE = 'validate-account/';

const DOMESTIC = {
  external_account_number: '0001',
  import_supplier: 'SANDBOX_SUPPLIER',
  unknown_occupier: false,
  billing_address1: '1 Harbour Street',
  billing_address2: '',
  billing_postcode: '99001',
  last_billed_to_date: '2025-12-31',
  customers: [
    {
      title: 'Ms',
      given_name: 'Ines',
      family_name: 'Placeholder',
      email: 'ines@mail.example.com',
      mobile: '+33612345678',
      landline: '',
      date_of_birth: '1990-02-28',
      deceased: '',
      customer_preferences: { opted_into_updates: true, opted_into_sms: false },
    },
  ],
  supply_addresses: [
    {
      supply_address1: '1 Harbour Street',
      supply_postcode: '99001',
      customer_at_supply_address_from_date: '2020-05-01',
      supply_points: [
        {
          identifier: '01234567890123',
          supply_type: 'ELECTRICITY',
          supply_start_date: '2020-05-01',
          billing_frequency: 2,
          payment_schedules: [
            { amount: 45.5, day_of_month: 5, frequency: 'MONTHLY', means: 'DD', start_date: '2026-02-05' },
          ],
          payment_instructions: [
            { vendor: 'VENDOR', reference: 'R-1', type: 'DIRECT_DEBIT', valid_from: '2026-02-01' },
          ],
          agreements: [
            { tariff_code: 'T-1', agreed_at: '2025-12-01T10:00:00+02:00', effective_from: '2026-01-01', addons: [] },
          ],
          consent_data: { ELEC_CURVES: true, ELEC_INDEXES: false },
        },
      ],
    },
  ],
  notes: [{ body: 'Prefers letters.' }],
  metadata: [{ key: 'origin', value: { system: 'old', rank: 1 } }],
};

const BUSINESS = {
  external_account_number: 'A-2',
  import_supplier: 'SANDBOX_SUPPLIER',
  account_type: 'BUSINESS',
  business: { business_type: 'LTD', siret: '12345678901234', business_contract_identifier: 'C-1' },
  account_contracts: [
    {
      identifier: 'AC-1',
      valid_from_date: '2026-01-01',
      versions: [
        {
          applicable_at_date: '2026-01-01',
          terms: [{ term_type: 'TERMINATION_FEE', amount: 100, supply_type: 'ELECTRICITY', fee_type: 'FLAT' }],
        },
      ],
    },
  ],
};

const CONTRACT = {
  import_supplier_code: 'SANDBOX_SUPPLIER',
  external_business_identifier: 'B-1',
  business: { business_contracts: [{ identifier: 'C-1' }] },
};

const LANDLINE = {
  detail: 'Expected a telephone number, best in international form such as +33612345678.',
  code: 'invalid_phone_number',
  attr: 'customers.0.landline',
};

describe('E4 validate', () => {
  test('E4 validate: a domestic account is 200 with the validated data, and nothing is stored', async () => {
    const { post, unchanged } = openSandbox();
    expect(await unchanged(() => post(VALIDATE, DOMESTIC))).toEqual({ status: 200, body: DOMESTIC });
  });

  test('E4 validate: a BUSINESS account is 200 with the validated data, and nothing is stored', async () => {
    const { post, unchanged } = openSandbox();
    expect(await unchanged(() => post(VALIDATE, BUSINESS))).toEqual({ status: 200, body: BUSINESS });
  });

  test('E4 validate: a bad landline is account_failed_validation, invalid_phone_number at customers.0.landline', async () => {
    const { post, unchanged } = openSandbox();
    const body = account('A-1', { customers: [{ landline: 'ask at the desk' }] });
    expect(await unchanged(() => post(VALIDATE, body))).toEqual({
      status: 400,
      body: {
        detail: 'customers.0.landline: Expected a telephone number, best in international form such as +33612345678.',
        code: 'account_failed_validation',
        errors: [LANDLINE],
      },
    });
  });

  test('C3 validate: one error for each offending field, unknown keys included', async () => {
    const { post, unchanged } = openSandbox();
    const body = account('A-1', {
      customers: [{ landline: 'none', hobby: 'chess', shoe_size: 40 }, { date_of_birth: '1990-02-30' }],
      loyalty: true,
    });
    expect(await unchanged(() => post(VALIDATE, body))).toEqual({
      status: 400,
      body: {
        detail:
          'customers.0.landline: Expected a telephone number, best in international form such as +33612345678. ' +
          '(1 of 5 errors)',
        code: 'account_failed_validation',
        errors: [
          LANDLINE,
          {
            detail: 'This field is not documented; only documented fields may be sent.',
            code: 'unknown_field',
            attr: 'customers.0.hobby',
          },
          {
            detail: 'This field is not documented; only documented fields may be sent.',
            code: 'unknown_field',
            attr: 'customers.0.shoe_size',
          },
          { detail: 'Expected a calendar date, YYYY-MM-DD.', code: 'invalid_date', attr: 'customers.1.date_of_birth' },
          {
            detail: 'This field is not documented; only documented fields may be sent.',
            code: 'unknown_field',
            attr: 'loyalty',
          },
        ],
      },
    });
  });

  test.each([
    ['last_billed_to_date', '2025-02-29', 'invalid_date'],
    ['last_billed_to_date', '2025-2-1', 'invalid_date'],
    ['last_billed_to_date', '2025-01-01T00:00:00Z', 'invalid_date'],
    ['last_billed_to_date', null, 'null'],
    ['unknown_occupier', 'yes', 'invalid_type'],
  ])('C5 validate: %s %j is 400 %s', async (attr, value, code) => {
    const { post, unchanged } = openSandbox();
    expect(await unchanged(() => post(VALIDATE, account('A-1', { [attr]: value })))).toMatchObject({
      status: 400,
      body: { code: 'account_failed_validation', errors: [{ code, attr }] },
    });
  });

  test.each([
    ['2025-12-01T10:00:00Z', 200],
    ['2025-12-01T10:00:00+02:00', 200],
    ['2025-12-01T10:00:00', 400],
    ['2025-12-01', 400],
  ])('C5 validate: the datetime %s is %i', async (created_at, status) => {
    const { post, unchanged } = openSandbox();
    const body = account('A-1', { notes: [{ body: 'x', created_at }] });
    expect((await unchanged(() => post(VALIDATE, body))).status).toBe(status);
  });

  test('E4 validate: an own field named __proto__ is an unknown field', async () => {
    const { post, unchanged } = openSandbox();
    const body = JSON.parse('{"import_supplier":"SANDBOX_SUPPLIER","external_account_number":"A","__proto__":{"x":1}}');
    expect(await unchanged(() => post(VALIDATE, body))).toMatchObject({
      status: 400,
      body: { errors: [{ code: 'unknown_field', attr: '__proto__' }] },
    });
  });

  test.each([['Paused'], ['Complete']] as const)('E4 validate: a %s supplier may validate (U10)', async (status) => {
    const { post, sandbox, unchanged } = openSandbox();
    sandbox.setSupplierStatus('SANDBOX_SUPPLIER', status);
    expect((await unchanged(() => post(VALIDATE, account('A-1')))).status).toBe(200);
  });

  test('E4 validate: an unknown supplier is 400, and the detail says which there are and how to add one', async () => {
    const { post, unchanged } = openSandbox({ suppliers: [{ code: 'NORTH' }, { code: 'SOUTH' }] });
    const detail =
      'No import supplier has the code "SANDBOX_SUPPLIER". This sandbox knows: NORTH, SOUTH. ' +
      'Add one with createSandbox({ suppliers: [{ code: "SANDBOX_SUPPLIER" }] }).';
    expect(await unchanged(() => post(VALIDATE, account('A-1')))).toEqual({
      status: 400,
      body: {
        detail: `import_supplier: ${detail}`,
        code: 'account_failed_validation',
        errors: [{ detail, code: 'import_supplier_not_found', attr: 'import_supplier' }],
      },
    });
  });
});

describe('E5 stage', () => {
  test('E5 stage: the first is 201, later ones are 200, both with supplier and account number', async () => {
    const { post } = openSandbox();
    const body = { import_supplier: 'SANDBOX_SUPPLIER', external_account_number: '0001' };
    expect(await post(STAGE, DOMESTIC)).toEqual({ status: 201, body });
    expect(await post(STAGE, DOMESTIC)).toEqual({ status: 200, body });
    expect(await post(STAGE, account('0001'))).toEqual({ status: 200, body });
  });

  test('E5 stage: the second replaces the whole payload: a field that is left out of it is gone', async () => {
    const { post, sandbox } = openSandbox();
    await post(STAGE, DOMESTIC);
    sandbox.clock.advance(60_000);
    await post(STAGE, account('0001', { sales_channel: 'WEB' }));
    expect(sandbox.state.suppliers[0]?.accounts).toEqual([
      {
        external_account_number: '0001',
        staged_at: '2026-01-15T09:00:00Z',
        data: { import_supplier: 'SANDBOX_SUPPLIER', external_account_number: '0001', sales_channel: 'WEB' },
        documents: [],
        imported: null,
      },
    ]);
  });

  test('E5 stage: the same number under another supplier is another account', async () => {
    const { post } = openSandbox({ suppliers: [{ code: 'NORTH' }, { code: 'SOUTH' }] });
    expect((await post(STAGE, account('A-1', { import_supplier: 'NORTH' }))).status).toBe(201);
    expect((await post(STAGE, account('A-1', { import_supplier: 'SOUTH' }))).status).toBe(201);
  });

  test('E5 stage: an invalid payload is 400 by the same rules as validate, and what was staged stays', async () => {
    const { post, unchanged } = openSandbox();
    await post(STAGE, DOMESTIC);
    const body = { ...DOMESTIC, customers: [{ landline: 'none' }] };
    expect(await unchanged(() => post(STAGE, body))).toEqual({
      status: 400,
      body: {
        detail: 'customers.0.landline: Expected a telephone number, best in international form such as +33612345678.',
        code: 'account_failed_validation',
        errors: [LANDLINE],
      },
    });
  });

  test('E5 stage: an account that was imported is 400', async () => {
    const talk = openSandbox();
    await importAccount(talk, 'A-1');
    const detail = 'The account was already imported; its data can no longer be staged.';
    expect(await talk.unchanged(() => talk.post(STAGE, account('A-1')))).toEqual({
      status: 400,
      body: {
        detail,
        code: 'account_already_imported',
        errors: [{ detail, code: 'account_already_imported', attr: 'external_account_number' }],
      },
    });
  });

  test('E5 stage: an account that is marked to skip is 400, staged before or not (U23)', async () => {
    const { post, sandbox, unchanged } = openSandbox();
    await post(STAGE, account('A-1'));
    sandbox.skip('SANDBOX_SUPPLIER', 'A-1');
    sandbox.skip('SANDBOX_SUPPLIER', 'A-2');
    const detail = 'The account is marked to skip; its data cannot be staged.';
    for (const number of ['A-1', 'A-2']) {
      expect(await unchanged(() => post(STAGE, account(number)))).toEqual({
        status: 400,
        body: {
          detail,
          code: 'account_marked_to_skip',
          errors: [{ detail, code: 'account_marked_to_skip', attr: 'external_account_number' }],
        },
      });
    }
    expect((await post(STAGE, account('A-3'))).status).toBe(201);
  });

  test.each(['Paused', 'Complete'] as const)('E5 stage: a supplier that is %s is 400 (U10)', async (status) => {
    const { post, sandbox, unchanged } = openSandbox();
    await post(STAGE, account('A-1'));
    sandbox.setSupplierStatus('SANDBOX_SUPPLIER', status);
    const detail = `Import supplier SANDBOX_SUPPLIER is ${status}: no account can be migrated.`;
    for (const number of ['A-1', 'A-2']) {
      expect(await unchanged(() => post(STAGE, account(number)))).toEqual({
        status: 400,
        body: {
          detail,
          code: 'import_supplier_not_ongoing',
          errors: [{ detail, code: 'import_supplier_not_ongoing', attr: 'import_supplier' }],
        },
      });
    }
    sandbox.setSupplierStatus('SANDBOX_SUPPLIER', 'Ongoing');
    expect((await post(STAGE, account('A-1'))).status).toBe(200);
  });

  test('E5 stage: an unknown supplier is 400 account_failed_validation', async () => {
    const { post, unchanged } = openSandbox();
    expect(await unchanged(() => post(STAGE, account('A-1', { import_supplier: 'NOBODY' })))).toMatchObject({
      status: 400,
      body: {
        code: 'account_failed_validation',
        errors: [{ code: 'import_supplier_not_found', attr: 'import_supplier' }],
      },
    });
  });

  test('E5 stage: a business_contract_identifier without such a contract is 400, with it 201 (U13)', async () => {
    const { post, unchanged } = openSandbox();
    expect(await unchanged(() => post(STAGE, BUSINESS))).toEqual({
      status: 400,
      body: {
        detail:
          'business.business_contract_identifier: ' +
          'No business of this import supplier was created with a contract of this identifier.',
        code: 'account_failed_validation',
        errors: [
          {
            detail: 'No business of this import supplier was created with a contract of this identifier.',
            code: 'business_contract_not_found',
            attr: 'business.business_contract_identifier',
          },
        ],
      },
    });
    await post('business/', CONTRACT);
    expect((await post(STAGE, BUSINESS)).status).toBe(201);
  });

  test('E5 stage: a contract of another supplier does not count (U13)', async () => {
    const { post, unchanged } = openSandbox({ suppliers: [{ code: 'SANDBOX_SUPPLIER' }, { code: 'SOUTH' }] });
    await post('business/', { ...CONTRACT, import_supplier_code: 'SOUTH' });
    expect((await unchanged(() => post(STAGE, BUSINESS))).status).toBe(400);
  });
});
