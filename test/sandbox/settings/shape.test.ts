/** U6, U7 and U9: undocumented fields and values, and profiles. */
import { describe, expect, test } from 'vitest';
import { defineProfile } from '../../../src/validation/profile.js';
import { fieldError, invalid, invalidFields } from '../support/refusals.js';
import { account, importAccount, openSandbox, STAGE } from '../support/requests.js';

const VALIDATE = 'validate-account/';
const TRANSACTIONS_AS_DATED = 'transactions/create/?force_add_to_current_statement=false';
const dataOf = ({ sandbox }: Pick<ReturnType<typeof openSandbox>, 'sandbox'>) =>
  sandbox.state.suppliers[0]?.accounts[0]?.data;

describe('U6 unknownFields', () => {
  const SENT = account('A-1', {
    colour: 'red',
    customers: [{ given_name: 'Ines', 'shoe.size': 38 }],
    account_contracts: [{ versions: [{ terms: [{ term_type: 'PAYS_BY_DIRECT_DEBIT', mood: 'good' }] }] }],
    metadata: [{ key: 'k', value: { anything: 1 } }],
  });
  const DROPPED = account('A-1', {
    customers: [{ given_name: 'Ines' }],
    account_contracts: [{ versions: [{ terms: [{ term_type: 'PAYS_BY_DIRECT_DEBIT' }] }] }],
    metadata: [{ key: 'k', value: { anything: 1 } }],
  });

  test("U6 by default, or 'refuse', each such field is an error at its attr", { tags: 'long' }, async () => {
    for (const settings of [{}, { unknownFields: 'refuse' as const }]) {
      const { post, unchanged } = openSandbox({ settings });
      expect(await unchanged(() => post(STAGE, SENT))).toMatchObject({
        status: 400,
        body: {
          code: 'account_failed_validation',
          errors: [
            { code: 'unknown_field', attr: 'account_contracts.0.versions.0.terms.0.mood' },
            { code: 'unknown_field', attr: 'customers.0.shoe.size' },
            { code: 'unknown_field', attr: 'colour' },
          ],
        },
      });
    }
  });

  test.each([
    ['drop', 'neither answered with nor stored', DROPPED],
    ['keep', 'answered with and stored', SENT],
  ] as const)("U6 with '%s' they are %s", async (unknownFields, _, kept) => {
    const talk = openSandbox({ settings: { unknownFields } });
    expect(await talk.post(VALIDATE, SENT)).toEqual({ status: 200, body: kept });
    expect((await talk.post(STAGE, SENT)).status).toBe(201);
    expect(dataOf(talk)).toEqual(kept);
  });

  test.each([
    ['drop', { transaction_id: 'T-1', type: 'CHARGE', amount: '1.00' }],
    ['keep', { transaction_id: 'T-1', type: 'CHARGE', amount: '1.00', colour: 'red' }],
  ] as const)('U6 with %s a transaction comes back as %j', async (unknownFields, transaction_data) => {
    const talk = openSandbox({ settings: { unknownFields } });
    await importAccount(talk, 'A-1');
    const transaction = { transaction_id: 'T-1', type: 'CHARGE', amount: 1, colour: 'red' };
    expect(await talk.post('transactions/create/', account('A-1', { transactions: [transaction] }))).toEqual({
      status: 201,
      body: { results: [{ status: 'TRANSACTION_ADDED_TO_ACCOUNT', transaction_data }] },
    });
  });

  test.each(['drop', 'keep'] as const)('U6 with %s what else is wrong is refused as ever', async (unknownFields) => {
    const { post, unchanged } = openSandbox({ settings: { unknownFields } });
    const sent = account('A-1', { colour: 'red', notes: [{ colour: 'red' }], customers: [{ landline: 'none' }] });
    const { body } = await unchanged(() => post(STAGE, sent));
    const { errors } = body as { errors: { code: string; attr: string }[] };
    expect(errors.map(({ code, attr }) => [code, attr])).toEqual([
      ['invalid_phone_number', 'customers.0.landline'],
      ['required', 'notes.0'],
    ]);
  });
});

