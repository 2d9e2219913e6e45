/** U30, U31: calls that take time between their checks and their commit, two of them at once, and lost connections. */

import { describe, expect, test } from 'vitest';
import type { SandboxOptions, SandboxSettings } from '../../../src/sandbox/index.js';
import { PATIENCE } from '../../helpers/patience.js';
import { charge, payload as transactions } from '../support/billed-account.js';
import { refused } from '../support/refusals.js';
import {
  account,
  importAccount,
  openSandbox,
  PROCESS,
  posted,
  processing,
  STAGE,
  type Talk,
} from '../support/requests.js';

const STATUS = 'account-transfer-status/SANDBOX_SUPPLIER/A-1/';

/** Calls that take time stay at work until the test ends one: no machine time passes. */
function opened(settings: Partial<SandboxSettings>, more: Pick<SandboxOptions, 'clock' | 'seed'> = {}) {
  const atWork: { ms: number; end: () => void }[] = [];
  const watchers = new Set<() => void>();
  const wait = (ms: number, signal: AbortSignal) =>
    new Promise<void>((resolve) => {
      atWork.push({ ms, end: resolve });
      signal.addEventListener('abort', () => resolve());
      for (const watcher of watchers) watcher();
    });
  const talk = openSandbox({ settings, wait, ...more });
  /** Resolves once `count` calls have begun. */
  const begun = (count: number) =>
    new Promise<void>((resolve) => {
      const watcher = () => {
        if (atWork.length < count) return;
        watchers.delete(watcher);
        resolve();
      };
      watchers.add(watcher);
      watcher();
    });
  const end = (index: number) => atWork[index]?.end();
  return { ...talk, talk, atWork, begun, end };
}

/** Sends the call and ends its work at once. */
async function done<Result>(open: ReturnType<typeof opened>, call: Promise<Result>): Promise<Result> {
  await open.begun(open.atWork.length + 1);
  open.end(open.atWork.length - 1);
  return call;
}

const recordOf = ({ sandbox }: Pick<Talk, 'sandbox'>) => sandbox.state.suppliers[0]?.accounts[0];
const changesOf = ({ sandbox }: Pick<Talk, 'sandbox'>, operation: string) =>
  sandbox
    .requests()
    .filter((entry) => entry.operation === operation)
    .map(({ status, change }) => [status, change]);
const numberIn = ({ body }: { body: unknown }) => (body as { service_account_number: string }).service_account_number;

