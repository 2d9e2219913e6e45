/** An unfinished record whose last session was a `retry`, or whose last request may still be running (U31). */

import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { describe, expect, test, vi } from 'vitest';
import { PATIENCE } from '../../helpers/patience.js';
import type { Fault, ServiceRequest } from '../../support/import-service.js';
import { ended, openFolder, openImportService, runIn, valueIn, valuesIn } from '../typed.js';

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
  const service = await openImportService({
    fault(request) {
      if (request.path === STAGE) staged.push((request.body as typeof CORRECTED.account).customers[0]?.landline);
      return fault(request);
    },
  });
  const type = (...args: string[]) => runIn({}, ...args, '--run', at(name));
  return { service, staged, type };
}

test('run of the original input sends the corrected line of a retry that was interrupted, without its file', {
  tags: 'long',
}, async () => {
  let isDown = true;
  const { service, staged, type } = await setUp('interrupted', ({ path }) =>
    isDown && path === PROCESS ? { status: 500, body: { detail: 'x' } } : undefined,
  );
  const input = inputFile('input.jsonl', INVALID);
  const corrected = inputFile('corrected.jsonl', CORRECTED);
  await type('run', input, '--yes');
  expect((await type('retry', corrected, '--yes', '--max-retries', '0')).code).toBe(9);
  isDown = false;
  rmSync(corrected);
  const { code, out } = await type('run', input, '--yes');
  expect(out.split('\n').filter((text) => /^[0-9]|^Next/.test(text))).toEqual([
    '1 created + 0 already imported + 0 rejected + 0 skipped + 0 unknown = 1',
    '1 line was corrected with retry and not sent again (input.jsonl:1): its corrected line counts instead. The input may stay as it is, unless it was rejected, too.',
  ]);
  expect(code).toBe(0);
  expect(staged).toEqual(['+441632960001']);
  expect(service.accounts.get('ACME/A-1')?.numbers).toHaveLength(1);
});

test('not-in-input.jsonl names no failed business for a refused record that began again and whose line was removed', {
  tags: 'long',
}, async () => {
  let answer: Fault | undefined = {
    status: 400,
    body: { code: 'account_failed_validation', detail: 'No.', errors: [] },
  };
  const { type } = await setUp('began', ({ path }) => (path === STAGE ? answer : undefined));
  const input = inputFile('began.jsonl', CORRECTED);
  expect((await type('run', input, '--yes')).code).toBe(3);
  const listed = readFileSync(`${at('began')}/rejected.jsonl`);
  answer = { status: 500, body: { detail: 'x' } };
  expect((await type('run', input, '--yes', '--retry-rejected', '--max-retries', '0')).code).toBe(9);
  // As a kill leaves it.
  writeFileSync(`${at('began')}/rejected.jsonl`, listed);
  answer = undefined;
  inputFile('began.jsonl', { account: { ...INVALID.account, customers: [], external_account_number: 'A-2' } });
  expect((await type('run', input, '--yes')).out).toContain('Next (1 no longer in the input)');
  expect(valuesIn(at('began/not-in-input.jsonl'))[0]).toMatchObject({ number: 'A-1', errors: [] });
});

test('a corrected line of an unfinished account that has another field is not sent', async () => {
  let isDown = true;
  const { service, type } = await setUp('other-field', ({ path }) =>
    isDown && path.includes('notes') ? { status: 503, body: {} } : undefined,
  );
  const notes = [{ body: 'n' }];
  const input = inputFile('other-field.jsonl', { ...CORRECTED, notes });
  const soon = ['--yes', '--timeout', '0.3', '--in-flight-grace', '0', '--max-retries', '0'];
  await type('run', input, ...soon);
  isDown = false;
  const other = inputFile('other-field-2.jsonl', { account: { ...CORRECTED.account, billing_postcode: '1' }, notes });
  const retried = await type('retry', other, ...soon);
  expect(retried.code).toBe(9);
  expect(retried.out).toContain('1 line differs from what exists');
  expect(service.accounts.get('ACME/A-1')?.notes).toEqual([]);
  expect(await type('run', input, ...soon)).toMatchObject({ code: 0 });
  expect(service.accounts.get('ACME/A-1')?.notes).toEqual(['n']);
});

