/** `migrateRecord`: what an activity of a workflow engine calls, killed and called again, at a service that creates at the end of a call. */
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { DataImportClient } from '../../src/client.js';
import type { Ledger } from '../../src/migration/ledger/ledger.js';
import { createMemoryLedger } from '../../src/migration/ledger/memory.js';
import { type MigratedRecord, type MigrateRecordOptions, migrateRecord } from '../../src/migration/migrate-record.js';
import {
  createSandbox,
  type FaultRule,
  SANDBOX_SUPPLIER,
  SANDBOX_TEAM,
  type SandboxOptions,
} from '../../src/sandbox/index.js';
import type { ImportRecord } from '../../src/validation/records/import-record.js';
import { account, business } from './rehearsal.js';

const NOW = new Date('2026-01-15T09:00:00Z');
/** The client's `inFlightGraceMs`, which is the quiet time here: its requests have less time. */
const QUIET_MS = 60_000;
const TIMEOUT_MS = 30_000;

beforeEach(() => {
  vi.useFakeTimers({ now: NOW });
});
afterEach(() => {
  vi.useRealTimers();
});

function openService(options: SandboxOptions = {}) {
  const sandbox = createSandbox({ wait: (ms) => new Promise((resolve) => setTimeout(resolve, ms)), ...options });
  const stored = createMemoryLedger();
  const processed = () => sandbox.requests().filter(({ operation }) => operation === 'accounts.process');
  const staged = (number: string) =>
    sandbox.requests().filter(({ operation, account: of }) => operation === 'accounts.stage' && of === number);
  /** Service account numbers under which the service has the account: more than one where it was created twice. */
  const numbersOf = (number: string) => {
    const accounts = sandbox.state.suppliers[0]?.accounts ?? [];
    const found = accounts.find((one) => one.external_account_number === number);
    return [found?.imported, ...(found?.duplicates ?? [])].flatMap((one) => one?.service_account_number ?? []);
  };

  /** A process with its own client and ledger. After `die` it stores nothing more, and its requests still reach the service. */
  function startProcess(
    more: { arrives?: () => boolean; concurrency?: number; stageDelaysMs?: readonly number[] } = {},
  ) {
    const { arrives = () => true, concurrency = 8 } = more;
    /** How much later each staging request arrives: at once if it has no delay. */
    const delays = [...(more.stageDelaysMs ?? [])];
    let isDead = false;
    const never = new Promise<never>(() => {});
    const client = new DataImportClient({
      ...{ baseUrl: 'http://localhost:1', token: sandbox.token, concurrency, maxRetries: 0 },
      ...{ timeoutMs: TIMEOUT_MS, advanced: { inFlightGraceMs: QUIET_MS } },
      fetch: (url, init) => {
        const isProcess = String(url).includes('process/process');
        if (isProcess && !arrives()) return never;
        const arrive = () => sandbox.fetch(new Request(String(url), { ...init, signal: null }));
        const delayMs = String(url).includes('create-or-update') ? (delays.shift() ?? 0) : 0;
        if (delayMs === 0) return arrive();
        const timedOut = new Promise<never>((_, reject) => {
          init?.signal?.addEventListener('abort', () => reject(init.signal?.reason), { once: true });
        });
        const late = new Promise((resolve) => setTimeout(resolve, delayMs)).then(arrive);
        return Promise.race([late, timedOut]);
      },
    });
    const ledger: Ledger = {
      ...stored,
      write: (record, contracts) => (isDead ? never : stored.write(record, contracts)),
    };
    return {
      client,
      ledger,
      die() {
        isDead = true;
      },
      migrate: (record: unknown, options: Partial<MigrateRecordOptions> = {}) =>
        migrateRecord(record as ImportRecord, { client, ledger, team: SANDBOX_TEAM, ...options }),
    };
  }
  return { sandbox, stored, processed, staged, numbersOf, startProcess };
}

/** Calls again after the returned time, as an activity of a workflow does, until the record waits no longer. */
async function untilEnded(
  migrate: () => Promise<MigratedRecord>,
): Promise<{ ended: MigratedRecord; reasons: string[] }> {
  const reasons: string[] = [];
  for (;;) {
    const call = migrate();
    // Short waits pass inside of the call.
    while ((await Promise.race([call, tick()])) === 'tick') await vi.advanceTimersByTimeAsync(100);
    const migrated = await call;
    if (migrated.state !== 'waiting') return { ended: migrated, reasons };
    reasons.push(migrated.reason);
    if (reasons.length > 200) throw new Error(`it waits: ${reasons.join(', ')}`);
    await vi.advanceTimersByTimeAsync(migrated.retryAfterMs);
  }
}

