// @ts-check
/**
 * Imports JSON Lines with DBOS (PostgreSQL): each record is a durable workflow, and `migrateRecord` makes its calls. Start it again after a
 * crash, on this machine or another one: `npm install @dbos-inc/dbos-sdk pg`, then `node dbos.mjs`.
 */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { DBOS } from '@dbos-inc/dbos-sdk';
import { DataImportClient } from 'data-import-sdk';
import { migrateRecord, postgresLedger } from 'data-import-sdk/migration';

const env = process.env;
const [input = '', database = '', team = ''] = [
  env['DATA_IMPORT_INPUT'],
  env['DATA_IMPORT_DATABASE'],
  env['DATA_IMPORT_TEAM'],
];
// One for each migration.
const schema = env['DATA_IMPORT_DATABASE_SCHEMA'] ?? 'data_import';
const client = new DataImportClient({
  baseUrl: env['DATA_IMPORT_BASE_URL'] ?? '',
  token: env['DATA_IMPORT_TOKEN'] ?? '',
  timeoutMs: 1000 * Number(env['DATA_IMPORT_TIMEOUT'] ?? 60),
  advanced: { inFlightGraceMs: 1000 * Number(env['DATA_IMPORT_IN_FLIGHT_GRACE'] ?? 60) },
});
const ledger = await postgresLedger({ connectionString: database, schema, shared: true });

/** By digest: a line that was corrected is another workflow. @type {Map<string, import('data-import-sdk/migration').ImportRecord>} */
const records = new Map();
for (const line of readFileSync(input, 'utf8').trim().split('\n')) {
  records.set(createHash('sha256').update(line).digest('hex'), JSON.parse(line));
}

/** DBOS stores the result, so it has no personal data. @param {string} id */
async function migrateOnce(id) {
  const record = records.get(id);
  if (record === undefined) return { problem: 'The line was corrected or removed.' };
  const migrated = await migrateRecord(record, { client, ledger, team });
  if (migrated.state === 'complete') return {};
  if (migrated.state === 'waiting') return { retryAfterMs: migrated.retryAfterMs };
  const { problem, reason } = migrated;
  if (reason !== 'notAccepted') return { problem };
  // A wrong token or team concerns all records: their workflows continue at the next start.
  console.log(problem);
  process.exit(1);
}

// Its waits survive a crash. If the ledger cannot be used, DBOS repeats the step.
const retries = { retriesAllowed: true, maxAttempts: 10 };
const migrate = DBOS.registerWorkflow(
  async (/** @type {string} */ id) => {
    for (;;) {
      const { problem, retryAfterMs } = await DBOS.runStep(() => migrateOnce(id), {
        name: 'migrateRecord',
        ...retries,
      });
      if (problem !== undefined) throw new Error(problem);
      if (retryAfterMs === undefined) return;
      await DBOS.sleep(retryAfterMs);
    }
  },
  { name: 'migrate' },
);

DBOS.setConfig({
  name: 'data-import',
  // A corrected program continues the workflows of the former one.
  applicationVersion: '1',
  systemDatabaseUrl: database,
  systemDatabaseSchemaName: `${schema}_dbos`,
  logLevel: 'error',
});
await DBOS.launch();
await DBOS.registerQueue('records', { workerConcurrency: 8, minPollingIntervalMs: 100 });

// An account waits for its business, if the ledger has the business.
for (const record of records.values()) if ('business' in record) await migrateRecord(record, { client, ledger, team });

// What a person has corrected meanwhile.
const failed = await DBOS.listWorkflows({ status: 'ERROR' });
await DBOS.deleteWorkflows(failed.map(({ workflowID }) => workflowID));
const handles = [];
for (const id of records.keys()) {
  // A workflow that exists is not started a second time.
  handles.push(await DBOS.startWorkflow(migrate, { workflowID: id, queueName: 'records' })(id));
}
let left = 0;
for (const handle of handles) {
  await handle.getResult().catch((/** @type {Error} */ { message }) => {
    left++;
    console.log(message);
  });
}
process.exitCode = left === 0 ? 0 : 1;
await DBOS.shutdown();
await ledger.close();
await client.close();
