/** Refusals of the service that name neither a field nor a known code: what a run does with them, and where it shows their text. */
import { readdirSync, readFileSync } from 'node:fs';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { Fault, ServiceRequest } from '../../support/import-service.js';
import { account, openFolder, openImportService, run, valueIn, valuesIn } from '../typed.js';

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

/** In words, with an unknown code, and with an unknown code of the whole: by the account that is refused so. */
const BODIES: Readonly<Record<string, { body: object; code: string }>> = {
  'A-2': { body: { non_field_errors: [TEXT] }, code: 'http_400' },
  'A-3': { body: { detail: TEXT, code: 'e_7' }, code: 'e_7' },
  'A-4': { body: { non_field_errors: { detail: TEXT, code: 'e_7' }, account_id: 'A-4' }, code: 'e_7' },
};

const refusalOf = ({ path, body }: ServiceRequest): Fault | undefined => {
  const refused = BODIES[String(body['external_account_number'])];
  return path === STAGE && refused ? { status: 400, body: refused.body } : undefined;
};

test('single accounts that are refused in words or with an unknown code are rejected, and the text is in no file', async () => {
  await open(refusalOf);
  const folder = at('hidden');
  const ended = await run('run', inputFile('hidden.jsonl', ...accounts(9)), '--run', folder);
  expect(ended.code).toBe(3);
  const codes = valuesIn(`${folder}/rejected.jsonl`).map(({ number, errors }) => [number, errors[0].code]);
  expect(codes.sort()).toEqual(Object.entries(BODIES).map(([number, { code }]) => [number, code]));
  expect([filesIn(folder), ended.out.includes(TEXT)]).toEqual([[], false]);
});

test('with --show-personal-data the text of accounts that are refused so is in the files', async () => {
  await open(refusalOf);
  const folder = at('shown');
  const path = inputFile('shown.jsonl', ...accounts(9));
  expect((await run('run', path, '--run', folder, '--show-personal-data')).code).toBe(3);
  const names = ['rejected.csv', 'rejected.jsonl', 'report.html', 'report.json'];
  expect(filesIn(folder)).toEqual(expect.arrayContaining(names));
  for (const name of ['rejected.csv', 'rejected.jsonl']) {
    expect(readFileSync(`${folder}/${name}`, 'utf8').split(TEXT)).toHaveLength(4);
  }
});

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

test('accounts that exist and are refused so are already imported', async () => {
  let isRefusing = false;
  await open((request) => (isRefusing ? refusalOf(request) : undefined));
  const path = inputFile('existing.jsonl', ...accounts(4).slice(1));
  expect((await run('run', path, '--run', at('created'))).code).toBe(0);
  isRefusing = true;
  expect((await run('run', path, '--run', at('again'))).code).toBe(0);
  expect(valueIn(at('again/report.json'))).toMatchObject({
    summary: { created: 0, alreadyImported: 3, rejected: 0 },
  });
});

/** An earlier session has created is refused in words: the session has no other account to send. */
async function openLater(name: string, ...refused: string[]) {
  let isRefusing = false;
  await open(({ path, body }) => {
    const isRefused = isRefusing && refused.includes(String(body['external_account_number']));
    return isRefused && path === STAGE ? { status: 400, body: { detail: TEXT } } : undefined;
  });
  const folder = at(name);
  const path = inputFile(`${name}.jsonl`, account('A-1'));
  const type = (...more: string[]) => run('run', path, '--run', folder, '--max-retries', '0', ...more);
  return {
    ...{ folder, type },
    async begin() {
      expect((await type()).code).toBe(0);
      isRefusing = true;
    },
    /** The files of the next session. */
    give: (...records: unknown[]) => inputFile(`${name}.jsonl`, ...records),
  };
}

test('an account that is refused so in a later session, which has no other, is rejected if an earlier one has created accounts', async () => {
  const { folder, type, begin, give } = await openLater('later', 'A-2');
  await begin();
  give(...accounts(2));
  expect((await type('--show-personal-data')).code).toBe(3);
  expect(valuesIn(`${folder}/rejected.jsonl`)).toMatchObject([
    { number: 'A-2', errors: [{ step: 'stage', code: 'http_400', detail: TEXT }] },
  ]);
  expect(readFileSync(`${folder}/rejected.csv`, 'utf8')).toContain(TEXT);
  expect((await type('--show-personal-data')).code).toBe(3);
});

test.each([
  ['the team is another', 'other-team', 'A-2', ['--team', 'SOUTH']],
  ['its supplier has no account yet', 'other-supplier', 'B-2', []],
])('it stays unfinished if %s, and the reason says what to do', async (_, name, number, flags) => {
  const { folder, type, begin, give } = await openLater(name, 'A-2', 'B-2');
  await begin();
  give(account('A-1'), account(number, number === 'B-2' ? { import_supplier: 'OTHER' } : {}));
  for (const session of [2, 3]) {
    const { code, out } = await type(...flags);
    expect([session, code]).toEqual([session, 9]);
    expect(out).toMatch(
      /Unfinished: 1 record has not ended; calls failed, the last at stage: \S+ answers 400 and names neither a field nor a known code: read its words with data-import-sdk call and ask the operator, or correct the record\./,
    );
    expect(valuesIn(`${folder}/rejected.jsonl`)).toEqual([]);
  }
});

test.each([
  [19, [3]],
  [20, [9, 6]],
])('a later session rejects its only refused accounts if they are fewer than 20: %i', async (count, codes) => {
  const numbers = Array.from({ length: count }, (_, index) => `A-${index + 2}`);
  const { folder, type, begin, give } = await openLater(`only-${count}`, ...numbers);
  await begin();
  give(...accounts(count + 1));
  for (const [session, code] of codes.entries()) {
    expect((await type(...(session === 0 ? ['--halt', 'failed=0'] : []))).code).toBe(code);
    expect(valuesIn(`${folder}/rejected.jsonl`).map(({ number }) => number)).toEqual(count < 20 ? numbers : []);
  }
});
