/** Task: import the customers of several suppliers. Each has its own run, so a paused supplier does not stop the others. */
import { inputFromRecords, runMigration, sampleRecords } from 'data-import-sdk/migration';
import { newFolder } from './run-folder.js';
import { startSandbox } from './sandbox-client.js';

// The operator has not opened SOUTH yet.
const suppliers = [{ code: 'NORTH' }, { code: 'EAST' }, { code: 'SOUTH', status: 'Paused' as const }];
const { sandbox, client, stop } = await startSandbox({}, { suppliers, teams: ['MOVES'] });
const folder = await newFolder();

/** Each run has its own folder with ledger and report, and its own throttle. Account numbers may occur in several runs. */
async function move(supplier: string) {
  const input = inputFromRecords(
    [...sampleRecords({ accounts: 25, mistakes: 0, supplier })].map(({ line }) => JSON.parse(line)),
  );
  const migration = { client, input, folder: folder.at(supplier), team: 'MOVES' };
  const { state, notAccepted, summary } = await runMigration(migration);
  const why = notAccepted === undefined ? '' : ` (not accepted: the ${notAccepted})`;
  return `${supplier}: ${state}${why}; ${summary.balance.text}`;
}

// The runs share the client: its concurrency limit and its pauses after a 429 apply to all of them.
for (const line of await Promise.all([move('NORTH'), move('EAST')])) console.log(line);

// The run of a Paused supplier halts. When the operator has opened the supplier, the same call resumes it.
console.log(await move('SOUTH'));
sandbox.setSupplierStatus('SOUTH', 'Ongoing');
console.log(await move('SOUTH'));

await folder.remove();
await stop();
