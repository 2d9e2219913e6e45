/** A mapping or a query that gives other records for the same files: the run names that as the cause, and sends nothing. */
import { mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import { expect, test, vi } from 'vitest';
import { ended, openFolder, openImportService, refused, run } from '../typed.js';

const { at } = openFolder();

/** Gives a file another time, so that the next session reads it again. */
const touch = (path: string) => utimesSync(path, 0, 0);

async function openService() {
  const service = await openImportService();
  return { posted: () => service.requests.filter((request) => request.startsWith('POST')).length };
}

/** `what`: the body of the note of each account. */
function mapping(name: string, what: string, before = ''): string[] {
  mkdirSync(at(name));
  writeFileSync(at(`${name}/a.csv`), 'Number\nA-1\nA-2\n');
  writeFileSync(
    at(`${name}/map.mjs`),
    `${before}export default (row) => ({ account: { import_supplier: 'NORTH', external_account_number: row.Number }, notes: [{ body: ${what} }] });\n`,
  );
  return ['run', at(`${name}/a.csv`), '--map', at(`${name}/map.mjs`), '--run', at(`${name}/run`)];
}

const message = (name: string, line: number, part: string) =>
  `data-import-sdk: ${at(name)}/a.csv:${line}: the mapping no longer gives account A-${line - 1} of NORTH as in the last session (${part}), although file and mapping are the same: it uses the date, a random number, or a file or service that has changed. Make the mapping give the same each time, or accept other records with --changed-sources (changedSources of runMigration).\n`;

test('a mapping that uses the time', async () => {
  const { posted } = await openService();
  const command = mapping('time', 'new Date().toISOString() + Math.random()');
  expect((await run(...command)).code).toBe(0);
  const before = posted();
  // A file that was not touched is not read again.
  expect((await run(...command)).code).toBe(0);
  touch(at('time/a.csv'));
  expect(await run(...command)).toMatchObject({ code: 2, err: message('time', 2, 'notes') });
  expect((await run(...command, '--add-to-existing')).code).toBe(2);
  expect(posted()).toBe(before);
});

test('a mapping that uses the date, for one row and a field of the account, in a module that it imports', async () => {
  const { posted } = await openService();
  const command = mapping('imported', "'x'", "import { channel } from './channel.mjs';\n");
  writeFileSync(
    at('imported/channel.mjs'),
    "export const channel = (row) => (row.Number === 'A-2' ? process.env.DAY : 'WEB');\n",
  );
  const text =
    "import { channel } from './channel.mjs';\nexport default (row) => ({ account: { import_supplier: 'NORTH', external_account_number: row.Number, sales_channel: channel(row) } });\n";
  writeFileSync(at('imported/map.mjs'), text);
  vi.stubEnv('DAY', 'MON');
  expect((await run(...command)).code).toBe(0);
  expect((await run(...command)).code).toBe(0);
  const before = posted();
  vi.stubEnv('DAY', 'TUE');
  touch(at('imported/a.csv'));
  expect(await run(...command)).toMatchObject({ code: 2, err: message('imported', 3, 'account') });
  expect(posted()).toBe(before);
});

test('a mapping that gives random account numbers', async () => {
  const { posted } = await openService();
  const command = mapping('numbers', "'x'");
  writeFileSync(
    at('numbers/map.mjs'),
    "export default (row) => ({ account: { import_supplier: 'NORTH', external_account_number: row.Number + Math.random() } });\n",
  );
  expect((await run(...command)).code).toBe(0);
  const before = posted();
  touch(at('numbers/a.csv'));
  expect(await run(...command, '--canary', '1')).toMatchObject(
    refused('a.csv:2: the mapping no longer gives account A-1'),
  );
  const again = await run(...command);
  expect(again.code).toBe(2);
  expect(again.err).toContain('of NORTH as in the last session, although file and mapping are the same');
  expect(posted()).toBe(before);
});

test('a module that it imports was changed: that is another mapping, and the difference is reported', async () => {
  await openService();
  const command = mapping('changed', "'x'");
  const text = (module: string) =>
    `import { channel } from './${module}.mjs';\nexport default (row) => ({ account: { import_supplier: 'NORTH', external_account_number: row.Number, sales_channel: channel } });\n`;
  // A module is run once in this process, so the second one has another path.
  for (const module of ['first', 'other']) {
    writeFileSync(at(`changed/${module}.mjs`), `export const channel = '${module}';\n`);
    writeFileSync(at(`changed/${module}-map.mjs`), text(module));
  }
  const [, file = '', , , ...others] = command;
  expect((await run('run', file, '--map', at('changed/first-map.mjs'), ...others)).code).toBe(0);
  const second = await run('run', file, '--map', at('changed/other-map.mjs'), ...others);
  expect(second.code).toBe(3);
  expect(second.out).toContain('2 lines differ from what exists');
});

test('a record that retry has corrected is not given again, and no cause to stop', async () => {
  await openService();
  const command = mapping('corrected', "'x'");
  writeFileSync(
    at('corrected/map.mjs'),
    "export default (row) => ({ account: { import_supplier: 'NORTH', external_account_number: row.Number, ...(row.Number === 'A-2' && { last_billed_to_date: '5 March' }) } });\n",
  );
  expect((await run(...command)).code).toBe(3);
  const original = { account: { import_supplier: 'NORTH', external_account_number: 'A-2' } };
  writeFileSync(at('corrected/a-2.jsonl'), `${JSON.stringify(original)}\n`);
  expect((await run('retry', at('corrected/a-2.jsonl'), '--run', at('corrected/run'))).code).toBe(0);
  touch(at('corrected/a.csv'));
  expect(await run(...command)).toMatchObject(ended(0, '2 created'));
});

test('a query over a new export may give other records for its rows', { tags: 'long' }, async () => {
  await openService();
  const file = (ending: string) => at(`other.${ending}`);
  const export_ = (...numbers: string[]) =>
    writeFileSync(file('csv'), ['numero,x', ...numbers.map((one) => `${one},${one}`)].join('\n'));
  writeFileSync(
    file('sql'),
    "-- source q: other.csv\nSELECT { import_supplier: 'NORTH', external_account_number: numero, sales_channel: x } AS account FROM q",
  );
  const command = ['run', file('sql'), '--run', file('run')];
  export_('A-1', 'A-2');
  expect((await run(...command)).code).toBe(0);
  export_('A-0', 'A-2');
  expect(await run(...command)).toMatchObject(ended(3, 'no longer in the input'));
});

test('other records are accepted with --changed-sources, once', async () => {
  await openService();
  const command = mapping('accepted', 'process.env.DAY');
  vi.stubEnv('DAY', 'MON');
  expect((await run(...command)).code).toBe(0);
  vi.stubEnv('DAY', 'TUE');
  const accepted = await run(...command, '--changed-sources');
  expect(accepted.code).toBe(3);
  expect(accepted.out).toContain('2 lines differ from what exists');
  // Records of Monday are not compared again.
  expect((await run(...command)).code).toBe(3);
});

test.each([['random()'], ['now()']])('a query that uses %s', { tags: 'long' }, async (expression) => {
  const { posted } = await openService();
  const file = (ending: string) => at(`${expression}.${ending}`);
  // The row without a number is reported in each session, so that each reads the sources.
  writeFileSync(file('csv'), 'numero,x\nA-1,1\nA-2,2\n,3\n');
  writeFileSync(
    file('sql'),
    `-- source q: ${expression}.csv\nSELECT { import_supplier: 'NORTH', external_account_number: numero, sales_channel: ${expression}::VARCHAR } AS account FROM q`,
  );
  const command = ['run', file('sql'), '--run', file('run')];
  expect((await run(...command)).code).toBe(3);
  const before = posted();
  const again = await run(...command);
  expect(again.code).toBe(2);
  expect(again.err).toBe(
    `data-import-sdk: ${file('sql')}: the query no longer gives account A-1 of NORTH as in the last session (account), although query and sources are the same: it uses the date, a random number, or a list without an order. Make the query give the same each time, or accept other records with --changed-sources (changedSources of runMigration).\n`,
  );
  expect(posted()).toBe(before);
  expect((await run(...command, '--changed-sources')).code).toBe(3);
});
