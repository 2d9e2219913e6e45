/** Task: move the customers of several suppliers. One run each, side by side: what holds up one holds up no other. */
import { inputFromRecords, runMigration, sampleRecords } from 'data-import-sdk/migration';
import { newFolder } from './run-folder.js';
import { startSandbox } from './sandbox-client.js';

// The operator has not opened SOUTH yet.
const suppliers = [{ code: 'NORTH' }, { code: 'EAST' }, { code: 'SOUTH', status: 'Paused' as const }];
const { sandbox, client, stop } = await startSandbox({}, { suppliers, teams: ['MOVES'] });
const folder = await newFolder();

/** A folder for each, and so a ledger, a throttle and a report for each. The same numbers may come in all of them. */
async function move(supplier: string) {
  const input = inputFromRecords(
    [...sampleRecords({ accounts: 25, mistakes: 0, supplier })].map(({ line }) => JSON.parse(line)),
  );
  const migration = { client, input, folder: folder.at(supplier), team: 'MOVES' };
  const { state, notAccepted, summary } = await runMigration(migration);
  const why = notAccepted === undefined ? '' : ` (not accepted: the ${notAccepted})`;
  return `${supplier}: ${state}${why}; ${summary.balance.text}`;
}

// They share the client: its limit of requests at once, and the pauses after a 429, hold for all of them together.
for (const line of await Promise.all([move('NORTH'), move('EAST')])) console.log(line);

// One that is Paused ends soon and without harm. When the operator has opened it, the same call goes on.
console.log(await move('SOUTH'));
sandbox.setSupplierStatus('SOUTH', 'Ongoing');
console.log(await move('SOUTH'));

await folder.remove();
await stop();