const tick = () => new Promise<'tick'>((resolve) => setImmediateReal(() => resolve('tick')));
const setImmediateReal = setImmediate;

const RECORD = account('A-1', {}, { notes: [{ body: 'Prefers letters.' }] });
const BUSINESS = business('B-1', 'C-1');
const OF_BUSINESS = account('A-1', { business: { business_contract_identifier: 'C-1' } });
const REFUSAL = { validation_errors: [{ code: 'refused', attr: 'unknown_to_all', detail: 'Refused.' }] };

describe('a process that is killed while `process` is in flight', () => {
  test.each([200, 1000, 4000])('a call of %i ms creates the account at its end, and no other call does', async (ms) => {
    const { startProcess, numbersOf, processed, stored } = openService({ settings: { processDurationMs: ms } });
    const [killed, other] = [startProcess(), startProcess()];
    void killed.migrate(RECORD);
    await vi.advanceTimersByTimeAsync(ms / 2);
    killed.die();
    expect(await stored.find({ supplier: SANDBOX_SUPPLIER, kind: 'account', number: 'A-1' })).toMatchObject({
      intent: 'process',
    });
    const { ended } = await untilEnded(() => other.migrate(RECORD));
    expect(ended).toMatchObject({ state: 'complete', record: { outcome: 'created' } });
    expect(numbersOf('A-1')).toEqual([ended.record.serviceNumber]);
    expect(processed()).toHaveLength(1);
  });

  test('whose request did not arrive: it is sent again after the quiet time and two answers without an account', async () => {
    const { startProcess, numbersOf, processed, sandbox } = openService({ settings: { processDurationMs: 4000 } });
    const [killed, other] = [startProcess({ arrives: () => false }), startProcess()];
    void killed.migrate(RECORD);
    await vi.advanceTimersByTimeAsync(1000);
    killed.die();
    expect(processed()).toEqual([]);
    expect((await untilEnded(() => other.migrate(RECORD))).ended).toMatchObject({ record: { outcome: 'created' } });
    expect(numbersOf('A-1')).toHaveLength(1);
    expect(processed()).toHaveLength(1);
    expect(Date.now() - NOW.getTime()).toBeGreaterThan(QUIET_MS);
    expect(sandbox.requests().filter(({ operation }) => operation === 'imports.status').length).toBeGreaterThan(1);
  });

  test('each call in a separate process, with other data: the account is created once', async () => {
    const { startProcess, numbersOf } = openService({ settings: { processDurationMs: 4000 } });
    const killed = startProcess({ arrives: () => false });
    void killed.migrate(RECORD);
    await vi.advanceTimersByTimeAsync(1000);
    killed.die();
    const { ended } = await untilEnded(() => startProcess().migrate(account('A-1', { sales_channel: 'WEB' })));
    expect(ended).toMatchObject({ record: { outcome: 'created' } });
    expect(numbersOf('A-1')).toHaveLength(1);
  });

  test('each call in a separate process: the account is created once', async () => {
    const { startProcess, numbersOf } = openService({ settings: { processDurationMs: 4000 } });
    const killed = startProcess({ arrives: () => false });
    void killed.migrate(RECORD);
    await vi.advanceTimersByTimeAsync(1000);
    killed.die();
    const { ended } = await untilEnded(() => startProcess().migrate(RECORD));
    expect(ended).toMatchObject({ record: { outcome: 'created' } });
    expect(numbersOf('A-1')).toHaveLength(1);
  });
});

