/** Task: dry-run accounts before you create them. The service answers a successful dry run with 400; the client recognises it. */
import { InvalidPayloadError, ValidationError } from 'data-import-sdk';
import { inputFromRecords, runMigration } from 'data-import-sdk/migration';
import { SANDBOX_SUPPLIER, SANDBOX_TEAM } from 'data-import-sdk/sandbox';
import { newFolder } from './run-folder.js';
import { startSandbox } from './sandbox-client.js';

const { sandbox, client, stop } = await startSandbox();
const account = { external_account_number: 'A-1', import_supplier: SANDBOX_SUPPLIER };
const key = { external_account_number: 'A-1', import_supplier_code: SANDBOX_SUPPLIER };
const request = { ...key, operations_team_name: SANDBOX_TEAM };

// A dry run uses the staged account: stage first.
await client.accounts.stage(account);
console.log('dry run, would import:', (await client.accounts.dryRun(request)).wouldImport);
console.log(
  'and then:',
  (await client.imports.status({ import_supplier_code: SANDBOX_SUPPLIER, external_account_number: 'A-1' })).status,
);

// If processing would fail, dryRun rejects with the same error.
try {
  await client.accounts.dryRun({ ...key, operations_team_name: 'NO-SUCH-TEAM' });
} catch (error) {
  if (!(error instanceof ValidationError)) throw error;
  console.log('dry run:', error.code, error.errors[0]?.attr);
}

// `process` never dry-runs and `dryRun` never creates: a `dry_run` field in the payload is rejected before it is sent.
const fromElsewhere = { ...request, dry_run: true as false };
try {
  await client.accounts.process(fromElsewhere);
} catch (error) {
  if (!(error instanceof InvalidPayloadError)) throw error;
  console.log('not sent:', error.code, error.errors[0]?.attr);
}

// `dryRun: 'all'` dry-runs every account, 20 every 20th. Each dry run counts against the limit on `process` calls.
const folder = await newFolder();
const input = inputFromRecords(
  ['A-1', 'A-2', 'A-3'].map((number) => ({ account: { ...account, external_account_number: number } })),
);
const { summary } = await runMigration({ client, input, folder: folder.path, team: SANDBOX_TEAM, dryRun: 'all' });
console.log(summary.balance.text);
const processed = sandbox.requests().filter(({ rule, account }) => rule === 'E6' && account === 'A-3');
console.log('A-3:', processed.map(({ status, change }) => `${status} ${change ?? 'nothing changed'}`).join(', then '));
await folder.remove();
await stop();
