/** A service whose `process` never succeeds: the run halts after few calls, and says which call, which host and why. */
import { readFileSync } from 'node:fs';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { shortAndLong } from '../../helpers/short-and-long.js';
import type { Fault, ServiceRequest } from '../../support/import-service.js';
import { account, ended, openFolder, openImportService, run } from '../typed.js';

const { at, inputFile } = openFolder();
const PROCESS = 'account-import-process/process/';
const STATUS = 'account-transfer-status/';
const PAGE = '<html><title>Bad gateway</title></html>';

async function open(fault: (request: ServiceRequest) => Fault | undefined) {
  const service = await openImportService({ fault });
  vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  onTestFinished(() => void vi.restoreAllMocks());
  return { ...service, host: new URL(service.url).host };
}

const accounts = (count: number) => Array.from({ length: count }, (_, index) => account(`A-${index + 1}`));
const isProcess = ({ path, body }: ServiceRequest) => path === PROCESS && body['dry_run'] !== true;

/** 20 calls without a usable answer, and those in flight together with the last one. */
const MOST_CALLS = 40;
/** The outage ends with the first failed call after a second. */
const HALT = ['--halt', 'outage=1'];

test.each<[cause: string, fault: Fault, said: (host: string) => string]>([
  ['500', { status: 500, body: { detail: 'Error.' } }, (host) => `${host} answers 500`],
  ['502', { status: 502, body: PAGE }, (host) => `${host} answers 502`],
  ['a page', { status: 200, body: PAGE }, (host) => `the answer of ${host} (200) is not understood`],
  ['a reset', 'reset', (host) => `connection to ${host} failed: `],
])(
  'process always ends in %s: few calls, code 6, and step, host and cause are named',
  { tags: 'long' },
  async (cause, fault, said) => {
    const service = await open((request) => (isProcess(request) ? fault : undefined));
    const folder = at(`always-${cause}`);
    const path = inputFile(`always-${cause}.jsonl`, ...accounts(300));
    const { code, out } = await run('run', path, '--run', folder, '--in-flight-grace', '1', '--timeout', '1', ...HALT);
    expect(code).toBe(6);
    expect(service.requests.filter((request) => request.endsWith(PROCESS)).length).toBeLessThan(MOST_CALLS);
    expect(out).toMatch(/Halted: \d+ (process )?calls in a row failed and none succeeded for 1 s, the last/);
    expect(out).toContain(said(service.host));
    expect((await run('status', '--run', folder)).out).toMatch(
      /\nNot running\.\nThe last session was halted: .* calls in a row failed and none .*\n\d+ lines of the input have not been begun, .*\nNext: .*run /,
    );
    for (const name of ['audit.log', 'report.json', 'report.html']) {
      expect(readFileSync(`${folder}/${name}`, 'utf8')).toContain(said(service.host));
    }
  },
);

test('process always answers 500: 10,000 accounts cost no more calls than the rule allows', {
  tags: 'long',
}, async () => {
  const service = await open((request) => (isProcess(request) ? { status: 500, body: {} } : undefined));
  const path = inputFile('many.jsonl', ...accounts(10_000));
  expect((await run('run', path, '--run', at('many'), ...HALT)).code).toBe(6);
  const sent = (path: string) => service.requests.filter((request) => request.endsWith(path)).length;
  // One of them is the dry run of the first account; some calls are in flight together with the twentieth.
  expect(sent(PROCESS)).toBeGreaterThan(20);
  expect(sent(PROCESS)).toBeLessThan(MOST_CALLS);
  // No more are staged than may be in flight.
  expect(service.requests.length).toBeLessThan(200);
});

test('process and status answer with the page of a proxy: accounts are created, and the run halts all the same', {
  tags: 'long',
}, async () => {
  const proxied = await open((request) =>
    isProcess(request) || (request.path.startsWith(STATUS) && !request.path.includes('preflight'))
      ? { status: 200, body: PAGE }
      : undefined,
  );
  const path = inputFile('proxied.jsonl', ...accounts(300));
  const { code } = await run('run', path, '--run', at('proxied'), '--in-flight-grace', '1', '--timeout', '1', ...HALT);
  expect(code).toBe(6);
  expect(proxied.requests.filter((request) => request.endsWith(PROCESS)).length).toBeLessThan(MOST_CALLS);
});

test.each<[fault: Fault]>([[{ status: 503, body: PAGE }], ['reset']])(
  'the service restarts, and the first 25 calls after the tenth account fail (%j): the run waits, and creates each account once',
  { tags: 'long', timeout: 60_000 },
  async (fault) => {
    let calls = 0;
    let failed = 0;
    const service = await open((request) => {
      if (isProcess(request)) calls++;
      return calls > 10 && failed++ < 25 ? fault : undefined;
    });
    const path = inputFile(`restart-${JSON.stringify(fault).length}.jsonl`, ...accounts(100));
    const folder = at(`restart-${JSON.stringify(fault).length}`);
    expect(await run('run', path, '--run', folder, '--in-flight-grace', '1', '--timeout', '1')).toMatchObject(
      ended(0, '100 created'),
    );
    expect(failed).toBeGreaterThan(25);
    expect([...service.accounts.values()].map(({ numbers }) => numbers.length)).toEqual(Array(100).fill(1));
  },
);

