/** The presets of the sandbox, as a client of this package meets them. */
import {
  type AlreadyImportedError,
  DataImportClient,
  type DataImportClientOptions,
  type DataImportError,
  type ValidationError,
} from 'data-import-sdk';
import { createSandbox, type PresetName, type Sandbox, STRICT_PROFILE } from 'data-import-sdk/sandbox';
import { describe, expect, onTestFinished, test } from 'vitest';
import { businessAccount, domesticAccount } from '../examples/account.js';
import { business } from '../examples/business.js';
import { historicalStatements } from '../examples/historical-statements.js';
import { notes } from '../examples/notes.js';
import { businessPaymentInstruction, paymentInstruction } from '../examples/payment-instructions.js';
import { transactions } from '../examples/transactions.js';
import { errorOf } from '../helpers/client-of.js';

const SUPPLIER = 'SANDBOX_SUPPLIER';
const MESSAGE = 'Account would successfully import. Rolled back due to Dry Run.';
const processOf = (external_account_number: string) => ({
  external_account_number,
  import_supplier_code: SUPPLIER,
  operations_team_name: 'SANDBOX_TEAM',
});

const open = (preset: PresetName, options: Partial<DataImportClientOptions> = {}) => {
  const sandbox = createSandbox({ preset, clock: new Date('2024-04-10T12:00:00Z') });
  const client = clientOf(sandbox, options);
  return { sandbox, client };
};

function clientOf(sandbox: Sandbox, options: Partial<DataImportClientOptions> = {}): DataImportClient {
  const client = new DataImportClient({
    baseUrl: 'https://sandbox.example.com',
    token: sandbox.token,
    fetch: sandbox.fetch,
    advanced: { retryBaseMs: 1 },
    ...options,
  });
  onTestFinished(() => client.close());
  return client;
}

/** Imports the domestic account; returns its number. */
const importAccount = async (client: DataImportClient): Promise<string> => {
  await client.accounts.stage(domesticAccount);
  return (await client.accounts.process(processOf('ACC-0001'))).service_account_number;
};

describe('documented', () => {
  test('is the behaviour of a sandbox without a preset', async () => {
    const { client } = open('documented');
    expect(await client.accounts.validate({ import_supplier: SUPPLIER, external_account_number: 'A-1' })).toEqual({
      import_supplier: SUPPLIER,
      external_account_number: 'A-1',
    });
  });

  test('a name that no preset has is refused', () => {
    expect(() => createSandbox({ preset: 'lax' as PresetName })).toThrow(
      'createSandbox: no preset lax; there are documented, strict, legacyErrors.',
    );
  });
});

