/** Refusals of the service that name neither a field nor a known code: what a run does with them, and where it shows their text. */
import { readdirSync, readFileSync } from 'node:fs';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { Fault, ServiceRequest } from '../../support/import-service.js';
import { account, openFolder, openImportService, run } from '../typed.js';

const { at, inputFile } = openFolder();
const STAGE = 'account-import-process/create-or-update/';
const TEXT = 'Jeanne Martin is marked to skip.';
const accounts = (count: number) => Array.from({ length: count }, (_, index) => account(`A-${index + 1}`));

async function open(fault: (request: ServiceRequest) => Fault | undefined) {
  await openImportService({ fault });
  vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  onTestFinished(() => void vi.restoreAllMocks());
}

const filesIn = (folder: string): string[] =>
  readdirSync(folder).filter((name) => readFileSync(`${folder}/${name}`).includes(TEXT));

const BODIES: [string, object, string][] = [
  ['in words', { non_field_errors: [TEXT] }, 'http_400'],
  ['with an unknown code', { detail: TEXT, code: 'e_7' }, 'e_7'],
  ['with an unknown code of the whole', { non_field_errors: { detail: TEXT, code: 'e_7' }, account_id: 'A-2' }, 'e_7'],
];

test.each(BODIES)(
  'a single account that is refused %s is rejected, and its text is in no file',
  async (as, body, code) => {
    await open(({ path, body: sent }) =>
      path === STAGE && sent['external_account_number'] === 'A-2' ? { status: 400, body } : undefined,
    );
    const folder = at(`hidden ${as}`);
    const ended = await run('run', inputFile('hidden.jsonl', ...accounts(3)), '--run', folder);
    expect(ended.code).toBe(3);
    expect(JSON.parse(readFileSync(`${folder}/rejected.jsonl`, 'utf8'))).toMatchObject({
      number: 'A-2',
      errors: [{ code }],
    });
    expect([filesIn(folder), ended.out.includes(TEXT)]).toEqual([[], false]);
  },
);

test.each(BODIES)(
  'with --show-personal-data the text of an account that is refused %s is in its files',
  async (as, body) => {
    await open(({ path, body: sent }) =>
      path === STAGE && sent['external_account_number'] === 'A-2' ? { status: 400, body } : undefined,
    );
    const folder = at(`shown ${as}`);
    const path = inputFile('shown.jsonl', ...accounts(3));
    expect((await run('run', path, '--run', folder, '--show-personal-data')).code).toBe(3);
    expect(filesIn(folder)).toEqual(
      expect.arrayContaining(['rejected.csv', 'rejected.jsonl', 'report.html', 'report.json']),
    );
  },
);

test('with --show-personal-data the text of a refusal that halts a run is in its reason, and otherwise not', {
  tags: 'long',
}, async () => {
  await open(({ path }) => (path === STAGE ? { status: 400, body: { detail: TEXT, code: 'e_7' } } : undefined));
  const path = inputFile('halted.jsonl', ...accounts(60));
  const shown = await run('run', path, '--run', at('halted-shown'), '--show-personal-data');
  expect([shown.code, shown.out.includes(TEXT)]).toEqual([6, true]);
  expect(filesIn(at('halted-shown'))).toContain('report.json');
  const hidden = await run('run', path, '--run', at('halted-hidden'));
  expect([hidden.code, hidden.out.includes(TEXT), filesIn(at('halted-hidden'))]).toEqual([6, false, []]);
});

test.each(BODIES)('an account that exists and is refused %s is already imported', async (as, body) => {
  let isRefusing = false;
  await open(({ path }) => (isRefusing && path === STAGE ? { status: 400, body } : undefined));
  const path = inputFile('existing.jsonl', ...accounts(3));
  expect((await run('run', path, '--run', at(`created ${as}`))).code).toBe(0);
  isRefusing = true;
  const again = await run('run', path, '--run', at(`again ${as}`));
  expect(again.code).toBe(0);
  expect(JSON.parse(readFileSync(`${at(`again ${as}`)}/report.json`, 'utf8'))).toMatchObject({
    summary: { created: 0, alreadyImported: 3, rejected: 0 },
  });
});
