/** The client depends on no default of what the API specification does not show: each call ends alike with every setting of the register. */
import { DataImportClient } from 'data-import-sdk';
import { createSandbox } from 'data-import-sdk/sandbox';
import { expect, onTestFinished, test } from 'vitest';
import { domesticAccount } from '../examples/account.js';
import { business } from '../examples/business.js';
import { historicalStatements } from '../examples/historical-statements.js';
import { notes } from '../examples/notes.js';
import { businessPaymentInstruction, paymentInstruction } from '../examples/payment-instructions.js';
import { populate } from '../examples/populate.js';
import { transactions } from '../examples/transactions.js';
import { REGISTER_SETTINGS } from '../support/register-settings.js';

const SUPPLIER = 'SANDBOX_SUPPLIER';
const processing = {
  external_account_number: 'ACC-0001',
  import_supplier_code: SUPPLIER,
  operations_team_name: 'SANDBOX_TEAM',
};

test.each(REGISTER_SETTINGS)('%s with %j each call ends as the API specification says', async (_, settings) => {
  const sandbox = createSandbox({ settings, clock: new Date('2024-04-10T12:00:00Z') });
  const client = new DataImportClient({
    baseUrl: 'https://sandbox.example.com',
    token: sandbox.token,
    fetch: sandbox.fetch,
    advanced: { retryBaseMs: 0 },
  });
  onTestFinished(() => client.close());

  expect(await client.supplyPoints.populate(populate)).toEqual({ batch_id: expect.stringMatching(/./) });
  expect(await client.businesses.create(business)).toMatchObject({ external_business_identifier: 'BUSINESS-0001' });
  expect(await client.accounts.validate(domesticAccount)).toMatchObject({ external_account_number: 'ACC-0001' });
  expect(await client.accounts.stage(domesticAccount)).toMatchObject({ callOutcome: 'created' });
  expect(await client.accounts.stage(domesticAccount)).toMatchObject({ callOutcome: 'updated' });
  expect(
    await client.imports.status({ import_supplier_code: SUPPLIER, external_account_number: 'ACC-0001' }),
  ).toMatchObject({ status: 'UNKNOWN' });
  expect(await client.accounts.dryRun(processing)).toMatchObject({ wouldImport: true });

  const { service_account_number } = await client.accounts.process(processing);

  expect(service_account_number).toMatch(/^[\w-]{8,}$/);
  const again = await client.accounts.process(processing).catch((error: unknown) => error);
  expect(again).toMatchObject({ name: 'AlreadyImportedError', serviceAccountNumber: service_account_number });
  expect(await client.notes.create(notes)).toHaveLength(notes.notes.length);
  expect((await client.transactions.create(transactions)).results).toHaveLength(transactions.transactions.length);
  await client.historicalStatements.create(historicalStatements);
  expect(await client.paymentInstructions.create(paymentInstruction)).toMatchObject({ service_account_number });
  const instruction = { ...businessPaymentInstruction, accounts: [{ external_account_number: 'ACC-0001' }] };
  expect(await client.businesses.createPaymentInstruction(instruction)).toMatchObject({ reference: 'CARD-0002' });
  const { status } = await client.imports.status({
    import_supplier_code: SUPPLIER,
    external_account_number: 'ACC-0001',
  });
  expect(status).toMatch(/^(PENDING|IN_PROGRESS|COMPLETED|REJECTED)$/);
  expect(await client.imports.all(SUPPLIER)).toMatchObject([{ service_account_number }]);
  // U4: of a supplier without staged accounts there is an empty list, or none.
  const pending = await client.imports.pending(SUPPLIER).catch((error: unknown) => error);
  if (settings.unmatchedList === 'not-found') expect(pending).toMatchObject({ name: 'NotFoundError' });
  else expect(pending).toEqual([]);
  const imported = await client.imports.imported(SUPPLIER);
  if (settings.importedList === 'no-body') expect(imported).toBeUndefined();
  else expect(imported).toMatchObject([{ service_account_number }]);
});