describe('U30 two process calls for one account at once', () => {
  test('E6 allow: both create it, with a number each; state and log show the second creation', async () => {
    const open = opened({ processDurationMs: 4000 });
    await open.post(STAGE, account('A-1'));
    const first = open.post(PROCESS, processing('A-1'));
    await open.begun(1);
    const second = open.post(PROCESS, processing('A-1'));
    await open.begun(2);
    open.end(0);
    const one = await first;
    open.end(1);
    const other = await second;
    expect([one.status, other.status]).toEqual([201, 201]);
    expect(numberIn(one)).toMatch(/^\d{16}$/);
    expect(numberIn(other)).toMatch(/^\d{16}$/);
    expect(numberIn(other)).not.toBe(numberIn(one));
    expect(recordOf(open)?.imported?.service_account_number).toBe(numberIn(other));
    expect(recordOf(open)?.duplicates?.map((duplicate) => duplicate.service_account_number)).toEqual([numberIn(one)]);
    expect(changesOf(open, 'accounts.process')).toEqual([
      [201, 'staged → imported'],
      [201, 'staged → imported'],
    ]);
    expect(open.sandbox.requests().at(-1)?.assumed).toEqual(['U25', 'U30']);
    expect(open.atWork.map(({ ms }) => ms)).toEqual([4000, 4000]);
    expect(await open.post(PROCESS, processing('A-1'))).toMatchObject({
      status: 400,
      body: { code: 'account_already_imported', service_account_number: numberIn(other) },
    });
  });

  test('allow: the duplicates go with a snapshot', async () => {
    const open = opened({ processDurationMs: 1 });
    await open.post(STAGE, account('A-1'));
    const calls = [open.post(PROCESS, processing('A-1')), open.post(PROCESS, processing('A-1'))];
    await open.begun(2);
    for (const index of [0, 1]) open.end(index);
    await Promise.all(calls);
    const other = openSandbox();
    other.sandbox.restore(JSON.parse(JSON.stringify(open.sandbox.snapshot())));
    expect(recordOf(other)?.duplicates).toHaveLength(1);
    expect(recordOf(other)).toEqual(recordOf(open));
  });

  test('lock: the second is refused while the first runs, which creates the account', async () => {
    const open = opened({ processDurationMs: 4000, processRace: 'lock' });
    for (const number of ['A-1', 'A-2']) await open.post(STAGE, account(number));
    const first = open.post(PROCESS, processing('A-1'));
    await open.begun(1);
    expect(await open.unchanged(() => open.post(PROCESS, processing('A-1')))).toEqual(
      refused('account_import_in_progress', 'external_account_number'),
    );
    // Of another account it is no second call.
    const another = open.post(PROCESS, processing('A-2'));
    await open.begun(2);
    for (const index of [0, 1]) open.end(index);
    expect([(await first).status, (await another).status]).toEqual([201, 201]);
    expect(await open.post(PROCESS, processing('A-1'))).toMatchObject({ body: { code: 'account_already_imported' } });
  });

  test('wait: the second waits for the end of the first, and is answered that the account exists', async () => {
    const open = opened({ processDurationMs: 4000, processRace: 'wait' });
    await open.post(STAGE, account('A-1'));
    const first = open.post(PROCESS, processing('A-1'));
    await open.begun(1);
    const second = open.post(PROCESS, processing('A-1'));
    open.end(0);
    const service_account_number = numberIn(await first);
    expect(await second).toMatchObject({
      status: 400,
      body: { code: 'account_already_imported', service_account_number },
    });
    expect(recordOf(open)?.duplicates).toBeUndefined();
  });

  test('a refusal takes no time, a dry run as long as a creation, and neither changes anything', async () => {
    const open = opened({ processDurationMs: 4000 });
    await open.post(STAGE, account('A-1'));
    expect((await open.unchanged(() => open.post(PROCESS, processing('A-2')))).status).toBe(400);
    expect(open.atWork).toEqual([]);
    const dryRun = () => done(open, open.post(PROCESS, processing('A-1', { dry_run: true })));
    expect(await open.unchanged(dryRun)).toMatchObject({
      status: 400,
      body: { detail: 'Account would successfully import. Rolled back due to Dry Run.' },
    });
    expect(open.atWork.map(({ ms }) => ms)).toEqual([4000]);
  });

  test('E6 the limit counts the calls that run: 429 until one ends', async () => {
    const open = opened({ processDurationMs: 4000, processConcurrency: 1 });
    for (const number of ['A-1', 'A-2']) await open.post(STAGE, account(number));
    const first = open.post(PROCESS, processing('A-1'));
    await open.begun(1);
    expect((await open.unchanged(() => open.post(PROCESS, processing('A-2')))).status).toBe(429);
    open.end(0);
    expect((await first).status).toBe(201);
    expect((await done(open, open.post(PROCESS, processing('A-2')))).status).toBe(201);
  });

  test('a call that runs when the sandbox is reset has no effect on the new state', async () => {
    const open = opened({ processDurationMs: 4000, statusWhileProcessing: 'PENDING' });
    await open.post(STAGE, account('A-1'));
    const before = open.post(PROCESS, processing('A-1'));
    await open.begun(1);
    open.sandbox.reset();
    await open.post(STAGE, account('A-1'));
    expect((await open.get(STATUS)).body).toEqual({ status: 'UNKNOWN', service_account_number: '' });
    open.end(0);
    await before;
    expect(recordOf(open)?.imported).toBeNull();
  });
});