describe('the operator pauses the import supplier in the middle', () => {
  const code = 'import_supplier_not_ongoing';
  for (const [rows, options] of shortAndLong<[where: string, body: unknown]>(
    [
      ['as the code of the body', { code, detail: 'Paused.', errors: [] }],
      ['deep in the body', { error: { reasons: [{ code }] } }],
    ],
    [
      ['in an entry without a field', { errors: [{ code, detail: 'Paused.', attr: '' }] }],
      ['beside a field of the account', { errors: [{ code, detail: 'Paused.', attr: 'external_account_number' }] }],
    ],
  ))
    test.each(rows)(
      '%s: code 8 at the first refusal, nothing is rejected, and the printed command resumes',
      options,
      async (where, body) => {
        let created = 0;
        let isPaused = false;
        const service = await open((request) => {
          if (!isProcess(request)) return undefined;
          isPaused ||= created === 10;
          created++;
          return isPaused ? { status: 400, body } : undefined;
        });
        const path = inputFile(`${where}.jsonl`, ...accounts(40));
        const flags = ['--run', at(where), '--process-concurrency', '1'];
        const paused = await run('run', path, ...flags);
        expect(paused.code).toBe(8);
        expect(paused.out).toContain('10 created + 0 already imported + 0 rejected + 0 skipped + 0 unknown + ');
        expect(paused.out).toContain(`Halted: the service refuses import supplier SANDBOX_SUPPLIER (${code})`);
        expect(paused.out).toMatch(/Next: .*run /);

        isPaused = false;
        created = 11;
        const resumed = await run('run', path, ...flags);
        expect(resumed.out).toContain('40 created + 0 already imported + 0 rejected');
        expect(resumed.code).toBe(0);
        expect([...service.accounts.values()].map(({ numbers }) => numbers.length)).toEqual(Array(40).fill(1));
      },
    );
});

describe('the service refuses one of two import suppliers', () => {
  const code = 'import_supplier_not_ongoing';
  const of = (import_supplier: string, number: string) => account(number, { import_supplier });
  const north = Array.from({ length: 30 }, (_, index) => of('NORTH', `N-${index + 1}`));
  const south = Array.from({ length: 30 }, (_, index) => of('SOUTH', `S-${index + 1}`));

  test.each<[where: string, input: unknown[], refused: (request: ServiceRequest) => boolean]>([
    [
      'staging, its accounts first',
      [...north, ...south],
      ({ path, body }) => path.endsWith('create-or-update/') && body['import_supplier'] === 'NORTH',
    ],
    [
      'process, its accounts last',
      [...south, ...north],
      (request) => isProcess(request) && request.body['import_supplier_code'] === 'NORTH',
    ],
  ])(
    '%s: the accounts of the other are created; code 8, and the same command resumes',
    async (where, input, refused) => {
      let isPaused = true;
      const service = await open((request) =>
        isPaused && refused(request) ? { status: 400, body: { code, errors: [] } } : undefined,
      );
      const path = inputFile(`one-of-two ${where}.jsonl`, ...input);
      const flags = ['--run', at(`one-of-two ${where}`)];
      const first = await run('run', path, ...flags);
      expect(first.code).toBe(8);
      expect(first.out).toContain('30 created + 0 already imported + 0 rejected + 0 skipped + 0 unknown');
      expect(first.out).not.toContain('This is a bug');
      expect(first.out).toContain(`Unfinished: the service refuses import supplier NORTH (${code}): `);
      expect(first.out).toMatch(/Next: .*run /);
      expect([...service.accounts.keys()].filter((key) => key.startsWith('NORTH'))).toEqual([]);

      isPaused = false;
      const second = await run('run', path, ...flags);
      expect(second.out).toContain('60 created + 0 already imported + 0 rejected + 0 skipped + 0 unknown = 60');
      expect(second.code).toBe(0);
      expect([...service.accounts.values()].map(({ numbers }) => numbers.length)).toEqual(Array(60).fill(1));
    },
  );
});

test('403 for one supplier only: the reason names it, and the records of the other are created', {
  tags: 'long',
}, async () => {
  await open(({ body }) =>
    body['import_supplier'] === 'SOUTH' ? { status: 403, body: { detail: 'No.' } } : undefined,
  );
  const folder = at('forbidden');
  const path = inputFile('forbidden.jsonl', account('A-1'), account('S-1', { import_supplier: 'SOUTH' }));
  const { code, out } = await run('run', path, '--run', folder, '--max-retries', '0', '--in-flight-grace', '1');
  expect(code).toBe(9);
  expect(out).toContain('1 created');
  expect(out).toMatch(/answers 403.* for import supplier SOUTH: ask the operator whether the token may import for it/);
});
