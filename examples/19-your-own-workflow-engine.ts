/** Task: migrate records from activities of a workflow engine such as Temporal; DBOS, Restate and queues work alike. */
import { type ImportRecord, type Ledger, migrateRecord, openSqliteLedger } from 'data-import-sdk/migration';
import { SANDBOX_SUPPLIER, SANDBOX_TEAM } from 'data-import-sdk/sandbox';
import { newFolder } from './run-folder.js';
import { startSandbox } from './sandbox-client.js';

// Stand-ins of the shape of `@temporalio/common` (in the activity) and `@temporalio/workflow` (in the workflow).
const ApplicationFailure = {
  nonRetryable: (message: string, type: string) => Object.assign(new Error(message), { type }),
};
const sleep = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));
const proxyActivities = <Activities>(activities: Activities) => activities;

const { client, stop } = await startSandbox();
const folder = await newFolder();
// With workers in several processes: postgresLedger({ connectionString, shared: true }), opened once in each of them.
const ledger: Ledger = await openSqliteLedger(`${folder.path}/ledger.sqlite`);

/** The activity. The engine may store its result, so the result contains no payload. */
async function migrateActivity(record: ImportRecord) {
  const migrated = await migrateRecord(record, { client, ledger, team: SANDBOX_TEAM });
  if (migrated.state === 'ended') return { end: migrated.record.outcome, number: migrated.record.serviceNumber };
  const { reason, retryAfterMs, failure } = migrated;
  // A retry does not help: the token, the team or a business failed. A person must correct the cause.
  if (retryAfterMs === undefined) {
    throw ApplicationFailure.nonRetryable(`${reason}: ${failure?.of ?? 'it waits for other records'}`, reason);
  }
  return { retryAfterMs };
}

/** The workflow of one record. Its timers survive a crash of all workers. */
async function migrateWorkflow(record: ImportRecord) {
  const { migrate } = proxyActivities({ migrate: migrateActivity });
  for (;;) {
    const result = await migrate(record);
    if (!('retryAfterMs' in result)) return result;
    await sleep(result.retryAfterMs);
  }
}

const record = {
  account: { import_supplier: SANDBOX_SUPPLIER, external_account_number: 'A-1' },
  notes: [{ body: 'Prefers letters.' }],
};
const { end, number } = await migrateWorkflow(record);
console.log(`A-1: ${end}, ${typeof number}`);

// A retry by the engine, or a second start of the workflow, sends nothing.
const again = await migrateWorkflow(record);
console.log(again.number === number ? 'created once' : 'created twice');

await ledger.close();
await folder.remove();
await stop();
