/** `verify --follow`, as typed: progress, counts of the five statuses, the list of rejected accounts, and exit codes (E11). */
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { EndingSignal } from '../../../src/cli/shared/command-context.js';
import type { ImportServiceOptions } from '../../support/import-service.js';
import {
  account,
  ended,
  openFolder,
  openImportService,
  openService,
  refused,
  run,
  runIn,
  valueIn,
  valuesIn,
} from '../typed.js';

const { at, inputFile } = openFolder();

let runs = 0;

/** A run of these accounts on the independent service. */
async function imported(numbers: readonly string[], options: ImportServiceOptions = {}) {
  const service = await openImportService(options);
  const folder = at(`run-${++runs}`);
  const path = inputFile(`input-${runs}.jsonl`, ...numbers.map((number) => account(number)));
  expect((await run('run', path, '--run', folder)).code).toBe(0);
  const asked = () => service.requests.filter((request) => request.startsWith('GET account-transfer-status/')).length;
  return { service, folder, asked };
}

test('shows each round and all five counts, lists the rejected accounts, and ends with code 5', {
  tags: 'long',
}, async () => {
  const { folder } = await imported(['A-1', 'A-2'], {
    importStatus: (number, asked) => (asked === 0 ? 'IN_PROGRESS' : number === 'A-2' ? 'REJECTED' : 'COMPLETED'),
  });
  const { code, out, err } = await run('verify', '--follow', '--follow-every', '0', '--run', folder);
  expect(code).toBe(5);
  expect(out).toBe(`= 2 accounts agree, 0 differ
Import statuses: 0 UNKNOWN, 0 PENDING, 0 IN_PROGRESS, 1 REJECTED, 1 COMPLETED
1 account is REJECTED by the industry switch: see ${folder}/rejected-by-service.jsonl. Ask the operator for the reason; nothing is sent again.
`);
  expect(err).toBe(`0 UNKNOWN, 0 PENDING, 2 IN_PROGRESS, 0 REJECTED, 0 COMPLETED; next round in 0 s
0 UNKNOWN, 0 PENDING, 0 IN_PROGRESS, 1 REJECTED, 1 COMPLETED
`);
  expect(valuesIn(`${folder}/rejected-by-service.jsonl`)).toEqual([
    expect.objectContaining({ supplier: 'SANDBOX_SUPPLIER', kind: 'account', number: 'A-2', line: 2 }),
  ]);
  const audit = readFileSync(`${folder}/audit.log`, 'utf8').trim().split('\n').slice(-2);
  expect(audit.map((text) => text.replace(/^\S+ /, ''))).toEqual([
    'operator verify: 2 accounts agree, 0 differ',
    'operator verify --follow: 0 UNKNOWN, 0 PENDING, 0 IN_PROGRESS, 1 REJECTED, 1 COMPLETED',
  ]);
  const page = readFileSync(`${folder}/report.html`, 'utf8');
  expect(page).toContain('0 UNKNOWN, 0 PENDING, 0 IN_PROGRESS, 1 REJECTED, 1 COMPLETED');
  expect(valueIn(`${folder}/report.json`).verification.imports.counts).toMatchObject({
    ...{ REJECTED: 1, COMPLETED: 1 },
  });
  // A comparison without --follow keeps the statuses that were found.
  expect((await run('verify', '--run', folder)).code).toBe(0);
  expect(valueIn(`${folder}/verification.json`).imports.counts).toMatchObject({ REJECTED: 1 });
});

test('a status answer with another service account number than that of process is counted and reported; code 5', {
  tags: 'long',
}, async () => {
  const { folder, asked } = await imported(['A-1', 'A-2'], {
    importStatus: () => 'COMPLETED',
    statusNumber: (number, created) => (number === 'A-2' ? 'S-77' : created),
  });
  const before = asked();
  const { code, out } = await run('verify', '--follow', '--follow-every', '0', '--run', folder);
  expect(code).toBe(5);
  expect(out).toBe(`= 2 accounts agree, 0 differ
Import statuses: 0 UNKNOWN, 0 PENDING, 0 IN_PROGRESS, 0 REJECTED, 1 COMPLETED, 1 with another number
1 account has another service account number in its status answer than in the ledger. Ask the operator which number is correct.
`);
  expect(asked() - before).toBe(2);
  // The next command queries this account again.
  expect((await run('verify', '--follow', '--follow-every', '0', '--run', folder)).code).toBe(5);
  expect(asked() - before).toBe(3);
});

test('all COMPLETED is code 0, one line with --json, and the next command sends no query', {
  tags: 'long',
}, async () => {
  const { folder, asked } = await imported(['A-1', 'A-2'], { importStatus: () => 'COMPLETED' });
  const { code, out } = await run('verify', '--follow', '--json', '--run', folder);
  expect([code, JSON.parse(out)]).toMatchObject([
    0,
    {
      same: 2,
      imports: { state: 'finished', notAnswered: 0, UNKNOWN: 0, PENDING: 0, IN_PROGRESS: 0, REJECTED: 0, COMPLETED: 2 },
    },
  ]);
  const before = asked();
  expect((await run('verify', '--follow', '--run', folder)).out).toContain('2 COMPLETED');
  expect(asked()).toBe(before);
});

describe.each<[EndingSignal, number]>([
  ['SIGINT', 7],
  ['SIGTERM', 143],
])('%s while accounts have no final status', (signal, code) => {
  test(`ends with code ${code}, and the same command resumes`, async () => {
    let isOver = false;
    let end = () => {};
    const { folder } = await imported(['A-1', 'A-2'], {
      importStatus(number) {
        if (number === 'A-1' || isOver) return 'COMPLETED';
        end();
        return 'PENDING';
      },
    });
    const stopped = await runIn(
      {
        onSignal(listener) {
          end = () => listener(signal);
          return () => {};
        },
      },
      ...['verify', '--follow', '--run', folder],
    );
    expect(stopped.code).toBe(code);
    expect(stopped.out).toContain(`Import statuses: 0 UNKNOWN, 1 PENDING, 0 IN_PROGRESS, 0 REJECTED, 1 COMPLETED
Stopped before every account had a final status: the same command continues.
`);
    isOver = true;
    expect((await run('verify', '--follow', '--run', folder)).code).toBe(0);
  });
});

test('follows a rehearsal by the schedule of its settings', { tags: 'long' }, async () => {
  const sandbox = await openService({
    settings: { switchSchedule: { inProgressAfterSeconds: 0, endAfterSeconds: 0, rejectedShare: 1 } },
  });
  const folder = at('schedule');
  expect((await run('run', inputFile('schedule.jsonl', account('A-1')), '--run', folder)).code).toBe(0);
  expect(await run('verify', '--follow', '--follow-every', '0', '--run', folder)).toMatchObject(
    ended(5, '1 REJECTED, 0 COMPLETED'),
  );
  expect(sandbox.state.suppliers[0]?.accounts[0]?.imported?.status).toBe('REJECTED');
});

test('verify without --follow asks for no status', async () => {
  const { folder, asked } = await imported(['A-1']);
  const before = asked();
  expect(await run('verify', '--run', folder)).toMatchObject({ code: 0, out: '= 1 account agrees, 0 differ\n' });
  expect(asked()).toBe(before);
});

test('--follow-every without --follow is a usage error', async () => {
  expect(await run('verify', '--follow-every', '5', '--run', at('none'))).toMatchObject(
    refused('--follow-every has no effect without --follow'),
  );
});
