/** Task: rehearse the migration with failures, and compare the ledger with the service afterwards. */
import { createMemoryLedger, inputFromRecords, runMigration, sampleRecords } from 'data-import-sdk/migration';
import { SANDBOX_SUPPLIER, SANDBOX_TEAM } from 'data-import-sdk/sandbox';
import { newFolder } from './run-folder.js';
import { startSandbox } from './sandbox-client.js';

// This service processes 4 accounts at the same time, fails in 5 % of the calls, and loses 10 % of some answers.
const { sandbox, client, stop } = await startSandbox(
  // This sandbox answers immediately, so the quiet time after a lost answer can be short.
  { maxRetries: 6, timeoutMs: 3000, advanced: { inFlightGraceMs: 500 } },
  {
    settings: { processConcurrency: 4 },
    faults: [
      { when: { probability: 0.05 }, effect: { status: 503 } },
      { match: { operation: 'accounts.process' }, when: { probability: 0.1 }, effect: 'drop', phase: 'afterCommit' },
      { match: { operation: 'notes.create' }, when: { probability: 0.1 }, effect: 'malformed', phase: 'afterCommit' },
    ],
  },
);
const folder = await newFolder();
const input = inputFromRecords([...sampleRecords({ accounts: 100 })].map(({ line }) => JSON.parse(line)));
const ledger = createMemoryLedger();
const { summary } = await runMigration({ client, input, folder: folder.path, team: SANDBOX_TEAM, ledger });
console.log(summary.balance.text);
for (const { step, count, howToResolve } of summary.unknowns)
  console.log(`${count} unknown at ${step}: ${howToResolve}`);

// Compares in both directions: each created account has the same number on the service, and each account on the
// service is in the ledger. On the command line: data-import-sdk verify
const onService = new Map<string, string>();
for await (const entry of client.imports.streamAll(SANDBOX_SUPPLIER)) {
  if (entry.service_account_number) onService.set(entry.external_account_number, entry.service_account_number);
}
let agree = 0;
for await (const { number, serviceNumber } of ledger.list({ kind: 'account' })) {
  if (serviceNumber === null) continue;
  if (onService.get(number) === serviceNumber) agree++;
  else console.log('differs:', number);
  onService.delete(number);
}
console.log(`${agree} accounts agree; on the service and not in the ledger: ${onService.size}`);

// Only a rehearsal can show how many accounts the service created.
const created = sandbox.requests().filter(({ change }) => change === 'staged → imported');
console.log(
  `created ${created.length} accounts, ${new Set(created.map(({ account }) => account)).size} different ones`,
);
const met = sandbox.faults.list().reduce((sum, { fired }) => sum + fired, 0);
console.log(met > 20 ? 'more than twenty failures' : `only ${met} failures`);
await folder.remove();
await stop();
