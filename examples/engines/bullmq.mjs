// @ts-check
/**
 * Imports JSON Lines with BullMQ (Redis): each record is a job, and `migrateRecord` makes its calls. Start it again after a crash:
 * `npm install bullmq ioredis`, then `npx data-import-sdk certify -- node bullmq.mjs`.
 */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { DelayedError, Queue, UnrecoverableError, Worker } from 'bullmq';
import { DataImportClient } from 'data-import-sdk';
import { migrateRecord, openSqliteLedger } from 'data-import-sdk/migration';

const { REDIS_PORT = '6379', ...env } = process.env;
const [input = '', folder = '.', team = ''] = [
  env['DATA_IMPORT_INPUT'],
  env['DATA_IMPORT_RUN'],
  env['DATA_IMPORT_TEAM'],
];
const client = new DataImportClient({
  baseUrl: env['DATA_IMPORT_BASE_URL'] ?? '',
  token: env['DATA_IMPORT_TOKEN'] ?? '',
  timeoutMs: 1000 * Number(env['DATA_IMPORT_TIMEOUT'] ?? 60),
  advanced: { inFlightGraceMs: 1000 * Number(env['DATA_IMPORT_IN_FLIGHT_GRACE'] ?? 60) },
});
// For consumers on several machines: postgresLedger({ connectionString, shared: true }).
const ledger = await openSqliteLedger(`${folder}/ledger.sqlite`);

/** By digest: a line that was corrected is another job. @type {Map<string, import('data-import-sdk/migration').ImportRecord>} */
const records = new Map();
for (const line of readFileSync(input, 'utf8').trim().split('\n')) {
  records.set(createHash('sha256').update(line).digest('hex'), JSON.parse(line));
}

const connection = { host: '127.0.0.1', port: Number(REDIS_PORT) };
const name = folder.replaceAll(/\W/g, '-');
const queue = new Queue(name, { connection });

// An account waits for its business, if the ledger has the business.
for (const record of records.values()) if ('business' in record) await migrateRecord(record, { client, ledger, team });

// Redis stores a job, so it has no personal data. A job that Redis has already is not added a second time.
const opts = { removeOnComplete: true, attempts: 5, backoff: { type: 'exponential', delay: 1000 } };
await queue.addBulk([...records.keys()].map((id) => ({ name, data: { id }, opts: { ...opts, jobId: id } })));
// What a person has corrected meanwhile.
await queue.retryJobs({ state: 'failed' });

let isStopping = false;
const worker = new Worker(
  name,
  async (job, token) => {
    const record = records.get(job.data.id);
    // The line was corrected or removed.
    if (record === undefined) return;
    const migrated = await migrateRecord(record, { client, ledger, team });
    if (migrated.state === 'complete') return;
    if (migrated.state === 'waiting') {
      await job.moveToDelayed(Date.now() + migrated.retryAfterMs, token);
      throw new DelayedError();
    }
    // A wrong token or team concerns all records.
    if (migrated.reason === 'notAccepted') isStopping = true;
    throw new UnrecoverableError(migrated.problem);
  },
  // After a kill other consumers get its jobs after `lockDuration`. A job may then run twice; `migrateRecord` is made for that.
  { connection, concurrency: 8, lockDuration: 5000, stalledInterval: 1000, maxStalledCount: 1000 },
);
worker.on('error', (error) => console.error(error.message));

const unfinished = () => queue.getJobCountByTypes('active', 'delayed', 'wait');
while (!isStopping && (await unfinished()) > 0) await pause(200);
await worker.close();
const failed = await queue.getFailed();
for (const { failedReason } of failed) console.log(failedReason);
process.exitCode = failed.length === 0 && (await unfinished()) === 0 ? 0 : 1;
await queue.close();
await ledger.close();
await client.close();