describe('a staging request that ends after it was repeated', () => {
  const CORRECTED = account('A-1', { sales_channel: 'WEB' });
  const failOnce: FaultRule = {
    match: { operation: 'accounts.process' },
    when: 'first',
    effect: { status: 500, body: { detail: 'Failed.' } },
  };
  const refuseOnce: FaultRule = {
    match: { operation: 'accounts.process' },
    when: 'first',
    effect: { status: 400, body: REFUSAL },
  };

  test.each([
    ['the service failed to process the account', failOnce],
    ['the service refused to process the account', refuseOnce],
  ])('and %s: a corrected record waits for the quiet time, and its data are imported', async (_, fault) => {
    const { startProcess, sandbox, stored } = openService({ faults: [fault] });
    const { migrate } = startProcess({ stageDelaysMs: [50_000] });
    void migrate(RECORD);
    // The first request reaches its time limit.
    await vi.advanceTimersByTimeAsync(TIMEOUT_MS + 1000);
    // The second one is answered, and `process` fails.
    void migrate(RECORD);
    await vi.advanceTimersByTimeAsync(100);
    const key = { supplier: SANDBOX_SUPPLIER, kind: 'account', number: 'A-1' } as const;
    expect(await stored.find(key)).toMatchObject({ done: 'stage', stageUnansweredAt: '2026-01-15T09:00:30.000Z' });
    await untilEnded(() => startProcess().migrate(CORRECTED));
    expect(Date.now() - NOW.getTime()).toBeGreaterThanOrEqual(TIMEOUT_MS + QUIET_MS);
    expect(sandbox.state.suppliers[0]?.accounts[0]).toMatchObject({
      data: { sales_channel: 'WEB' },
      imported: { service_account_number: expect.any(String) },
    });
  });

  test('the same record does not wait', async () => {
    const { startProcess } = openService({ faults: [failOnce] });
    const { migrate } = startProcess({ stageDelaysMs: [50_000] });
    void migrate(RECORD);
    await vi.advanceTimersByTimeAsync(TIMEOUT_MS + 1000);
    void migrate(RECORD);
    await vi.advanceTimersByTimeAsync(100);
    await untilEnded(() => startProcess().migrate(RECORD));
    expect(Date.now() - NOW.getTime()).toBeLessThan(TIMEOUT_MS + 5000);
  });
});

describe('two processes that have the same record', () => {
  test('at the same time create it once: one of them returns that the other has it, or waits for its request', async () => {
    const { startProcess, numbersOf, processed } = openService({ settings: { processDurationMs: 4000 } });
    const [one, other] = [startProcess(), startProcess()];
    const ends = await Promise.all([one, other].map(({ migrate }) => untilEnded(() => migrate(RECORD))));
    expect(ends.map(({ ended }) => ended.record.outcome)).toEqual(['created', 'created']);
    expect(numbersOf('A-1')).toHaveLength(1);
    expect(processed()).toHaveLength(1);
    expect(ends.flatMap(({ reasons }) => reasons).length).toBeGreaterThan(0);
  });
});

test('a process without contact to the ledger for a quarter of the quiet time sends no pending request', async () => {
  const { startProcess, staged, sandbox } = openService({ settings: { processDurationMs: 20_000 } });
  const { migrate, ledger } = startProcess({ concurrency: 1 });
  const first = migrate(account('A-1'));
  await vi.advanceTimersByTimeAsync(1000);
  const second = migrate(account('A-2')).catch((error: unknown) => error);
  await vi.advanceTimersByTimeAsync(1000);
  const away = () => Promise.reject(new Error('The ledger is away.'));
  Object.assign(ledger, { fact: away, write: away });
  void first.catch(() => {});
  await vi.advanceTimersByTimeAsync(30_000);
  await second;
  expect(sandbox.requests().map(({ operation }) => operation)).toContain('accounts.process');
  expect(staged('A-2')).toEqual([]);
});

