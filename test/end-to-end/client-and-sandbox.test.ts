/**
 * Every documented request, with every documented field, goes through client, HTTP and sandbox, and its answer is
 * compared with a literal from the document. Client and sandbox share the schemas: these literals are what they do not
 * share.
 */
import { DataImportClient, graphqlToken, TransactionImportError, ValidationError } from 'data-import-sdk';
import { createSandbox, type Sandbox, type SandboxServer } from 'data-import-sdk/sandbox';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { businessAccount, domesticAccount } from '../examples/account.js';
import { business } from '../examples/business.js';
import { historicalStatements } from '../examples/historical-statements.js';
import { notes } from '../examples/notes.js';
import { businessPaymentInstruction, paymentInstruction } from '../examples/payment-instructions.js';
import { populate } from '../examples/populate.js';
import { transactions } from '../examples/transactions.js';

const SUPPLIER = 'SANDBOX_SUPPLIER';
const processRequest = {
  external_account_number: 'ACC-0001',
  import_supplier_code: SUPPLIER,
  operations_team_name: 'SANDBOX_TEAM',
};

let sandbox: Sandbox;
let server: SandboxServer;
let client: DataImportClient;

beforeEach(async () => {
  sandbox = createSandbox({ clock: new Date('2024-04-10T12:00:00Z') });
  server = await sandbox.listen();
  client = new DataImportClient({ baseUrl: server.url, token: sandbox.token, advanced: { retryBaseMs: 1 } });
});

afterEach(async () => {
  await client.close();
  await server.close();
});

/** Stages and processes ACC-0001; gives its number. */
async function importAccount(): Promise<string> {
  await client.accounts.stage(domesticAccount);
  const { service_account_number } = await client.accounts.process(processRequest);
  return service_account_number;
}

test('C6 a token from the GraphQL call is accepted by the REST side; a wrong API key gives none', async () => {
  const tokenFor = (apiKey: string) =>
    graphqlToken({
      url: `${server.url}${sandbox.graphqlPath}`,
      apiKey,
      document: 'mutation ($input: ObtainTokenInput!) { obtainToken(input: $input) { token } }',
      variables: (key) => ({ input: { apiKey: key } }),
      select: (data) => data.obtainToken.token,
    });
  const right = new DataImportClient({ baseUrl: server.url, token: tokenFor(sandbox.apiKey) });
  expect(await right.imports.all(SUPPLIER)).toEqual([]);
  await right.close();
  const wrong = new DataImportClient({ baseUrl: server.url, token: tokenFor('wrong-key') });
  await expect(wrong.imports.all(SUPPLIER)).rejects.toMatchObject({ name: 'TokenError', nextAction: 'fixToken' });
  await wrong.close();
});

test('C2 a wrong token gives AuthenticationError', async () => {
  const stranger = new DataImportClient({ baseUrl: server.url, token: 'stranger' });
  await expect(stranger.businesses.createPaymentInstruction(businessPaymentInstruction)).rejects.toMatchObject({
    name: 'AuthenticationError',
    status: 401,
    attempts: 1,
  });
  await stranger.close();
});

test('E1 supply points are queued: a batch id', async () => {
  expect(await client.supplyPoints.populate(populate)).toEqual({ batch_id: expect.stringMatching(/^[0-9a-f-]{36}$/) });
});

test('E2 a business with all nine terms is created', async () => {
  const answer = await client.businesses.create(business);
  expect(answer).toEqual({
    service_business_id: expect.any(Number),
    external_business_identifier: 'BUSINESS-0001',
  });
  expect(Number.isInteger(answer.service_business_id)).toBe(true);
});

test('E3 a payment instruction is added to a business', async () => {
  await client.businesses.create(business);
  for (const external_account_number of ['ACC-0002', 'ACC-0003']) {
    await client.accounts.stage({ import_supplier: SUPPLIER, external_account_number });
    await client.accounts.process({ ...processRequest, external_account_number });
  }
  expect(await client.businesses.createPaymentInstruction(businessPaymentInstruction)).toEqual({
    reference: 'CARD-0002',
    external_business_identifier: 'BUSINESS-0001',
  });
});

