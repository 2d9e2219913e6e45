/** Task: rehearse the night of the migration with everything that can go wrong, and prove afterwards what is there. */
import { createMemoryLedger, inputFromRecords, runMigration, sampleRecords } from 'data-import-sdk/migration';
import { SANDBOX_SUPPLIER, SANDBOX_TEAM } from 'data-import-sdk/sandbox';
import { newFolder } from './run-folder.js';
import { startSandbox } from './sandbox-client.js';

// A service that takes few at once, now and then fails, and now and then does its work and loses the answer.
const { sandbox, client, stop } = await startSandbox(
  // This sandbox answers at once: a request without an answer does not run for as long as on the real service.
  { maxRetries: 6, timeoutMs: 3000, inFlightGraceMs: 500 },
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

// Both ways: what the ledger calls created is there under that number, and what is there is in the ledger. On the
// command line: data-import verify
const platform = new Map<string, string | null>();
for await (const entry of client.imports.streamAll(SANDBOX_SUPPLIER)) {
  if (entry.service_account_number !== null) platform.set(entry.external_account_number, entry.service_account_number);
}
let agree = 0;
for await (const { number, serviceNumber } of ledger.list({ kind: 'account' })) {
  if (serviceNumber === null) continue;
  if (platform.get(number) === serviceNumber) agree++;
  else console.log('differs:', number);
  platform.delete(number);
}
console.log(`${agree} accounts agree; on the platform and not in the ledger: ${platform.size}`);

// Only a rehearsal can show this: how often the service really did it.
const created = sandbox.requests().filter(({ change }) => change === 'staged → imported');
console.log(
  `created ${created.length} accounts, ${new Set(created.map(({ account }) => account)).size} different ones`,
);
const met = sandbox.faults.list().reduce((sum, { fired }) => sum + fired, 0);
console.log(met > 20 ? 'more than twenty failures on the way' : `only ${met} failures on the way`);
await folder.remove();
await stop();