describe('U30 the status query while the account is created', () => {
  test.each(['UNKNOWN', 'PENDING', 'IN_PROGRESS'] as const)(
    'E11 %s, with an empty number',
    async (statusWhileProcessing) => {
      const open = opened({ processDurationMs: 4000, statusWhileProcessing });
      await open.post(STAGE, account('A-1'));
      const call = open.post(PROCESS, processing('A-1'));
      await open.begun(1);
      expect((await open.get(STATUS)).body).toEqual({ status: statusWhileProcessing, service_account_number: '' });
      expect(open.sandbox.requests().at(-1)?.assumed).toEqual(['U30']);
      expect((await open.get('pending-account-import-processes/SANDBOX_SUPPLIER/')).body).toEqual([
        { external_account_number: 'A-1', service_account_number: null, account_created_at: null },
      ]);
      open.end(0);
      const service_account_number = numberIn(await call);
      expect((await open.get(STATUS)).body).toEqual({ status: 'PENDING', service_account_number });
    },
  );

  test('E11 UNKNOWN of an account that is only tried by a dry run', async () => {
    const open = opened({ processDurationMs: 4000, statusWhileProcessing: 'PENDING' });
    await open.post(STAGE, account('A-1'));
    const call = open.post(PROCESS, processing('A-1', { dry_run: true }));
    await open.begun(1);
    expect((await open.get(STATUS)).body).toEqual({ status: 'UNKNOWN', service_account_number: '' });
    open.end(0);
    await call;
  });
});

describe('U30 how long a call takes', () => {
  const drawn = async (processDurationMs: SandboxSettings['processDurationMs'], seed = 'sandbox') => {
    const open = opened({ processDurationMs }, { seed });
    for (const number of ['A-1', 'A-2', 'A-3']) {
      await open.post(STAGE, account(number));
      await done(open, open.post(PROCESS, processing(number)));
    }
    return open.atWork.map(({ ms }) => ms);
  };

  test('a range is drawn from by seed and account', async () => {
    const times = await drawn([50, 200]);
    expect(times.every((ms) => ms >= 50 && ms <= 200)).toBe(true);
    expect(new Set(times).size).toBe(3);
    expect(await drawn({ min: 50, max: 200 })).toEqual(times);
    expect(await drawn([50, 200], 'another')).not.toEqual(times);
  });

  test.each([-1, Number.NaN, 2 ** 31, '5', [5, 1], [1], [1, 2, 3], { min: 1 }, { min: 1, max: 2, mean: 1 }])(
    '%j is no duration',
    (processDurationMs) => {
      expect(() => opened({ processDurationMs: processDurationMs as number })).toThrow(
        'createSandbox: setting processDurationMs must be milliseconds from 0, or a range of them as [min, max] or { min, max }, found',
      );
    },
  );

  test('the clock does not move by it; the account is created when the call ends', async () => {
    const open = opened({ processDurationMs: 4000 }, { clock: new Date('2026-01-15T09:00:00Z') });
    await open.post(STAGE, account('A-1'));
    const call = open.post(PROCESS, processing('A-1'));
    await open.begun(1);
    expect(open.sandbox.clock.now()).toEqual(new Date('2026-01-15T09:00:00Z'));
    open.sandbox.clock.advance(60_000);
    open.end(0);
    await call;
    expect(recordOf(open)?.imported?.account_created_at).toBe('2026-01-15T09:01:00Z');
    expect(open.sandbox.requests().at(-1)?.at).toBe('2026-01-15T09:00:00.000Z');
  });

  test('latencyMs passes before every call is checked, in addition to the duration of the call and of faults', async () => {
    const waits: number[] = [];
    const faults = [{ match: { operation: 'accounts.stage' as const }, effect: { latencyMs: 3 } }];
    const settings = { latencyMs: 40, stageDurationMs: 500 };
    const { post, get, sandbox } = openSandbox({ settings, faults, wait: async (ms) => void waits.push(ms) });
    await get(STATUS);
    expect((await post(STAGE, account('A-1'))).status).toBe(201);
    expect(waits).toEqual([40, 43, 500]);
    const range = openSandbox({ settings: { latencyMs: [1, 100] }, wait: async (ms) => void waits.push(ms) });
    for (const number of ['A-1', 'A-2']) await range.post(STAGE, account(number));
    const [one = 0, other = 0] = waits.slice(3);
    for (const ms of [one, other]) expect(ms >= 1 && ms <= 100).toBe(true);
    expect(one).not.toBe(other);
    // A call without a token meets none.
    await sandbox.fetch(new Request('http://sandbox.example.com/v1/data-import/validate-account/', { method: 'POST' }));
    expect(waits).toHaveLength(5);
  });

  test('by default no call takes time', async () => {
    const open = opened({});
    await importAccount(open.talk, 'A-1');
    await open.post('notes/create/', account('A-1', { notes: [{ body: 'Moved.' }] }));
    await open.post('business/', { import_supplier_code: 'SANDBOX_SUPPLIER', external_business_identifier: 'B-1' });
    expect(open.atWork).toEqual([]);
  });
});