test('E4 a domestic and a business account are validated: the validated data are returned', async () => {
  await client.businesses.create(business);
  expect(await client.accounts.validate(domesticAccount)).toEqual(domesticAccount);
  expect(await client.accounts.validate(businessAccount)).toEqual(businessAccount);
});

test('E4 a bad landline, sent unchecked, is refused at its path', async () => {
  const payload = { ...domesticAccount, customers: [{ landline: 'ask at the desk' }] };
  const error = await client.accounts.validate(payload, { validate: false }).catch((e: unknown) => e);
  expect(error instanceof ValidationError && error.message).toBe(
    'accounts.validate: 400 account_failed_validation, customers.0.landline invalid_phone_number. ' +
      'Not retried: fix the payload. [validation-error]',
  );
});

test('E5 staging creates, then replaces', async () => {
  expect(await client.accounts.stage(domesticAccount)).toMatchObject({
    import_supplier: 'SANDBOX_SUPPLIER',
    external_account_number: 'ACC-0001',
    callOutcome: 'created',
  });
  expect(await client.accounts.stage(domesticAccount)).toMatchObject({
    import_supplier: 'SANDBOX_SUPPLIER',
    external_account_number: 'ACC-0001',
    callOutcome: 'updated',
  });
});

test('E6 dry run, process, and process again', async () => {
  await client.accounts.stage(domesticAccount);
  expect(await client.accounts.dryRun(processRequest)).toMatchObject({ wouldImport: true });
  expect(await client.imports.status({ import_supplier_code: SUPPLIER, external_account_number: 'ACC-0001' })).toEqual({
    status: 'UNKNOWN',
    service_account_number: '',
  });

  const created = await client.accounts.process(processRequest);
  expect(created).toMatchObject({ service_account_number: expect.stringMatching(/./), callOutcome: 'created' });
  await expect(client.accounts.process(processRequest)).rejects.toMatchObject({
    name: 'AlreadyImportedError',
    externalAccountNumber: 'ACC-0001',
    serviceAccountNumber: created.service_account_number,
    nextAction: 'useExisting',
  });
});

test('E6 a dry run that would fail rejects with the error of processing', async () => {
  await expect(client.accounts.dryRun(processRequest)).rejects.toMatchObject({
    name: 'ValidationError',
    status: 400,
    operation: 'accounts.dryRun',
  });
});

test('E7 notes are added once', async () => {
  await importAccount();
  const [text, unpinned] = await client.notes.create(notes);
  expect(text).toEqual({
    created_at: '2024-01-15T08:00:00Z',
    body: 'Meter was replaced in January.',
    status: 'NOTE_CREATION_SUCCESS',
  });
  expect(unpinned).toEqual({
    created_at: '2024-04-10T12:00:00Z',
    body: 'Called about the bill.',
    status: 'NOTE_CREATION_SUCCESS',
  });
  const again = await client.notes.create(notes);
  expect(again.map(({ status }) => status).slice(0, 2)).toEqual(['NOTE_ALREADY_EXISTS', 'NOTE_ALREADY_EXISTS']);
});

test('E7 a note for an account that is only staged is not found', async () => {
  await client.accounts.stage(domesticAccount);
  await expect(client.notes.create(notes)).rejects.toMatchObject({ name: 'NotFoundError', status: 404 });
});

test('E8 transactions of all five types are added once; amounts are returned as decimals in strings', async () => {
  await importAccount();
  const { results } = await client.transactions.create(transactions);
  expect(results.map(({ status }) => status)).toEqual(Array(5).fill('TRANSACTION_ADDED_TO_ACCOUNT'));
  expect(results.map(({ transaction_data }) => transaction_data?.amount)).toEqual([
    '12.50',
    '20.00',
    '62.50',
    '7.25',
    '61.20',
  ]);
  expect(results[0]?.transaction_data).toEqual({
    transaction_id: 'TX-0001',
    transaction_date: '2024-03-01',
    amount: '12.50',
    type: 'CHARGE',
    reason: 'IMPORTED_CHARGE',
    display_note: 'Balance of your former account',
    note: 'Taken over from the legacy ledger',
  });
  const again = await client.transactions.create(transactions);
  expect(again.results.map(({ status }) => status)).toEqual(Array(5).fill('TRANSACTION_ALREADY_EXISTS'));
});