describe('a record that a retry left unfinished', () => {
  const second = { account: { ...INVALID.account, external_account_number: 'A-2' } };
  const secondCorrected = { account: { ...CORRECTED.account, external_account_number: 'A-2' } };

  /** A run whose two records are rejected, and a retry of the first that cannot process it. */
  async function leftByRetry(name: string, first: unknown = INVALID, lines?: string) {
    const state = { isDown: true };
    const { service, staged, type } = await setUp(name, ({ path }) =>
      state.isDown && path === PROCESS ? { status: 500, body: { detail: 'x' } } : undefined,
    );
    const input = inputFile(`${name}.jsonl`, first, second);
    if (lines !== undefined) writeFileSync(input, lines);
    await type('run', input, '--yes');
    const a = at(`${name}-a.jsonl`);
    if (lines === undefined) inputFile(`${name}-a.jsonl`, CORRECTED);
    else {
      const entry = valuesIn(at(`${name}/rejected.jsonl`)).find(({ number }) => number === null);
      inputFile(`${name}-a.jsonl`, { ...entry, original: CORRECTED });
    }
    const left = await type('retry', a, '--yes', '--max-retries', '0');
    expect(left).toMatchObject(ended(9, ' + 1 rejected + 0 skipped + 0 unknown + 1 unfinished = 2\n'));
    expect(left.out).toContain(`\nNext: data-import-sdk retry ${a} `);
    state.isDown = false;
    return { service, staged, type, input, a, b: inputFile(`${name}-b.jsonl`, secondCorrected) };
  }

  test('is sent by a retry of another file, which does not need the first one', async () => {
    const { service, staged, type, a, b } = await leftByRetry('other-file');
    rmSync(a);
    const { code, out } = await type('retry', b, '--yes');
    expect(out).toContain('2 created + 0 already imported + 0 rejected + 0 skipped + 0 unknown = 2\n');
    expect([code, out.includes('Next')]).toEqual([0, false]);
    expect(staged.toSorted()).toEqual(['+441632960001', '+441632960001']);
    expect([...service.accounts.values()].map(({ numbers }) => numbers.length)).toEqual([1, 1]);
  });

  test('is sent once if the same retry is given again, and if its line is in the input meanwhile', {
    tags: 'long',
  }, async () => {
    for (const isInInput of [false, true]) {
      const { service, type, input, a } = await leftByRetry(`same-${isInInput}`);
      if (isInInput) inputFile(`same-${isInInput}.jsonl`, CORRECTED, second);
      const { code, out } = isInInput ? await type('run', input, '--yes') : await type('retry', a, '--yes');
      expect(out).toContain('1 created + 0 already imported + 1 rejected + 0 skipped + 0 unknown = 2\n');
      expect(code).toBe(3);
      expect(service.accounts.get('ACME/A-1')?.numbers).toHaveLength(1);
    }
  });

  test('is sent by run if its line had no readable record, and counted once', async () => {
    const { service, type, input } = await leftByRetry(
      'unreadable',
      INVALID,
      `{"account":\n${JSON.stringify(second)}\n`,
    );
    expect(await type('run', input, '--yes')).toMatchObject(
      ended(3, '1 created + 0 already imported + 1 rejected + 0 skipped + 0 unknown = 2\n'),
    );
    expect(service.accounts.get('ACME/A-1')?.numbers).toHaveLength(1);
  });

  test('is not sent by run, and listed, if its line was removed from the input', async () => {
    const { service, type, input, b } = await leftByRetry('removed');
    inputFile('removed.jsonl', second);
    expect((await type('run', input, '--yes')).out).toMatch(/^Next \(1 no longer in the input\): /m);
    await type('retry', b, '--yes');
    expect([...service.accounts].map(([key, { numbers }]) => [key, numbers.length])).toEqual([['ACME/A-2', 1]]);
  });

  test('is sent as the input has it if the line of the input was changed again', async () => {
    const { service, staged, type, input } = await leftByRetry('changed-again');
    inputFile(
      'changed-again.jsonl',
      { account: { ...INVALID.account, customers: [{ landline: '+441632960002' }] } },
      second,
    );
    const { out } = await type('run', input, '--yes');
    expect(staged).toEqual(['+441632960001', '+441632960002']);
    expect(service.accounts.get('ACME/A-1')?.numbers).toHaveLength(1);
    const named = `
        1  correction_replaced: retry had other content for this record, and did not create it: the line of the input was sent in its place. See whether it has the corrections. (changed-again.jsonl:1)
`;
    expect(out).toContain(named);
    // Each later session says so too: the first one may be killed.
    expect((await type('run', input, '--yes')).out).toContain(named);
  });
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

test('forget keeps a rejected record if its first staging request, which got no answer, may still be running', async () => {
  let requests = 0;
  const { service, type } = await setUp('repeated', ({ path }) => {
    if (path !== STAGE) return undefined;
    return ++requests === 1 ? 'reset' : { status: 400, body: { customers: [{ landline: ['x'] }] } };
  });
  const input = inputFile('repeated.jsonl', CORRECTED);
  expect((await type('run', input, '--yes')).out).toContain('0 created + 0 already imported + 1 rejected');
  const { code, err } = await type('forget', '--account', 'A-1');
  expect(err).toMatch(
    /the last request of account A-1 \(stage\) got no answer and may still be running on the service until \d{4}-\S+Z\. Nothing was forgotten\./,
  );
  expect(code).toBe(2);
  expect(requests).toBe(2);
  expect(service.accounts.get('ACME/A-1')?.numbers ?? []).toEqual([]);
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
  await vi.waitFor(async () => expect((await runIn({}, ...command.split(' '))).code).toBe(0), PATIENCE);
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
    PATIENCE,
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
    writeFileSync(facts, JSON.stringify({ ...valueIn(facts), state: 'running' }));
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