describe('strict', () => {
  test('U7 U9 every documented payload passes, from the business to its transactions', async () => {
    const { client, sandbox } = open('strict');
    await client.businesses.create(business);
    await importAccount(client);
    for (const external_account_number of ['ACC-0002', 'ACC-0003']) {
      await client.accounts.stage({ ...businessAccount, external_account_number });
      await client.accounts.process(processOf(external_account_number));
    }
    await client.notes.create(notes);
    await client.transactions.create(transactions);
    await client.historicalStatements.create(historicalStatements);
    await client.paymentInstructions.create(paymentInstruction);
    await client.businesses.createPaymentInstruction(businessPaymentInstruction);
    const statuses = sandbox.requests().map(({ status }) => status);
    expect(statuses.every((status) => status === 200 || status === 201)).toBe(true);
  });

  test('U9 fields that stricter deployments require are reported by sandbox and client at the same attr', async () => {
    const { client } = open('strict');
    const account = {
      import_supplier: SUPPLIER,
      external_account_number: 'A-1',
      supply_addresses: [{ supply_address1: '1 Harbour Street', supply_postcode: '99001-99002' }],
    };
    const found = [
      ['required', 'supply_addresses.0.customer_at_supply_address_from_date'],
      ['max_length', 'supply_addresses.0.supply_postcode'],
    ];
    const fromService = await errorOf<ValidationError>(client.accounts.stage(account));
    expect(fromService.errors.map(({ code, attr }) => [code, attr])).toEqual(found);
    const local = clientOf(createSandbox(), { profile: STRICT_PROFILE });
    const fromClient = await errorOf<DataImportError & { errors: ValidationError['errors'] }>(
      local.accounts.stage(account),
    );
    expect(fromClient).toMatchObject({ name: 'InvalidPayloadError', attempts: 0 });
    expect(fromClient.errors.map(({ code, attr }) => [code, attr])).toEqual(found);
  });

  test('U7 values that the profile allows are accepted; others are not', async () => {
    const { client } = open('strict');
    const paidBy = (means: string, consent: string) => ({
      import_supplier: SUPPLIER,
      external_account_number: 'A-1',
      supply_addresses: [
        {
          supply_address1: '1 Harbour Street',
          supply_postcode: '99001',
          customer_at_supply_address_from_date: '2020-05-01',
          supply_points: [
            { payment_schedules: [{ means, start_date: '2024-05-01' }], consent_data: { [consent]: true } },
          ],
        },
      ],
    });
    const point = 'supply_addresses.0.supply_points.0';
    expect(await client.accounts.validate(paidBy('PAYMENT_SLIP', 'ELEC_CURVES'))).toBeDefined();
    const error = await errorOf<ValidationError>(client.accounts.validate(paidBy('SEASHELLS', 'STEAM_CURVES')));
    expect(error.errors.map(({ code, attr }) => [code, attr])).toEqual([
      ['invalid_choice', `${point}.payment_schedules.0.means`],
      ['invalid_choice', `${point}.consent_data.STEAM_CURVES`],
    ]);
    // The values that the API specification has for the field, from the local schema.
    expect(error.errors.map(({ documentedValues }) => documentedValues)).toEqual([['DD'], undefined]);
    expect(error.message).toContain(`${point}.payment_schedules.0.means invalid_choice (documented: DD) (1 of 2).`);
    expect(error.toJSON()['errors']).toMatchObject([{ documentedValues: ['DD'] }, {}]);
  });
});