test('E8 a transaction outside the open period that may not be moved fails with its id', async () => {
  await importAccount();
  const early = {
    ...transactions,
    transactions: [{ ...transactions.transactions[0], transaction_date: '2024-02-29' }],
  };
  const payload = early as typeof transactions;
  const error = await client.transactions
    .create(payload, { force_add_to_current_statement: false })
    .catch((e: unknown) => e);
  expect(error instanceof TransactionImportError && error.transactionId).toBe('TX-0001');
  const moved = await client.transactions.create(payload);
  expect(moved.results[0]?.transaction_data?.transaction_date).toBe('2024-03-01');
});

test('E9 historical statements are returned as they were sent', async () => {
  await importAccount();
  expect(await client.historicalStatements.create(historicalStatements)).toEqual(historicalStatements);
});

test('E10 a payment instruction is added; a vendor that fails twice is asked again', async () => {
  const number = await importAccount();
  const reference = 'sbx-vendor-flaky-2';
  expect(await client.paymentInstructions.create(paymentInstruction)).toEqual({
    service_account_number: number,
    reference: 'CARD-0001',
  });
  const flaky = await client.paymentInstructions.create({ ...paymentInstruction, reference }).withResponse();
  expect([flaky.status, flaky.attempts, flaky.data.reference]).toEqual([201, 3, 'sbx-vendor-flaky-2']);
});

test('E11 to E14 status and lists follow an account from staging to the end of the switch', async () => {
  await expect(
    client.imports.status({ import_supplier_code: SUPPLIER, external_account_number: 'ACC-0001' }),
  ).rejects.toMatchObject({ name: 'NotFoundError' });
  await client.accounts.stage(domesticAccount);
  const staged = { external_account_number: 'ACC-0001', service_account_number: null, account_created_at: null };
  expect(await client.imports.all(SUPPLIER)).toEqual([staged]);
  expect(await client.imports.pending(SUPPLIER)).toEqual([staged]);
  expect(await client.imports.imported(SUPPLIER)).toEqual([]);

  const { service_account_number } = await client.accounts.process(processRequest);
  const imported = {
    external_account_number: 'ACC-0001',
    service_account_number,
    account_created_at: '2024-04-10T12:00:00Z',
  };
  expect(await client.imports.all(SUPPLIER)).toEqual([imported]);
  expect(await client.imports.pending(SUPPLIER)).toEqual([]);
  expect(await client.imports.imported(SUPPLIER)).toEqual([imported]);
  expect(await client.imports.status({ import_supplier_code: SUPPLIER, external_account_number: 'ACC-0001' })).toEqual({
    status: 'PENDING',
    service_account_number,
  });
  sandbox.transition(SUPPLIER, 'ACC-0001', 'IN_PROGRESS');
  expect(
    (await client.imports.status({ import_supplier_code: SUPPLIER, external_account_number: 'ACC-0001' })).status,
  ).toBe('IN_PROGRESS');
});

test('E5 staging is refused while the supplier is Paused or Complete', async () => {
  for (const status of ['Paused', 'Complete'] as const) {
    sandbox.setSupplierStatus(SUPPLIER, status);
    await expect(client.accounts.stage(domesticAccount)).rejects.toMatchObject({
      name: 'ValidationError',
      status: 400,
    });
  }
});

test('I2 of ten processes at once exactly one creates, and all learn the same number', async () => {
  await client.accounts.stage(domesticAccount);
  const calls = Array.from({ length: 10 }, () => client.accounts.process(processRequest));
  const settled = await Promise.allSettled(calls);
  const created = settled.flatMap((r) => (r.status === 'fulfilled' ? [r.value.service_account_number] : []));
  const refused = settled.flatMap((r) => (r.status === 'rejected' ? [r.reason.serviceAccountNumber] : []));
  expect(created).toHaveLength(1);
  expect(refused).toEqual(Array(9).fill(created[0]));
});
