/**
 * Every status but UNKNOWN means that an account exists, also in an answer without its number (spec: Account import status). The runner
 * asks again until the number is there, and never sends a second `process`.
 */

import { describe, expect, test } from 'vitest';
import { DataImportClient, internalsOf } from '../../../src/client.js';
import type { Ledger } from '../../../src/migration/ledger/ledger.js';
import { createMemoryLedger } from '../../../src/migration/ledger/memory.js';
import { queryService } from '../../../src/migration/operations/resolve.js';
import { InFlightRecords } from '../../../src/migration/record/preconditions/quiet-time.js';
import { settingsOf } from '../../../src/migration/record/steps/call-settings.js';
import { runInput } from '../../../src/migration/run/repeat-passes.js';
import { createSandbox, type SandboxSettings } from '../../../src/sandbox/index.js';
import { account, itemsOf } from '../rehearsal.js';

const PROCESS = 'account-import-process/process/';
const STATUS = 'account-transfer-status/SANDBOX_SUPPLIER/A-1/';
const key = { supplier: 'SANDBOX_SUPPLIER', kind: 'account', number: 'A-1' } as const;

type Answer = (respond: () => Promise<Response>) => Promise<Response> | Response;

/** The request reaches the service, and a gateway answers in its place. */
const lost: Answer = (respond) => {
  void respond();
  return new Response('', { status: 504 });
};
const says =
  (body: unknown, status = 200): Answer =>
  () =>
    Response.json(body, { status });

/** Runs A-1 against a sandbox whose calls end by the clock of the run. `answers`: by path; the last one repeats. */
function open(settings: Partial<SandboxSettings>, answers: Record<string, readonly Answer[]> = {}) {
  let time = Date.parse('2026-01-15T09:00:00Z');
  const now = () => new Date(time);
  let atWork: { endsAt: number; end: () => void }[] = [];
  const wait = (ms: number) => new Promise<void>((end) => void atWork.push({ endsAt: time + ms, end }));
  const sandbox = createSandbox({ settings, wait });
  const asked: string[] = [];
  const client = new DataImportClient({
    baseUrl: 'http://localhost:1',
    token: sandbox.token,
    timeoutMs: 5000,
    advanced: { retryBaseMs: 0 },
    maxRetries: 1,
    fetch: async (url, init) => {
      const path = new URL(String(url)).pathname.replace('/v1/data-import/', '');
      const list = answers[path] ?? [];
      const before = asked.filter((one) => one === path).length;
      asked.push(path);
      const answer = list[before] ?? list.at(-1);
      const respond = () => sandbox.fetch(new Request(url, init));
      return answer === undefined ? respond() : answer(respond);
    },
  });
  const sleep = async (ms: number) => {
    time += ms;
    const ending = atWork.filter(({ endsAt }) => endsAt <= time);
    atWork = atWork.filter(({ endsAt }) => endsAt > time);
    for (const { end } of ending) end();
    // The service commits.
    await new Promise((resolve) => setImmediate(resolve));
  };
  const inFlight = new InFlightRecords(internalsOf(client).shared.inFlight, now);
  const failures: string[] = [];
  return {
    client,
    inFlight,
    now,
    sleep,
    failures,
    requests: (path: string) => asked.filter((one) => one === path).length,
    numbers: () => {
      const { imported, duplicates = [] } = sandbox.state.suppliers[0]?.accounts[0] ?? {};
      return [imported, ...duplicates].filter(Boolean).length;
    },
    async run(record: unknown = account('A-1'), ledger: Ledger = createMemoryLedger(), more: object = {}) {
      const items = itemsOf([record]);
      await runInput({
        ...{ client, ledger, now, sleep, inFlight, team: 'SANDBOX_TEAM', profile: undefined },
        ...{ folder: 'run', areChangesAccepted: true, onRenumbered: () => false },
        input: {
          async *[Symbol.asyncIterator]() {
            yield* items;
          },
        },
        ...settingsOf({}),
        recordsAtOnce: 8,
        ...{ retryRejected: false, validateRemotely: false, dryRun: () => false },
        signal: new AbortController().signal,
        schedule: (_, call) => call(),
        isAccepting: () => true,
        onEvent: (_, event) => {
          if (event.type === 'reconcileFailed') failures.push(event.code ?? '');
        },
        onLine: () => {},
        ...more,
      });
      return (await ledger.find(key)) ?? { outcome: 'none', serviceNumber: null, intent: null };
    },
  };
}