describe('U7 unlistedValues', () => {
  const point = (more: Record<string, unknown>) => ({ supply_addresses: [{ supply_points: [more] }] });
  const contract = (term: Record<string, unknown>) => ({ account_contracts: [{ versions: [{ terms: [term] }] }] });
  const POINT = 'supply_addresses.0.supply_points.0';
  const TERM = 'account_contracts.0.versions.0.terms.0';
  const BUSINESS_TERM = 'business_contracts.0.versions.0.terms.0';
  const BUSINESS_KEY = { import_supplier_code: 'SANDBOX_SUPPLIER', external_business_identifier: 'B-1' };
  const STEEP = { versions: [{ terms: [{ term_type: 'TERMINATION_FEE', fee_type: 'STEEP' }] }] };

  const UNLISTED: [attr: string, listed: string, more: Record<string, unknown>][] = [
    ['account_type', 'BUSINESS', { account_type: 'CHARITY' }],
    [`${POINT}.payment_schedules.1.frequency`, 'MONTHLY', point({ payment_schedules: [{}, { frequency: 'WEEKLY' }] })],
    [`${POINT}.payment_schedules.0.means`, 'DD', point({ payment_schedules: [{ means: 'CARD' }] })],
    [`${POINT}.payment_instructions.0.type`, 'DIRECT_DEBIT', point({ payment_instructions: [{ type: 'CARD' }] })],
    [
      `${POINT}.consent_data.ELEC_CURVE`,
      'ELEC_CURVES, ELEC_INDEXES, GAS_INDEXES',
      point({ consent_data: { ELEC_CURVE: true, GAS_INDEXES: true } }),
    ],
    [`${TERM}.fee_type`, 'FLAT', contract({ term_type: 'TERMINATION_FEE', fee_type: 'WHOLE_DAYS_REMAINING' })],
    [`${TERM}.frequency`, 'MONTHLY', contract({ term_type: 'ISSUANCE_FREQUENCY', frequency: 'QUARTERLY' })],
    [`${TERM}.strategy`, 'FIXED', contract({ term_type: 'DELAYER_DAYS', strategy: 'WORKING_DAYS' })],
  ];

  test.each(UNLISTED)(
    'U7 by default a value not listed at %s is taken, and the log marks it',
    async (attr, _, more) => {
      const { post, sandbox } = openSandbox();
      expect(await post(VALIDATE, account('A-1', more))).toEqual({ status: 200, body: account('A-1', more) });
      expect(sandbox.requests().at(-1)?.unlisted).toEqual([attr]);
    },
  );

  test.each(UNLISTED)("U7 with 'refuse' it is invalid_choice at %s; listed is %s", async (attr, listed, more) => {
    const { post, sandbox, unchanged } = openSandbox({ settings: { unlistedValues: 'refuse' } });
    expect(await unchanged(() => post(STAGE, account('A-1', more)))).toEqual(
      invalidFields('account_failed_validation', fieldError('invalid_choice', attr, `Expected one of ${listed}.`)),
    );
    expect(sandbox.requests().at(-1)?.unlisted).toEqual([attr]);
  });

  test("U7 with 'refuse' documented values are accepted, and any value of a field without documented values", async () => {
    const { post, sandbox } = openSandbox({ settings: { unlistedValues: 'refuse' } });
    const more = {
      account_type: 'BUSINESS',
      customers: [{ deceased: 'Unsure' }],
      ...point({
        payment_schedules: [{ means: 'DD', frequency: 'MONTHLY' }],
        payment_instructions: [{ type: 'DIRECT_DEBIT' }],
        consent_data: { ELEC_INDEXES: false },
      }),
      ...contract({ term_type: 'TERMINATION_FEE', fee_type: 'FLAT', supply_type: 'HEAT' }),
    };
    expect((await post(VALIDATE, account('A-1', more))).status).toBe(200);
    expect(sandbox.requests().at(-1)).toMatchObject({ unlisted: [], assumed: [] });
  });

  test.each([
    ['transactions.0.reason', { type: 'CHARGE', reason: 'BIRTHDAY' }],
    ['transactions.0.payment_type', { type: 'PAYMENT', payment_type: 'COINS' }],
    ['transactions.0.tax_items.0.tax_type', { type: 'SUPPLY_CHARGE', tax_items: [{ tax_type: 'TOLL' }] }],
    ['transactions.0.tax_items.0.unit_type', { type: 'SUPPLY_CHARGE', tax_items: [{ unit_type: 'EACH' }] }],
  ])('U7 %s of a transaction is taken or refused alike', async (attr, transaction) => {
    const talk = openSandbox();
    await importAccount(talk, 'A-1');
    const body = account('A-1', { transactions: [transaction] });
    expect((await talk.post('transactions/create/', body)).status).toBe(201);
    expect(talk.sandbox.requests().at(-1)?.unlisted).toEqual([attr]);
    const strict = openSandbox({ settings: { unlistedValues: 'refuse' } });
    await importAccount(strict, 'A-1');
    expect(await strict.unchanged(() => strict.post('transactions/create/', body))).toEqual(
      invalid('invalid_choice', attr),
    );
  });

  test.each<[path: string, attr: string, body: Record<string, unknown>]>([
    ['payment-instruction/create/', 'type', account('A-1', { vendor: 'V', reference: 'R', type: 'DIRECT_DEBIT' })],
    [
      'business-payment-instruction/create/',
      'type',
      { ...BUSINESS_KEY, vendor: 'V', reference: 'R', type: 'DIRECT_DEBIT' },
    ],
    ['business/', `business.${BUSINESS_TERM}.fee_type`, { ...BUSINESS_KEY, business: { business_contracts: [STEEP] } }],
  ])('U7 %s: what is not listed at %s is marked or refused alike', async (path, attr, body) => {
    const lax = openSandbox();
    await lax.post(path, body);
    expect(lax.sandbox.requests().at(-1)?.unlisted).toEqual([attr]);
    const { post, unchanged } = openSandbox({ settings: { unlistedValues: 'refuse' } });
    expect(await unchanged(() => post(path, body))).toEqual(invalid('invalid_choice', attr));
  });

  test('U7 if a profile lists the values of a field, only these are allowed', async () => {
    const profile = defineProfile({
      values: { Account: { 'supply_addresses.*.supply_points.*.payment_schedules.*.means': ['CARD'] } },
    });
    const { post, sandbox } = openSandbox({ settings: { unlistedValues: 'refuse', profile } });
    const paidBy = (means: string) => account('A-1', point({ payment_schedules: [{ means }] }));
    expect((await post(VALIDATE, paidBy('CARD'))).status).toBe(200);
    expect(sandbox.requests().at(-1)?.unlisted).toEqual([]);
    expect(await post(VALIDATE, paidBy('DD'))).toMatchObject({
      status: 400,
      body: { errors: [{ code: 'invalid_choice', attr: `${POINT}.payment_schedules.0.means` }] },
    });
  });
});

