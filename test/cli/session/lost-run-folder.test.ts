/** The run folder, or a file of it, is moved or deleted while the run works: the command ends with one error, or writes the file again. */
import { existsSync, lstatSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { expect, test } from 'vitest';
import { account, openFolder, openImportService, run } from '../typed.js';

const { at, inputFile } = openFolder();
const PROCESS = 'account-import-process/process/';
const accounts = Array.from({ length: 5 }, (_, index) => account(`A-${index + 1}`));

/** Runs the accounts one by one. At the first request that creates one, something happens to the folder. */
async function runWhile(name: string, mishap: (folder: string) => void) {
  const folder = at(name);
  let isOver = false;
  await openImportService({
    fault({ path, body }) {
      if (path === PROCESS && body['dry_run'] !== true && !isOver) {
        isOver = true;
        mishap(folder);
      }
      return undefined;
    },
  });
  const ended = await run('run', inputFile(`${name}.jsonl`, ...accounts), '--run', folder, '--concurrency', '1');
  return { ...ended, folder };
}

const GONE =
  'Restore it, or a copy of it, then compare with data-import-sdk verify. Without it, everything is sent again: if you want that, give another folder.';

test.each([
  ['the folder is deleted', 'deleted', (folder: string) => rmSync(folder, { recursive: true })],
  ['the folder has another name', 'renamed', (folder: string) => renameSync(folder, `${folder}-2`)],
  ['the ledger is deleted', 'no-ledger', (folder: string) => rmSync(`${folder}/ledger.sqlite`)],
])('%s: the run ends with the error of its ledger, which says what to do', async (_, name, mishap) => {
  const { code, err, folder } = await runWhile(name, mishap);
  const ledger = `${folder}/ledger.sqlite`;
  expect([code, err]).toEqual([
    1,
    `data-import-sdk: ledger: ${ledger} was moved or deleted during the run, so nothing more can be stored. ${GONE}\n` +
      `Next, once the ledger is there: data-import-sdk run ${folder}.jsonl --run ${folder} --concurrency 1\n`,
  ]);
});

test.each(['run.json', 'samples.json', 'input.json', 'audit.log', 'control.sock', '.gitignore'])(
  'the file %s is deleted: the run continues, and writes it again where it is needed',
  async (file) => {
    const { code, out, folder } = await runWhile(`no-${file}`, (folder) =>
      rmSync(`${folder}/${file}`, { force: true }),
    );
    expect([code, out]).toEqual([0, expect.stringContaining('5 created')]);
    expect((await run('status', '--run', folder)).code).toBe(0);
    expect(existsSync(`${folder}/report.json`)).toBe(true);
  },
);

test.each([
  ['ok.csv', 'read'],
  ['rejected.jsonl', 'read'],
  ['rejected.csv', 'read'],
  ['input.json', 'written'],
  ['samples.json', 'written'],
  ['run.json', 'read'],
  ['report.json', 'written'],
  ['report.html', 'written'],
])(
  'a folder is in the place of %s once requests were sent: the error and code 1 say so, and the same command completes the run',
  async (file, done) => {
    const { code, err, folder } = await runWhile(`folder-${file}`, (folder) => {
      rmSync(`${folder}/${file}`, { force: true });
      mkdirSync(`${folder}/${file}`);
    });
    const command = `data-import-sdk run ${folder}.jsonl --run ${folder} --concurrency 1`;
    expect([code, err]).toEqual([
      1,
      `data-import-sdk: ${folder}/${file} cannot be ${done} (EISDIR). Move the folder with that name away, and repeat the command.\n` +
        'Requests were sent. The ledger has their outcomes; for those that it does not have, the next session asks the service. ' +
        'Where that cannot tell, as for statements and payment instructions, the outcome is unknown: ' +
        `data-import-sdk resolve lists it. Next: ${command}\n`,
    ]);
    rmSync(`${folder}/${file}`, { recursive: true });
    const status = { code: 0, out: expect.stringContaining(`The last session was aborted.\nNext: ${command}\n`) };
    if (file !== 'run.json') expect(await run('status', '--run', folder)).toMatchObject(status);
    expect(await run('run', `${folder}.jsonl`, '--run', folder)).toMatchObject({ code: 0 });
    expect(lstatSync(`${folder}/${file}`).isFile()).toBe(true);
  },
);