describe('what it returns', () => {
  test('an account that is invalid is incomplete, with its findings', async () => {
    const { startProcess, sandbox } = openService();
    const { migrate } = startProcess();
    const invalid = account('A-1', { billing_postcode: 12 });
    expect(await migrate(invalid)).toMatchObject({
      ...{ state: 'incomplete', reason: 'rejected' },
      problem:
        'account A-1: rejected: check invalid_type account.billing_postcode. The value has another type than the API specification says. Send the documented type: a number such as 12.5 without quotes and letters, a text in quotes.',
      record: { outcome: 'rejected', errors: [{ step: 'check', attr: 'account.billing_postcode' }] },
    });
    expect(sandbox.requests()).toEqual([]);
  });

  test('a record that is complete: nothing is sent, and other data are named', async () => {
    const { startProcess, sandbox } = openService();
    const { migrate } = startProcess();
    await migrate(RECORD);
    const sent = sandbox.requests().length;
    expect(await migrate(RECORD)).toMatchObject({ state: 'complete', record: { outcome: 'created' } });
    expect(await migrate(account('A-1', { sales_channel: 'WEB' }))).toMatchObject({
      ...{ state: 'incomplete', reason: 'changed' },
      problem:
        'account A-1: it exists, and was created from other data than this record (account.sales_channel, notes that it lacks). Give it as it was, or ask the operator to change what exists',
    });
    const withNotes = account('A-1', {}, { notes: [{ body: 'Prefers letters.' }, { body: 'Call back.' }] });
    expect(await migrate(withNotes)).toMatchObject({
      problem: expect.stringContaining('from other data than this record (new notes). '),
    });
    expect(sandbox.requests()).toHaveLength(sent);
  });

  test('an unknown field comes with the one that is meant', async () => {
    const { startProcess } = openService();
    expect(await startProcess().migrate(account('A-1', {}, { note: [] }))).toMatchObject({
      problem: expect.stringContaining(
        'rejected: check unknown_field note (did you mean `notes`?). The API specification',
      ),
    });
  });

  test('items of another customer than the one of an account that exists and is unfinished: none is sent', async () => {
    const { startProcess, sandbox } = openService({
      faults: [{ match: { operation: 'notes.create' }, when: 'first', effect: { status: 503 } }],
    });
    const { migrate } = startProcess();
    const of = (given_name: string, body: string) =>
      account('A-1', { customers: [{ given_name, family_name: 'Exemple' }] }, { notes: [{ body }] });
    expect(await migrate(of('Camille', 'Prefers letters.'))).toMatchObject({
      state: 'waiting',
      record: { done: 'process' },
    });
    const sent = sandbox.requests().length;
    expect(await migrate(of('Andrea', 'Has moved.'), { addToExisting: true })).toMatchObject({
      ...{ state: 'incomplete', reason: 'changed', record: { outcome: null } },
      problem: 'account A-1: it exists, and was created for another customer than that of this record',
    });
    expect(sandbox.requests()).toHaveLength(sent);
  });

  test('no items of another customer than the one of an account that may exist: the record ends', async () => {
    const { startProcess } = openService({
      faults: [{ match: { operation: 'accounts.process' }, phase: 'afterCommit', when: 'first', effect: 'drop' }],
    });
    const { migrate } = startProcess();
    const of = (given_name: string) => account('A-1', { customers: [{ given_name, family_name: 'Exemple' }] });
    expect(await migrate(of('Camille'))).toMatchObject({ state: 'waiting', record: { intent: 'process' } });
    const { ended } = await untilEnded(() => migrate(of('Andrea')));
    expect(ended).toMatchObject({ state: 'incomplete', reason: 'changed', record: { outcome: 'created' } });
  });

  test('transactions under other identifiers are not sent, also with addToExisting; with those that were sent a new one is', async () => {
    const { startProcess, sandbox } = openService();
    const { migrate } = startProcess();
    const charge = (transaction_id: string, amount: number) => ({
      ...{ transaction_id, transaction_date: '2026-01-05', type: 'CHARGE', reason: 'IMPORTED_CHARGE', amount },
    });
    const with_ = (...transactions: object[]) => account('A-1', {}, { transactions });
    const ids = () =>
      sandbox.state.suppliers[0]?.accounts[0]?.imported?.transactions.map(({ data }) => data.transaction_id);
    await migrate(with_(charge('T-1', 10)));
    for (const transactions of [[charge('U-1', 12)], [charge('U-1', 12), charge('U-2', 20)]]) {
      const { state } = await migrate(with_(...transactions), { addToExisting: true });
      expect([state, ids()]).toEqual(['incomplete', ['T-1']]);
    }
    const { state } = await migrate(with_(charge('T-1', 10), charge('U-2', 20)), { addToExisting: true });
    expect([state, ids()]).toEqual(['complete', ['T-1', 'U-2']]);
  });

  test('other data than those of an account that exists and is unfinished: its items are sent, and the data are named', async () => {
    const { startProcess, sandbox } = openService({
      faults: [{ match: { operation: 'notes.create' }, when: 'first', effect: { status: 503 } }],
    });
    const { migrate } = startProcess();
    expect(await migrate(RECORD)).toMatchObject({ state: 'waiting', record: { done: 'process' } });
    const other = account('A-1', { sales_channel: 'WEB' }, { notes: [{ body: 'Prefers letters.' }] });
    const { ended } = await untilEnded(() => migrate(other));
    expect(ended).toMatchObject({ state: 'incomplete', reason: 'changed', record: { outcome: 'created' } });
    expect((await migrate(other)).state).toBe('incomplete');
    expect(sandbox.state.suppliers[0]?.accounts[0]?.imported?.notes).toHaveLength(1);
  });

  test('an account that the service has without its notes is incomplete, with the code of the refusal', async () => {
    const { startProcess } = openService({
      faults: [{ match: { operation: 'notes.create' }, effect: { status: 400, body: REFUSAL } }],
    });
    expect((await untilEnded(() => startProcess().migrate(RECORD))).ended).toMatchObject({
      ...{ state: 'incomplete', reason: 'items', record: { outcome: 'created' } },
      problem:
        'account A-1: it exists, and not all items are confirmed: notes refused *. Look at the field that the attr names and at the words of the service in its own documentation; ask the operator what the code means.',
    });
  });

  test('a 429: how long the service asks to wait, and no intent is left', async () => {
    const { startProcess } = openService({
      faults: [
        {
          match: { operation: 'accounts.process' },
          when: 'first',
          effect: { status: 429, headers: { 'retry-after': '7' } },
        },
      ],
    });
    const { migrate } = startProcess();
    expect(await migrate(RECORD)).toMatchObject({
      ...{ state: 'waiting', reason: 'throttled', retryAfterMs: 7000 },
      record: { done: 'stage', intent: null },
    });
    expect((await untilEnded(() => migrate(RECORD))).ended).toMatchObject({ record: { outcome: 'created' } });
  });

  test('an unknown team: the record stays, and the team is named', async () => {
    const { startProcess } = openService();
    const { migrate } = startProcess();
    expect(await migrate(RECORD, { team: 'OTHER' })).toMatchObject({
      ...{ state: 'incomplete', reason: 'notAccepted', failure: { of: 'team' } },
      problem: 'account A-1: the service does not accept the team',
    });
    expect(await migrate(RECORD)).toMatchObject({ state: 'complete', record: { outcome: 'created' } });
  });

  test('an account waits for a business that the ledger has and the service does not have', async () => {
    const { startProcess } = openService({
      faults: [{ match: { operation: 'businesses.create' }, when: 'first', effect: { status: 429 } }],
    });
    const { migrate } = startProcess();
    expect(await migrate(BUSINESS)).toMatchObject({ state: 'waiting', reason: 'throttled' });
    expect(await migrate(OF_BUSINESS)).toMatchObject({
      ...{ state: 'waiting', reason: 'business', retryAfterMs: 2000, record: { done: null } },
    });
    await untilEnded(() => migrate(BUSINESS));
    expect(await migrate(OF_BUSINESS)).toMatchObject({ state: 'complete' });
  });

  test('an account whose business was rejected is incomplete, and the business is named', async () => {
    const { startProcess, staged } = openService({
      faults: [{ match: { operation: 'businesses.create' }, effect: { status: 400, body: REFUSAL } }],
    });
    const { migrate } = startProcess();
    expect(await migrate(BUSINESS)).toMatchObject({ state: 'incomplete', reason: 'rejected' });
    expect(await migrate(OF_BUSINESS)).toMatchObject({
      ...{ state: 'incomplete', reason: 'business' },
      problem: 'account A-1: its business B-1 is rejected. Correct or resolve it, and import it first',
    });
    expect(staged('A-1')).toEqual([]);
  });

  test('a payment instruction without an answer is unknown, and its step is named', async () => {
    const { startProcess } = openService({
      faults: [{ match: { operation: 'paymentInstructions.create' }, phase: 'afterCommit', effect: { status: 502 } }],
    });
    const { migrate } = startProcess();
    const payment_instruction = { type: 'DIRECT_DEBIT', reference: 'P-1', vendor: 'sbx' };
    expect((await untilEnded(() => migrate(account('A-1', {}, { payment_instruction })))).ended).toMatchObject({
      ...{ state: 'incomplete', reason: 'unknown' },
      problem:
        'account A-1: the outcome of payment instruction is unknown. Look at the payment instructions of the account or business on the service, and say with data-import-sdk resolve whether this one is there.',
    });
  });

  test.each([
    [{}, 'migrateRecord: Expected an object with `business`, `account` or `populate`; found none of them.'],
    [
      { account: { import_supplier: 'ACME' } },
      'migrateRecord: the record has no import supplier or no external number, so the ledger cannot store it. Add both.',
    ],
  ])('%j is no record', async (record, message) => {
    await expect(openService().startProcess().migrate(record)).rejects.toThrow(new TypeError(message));
  });
});
