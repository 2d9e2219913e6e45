/** Task: the service rejects one transaction. Set it aside, add the others, correct it, and send only the corrected one. */
import { inputFromRecords, openInput, runMigration } from 'data-import-sdk/migration';
import { SANDBOX_SUPPLIER, SANDBOX_TEAM } from 'data-import-sdk/sandbox';
import { newFolder } from './run-folder.js';
import { startSandbox } from './sandbox-client.js';

const { sandbox, client, stop } = await startSandbox();
const folder = await newFolder();

const charge = (id: string, amount: number) =>
  ({ type: 'CHARGE', transaction_id: id, transaction_date: '2026-01-10', amount }) as const;
const record = {
  account: { import_supplier: SANDBOX_SUPPLIER, external_account_number: 'A-1' },
  transactions: [charge('T-1', 24.5), charge('T-2', -3), charge('T-3', 12)],
};

// This service rejects the batch because of T-2, and names the failing transaction as the API specification shows.
const body = {
  status: 'TRANSACTION_IMPORT_ERROR',
  error_detail: 'Refused.',
  transaction_data: { transaction_id: 'T-2' },
};
sandbox.faults.add({ match: { operation: 'transactions.create' }, effect: { status: 400, body }, times: 1 });
const onService = () =>
  sandbox.state.suppliers[0]?.accounts[0]?.imported?.transactions.map(
    ({ sent }) => `${sent.transaction_id} ${sent.amount}`,
  );

// Without `setAside` none of the three would be added. On the command line: --set-aside.
const run = { client, folder: folder.path, team: SANDBOX_TEAM };
const { summary } = await runMigration({ ...run, input: inputFromRecords([record]), setAside: true });
console.log(`${summary.balance.text}; incomplete: ${summary.incomplete}`);
console.log('on the service:', onService());

// incomplete.jsonl lists the rejected items and the original line. The mistake is the amount of T-2.
interface Entry {
  errors: { code: string; attr: string }[];
  original: string;
}
const entries = await folder.entries<Entry>('incomplete.jsonl');
console.log(
  'set aside:',
  entries[0]?.errors.map(({ attr, code }) => `${attr} ${code}`),
);
const corrected = entries.map((entry) => ({ ...entry, original: entry.original.replace('"amount":-3', '"amount":3') }));

// The same run with the corrected lines: for an account that exists, only the rejected items are sent.
const input = await openInput([await folder.write('corrected.jsonl', corrected)]);
const again = await runMigration({ ...run, input, retry: true });
console.log(`${again.summary.balance.text}; incomplete: ${again.summary.incomplete}`);
console.log('on the service:', onService());
await folder.remove();
await stop();