describe('legacyErrors', () => {
  test('U12 already imported: validate, stage and process alike give both numbers', async () => {
    const { client } = open('legacyErrors');
    const serviceAccountNumber = await importAccount(client);
    for (const call of [
      () => client.accounts.validate(domesticAccount),
      () => client.accounts.stage(domesticAccount),
      () => client.accounts.process(processOf('ACC-0001')),
      () => client.accounts.dryRun(processOf('ACC-0001')),
    ]) {
      expect(await errorOf<AlreadyImportedError>(call())).toMatchObject({
        name: 'AlreadyImportedError',
        status: 400,
        externalAccountNumber: 'ACC-0001',
        serviceAccountNumber,
      });
    }
  });

  test('U12 a dry run that would succeed differs from one that would fail', async () => {
    const { client, sandbox } = open('legacyErrors');
    expect(await errorOf(client.accounts.dryRun(processOf('ACC-0001')))).toMatchObject({
      name: 'ValidationError',
      status: 400,
    });
    await client.accounts.stage(domesticAccount);
    expect(await client.accounts.dryRun(processOf('ACC-0001'))).toMatchObject({ wouldImport: true });
    expect(sandbox.requests().at(-1)?.answer).toEqual({ non_field_errors: ['•••'] });
    expect(await client.accounts.process(processOf('ACC-0001'))).toMatchObject({ callOutcome: 'created' });
  });

  test('U12 the message of a dry run is in non_field_errors', async () => {
    const { client, sandbox } = open('legacyErrors');
    await client.accounts.stage(domesticAccount);
    const response = await sandbox.fetch(
      new Request('https://sandbox.example.com/v1/data-import/account-import-process/process/', {
        method: 'POST',
        headers: { Authorization: `Token ${sandbox.token}`, 'Content-Type': 'application/json' },
        body: JSON.stringify({ ...processOf('ACC-0001'), dry_run: true }),
      }),
    );
    expect([response.status, await response.json()]).toEqual([400, { non_field_errors: [MESSAGE] }]);
  });

  test('U12 nested field errors are decoded with their attrs', async () => {
    const { client } = open('legacyErrors');
    const payload = {
      ...domesticAccount,
      customers: [{ given_name: 'Camille' }, { landline: 'ask at the desk', date_of_birth: '1984-02-30' }],
    };
    const error = await errorOf<ValidationError>(client.accounts.stage(payload, { validate: false }));
    expect(error).toMatchObject({ name: 'ValidationError', status: 400, code: 'http_400', nextAction: 'fixPayload' });
    expect(error.errors.map(({ attr }) => attr)).toEqual(['customers.1.landline', 'customers.1.date_of_birth']);
    expect(error.at('customers.1.landline')).toEqual([
      {
        detail: 'Expected a telephone number, best in international form such as +33612345678.',
        code: 'invalid',
        attr: 'customers.1.landline',
      },
    ]);
  });

  test('U22 vendor failures: persistent is refused at once, intermittent is tried again', async () => {
    const { client } = open('legacyErrors');
    const service_account_number = await importAccount(client);
    const persistent = { ...paymentInstruction, reference: 'sbx-vendor-persistent' };
    expect(await errorOf(client.paymentInstructions.create(persistent))).toMatchObject({
      name: 'ValidationError',
      status: 400,
      attempts: 1,
      detail: 'The payment vendor could not be reached for this instruction. Do not retry it unchanged.',
    });
    const reference = 'sbx-vendor-flaky-1';
    const flaky = await client.paymentInstructions.create({ ...paymentInstruction, reference }).withResponse();
    expect([flaky.attempts, flaky.data]).toEqual([2, { service_account_number, reference }]);
    const stubborn = { ...paymentInstruction, reference: 'sbx-vendor-flaky-99' };
    expect(await errorOf(client.paymentInstructions.create(stubborn, { maxRetries: 0 }))).toMatchObject({
      name: 'ServerError',
      status: 500,
      detail: 'The payment vendor did not answer this time. Retry as it is.',
    });
  });

  test('U22 vendor failures of a business decode alike', async () => {
    const { client } = open('legacyErrors');
    await client.businesses.create(business);
    const { accounts: _, ...instruction } = businessPaymentInstruction;
    const persistent = { ...instruction, reference: 'sbx-vendor-persistent' };
    expect(await errorOf(client.businesses.createPaymentInstruction(persistent))).toMatchObject({
      name: 'ValidationError',
      status: 400,
      attempts: 1,
    });
  });

  test('U14 transactions, statements, instructions, notes and status of an unknown account are NotFoundError', async () => {
    const { client } = open('legacyErrors');
    await client.accounts.stage(domesticAccount);
    for (const call of [
      () => client.transactions.create(transactions),
      () => client.historicalStatements.create(historicalStatements),
      () => client.paymentInstructions.create(paymentInstruction),
      () => client.notes.create(notes),
      () => client.imports.status({ import_supplier_code: SUPPLIER, external_account_number: 'none' }),
    ]) {
      const error = await errorOf<ValidationError>(call());
      expect(error).toMatchObject({ name: 'NotFoundError', status: 404, attempts: 1 });
      expect(error.detail).toMatch(/^(The account is only staged|No import process exists)/);
    }
  });

  test('U2 a token that is not known is AuthenticationError', async () => {
    const { sandbox } = open('legacyErrors');
    const stranger = clientOf(sandbox, { token: 'stranger' });
    expect(await errorOf(stranger.imports.all(SUPPLIER))).toMatchObject({
      name: 'AuthenticationError',
      status: 401,
      code: 'http_401',
      detail: 'The token is invalid.',
    });
  });

  test('E8 a transaction outside the open period keeps its documented body', async () => {
    const { client } = open('legacyErrors');
    await importAccount(client);
    const [first] = transactions.transactions;
    const early = { ...transactions, transactions: [{ ...first, transaction_date: '2024-02-29' }] };
    const error = await errorOf(
      client.transactions.create(early as typeof transactions, { force_add_to_current_statement: false }),
    );
    expect(error).toMatchObject({ name: 'TransactionImportError', transactionId: 'TX-0001' });
  });
});
