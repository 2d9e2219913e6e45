/** Your own migration script: 32 accounts at a time, and one line of output for each account that fails. */
import { isDataImportError } from 'data-import-sdk';
import { type ImportRecord, sampleRecords } from 'data-import-sdk/migration';
import { SANDBOX_SUPPLIER, SANDBOX_TEAM } from 'data-import-sdk/sandbox';
import pLimit from 'p-limit';
import { startSandbox } from './sandbox-client.js';

const { client, stop } = await startSandbox({ concurrency: 16 });
const records = [...sampleRecords({ accounts: 50, mistakes: 0.12 })].map(
  ({ line }) => JSON.parse(line) as ImportRecord,
);
for (const record of records) if ('business' in record) await client.businesses.create(record.business);

// The client queues requests beyond `concurrency`; this limit bounds how many accounts are in memory.
const atOnce = pLimit(32);
const accounts = records.flatMap((record) => ('account' in record ? [record.account] : []));
let imported = 0;
let failed = 0;
await atOnce.map(accounts, async (account) => {
  try {
    await client.accounts.stage(account);
    await client.accounts.process({
      external_account_number: account.external_account_number,
      import_supplier_code: SANDBOX_SUPPLIER,
      operations_team_name: SANDBOX_TEAM,
    });
    imported++;
  } catch (error) {
    if (!isDataImportError(error)) throw error;
    failed++;
    // The message contains codes and paths, never values of the payload, so it can be logged.
    console.log(account.external_account_number, error.message);
  }
});
console.log(`${imported} imported, ${failed} failed`);
await stop();
