/** Task: import the CSV export of a legacy system and read the report. */
import { readdir } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { loadMap, openInput, runMigration } from 'data-import-sdk/migration';
import { SANDBOX_TEAM } from 'data-import-sdk/sandbox';
import { newFolder } from './run-folder.js';
import { startSandbox } from './sandbox-client.js';

const { client, stop } = await startSandbox();
const folder = await newFolder();
const pathTo = (name: string) => fileURLToPath(new URL(`legacy/${name}`, import.meta.url));

// The mapping module is a function of a row. The package handles the rest of CSV: quotes, delimiter, gzip.
const input = await openInput([pathTo('accounts.csv')], { map: await loadMap(pathTo('map.mjs')) });
const { summary } = await runMigration({ client, input, folder: folder.path, team: SANDBOX_TEAM });

// Each row counts in exactly one of these numbers.
console.log(summary.balance.text);
for (const { step, code, attr, count, remedy } of summary.errors) {
  console.log(`${count} at ${step}: ${code} at ${attr}\n  ${remedy}`);
}

// rejected.jsonl holds the records that the mapping returned: correct them there, then run `data-import-sdk retry rejected.jsonl`.
for (const { line, number } of await folder.entries<{ line: number; number: string }>('rejected.jsonl')) {
  console.log(`line ${line} of accounts.csv, account ${number}, is in rejected.jsonl`);
}
const left = await readdir(folder.path);
console.log('for people:', left.filter((name) => /\.(html|csv|jsonl)$/.test(name)).sort());

await folder.remove();
await stop();