describe('while the service still processes', () => {
  const slow = { processDurationMs: 80_000, processRace: 'allow' } as const;

  test.each(['PENDING', 'IN_PROGRESS'] as const)('and says %s without a number: one account', async (status) => {
    const run = open({ ...slow, statusWhileProcessing: status }, { [PROCESS]: [lost] });
    expect(await run.run()).toMatchObject({ outcome: 'created', serviceNumber: expect.stringMatching(/./) });
    expect([run.requests(PROCESS), run.numbers()]).toEqual([1, 1]);
  });

  test('a changed line does not start it again', async () => {
    const run = open({ ...slow, statusWhileProcessing: 'PENDING' }, { [PROCESS]: [lost] });
    const ledger = createMemoryLedger();
    let requests = 0;
    const stops = { onEvent: () => requests++, isAccepting: () => requests < 4 };
    await run.run(account('A-1'), ledger, stops);
    expect(await ledger.find(key)).toMatchObject({ outcome: null, intent: 'process' });
    expect(await run.run(account('A-1', { sales_channel: 'WEB' }), ledger)).toMatchObject({ outcome: 'created' });
    expect([run.requests(PROCESS), run.numbers()]).toEqual([1, 1]);
  });
});

const withoutNumber: [string, object][] = [
  ['PENDING and an empty number', { status: 'PENDING', service_account_number: '' }],
  ['IN_PROGRESS and null', { status: 'IN_PROGRESS', service_account_number: null }],
  ['COMPLETED and no field for the number', { status: 'COMPLETED' }],
  ['REJECTED and a blank number', { status: 'REJECTED', service_account_number: ' ' }],
  ['a status that is not documented', { status: 'MIGRATING', service_account_number: '' }],
  ['UNKNOWN and a number', { status: 'UNKNOWN', service_account_number: '77' }],
];

describe.each(withoutNumber)('every status answer has %s', (_, body) => {
  const status = { [STATUS]: [says(body)] };

  test.each<[string, Answer]>([
    ['no answer', () => new Response('', { status: 504 })],
    ['500', says({ detail: 'Unexpected.' }, 500)],
    ['a refusal', says({ code: 'busy', errors: [{ code: 'busy', attr: '' }] }, 400)],
    ['a success without a number', says({ service_account_number: '' }, 201)],
  ])(
    'after %s to process keeps the intent: process is sent once, and resolve does not repeat it',
    async (__, answer) => {
      const run = open({}, { ...status, [PROCESS]: [answer] });
      const ledger = createMemoryLedger();
      expect(await run.run(account('A-1'), ledger)).toMatchObject({ outcome: null, intent: 'process' });
      expect(run.requests(PROCESS)).toBe(1);
      expect(run.failures).toContain('account_without_number');

      const resolved: string[] = [];
      const asked = await queryService({ ...run, ledger }, run.client, run.sleep, ({ as }) => void resolved.push(as));
      expect(resolved).toEqual([]);
      expect(asked.running.map(({ record }) => record.number)).toEqual(['A-1']);

      await run.run(account('A-1'), ledger);
      expect(run.requests(PROCESS)).toBe(1);
    },
  );

  test('and UNKNOWN again: the request had no effect, so it is sent again once', async () => {
    const unknown = says({ status: 'UNKNOWN', service_account_number: '' });
    const first = new Response('', { status: 504 });
    const run = open({}, { [STATUS]: [says(body), unknown], [PROCESS]: [() => first, (respond) => respond()] });
    expect(await run.run()).toMatchObject({ outcome: 'created' });
    expect([run.requests(PROCESS), run.numbers()]).toEqual([2, 1]);
  });
});

test('a rejected record whose account exists without a number is not started again with a corrected line', async () => {
  const refusal = says({ code: 'invalid', errors: [{ code: 'invalid', attr: 'x' }] }, 400);
  const pending = says({ status: 'PENDING', service_account_number: '' });
  const unknown = says({ status: 'UNKNOWN', service_account_number: '' });
  const run = open({}, { [PROCESS]: [refusal], [STATUS]: [unknown, pending] });
  const ledger = createMemoryLedger();
  expect(await run.run(account('A-1'), ledger)).toMatchObject({ outcome: 'rejected' });
  await run.run(account('A-1', { sales_channel: 'WEB' }), ledger);
  expect(run.requests(PROCESS)).toBe(1);
});

test('an account that is refused when it is staged, and exists without a number, is not rejected', async () => {
  const refusal = says({ code: 'busy', errors: [{ code: 'busy', attr: '' }] }, 400);
  const pending = says({ status: 'PENDING', service_account_number: '' });
  const run = open({}, { 'account-import-process/create-or-update/': [refusal], [STATUS]: [pending] });
  expect(await run.run()).toMatchObject({ outcome: null, errors: [] });
});
