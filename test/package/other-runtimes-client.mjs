/** What other-runtimes.ts runs: the address of a sandbox and its token are its arguments. */
import { DataImportClient } from '../../dist/index.js';

const [url, token] = process.argv.slice(2);
const client = new DataImportClient({ baseUrl: url, token, advanced: { retryBaseMs: 10 } });
const import_supplier = 'SANDBOX_SUPPLIER';
const account = { import_supplier, external_account_number: 'A-1' };
const caught = (call) => call.then(() => ({ name: 'nothing' })).catch((error) => error);

const { data, attempts } = await client.accounts.stage(account).withResponse();
console.log(`lost: ${data.callOutcome} after ${attempts} attempts`);

const { callOutcome: outcome } = await client.accounts.process({
  import_supplier_code: import_supplier,
  external_account_number: 'A-1',
  operations_team_name: 'SANDBOX_TEAM',
});
console.log(`process: ${outcome}`);

const note = await client.notes.create({ ...account, notes: [{ body: 'Moved in.' }] }).withResponse();
console.log(`note: after ${note.attempts} attempts`);
console.log(
  `status: ${(await client.imports.status({ import_supplier_code: import_supplier, external_account_number: 'A-1' })).status}`,
);

const numbers = Array.from({ length: 200 }, (_, index) => `B-${index}`);
const staged = await Promise.all(
  numbers.map((external_account_number) => client.accounts.stage({ import_supplier, external_account_number })),
);
console.log(`at once: ${staged.length}`);

const refused = await caught(client.accounts.stage({ ...account, customers: [{ landline: 'x' }] }));
console.log(`refused: ${refused.at('customers.0.landline')[0].code}`);

const controller = new AbortController();
const aborted = caught(client.imports.all(import_supplier, { signal: controller.signal }));
controller.abort();
console.log(`aborted: ${(await aborted).name}`);

const unreachable = new DataImportClient({ baseUrl: 'http://127.0.0.1:1', token, maxRetries: 0 });
const closed = await caught(unreachable.imports.all(import_supplier));
console.log(`closed: ${closed.name}, sent ${closed.sent}`);

await Promise.all([client.close(), unreachable.close()]);
