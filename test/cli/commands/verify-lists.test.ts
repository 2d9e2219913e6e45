/** `data-import-sdk verify` against lists that are long, broken off, or name an account twice (issue 19). */
import { readFileSync } from 'node:fs';
import { expect, onTestFinished, test, vi } from 'vitest';
import { account, openFolder, openImportService, run } from '../typed.js';

const { at, inputFile } = openFolder();

const entry = (number: string, service: string) => ({
  external_account_number: number,
  service_account_number: service,
  account_created_at: '2026-01-15T09:00:00+00:00',
});

/** A run of three accounts, and what the list of the service has when it is read for the first time, the second, and so on. */
async function afterRun(folder: string, ...lists: { entries: unknown[]; breakAfter?: number }[]) {
  /** Numbers of accounts that the service has lost. */
  const lost = new Set<string>();
  const service = await openImportService({
    list: () => lists.shift(),
    fault: ({ path }) =>
      lost.has(path.split('/')[2] ?? '') ? { status: 404, body: { detail: 'Not found.' } } : undefined,
  });
  vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  onTestFinished(() => void vi.restoreAllMocks());
  const path = inputFile(`${folder}.jsonl`, account('A-1'), account('A-2'), account('A-3'));
  expect(await run('run', path, '--run', at(folder))).toMatchObject({ code: 0 });
  return { service, lost, verify: (...flags: string[]) => run('verify', '--run', at(folder), ...flags) };
}

test('the list of the service agrees with the ledger of the run', async () => {
  const { verify } = await afterRun('agrees');
  expect(await verify()).toEqual({ code: 0, out: '= 3 accounts agree, 0 differ\n', err: '' });
  expect(readFileSync(at('agrees/audit.log'), 'utf8').trim().split('\n').at(-1)).toMatch(
    /^\d{4}-\S+Z operator verify: 3 accounts agree, 0 differ$/,
  );
});

test('an account that is listed twice differs, and the differences are one line of JSON', async () => {
  const entries = [entry('A-1', 'S-1'), entry('A-2', 'S-2'), entry('A-3', 'S-3'), entry('A-2', 'S-2'), entry('X', '9')];
  const { verify } = await afterRun('twice', { entries }, { entries }, { entries });
  expect(await verify()).toEqual({
    code: 5,
    out: [
      '! SANDBOX_SUPPLIER A-2: listed again, imported as S-2',
      '+ SANDBOX_SUPPLIER X: imported, and not in the ledger',
      '      1  + Imported on the service, and not in the ledger. Another run or a person has imported them. If that was not intended, ask the operator.',
      '      1  ! More than once in the list of the service. Ask the operator which entry is correct: each account should have one.',
      '= 3 accounts agree, 2 differ',
      '',
    ].join('\n'),
    err: '',
  });
  const [line, rest] = (await verify('--json')).out.split('\n');
  expect(rest).toBe('');
  expect(JSON.parse(line ?? '')).toMatchObject({
    ...{ same: 3, notImported: 0, changed: 0, differing: 2, notShown: 0, byKind: { listedTwice: 1, notInLedger: 1 } },
    differences: [
      { kind: 'listedTwice', sign: '!', number: 'A-2' },
      { kind: 'notInLedger', sign: '+', number: 'X' },
    ],
  });
  expect(JSON.parse((await verify('--json', '--limit', '1')).out)).toMatchObject({
    ...{ differing: 2, notShown: 1, differences: [{ number: 'A-2' }] },
  });
});

test('a list that is cut off each time ends in one line and code 1, and no record is reported missing', {
  tags: 'long',
}, async () => {
  const entries = [entry('A-1', 'S-1'), entry('A-2', 'S-2'), entry('A-3', 'S-3')];
  const { verify } = await afterRun('broken', ...Array(10).fill({ entries, breakAfter: 2 }));
  const { code, out, err } = await verify();
  expect({ code, out }).toEqual({ code: 1, out: '' });
  expect(err).toMatch(
    /^data-import-sdk: imports\.streamAll: the connection to 127\.0\.0\.1:\d+ broke before the answer was complete .*\n$/,
  );
});

test('an account that the list leaves out is asked about, and is missing only if its status is not found', async () => {
  const { service, lost, verify } = await afterRun('left-out', { entries: [entry('A-2', 'S-2')] }, { entries: [] });
  expect((await verify()).out).toBe(
    '= 3 accounts agree (2 of them not in the lists of the service, and found by a query each), 0 differ\n',
  );
  expect(service.requests.slice(-2).sort()).toEqual([
    'GET account-transfer-status/SANDBOX_SUPPLIER/A-1/',
    'GET account-transfer-status/SANDBOX_SUPPLIER/A-3/',
  ]);
  lost.add('A-3');
  const { code, out } = await verify();
  expect(code).toBe(5);
  expect(out).toMatch(/^- SANDBOX_SUPPLIER A-3: created in the ledger, and not known to the service\n/);
  expect(out).toContain(
    '= 2 accounts agree (2 of them not in the lists of the service, and found by a query each), 1 differ',
  );
});