describe('U30 items, stagings and businesses at once', () => {
  const NOTE = account('A-1', { notes: [{ body: 'Moved.' }] });
  const twice = async (settings: Partial<SandboxSettings>, path: string, body: unknown) => {
    const open = opened(settings);
    await importAccount(open.talk, 'A-1', { last_billed_to_date: '2025-12-31' });
    const first = open.post(path, body);
    await open.begun(1);
    const second = open.post(path, body);
    if (settings.itemRace === undefined) await open.begun(2);
    return { open, first, second };
  };

  test('E7 notes, allow: the same note is added twice', async () => {
    const { open, first, second } = await twice({ itemDurationMs: 500 }, 'notes/create/', NOTE);
    for (const index of [0, 1]) open.end(index);
    for (const { status, body } of [await first, await second]) {
      expect([status, body]).toMatchObject([201, [{ status: 'NOTE_CREATION_SUCCESS' }]]);
    }
    expect(recordOf(open)?.imported?.notes.map(({ body }) => body)).toEqual(['Moved.', 'Moved.']);
  });

  test('E7 notes, wait: the second is answered that it exists', async () => {
    const { open, first, second } = await twice({ itemDurationMs: 500, itemRace: 'wait' }, 'notes/create/', NOTE);
    open.end(0);
    expect(await first).toMatchObject({ body: [{ status: 'NOTE_CREATION_SUCCESS' }] });
    await open.begun(2);
    open.end(1);
    expect(await second).toMatchObject({ status: 201, body: [{ status: 'NOTE_ALREADY_EXISTS' }] });
    expect(recordOf(open)?.imported?.notes).toHaveLength(1);
  });

  test('E8 transactions, allow: the same transaction is added twice', async () => {
    const body = transactions(charge());
    const { open, first, second } = await twice({ itemDurationMs: 500 }, 'transactions/create/', body);
    for (const index of [0, 1]) open.end(index);
    for (const answer of [await first, await second]) {
      expect(answer).toMatchObject({ body: { results: [{ status: 'TRANSACTION_ADDED_TO_ACCOUNT' }] } });
    }
    expect(recordOf(open)?.imported?.transactions).toHaveLength(2);
  });

  test.each([
    ['notes/create/', NOTE],
    ['transactions/create/', transactions(charge())],
    ['historical-statements/create/', account('A-1', { statements: [{}] })],
    ['payment-instruction/create/', account('A-1', { vendor: 'VENDOR', reference: 'R-1' })],
  ])('E7, E8, E9, E10 %s, lock: the second is refused while the first runs', async (path, body) => {
    const { open, first, second } = await twice({ itemDurationMs: 500, itemRace: 'lock' }, path, body);
    expect(await second).toMatchObject({ status: 400, body: { code: 'request_in_progress' } });
    open.end(0);
    expect((await first).status).toBe(201);
  });

  test('E5 stagings: exactly one is the first, and the one that ends last has the last word', async () => {
    const open = opened({ stageDurationMs: 500 });
    const older = open.post(STAGE, account('A-1', { sales_channel: 'older' }));
    await open.begun(1);
    const newer = open.post(STAGE, account('A-1', { sales_channel: 'newer' }));
    await open.begun(2);
    open.end(1);
    expect((await newer).status).toBe(201);
    open.end(0);
    expect((await older).status).toBe(200);
    expect(open.sandbox.state.suppliers[0]?.accounts.map(({ data }) => data.sales_channel)).toEqual(['older']);
    expect(changesOf(open, 'accounts.stage')).toEqual([
      [201, 'staged'],
      [200, 'staged data replaced'],
    ]);
  });

  const BUSINESS = { import_supplier_code: 'SANDBOX_SUPPLIER', external_business_identifier: 'B-1' };

  test('E2 businesses, allow: both are created, with an id each', async () => {
    const open = opened({ businessDurationMs: 500 });
    const calls = [open.post('business/', BUSINESS), open.post('business/', BUSINESS)];
    await open.begun(2);
    for (const index of [0, 1]) open.end(index);
    expect((await Promise.all(calls)).map(({ status }) => status)).toEqual([201, 201]);
    const ids = open.sandbox.state.suppliers[0]?.businesses.map(({ service_business_id }) => service_business_id);
    expect(new Set(ids).size).toBe(2);
    expect(changesOf(open, 'businesses.create')).toEqual([
      [201, 'business created'],
      [201, 'business created'],
    ]);
  });

  test('E2 businesses, lock: the second is refused while the first runs', async () => {
    const open = opened({ businessDurationMs: 500, businessRace: 'lock' });
    const first = open.post('business/', BUSINESS);
    await open.begun(1);
    expect(await open.post('business/', BUSINESS)).toEqual(
      refused('request_in_progress', 'external_business_identifier'),
    );
    open.end(0);
    expect((await first).status).toBe(201);
  });
});

