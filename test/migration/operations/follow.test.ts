/** The import status of every account after a run, until each has a final one (E11). */
import { appendFileSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { DataImportClient } from '../../../src/client.js';
import { createMemoryLedger } from '../../../src/migration/ledger/memory.js';
import { followImports, rejectedOf } from '../../../src/migration/operations/verify/follow.js';
import { openStatusLog, type StatusLog } from '../../../src/migration/operations/verify/follow-log.js';
import type { ImportCounts } from '../../../src/migration/shared/format.js';
import { createThrottle } from '../../../src/migration/throttle/throttle.js';
import { newFolder } from '../../helpers/folder.js';
import { type ImportServiceOptions, startImportService } from '../../support/import-service.js';
import { account, openRehearsal } from '../rehearsal.js';

const NONE: ImportCounts = {
  ...{
    notAnswered: 0,
    UNKNOWN: 0,
    PENDING: 0,
    IN_PROGRESS: 0,
    REJECTED: 0,
    COMPLETED: 0,
    other: 0,
    notFound: 0,
    otherNumber: 0,
  },
};

const clientOf = (serve: (request: Request) => Promise<Response>, token = 'T') =>
  new DataImportClient({
    ...{ baseUrl: 'http://localhost:1', token, maxRetries: 0, advanced: { retryBaseMs: 0 } },
    fetch: (url, init) => serve(new Request(url, init)),
  });

/** Timers fire at once, and the clock has gone on as far as they say. */
function clockOf(advance: (ms: number) => void = () => {}) {
  let now = Date.parse('2026-01-15T09:00:00Z');
  return {
    now: () => now,
    after(ms: number, call: () => void) {
      let isOver = false;
      queueMicrotask(() => {
        if (isOver) return;
        now += ms;
        advance(ms);
        call();
      });
      return () => {
        isOver = true;
      };
    },
  };
}

/** Accounts that a run has created on the independent service, and what follows them. */
async function imported(numbers: readonly string[], options: ImportServiceOptions = {}) {
  const service = await startImportService(options);
  onTestFinished(() => service.close());
  const rehearsal = openRehearsal();
  const ledger = createMemoryLedger();
  const client = clientOf((request) => service.fetch(request, new AbortController().signal));
  await rehearsal.run(
    numbers.map((number) => account(number)),
    ledger,
    { client },
  );
  const rounds: [counts: ImportCounts, waitMs: number | undefined][] = [];
  const follow = (
    log: StatusLog | undefined,
    signal = new AbortController().signal,
    more: { client?: DataImportClient } = {},
  ) =>
    followImports({
      ...{ ledger, client, log, signal, everyMs: 60_000, ...more },
      throttle: createThrottle({ clock: clockOf() }),
      onRound: (counts, waitMs) => void rounds.push([{ ...counts }, waitMs]),
    });
  const asked = () => service.requests.filter((request) => request.startsWith('GET account-transfer-status/')).length;
  return { service, ledger, follow, rounds, asked };
}

test('asks until each account is COMPLETED or REJECTED, and counts all five statuses after each round', async () => {
  const statuses: Record<string, string[]> = {
    'A-1': ['UNKNOWN', 'PENDING', 'COMPLETED'],
    'A-2': ['PENDING', 'IN_PROGRESS', 'REJECTED'],
    'A-3': ['COMPLETED'],
  };
  const { follow, ledger, rounds, asked } = await imported(['A-1', 'A-2', 'A-3'], {
    importStatus: (number, question) => statuses[number]?.[question] ?? 'not asked again',
  });
  const log = await openStatusLog(statusFile());
  expect(await follow(log)).toEqual({ state: 'finished', counts: { ...NONE, REJECTED: 1, COMPLETED: 2 } });
  expect(rounds).toEqual([
    [{ ...NONE, UNKNOWN: 1, PENDING: 1, COMPLETED: 1 }, 60_000],
    [{ ...NONE, PENDING: 1, IN_PROGRESS: 1, COMPLETED: 1 }, 60_000],
    [{ ...NONE, REJECTED: 1, COMPLETED: 2 }, undefined],
  ]);
  expect(asked()).toBe(7);
  const rejected = [];
  for await (const { number } of rejectedOf(ledger, log)) rejected.push(number);
  await log.close();
  expect(rejected).toEqual(['A-2']);
});

test('waits longer after each round without a change, up to a quarter of an hour', async () => {
  const { follow, rounds } = await imported(['A-1'], {
    importStatus: (_, question) => (question < 7 ? 'PENDING' : 'COMPLETED'),
  });
  await follow(undefined);
  expect(rounds.map(([, waitMs]) => waitMs)).toEqual([
    ...[60_000, 120_000, 240_000, 480_000, 900_000, 900_000, 900_000],
    undefined,
  ]);
});

test('follows the industry switches of the sandbox as its clock advances', async () => {
  const switchSchedule = { inProgressAfterSeconds: 100, endAfterSeconds: 200, rejectedShare: 0 };
  const rehearsal = openRehearsal({ settings: { switchSchedule } });
  const ledger = await rehearsal.run([account('A-1'), account('A-2')]);
  const { sandbox } = rehearsal;
  sandbox.transition('SANDBOX_SUPPLIER', 'A-2', 'IN_PROGRESS');
  sandbox.transition('SANDBOX_SUPPLIER', 'A-2', 'REJECTED');
  const rounds: ImportCounts[] = [];
  const { state } = await followImports({
    ...{ ledger, client: clientOf(sandbox.fetch, sandbox.token), log: undefined, everyMs: 60_000 },
    signal: new AbortController().signal,
    throttle: createThrottle({ clock: clockOf((ms) => void sandbox.clock.advance(ms)) }),
    onRound: (counts) => void rounds.push({ ...counts }),
  });
  expect([state, rounds[0], rounds.at(-1)]).toEqual([
    'finished',
    { ...NONE, PENDING: 1, REJECTED: 1 },
    { ...NONE, REJECTED: 1, COMPLETED: 1 },
  ]);
});

function statusFile() {
  const folder = newFolder('follow-');
  return join(folder, 'import-statuses.jsonl');
}

test('an interrupted command resumes: COMPLETED accounts are not looked up again, REJECTED ones once', async () => {
  const path = statusFile();
  const sessions = [new AbortController(), new AbortController()];
  const { follow, asked, ledger } = await imported(['A-1', 'A-2', 'A-3'], {
    importStatus(number, question) {
      if (number === 'A-1') return 'COMPLETED';
      if (number === 'A-2') return question === 0 ? 'REJECTED' : 'IN_PROGRESS';
      sessions[question]?.abort();
      return 'PENDING';
    },
  });
  const first = await openStatusLog(path);
  expect(await follow(first, sessions[0]?.signal)).toMatchObject({ state: 'stopped' });
  await first.close();
  // What a kill leaves of a line is passed over.
  appendFileSync(path, '["SANDBOX_SUPP');
  const before = asked();
  const again = await openStatusLog(path);
  expect(await follow(again, sessions[1]?.signal)).toEqual({
    state: 'stopped',
    counts: { ...NONE, COMPLETED: 1, IN_PROGRESS: 1, PENDING: 1 },
  });
  expect(asked() - before).toBe(2);
  const rejected = [];
  for await (const { number } of rejectedOf(ledger, again)) rejected.push(number);
  expect(rejected).toEqual([]);
  await again.close();
  expect(readFileSync(path, 'utf8').match(/"A-1","COMPLETED"/g)).toHaveLength(1);
});

test('a question without an answer is repeated in the next round; three rounds without any end it', async () => {
  let fails = 2;
  const { follow, ledger } = await imported(['A-1'], { importStatus: () => 'COMPLETED' });
  const failing = clientOf(async () => Response.json({ detail: 'x' }, { status: 503 }));
  await expect(follow(undefined, undefined, { client: failing })).rejects.toMatchObject({ status: 503 });
  const flaky = clientOf(async () =>
    fails-- > 0
      ? Response.json({ detail: 'x' }, { status: 503 })
      : Response.json({ status: 'COMPLETED', service_account_number: 'S-1' }),
  );
  expect(await follow(undefined, undefined, { client: flaky })).toMatchObject({ counts: { COMPLETED: 1 } });
  expect(await ledger.counts()).toMatchObject({ total: 1 });
});

test('a 429 is waited out, and an account that the service does not know is counted by itself', async () => {
  let isThrottled = true;
  const { follow } = await imported(['A-1', 'A-2']);
  const client = clientOf(async (request) => {
    if (isThrottled) {
      isThrottled = false;
      return Response.json({ detail: 'x' }, { status: 429, headers: { 'retry-after': '0' } });
    }
    return request.url.includes('A-2')
      ? Response.json({ detail: 'x' }, { status: 404 })
      : Response.json({ status: 'COMPLETED', service_account_number: 'S-1' });
  });
  expect(await follow(undefined, undefined, { client })).toEqual({
    state: 'finished',
    counts: { ...NONE, COMPLETED: 1, notFound: 1 },
  });
});

test('a token that is not accepted ends it at once', async () => {
  const { follow } = await imported(['A-1']);
  const client = clientOf(async () => Response.json({ detail: 'x' }, { status: 401 }));
  await expect(follow(undefined, undefined, { client })).rejects.toMatchObject({ status: 401 });
});

test.skipIf(process.platform === 'win32')('the file of the statuses is no link to another file', async () => {
  const path = statusFile();
  symlinkSync('/dev/null', path);
  await expect(openStatusLog(path)).rejects.toThrow(path);
});
