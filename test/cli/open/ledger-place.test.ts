/** Where a run has its ledger: folder and --database must agree, and no server is needed to say so. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { expect, onTestFinished, test, vi } from 'vitest';
import { account, openFolder, refusal, refused, run } from '../typed.js';

const { at, inputFile } = openFolder();
const ADDRESS = 'postgres://importer:not-to-be-seen@127.0.0.1:1/import';

/** As a run leaves a folder whose ledger is on a server. */
function folderOf(name: string, note: string): string {
  mkdirSync(at(name));
  writeFileSync(`${at(name)}/.gitignore`, '*\n');
  writeFileSync(`${at(name)}/ledger.json`, note);
  return at(name);
}

const NOTE = JSON.stringify({
  id: '8f0c1f1e-0000-4000-8000-000000000000',
  database: 'postgres://importer:***@db.example.com:5432/import',
  schema: 'east',
});

test.each(['run', 'retry'])('%s in a folder whose ledger is on a server begins no second one', async (command) => {
  const folder = folderOf(`noted-${command}`, NOTE);
  expect(await run(command, inputFile('b.jsonl', account('A-1')), '--sandbox', '--run', folder)).toEqual(
    refusal(
      `the ledger of the run in ${folder} is on PostgreSQL: schema east of postgres://importer:***@db.example.com:5432/import. Give --database (or DATA_IMPORT_DATABASE).`,
    ),
  );
});

test.each(['status', 'report', 'resolve'])('%s in such a folder says where the ledger is', async (command) => {
  const folder = folderOf(`noted-${command}`, NOTE);
  expect(await run(command, '--run', folder)).toMatchObject(
    refused('is on PostgreSQL: schema east of postgres://importer:***@db.example.com:5432/import'),
  );
});

test('plan in such a folder counts no unknown records as remaining', async () => {
  const folder = folderOf('noted-plan', NOTE);
  expect(await run('plan', inputFile('b.jsonl', account('A-1')), '--run', folder)).toMatchObject(
    refused('Give --database (or DATA_IMPORT_DATABASE).'),
  );
});

test('a changed note is reported as changed', async () => {
  const folder = folderOf('damaged', '{"id":7}');
  expect(await run('status', '--run', folder)).toMatchObject({
    code: 2,
    err: `data-import-sdk: ${folder}/ledger.json is damaged: it has the address of the ledger. Restore it, or delete it and give --database.\n`,
  });
});

test('a run with its ledger in its folder does not continue with another one on a server', async () => {
  const path = inputFile('b.jsonl', account('A-1'));
  expect(await run('run', path, '--sandbox', '--run', at('local'))).toMatchObject({ code: 0 });
  vi.stubEnv('DATA_IMPORT_DATABASE', ADDRESS);
  onTestFinished(() => void vi.unstubAllEnvs());
  for (const command of [['run', path, '--sandbox'], ['status'], ['report'], ['resolve'], ['verify', '--sandbox']]) {
    expect(await run(...command, '--run', at('local')), command[0]).toMatchObject({
      code: 2,
      err: `data-import-sdk: the ledger of the run in ${at('local')} is the file ledger.sqlite there. Leave out --database (and DATA_IMPORT_DATABASE), or name another folder with --run.\n`,
    });
  }
});

test.each([
  [
    'mysql://importer:not-to-be-seen@db.example.com/import',
    'ledger: the address is not a PostgreSQL address. Expected postgres://user@host:5432/database.',
  ],
  ['db.example.com', 'ledger: the address is not a PostgreSQL address. Expected postgres://user@host:5432/database.'],
  [
    'postgres://importer:12/not-to-be-seen@db.example.com/import',
    'ledger: in the address, an @ or # follows the host. Expected postgres://user@host:5432/database; encode special characters of user and password, such as / ? # @ as %2F %3F %23 %40.',
  ],
])('the address %s is refused, and the message quotes no part of it', async (address, message) => {
  expect(await run('status', '--run', at('none'), '--database', address)).toEqual(refusal(`${message}`));
});

test('a schema of a name that the server would read otherwise', async () => {
  expect(await run('status', '--run', at('none'), '--database', ADDRESS, '--database-schema', 'East 1')).toMatchObject({
    code: 2,
    err: 'data-import-sdk: ledger: the schema cannot have this name. Expected lower-case letters, digits and _, such as data_import.\n',
  });
});

test('an unreachable server: cause, place and remedy, and the password in no file and on no screen', async () => {
  const path = inputFile('b.jsonl', account('A-1'));
  expect(await run('run', path, '--sandbox', '--run', at('away'), '--database', ADDRESS)).toEqual({
    code: 1,
    out: '',
    err: 'data-import-sdk: ledger: cannot open schema data_import of database import on 127.0.0.1:1 (connect ECONNREFUSED 127.0.0.1:1). Start the server, or correct its address or the network, and repeat the command.\n',
  });
  expect(() => readFileSync(`${at('away')}/ledger.json`)).toThrow('ENOENT');
});
