/** From nothing to an imported account, against the embedded sandbox. */
import { DataImportClient } from 'data-import-sdk';
import { createSandbox, SANDBOX_SUPPLIER, SANDBOX_TEAM } from 'data-import-sdk/sandbox';

const sandbox = createSandbox();
const server = await sandbox.listen();
const client = new DataImportClient({ baseUrl: server.url, token: sandbox.token });

const staged = await client.accounts.stage({
  external_account_number: 'A-1',
  import_supplier: SANDBOX_SUPPLIER,
  customers: [{ given_name: 'Alix', family_name: 'Arbois', email: 'alix@example.com', mobile: '+33612345678' }],
});
console.log('staged:', staged.callOutcome);

const request = {
  external_account_number: 'A-1',
  import_supplier_code: SANDBOX_SUPPLIER,
  operations_team_name: SANDBOX_TEAM,
};
console.log('dry run, would import:', (await client.accounts.dryRun(request)).wouldImport);

const imported = await client.accounts.process(request);
console.log('account number:', imported.service_account_number);

const { status } = await client.imports.status({
  import_supplier_code: SANDBOX_SUPPLIER,
  external_account_number: 'A-1',
});
console.log('status:', status);

await client.close();
await server.close();
