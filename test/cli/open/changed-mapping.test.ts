/** A mapping that changes between two sessions of one run (issue 19, also try). */
import { writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { ended, openFolder, openImportService, run } from '../typed.js';

const { at } = openFolder();

/** Mapping modules are cached by their path, so each needs a different path. */
let modules = 0;
function mapping(number: string, more = ''): string {
  const path = at(`map-${++modules}.mjs`);
  const account = `{ import_supplier: 'NORTH', external_account_number: ${number}${more} }`;
  writeFileSync(path, `export default (row) => ({ account: ${account} });\n`);
  return path;
}

function csv(name: string, ...numbers: string[]): string {
  writeFileSync(at(name), ['Number,Name', ...numbers.map((number) => `${number},Person ${number}`)].join('\n'));
  return at(name);
}

test('a mapping that gives the same rows other account numbers ends with code 2, before anything is sent', async () => {
  const service = await openImportService();
  const file = csv('numbers.csv', 'A-1', 'A-2', 'A-3');
  const folder = ['--run', at('numbers')];
  expect((await run('run', file, '--map', mapping('row.Number'), ...folder)).code).toBe(0);
  const sent = service.requests.length;

  const second = await run('run', file, '--map', mapping("'LEG-' + row.Number"), ...folder);
  expect(second.code).toBe(2);
  expect(second.err).toBe(
    `data-import-sdk: ${file}:2: the ledger of the run in ${at('numbers')} has this row as account A-1 of NORTH, and the mapping now makes account LEG-A-1 of NORTH of it, which would be created a second time. Put the former mapping back, or give another folder with --run <folder> if the row shall be imported under both numbers.\n`,
  );
  expect(service.requests.slice(sent).filter((request) => request.startsWith('POST'))).toEqual([]);
  expect([...service.accounts.keys()]).toEqual(['NORTH/A-1', 'NORTH/A-2', 'NORTH/A-3']);

  expect((await run('run', file, '--map', mapping('row.Number'), ...folder)).code).toBe(0);
  expect(service.accounts.size).toBe(3);
});

test('it is found if only a row in the middle gets another number, and if the first session was stopped early', async () => {
  const service = await openImportService();
  const numbers = Array.from({ length: 30 }, (_, index) => `A-${index + 1}`);
  const file = csv('middle.csv', ...numbers);
  const folder = ['--run', at('middle')];
  expect((await run('run', file, '--map', mapping('row.Number'), '--canary', '20', ...folder)).code).toBe(7);
  const changed = mapping("row.Number === 'A-20' ? 'LEG-A-20' : row.Number");
  const second = await run('run', file, '--map', changed, '--canary', '0', ...folder);
  expect(second.code).toBe(2);
  expect(second.err).toContain(`${file}:21: `);
  expect(service.accounts.size).toBe(20);
});

test('a canary reads fewer rows than the session before: the records of the others are given as before', async () => {
  const service = await openImportService();
  const file = csv('fewer.csv', 'A-1', 'A-2', 'A-3');
  const map = mapping('row.Number');
  const folder = ['--run', at('fewer')];
  expect((await run('run', file, '--map', map, ...folder)).code).toBe(0);
  const canary = await run('run', file, '--map', map, '--canary', '1', ...folder);
  expect(canary).toMatchObject(ended(7, '3 created + '));
  expect(canary.out).toMatch(/^Next: data-import-sdk run --canary 0 /m);
  expect(service.accounts.size).toBe(3);
});

test('a row that never became an account may get another number: the mapping was the mistake', async () => {
  const service = await openImportService();
  const file = csv('rejected.csv', 'A-1', 'A-2');
  const folder = ['--run', at('rejected')];
  const wrong = mapping("row.Number === 'A-2' ? '.' : row.Number");
  expect((await run('run', file, '--map', wrong, ...folder)).code).toBe(3);
  await run('run', file, '--map', mapping('row.Number'), ...folder);
  expect([...service.accounts.keys()]).toEqual(['NORTH/A-1', 'NORTH/A-2']);
});

test('a corrected file is another content: a corrected number is a new account there', { tags: 'long' }, async () => {
  const service = await openImportService();
  const map = mapping('row.Number');
  const folder = ['--run', at('corrected')];
  await run('run', csv('corrected.csv', 'A-1', 'A-2', 'A-3'), '--map', map, ...folder);
  // The first row is gone, so that each further one moves up by a line.
  const file = csv('corrected.csv', 'A-2', 'A-3', 'A-4');
  for (let session = 0; session < 3; session++) {
    expect((await run('run', file, '--map', map, ...folder)).err).not.toContain('has this row as');
  }
  expect(service.accounts.size).toBe(4);
  // What was first written under the new content is compared with it.
  expect((await run('run', file, '--map', mapping("'LEG-' + row.Number"), ...folder)).code).toBe(2);
});

test('rows of several records may be continued after a session that took only some of them', async () => {
  const service = await openImportService();
  const file = csv('several.csv', 'A-1', 'A-2');
  const path = at('several.mjs');
  writeFileSync(
    path,
    "const one = (number) => ({ account: { import_supplier: 'NORTH', external_account_number: number } });\nexport default (row) => [one(row.Number), one(row.Number + '-GAS')];\n",
  );
  const folder = ['--run', at('several')];
  await run('run', file, '--map', path, '--canary', '3', ...folder);
  expect(service.accounts.size).toBe(3);
  expect((await run('run', file, '--map', path, '--canary', '0', ...folder)).code).toBe(0);
  expect(service.accounts.size).toBe(4);
});

test('a mapping that writes another field of created accounts ends with code 3, and sends none of them again', async () => {
  const service = await openImportService();
  const file = csv('fields.csv', 'A-1', 'A-2');
  const folder = ['--run', at('fields')];
  await run('run', file, '--map', mapping('row.Number'), ...folder);
  const sent = service.requests.length;
  const second = await run('run', file, '--map', mapping('row.Number', ", sales_channel: 'WEB'"), ...folder);
  expect(second.code).toBe(3);
  expect(second.out).toContain('2 lines differ from what exists');
  expect(service.requests.slice(sent).filter((request) => request.startsWith('POST'))).toEqual([]);
});