describe('U9 profile', () => {
  const profile = defineProfile({
    required: { Account: ['customers.*.email'], ProcessPayload: ['dry_run'] },
    values: { Account: { sales_channel: ['WEB'] } },
    fields: { Account: { energy_region: 'string' } },
    lengths: { Account: { external_account_number: 5 } },
  });

  test('U9 without a profile only the fields of the rules are required', async () => {
    const { post } = openSandbox();
    expect((await post(STAGE, account('A-1', { customers: [{}] }))).status).toBe(201);
  });

  test('U9 a profile is demanded, each finding at its attr', async () => {
    const { post, unchanged } = openSandbox({ settings: { profile } });
    const sent = account('A-1000', { customers: [{}], sales_channel: 'DOOR', energy_region: 7 });
    const errors = [
      fieldError('required', 'customers.0.email', 'Required by the profile.'),
      fieldError('invalid_choice', 'sales_channel', 'The profile allows WEB.'),
      fieldError('invalid_type', 'energy_region', 'The profile expects: string.'),
      fieldError('max_length', 'external_account_number', 'The profile allows at most 5.'),
    ];
    expect(await unchanged(() => post(STAGE, sent))).toEqual(invalidFields('account_failed_validation', ...errors));
  });

  test('U9 an agreed field is accepted, stored and returned; any other is not', async () => {
    const talk = openSandbox({ settings: { profile } });
    const agreed = account('A-1', { customers: [{ email: 'ines@mail.example.com' }], energy_region: 'north' });
    expect(await talk.post(VALIDATE, agreed)).toEqual({ status: 200, body: agreed });
    expect((await talk.post(STAGE, agreed)).status).toBe(201);
    expect(dataOf(talk)).toEqual(agreed);
    expect(await talk.unchanged(() => talk.post(STAGE, { ...agreed, colour: 'red' }))).toMatchObject({
      status: 400,
      body: { errors: [{ code: 'unknown_field', attr: 'colour' }] },
    });
  });

  test.each([
    { last_billed_to_date: '31/12/2025' },
    { statements: [{ bill_period_to_date: '31/12/2025' }] },
    { last_billed_to_date: '31/12/2025', statements: [{ bill_period_to_date: '2025-12-31' }] },
  ])('U9 a last billed day in another form, which a profile allows, begins no open period: %j', async (billed) => {
    const dates = defineProfile({
      fields: { Account: { last_billed_to_date: 'string', 'statements.*.bill_period_to_date': 'string' } },
    });
    const talk = openSandbox({ settings: { profile: dates } });
    await importAccount(talk, 'A-1', billed);
    const [early, late] = ['2025-12-31', '2026-01-16'].map((transaction_date) =>
      account('A-1', { transactions: [{ type: 'CHARGE', transaction_id: transaction_date, transaction_date }] }),
    );
    const isStatementKnown = billed.statements?.[0]?.bill_period_to_date === '2025-12-31';
    expect((await talk.post(TRANSACTIONS_AS_DATED, early)).status).toBe(isStatementKnown ? 400 : 201);
    expect((await talk.post(TRANSACTIONS_AS_DATED, late)).status).toBe(400);
  });

  test('U9 a note with the same time in another form, which a profile allows, is the same note', async () => {
    const times = defineProfile({ fields: { NotesPayload: { 'notes.*.created_at': 'string' } } });
    const talk = openSandbox({ settings: { profile: times } });
    await importAccount(talk, 'A-1');
    const note = account('A-1', { notes: [{ body: 'Moved.', created_at: '31/12/2025 10:00' }] });
    const statuses = [await talk.post('notes/create/', note), await talk.post('notes/create/', note)].map(
      ({ body }) => (body as { status: string }[])[0]?.status,
    );
    expect(statuses).toEqual(['NOTE_CREATION_SUCCESS', 'NOTE_ALREADY_EXISTS']);
  });

  test("U9 with unknownFields 'drop' a field that was agreed stays", async () => {
    const { post } = openSandbox({ settings: { profile, unknownFields: 'drop' } });
    const agreed = account('A-1', { energy_region: 'north' });
    expect(await post(VALIDATE, { ...agreed, colour: 'red' })).toEqual({ status: 200, body: agreed });
  });
});