describe('U31 a request whose connection is lost while the service works on it', () => {
  const lost = async (open: ReturnType<typeof opened>) => {
    await open.post(STAGE, account('A-1'));
    const leaving = new AbortController();
    const call = open.request(PROCESS, { ...posted(open.sandbox, processing('A-1')), signal: leaving.signal });
    await open.begun(1);
    leaving.abort();
    await expect(call).rejects.toThrow(/abort/);
  };
  const logged = async (open: ReturnType<typeof opened>) => {
    await expect.poll(() => changesOf(open, 'accounts.process').length, PATIENCE).toBe(1);
    return changesOf(open, 'accounts.process')[0];
  };

  test('complete: it is completed when its time is over, and the caller gets no answer', async () => {
    const open = opened({ processDurationMs: 4000 });
    await lost(open);
    expect((await open.get(STATUS)).body).toEqual({ status: 'UNKNOWN', service_account_number: '' });
    expect(recordOf(open)?.imported).toBeNull();
    open.end(0);
    expect((await logged(open))?.[1]).toBe('staged → imported');
    expect((await open.get(STATUS)).body).toMatchObject({ status: 'PENDING' });
  });

  test('complete: it counts against the limit until then', async () => {
    const open = opened({ processDurationMs: 4000, processConcurrency: 1 });
    await open.post(STAGE, account('A-2'));
    await lost(open);
    expect((await open.post(PROCESS, processing('A-2'))).status).toBe(429);
    open.end(0);
    await logged(open);
    expect((await done(open, open.post(PROCESS, processing('A-2')))).status).toBe(201);
  });

  test('stop: the state is unchanged, and another call may begin', async () => {
    const open = opened({ processDurationMs: 4000, lostRequests: 'stop', processRace: 'lock' });
    await lost(open);
    expect(await logged(open)).toEqual([null, null]);
    expect(open.sandbox.requests().at(-1)?.assumed).toContain('U31');
    expect(recordOf(open)?.imported).toBeNull();
    expect((await done(open, open.post(PROCESS, processing('A-1')))).status).toBe(201);
  });
});
