/** An unfinished record whose last session was a `retry`, or whose last request may still be running (U31). */
import { readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { type Fault, type ServiceRequest, startImportService } from '../../support/import-service.js';
import { openFolder, runIn } from '../typed.js';

const { at, inputFile } = openFolder();

const STAGE = 'account-import-process/create-or-update/';
const PROCESS = 'account-import-process/process/';
const INVALID = {
  account: { import_supplier: 'ACME', external_account_number: 'A-1', customers: [{ landline: 'x' }] },
};
const CORRECTED = { account: { ...INVALID.account, customers: [{ landline: '+441632960001' }] } };

/** A service, the run folder `name`, and the landlines that the service was asked to stage. */
async function setUp(name: string, fault: (request: ServiceRequest) => Fault | undefined) {
  const staged: unknown[] = [];
  const service = await startImportService({
    fault(request) {
      if (request.path === STAGE) staged.push((request.body as typeof CORRECTED.account).customers[0]?.landline);
      return fault(request);
    },
  });
  onTestFinished(() => service.close());
  vi.stubEnv('DATA_IMPORT_TOKEN', 'token');
  vi.stubEnv('DATA_IMPORT_BASE_URL', service.url);
  vi.stubEnv('DATA_IMPORT_TEAM', 'EAST');
  onTestFinished(() => void vi.unstubAllEnvs());
  const type = (...args: string[]) => runIn({}, ...args, '--run', at(name));
  return { service, staged, type };
}

test('run of the original input leaves a record to the retry that was interrupted, and names its command', async () => {
  let isDown = true;
  const { service, staged, type } = await setUp('interrupted', ({ path }) =>
    isDown && path === PROCESS ? { status: 500, body: { detail: 'x' } } : undefined,
  );
  const input = inputFile('input.jsonl', INVALID);
  const corrected = inputFile('corrected.jsonl', CORRECTED);
  await type('run', input, '--yes');
  await type('retry', corrected, '--yes', '--max-retries', '0');
  isDown = false;
  const { code, out } = await type('run', input, '--yes');
  expect(out.split('\n').filter((text) => /^[0-9]|^Next/.test(text))).toEqual([
    '0 created + 0 already imported + 0 rejected + 0 skipped + 0 unknown + 1 unfinished = 1',
    '1 line was corrected with retry and not sent again (input.jsonl:1). Keep the input as it is, or replace the line by its corrected line.',
    `Next (1 unfinished, with a corrected line): the retry that has their corrected lines was interrupted. Continue it: data-import-sdk retry ${corrected} --yes --max-retries 0 --run ${at('interrupted')}`,
  ]);
  expect(code).toBe(9);
  const again = await type('retry', corrected, '--yes', '--max-retries', '0');
  expect(again.out).toContain('1 created + 0 already imported + 0 rejected + 0 skipped + 0 unknown = 1\n');
  expect(again.code).toBe(0);
  expect(staged).toEqual(['+441632960001']);
  expect(service.accounts.get('ACME/A-1')?.numbers).toHaveLength(1);
});

test('forget keeps a record whose staging request may still be running, with the time limit', async () => {
  let isDown = true;
  const { type } = await setUp('in-flight', ({ path }) => (isDown && path === STAGE ? 'reset' : undefined));
  const input = inputFile('stage.jsonl', CORRECTED);
  await type('run', input, '--yes', '--max-retries', '0');
  isDown = false;
  const { code, err } = await type('forget', '--account', 'A-1');
  expect(err).toMatch(
    /the last request of account A-1 \(stage\) got no answer and may still be running on the service until \d{4}-\S+Z\. Nothing was forgotten\. Repeat this command after that time\./,
  );
  expect(code).toBe(2);
  expect((await type('status')).out).toContain('1 record: 0 created');
});

test('the printed forget command has the grace of the session, so it works at once if that is 0', async () => {
  let isDown = true;
  const { type } = await setUp('no-grace', ({ path }) => (isDown && path === STAGE ? 'reset' : undefined));
  const input = inputFile('no-grace.jsonl', CORRECTED);
  const flags = ['--yes', '--max-retries', '0', '--timeout', '0.1', '--in-flight-grace', '0'];
  await type('run', input, ...flags);
  isDown = false;
  inputFile('no-grace.jsonl', { account: { ...CORRECTED.account, external_account_number: 'A-2' } });
  const { out } = await type('run', input, ...flags);
  const [, command = ''] = /Otherwise: data-import-sdk (forget .*)$/m.exec(out) ?? [];
  expect(command).toBe(`forget --in-flight-grace 0 --run ${at('no-grace')} --not-in-input`);
  await vi.waitFor(async () => expect((await runIn({}, ...command.split(' '))).code).toBe(0), { timeout: 5_000 });
});

test('status names the records of a running session that wait for a request without an answer', async () => {
  const { type } = await setUp('waiting', ({ path, body }) =>
    path === PROCESS && body['dry_run'] !== true ? 'reset' : undefined,
  );
  const running = type('run', inputFile('waiting.jsonl', CORRECTED), '--yes');
  await vi.waitFor(
    async () =>
      expect((await type('status')).out).toMatch(
        /^running · .* · 1 record waits for a request that may still be running \(\d+ s\)$/m,
      ),
    { timeout: 10_000 },
  );
  await type('drain');
  expect((await running).code).toBe(7);
});

describe('a retry that was killed and is continued by the same command', () => {
  const two = [INVALID, { account: { ...INVALID.account, external_account_number: 'A-2' } }];
  const both = [CORRECTED, { account: { ...CORRECTED.account, external_account_number: 'A-2' } }];

  const FLAGS = ['--yes', '--max-retries', '0', '--timeout', '0.2', '--in-flight-grace', '0', '--concurrency', '1'];

  /** A run whose two accounts are rejected, and the retry of both, which ends as if its process had been killed before it wrote its result. */
  async function killed(name: string, fault: (request: ServiceRequest) => Fault | undefined = () => undefined) {
    const { service, type } = await setUp(name, fault);
    await type('run', inputFile(`${name}.jsonl`, ...two), '--yes');
    const corrected = inputFile(`${name}-corrected.jsonl`, ...both);
    await type('retry', corrected, ...FLAGS);
    const facts = at(`${name}/run.json`);
    writeFileSync(facts, JSON.stringify({ ...JSON.parse(readFileSync(facts, 'utf8')), state: 'running' }));
    return { service, type, corrected };
  }

  test('ends with 0 if all of its lines were sent before', async () => {
    const { type, corrected } = await killed('complete');
    const again = await type('retry', corrected, ...FLAGS);
    expect(again.out).toContain('2 created + 0 already imported + 0 rejected + 0 skipped + 0 unknown = 2\n');
    expect(again.out).toContain(
      'Ignored 2 lines (complete-corrected.jsonl:1, complete-corrected.jsonl:2): an earlier retry has sent it, and the record is complete.\n',
    );
    expect(again.out).not.toContain('Next');
    expect(again.code).toBe(0);
  });

  test('ends with 0 if some of its lines were sent before', async () => {
    let isDown = true;
    const { service, type, corrected } = await killed('some', ({ path, body }) =>
      isDown && path === PROCESS && body['external_account_number'] === 'A-2'
        ? { status: 500, body: { detail: 'x' } }
        : undefined,
    );
    expect([...service.accounts.keys()]).toEqual(['ACME/A-1']);
    isDown = false;
    const again = await type('retry', corrected, ...FLAGS);
    expect(again.out).toContain('2 created + 0 already imported + 0 rejected + 0 skipped + 0 unknown = 2\n');
    expect([again.code, again.out.includes('Next')]).toEqual([0, false]);
    expect([...service.accounts.values()].map(({ numbers }) => numbers.length)).toEqual([1, 1]);
  });
});
