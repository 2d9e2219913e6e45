/** A distributed run in one process: the outcome of a run on one machine, and each account once, whatever happens to a worker. */
// @module-tag long

import { mkdtempSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, test, vi } from 'vitest';
import { DataImportClient } from '../../../src/client.js';
import { CannotJoinError } from '../../../src/migration/distributed/cannot-join.js';
import { type DistributedRunOptions, distributedRunOf } from '../../../src/migration/distributed/coordinator.js';
import type { Joined } from '../../../src/migration/distributed/ledger/distributed-ledger.js';
import { takePart } from '../../../src/migration/distributed/worker/record-worker.js';
import { type WorkerOptions, workerOf } from '../../../src/migration/distributed/worker/worker.js';
import {
  createMemoryLedger,
  inputFromRecords,
  type MigrationOptions,
  parseHalt,
  type Summary,
  sampleRecords,
  startMigration,
} from '../../../src/migration/index.js';
import { StaleRecordError } from '../../../src/migration/ledger/ledger.js';
import { RefusedValueError } from '../../../src/migration/ledger/postgres/database-error.js';
import { createSandbox, type SandboxOptions } from '../../../src/sandbox/index.js';
import { newFolder } from '../../helpers/folder.js';
import { PATIENCE } from '../../helpers/patience.js';
import { account, business } from '../rehearsal.js';
import { COORDINATOR, memoryRun } from './memory-run.js';

const ADDRESS = 'http://localhost:1';
const PLACE = { address: ADDRESS, database: 'memory' };
const folders = newFolder('distributed-', afterAll);

function openService(options: SandboxOptions = {}, databaseAheadMs = 0) {
  const runFolder = join(mkdtempSync(join(folders, 'service-')), 'run');
  /** Its result may be an answer in place of the service's. */
  let onBody = (_: string, __: Record<string, unknown>): unknown => undefined;
  let onUrl = (_: string) => {};
  const sandbox = createSandbox(options);
  const memory = memoryRun(databaseAheadMs);
  const clientOf = (token = sandbox.token, baseUrl = ADDRESS) =>
    new DataImportClient({
      baseUrl,
      token,
      fetch(url, init) {
        onUrl(url);
        const answer = init.body === undefined ? undefined : onBody(url, JSON.parse(String(init.body)));
        if (answer instanceof Promise) return answer.then((given) => given ?? sandbox.fetch(new Request(url, init)));
        return sandbox.fetch(new Request(url, init));
      },
      advanced: { retryBaseMs: 0 },
      maxRetries: 0,
    });
  async function start(
    input: MigrationOptions['input'],
    distributed: Partial<DistributedRunOptions> = {},
    more: Partial<MigrationOptions> = {},
  ) {
    const opened = distributedRunOf(await memory.join(COORDINATOR), { ...PLACE, ...distributed });
    const options = { client: clientOf(), input, folder: runFolder, team: 'SANDBOX_TEAM' };
    const started = await startMigration({ ...options, distributed: opened, ...more });
    return { ...started, close: () => opened.close() };
  }
  return {
    ...{ sandbox, memory, folder: runFolder, joinAs: memory.join, clientOf },
    onBody(listener: typeof onBody) {
      onBody = listener;
    },
    start,
    run: async (...options: Parameters<typeof start>) => (await start(...options)).finished,
    /** A session that is drained at its first request whose path ends so. */
    async stoppedRun(at: string, ...options: Parameters<typeof start>) {
      const begun = await start(...options);
      onUrl = (url) => {
        if (url.endsWith(at)) begun.throttle.drain();
      };
      expect(await begun.finished).toMatchObject({ state: 'stopped', summary: { balance: { isBalanced: true } } });
      onUrl = () => {};
      return begun;
    },
    worker(name: string, more: Partial<WorkerOptions> & { joined?: Promise<Joined>; token?: string } = {}) {
      const { joined, token, ...options } = more;
      const join = () => joined ?? memory.join(name);
      const means = { join, runState: async () => memory.state(), lookEveryMs: 5 };
      return workerOf({ client: clientOf(token), ...PLACE, name, ...options }, means);
    },
    report: () => JSON.parse(readFileSync(join(runFolder, 'report.json'), 'utf8')),
    created: () =>
      sandbox
        .requests()
        .filter(({ change }) => change === 'staged → imported')
        .map(({ account: number }) => number),
  };
}

/** The run is over for each of them. */
async function expectOver(...workers: readonly ReturnType<typeof workerOf>[]) {
  for (const { finished } of workers) expect((await finished).state).toBe('over');
}

/** What the same input comes to on one machine. */
async function runInOneProcess(lines: readonly unknown[]) {
  const { run, created } = openService();
  const { summary } = await run(inputFromRecords(lines), {}, { distributed: undefined, ledger: createMemoryLedger() });
  return { summary, created: created().toSorted() };
}

const STATEMENT = {
  ...{ bill_period_from_date: '2025-12-01', bill_period_to_date: '2025-12-31', statement_id: 'S-1' },
  ...{ issued_date: '2026-01-02', number: '1', gross_amount: 10 },
};
const LATE_ANSWER =
  '1 has steps left, and waited for another record, for the outcome of a request, or for an answer that came as the session ended';
const CARD = { vendor: 'V', reference: 'R-1', type: 'CARD' };
const numbers = (count: number) => Array.from({ length: count }, (_, index) => `A-${index + 1}`).toSorted();
const corrected = (count: number) =>
  accounts(count).map((line) => ({ account: { ...line.account, billing_address1: '7 rue Neuve' } }));
const accounts = (count: number) => Array.from({ length: count }, (_, index) => account(`A-${index + 1}`));

// Concurrent, because most of the time each of them waits for reports, which are sent at intervals.
describe.concurrent('a distributed run', () => {
  test('says how its first worker stands: before the run, while it works, while it drains, and when it has left', async () => {
    const { joinAs, clientOf, folder } = openService();
    const distributed = distributedRunOf(await joinAs('first'), PLACE);
    const noWork = { ended: 0, requests: 0, throttled: 0, takenOver: 0 };
    const before = { state: 'waiting', isReady: false, hasLease: false, lacks: ['a run to join'], records: 0 };
    expect(distributed.status()).toEqual({ ...before, work: noWork, pace: undefined });
    const seen: ReturnType<typeof distributed.status>[] = [];
    const { finished, throttle } = await startMigration({
      ...{ client: clientOf(), input: inputFromRecords(accounts(3)), folder, team: 'SANDBOX_TEAM', distributed },
      onEvent: () => void seen.push(distributed.status()),
    });
    await vi.waitFor(() => expect(seen.length).toBeGreaterThan(0), PATIENCE);
    throttle.drain();
    const draining = { state: 'draining', lacks: ['it drains'] };
    await vi.waitFor(() => expect(distributed.status()).toMatchObject(draining), PATIENCE);
    await finished;
    expect(seen[0]).toMatchObject({ state: 'working', isReady: true, hasLease: true, lacks: [] });
    expect(Math.max(...seen.map(({ records }) => records))).toBeGreaterThan(0);
    await distributed.close();
    const left = { state: 'left', isReady: false, hasLease: false, lacks: ['it has left'] };
    expect(distributed.status()).toMatchObject(left);
  });

  test.each([
    ['onEvent', true],
    ['onOthers', false],
  ])('rejects if the promise of %s rejects, before the other records end', async (name, works) => {
    const service = openService();
    // Of `onOthers`, another worker works; of `onEvent` it could be faster.
    const workers = works ? [] : [service.worker('second')];
    const full = async () => {
      throw new Error('full');
    };
    const run = service.run(inputFromRecords(accounts(5)), { works }, { [name]: full });
    await expect(run).rejects.toThrow(new Error('full'));
    for (const worker of workers) worker.drain();
    await Promise.all(workers.map(({ finished }) => finished));
  });

  test('has a worker that rejects if the promise of its onEvent rejects; another one continues', async () => {
    const service = openService();
    const onEvent = async () => {
      throw new Error('full');
    };
    const left = expect(service.worker('second', { onEvent }).finished).rejects.toThrow(new Error('full'));
    const { finished } = await service.start(inputFromRecords(accounts(5)), { works: false });
    await left;
    const third = service.worker('third');
    expect((await finished).summary.created).toBe(5);
    await expectOver(third);
  });

  test('is not waited for by a worker whose onNote rejects', async () => {
    const onNote = async () => {
      throw new Error('full');
    };
    await expect(openService().worker('second', { onNote }).finished).rejects.toThrow(new Error('full'));
  });

  test('has the same result as on one machine, and every worker has worked', async () => {
    const lines = [...sampleRecords({ accounts: 60, seed: 7 })].map(({ line }) => parsed(line));
    const calm = await runInOneProcess(lines);
    const service = openService();
    const workers = ['second', 'third'].map((name) => service.worker(name, { concurrency: 1 }));
    const { summary, state } = await service.run(inputFromRecords(lines), { works: false });
    expect(state).toBe('finished');
    expect(withoutOrder(summary)).toEqual(withoutOrder(calm.summary));
    expect(service.created().toSorted()).toEqual(calm.created);
    for (const { finished } of workers) {
      const { state: end, work } = await finished;
      expect(end).toBe('over');
      expect(work.ended).toBeGreaterThan(0);
    }
    expect(service.report().workers.map(({ name }: { name: string }) => name)).toEqual(
      expect.arrayContaining(['first', 'second', 'third']),
    );
  });

  test('sends transactions with the query parameters of the run, at every worker', async () => {
    const service = openService();
    const worker = service.worker('second');
    const transactions = [{ transaction_id: 'T-1', type: 'CREDIT', amount: 1 }];
    const lines = accounts(3).map((line) => ({ ...line, transactions }));
    const settings = { check_previously_added: false, force_add_to_current_statement: false };
    await service.run(inputFromRecords(lines), { works: false }, settings);
    await worker.finished;
    const sent = service.sandbox.requests().filter(({ operation }) => operation === 'transactions.create');
    expect(sent.map(({ path }) => path.split('?')[1])).toEqual(
      Array(3).fill('check_previously_added=false&force_add_to_current_statement=false'),
    );
  });

  test.each([
    [true, 'account.our_field'],
    [false, 'account.*'],
  ])('names unknown fields at every worker if personal data is shown: %s', async (showPersonalData, attr) => {
    const { run, worker, report } = openService();
    const { finished } = worker('W1');
    await run(inputFromRecords([account('A-1', { our_field: 1 })]), { works: false }, { showPersonalData });
    await finished;
    expect(report().summary.errors).toMatchObject([{ step: 'check', attr }]);
  });

  test('advances the records of a claim whose answer was lost, also if no worker ends', async () => {
    const service = openService();
    const joined = await service.joinAs('second');
    const { claim } = joined.ledger;
    let lost = 0;
    joined.ledger.claim = async (...asked) => {
      const claimed = await claim(...asked);
      // The first account of a run is claimed on its own.
      if (claimed.length < 2 || lost > 0) return claimed;
      lost = claimed.length;
      // As after a connection that broke with the answer: the ledger asks again.
      return claim(...asked);
    };
    const worker = service.worker('second', { joined: Promise.resolve(joined), concurrency: 4 });
    const { state, summary } = await service.run(inputFromRecords(accounts(12)), { works: false });
    expect([state, summary.created]).toEqual(['finished', 12]);
    expect(lost).toBeGreaterThan(1);
    expect(service.created().toSorted()).toEqual(numbers(12));
    await worker.finished;
  });

  test('continues without a worker whose token is rejected', async () => {
    const service = openService({ faults: [{ effect: { latencyMs: 20 } }] });
    const worker = service.worker('second', { token: 'another-token' });
    // With one call at a time here, there is work for the other one.
    const { state, summary } = await service.run(inputFromRecords(accounts(60)), {}, { throttle: { concurrency: 1 } });
    expect(state).toBe('finished');
    expect(summary.created).toBe(60);
    await expect(worker.finished).rejects.toThrow(/does not accept the token of this worker/);
  });

  test('ends unfinished if the database refuses a value of the first record: the others are imported, and no worker ends', async () => {
    const service = openService();
    const joined = await service.joinAs('second');
    const { write } = joined.ledger;
    joined.ledger.write = async (record, ...rest) => {
      if (record.number !== 'A-1') return write(record, ...rest);
      throw new RefusedValueError('ledger: cannot write to schema S (22003). The database is damaged.');
    };
    const { release } = joined.ledger;
    const releasedFor: unknown[] = [];
    joined.ledger.release = async (record, ms) => {
      releasedFor.push(ms);
      // Otherwise the test would wait for it.
      await release(record, 0);
    };
    const notes: string[] = [];
    const worker = service.worker('second', {
      joined: Promise.resolve(joined),
      onNote: (note) => void notes.push(note),
    });
    const { state, reason, summary } = await service.run(inputFromRecords(accounts(3)), { works: false });
    expect(reason).toBe(
      '1 record has not ended; all calls of the remaining records failed, 3 times each; calls failed, the last at check (value_refused)',
    );
    expect([state, summary]).toMatchObject([
      'unfinished',
      { created: 2, unfinished: 1, balance: { isBalanced: true } },
    ]);
    expect(notes.filter((note) => note.includes('22003')).slice(0, 2)).toEqual(
      [1, 2].map(
        (count) =>
          `ledger: cannot write to schema S (22003). The database is damaged. Records left for that: ${count}. The other records continue.`,
      ),
    );
    expect(new Set(releasedFor)).toEqual(new Set([20_000]));
    worker.drain();
    expect(await worker.finished).toMatchObject({ work: { ended: 2 } });
  });

  test('is not halted by the records that the check rejects while the service validates those between them', async () => {
    const service = openService();
    const { sandbox } = service;
    const fetch = async (url: string, init: RequestInit) => {
      for (let turn = 0; url.includes('/validate') && turn < 300; turn++) {
        await new Promise((resolve) => setImmediate(resolve));
      }
      return sandbox.fetch(new Request(url, init));
    };
    const client = new DataImportClient({ baseUrl: ADDRESS, token: sandbox.token, fetch, maxRetries: 0 });
    const refused = { customers: [{ given_name: 'Jane', family_name: 'Doe', mobile: 'see file' }] };
    const records = Array.from({ length: 120 }, (_, index) =>
      account(`A-${index + 1}`, index % 2 === 0 ? refused : {}),
    );
    const end = await service.run(
      inputFromRecords(records),
      {},
      { client, validateRemotely: true, dryRun: 'none', throttle: { concurrency: 32, halt: parseHalt('same=20') } },
    );
    expect(end).toMatchObject({ state: 'finished', summary: { created: 60, rejected: 60 } });
  });

  test('is halted if the token of its first worker is refused', async () => {
    const service = openService();
    const end = await service.run(inputFromRecords(accounts(3)), {}, { client: service.clientOf('another') });
    expect(end).toMatchObject({ state: 'halted', notAccepted: 'token' });
  });

  test('names the host and the cause of a failed call of a worker in its reason and its audit log', async () => {
    const service = openService();
    // Nothing listens there.
    const client = new DataImportClient({ baseUrl: ADDRESS, token: 'a', maxRetries: 0 });
    const worker = service.worker('second', { client });
    const { state, reason } = await service.run(
      inputFromRecords(accounts(3)),
      { works: false },
      { throttle: { halt: parseHalt('failed=2,outage=0') } },
    );
    const failure = 'connection to localhost:1 failed: ECONNREFUSED, nothing listens on this port';
    expect(state).toBe('halted');
    expect(reason).toContain(failure);
    const audit = readFileSync(join(service.folder, 'audit.log'), 'utf8').split('\n');
    expect(audit.filter((line) => line.endsWith(` run ${failure}`))).toHaveLength(1);
    worker.drain();
    expect((await worker.finished).state).toBe('drained');
    await client.close();
  });

  test('waits for the end of an outage, with one call of each worker at a time', async () => {
    const service = openService();
    let wasOutage = false;
    const failed = () => Response.json({ detail: 'Failed.' }, { status: 500 });
    service.onBody((url) => {
      wasOutage ||= (service.memory.state()?.halt?.outage ?? null) !== null;
      const fails = !wasOutage && service.created().length >= 10 && url.includes('process/process');
      // Slow enough that some records have not failed yet when the outage is known: a failed one waits before it is tried again.
      return fails ? new Promise((resolve) => setTimeout(() => resolve(failed()), 10)) : undefined;
    });
    const worker = service.worker('second');
    const { state, summary } = await service.run(inputFromRecords(accounts(60)), {}, { dryRun: 'none' });
    expect([state, summary]).toMatchObject(['finished', { created: 60 }]);
    expect(new Set(service.created()).size).toBe(60);
    expect(service.created()).toHaveLength(60);
    expect(wasOutage).toBe(true);
    await worker.finished;
  });

  test('is joined by no worker whose checks fail, and by none that calls another service, before its checks', async () => {
    const service = openService();
    const checked: string[] = [];
    const beforeWork = (name: string) => async () => {
      checked.push(name);
      throw new CannotJoinError('address: nothing listens on this port.', 'unreachable');
    };
    const running = service.run(inputFromRecords(accounts(30)));
    const unreachable = service.worker('second', { beforeWork: beforeWork('second') });
    const elsewhere = service.worker('third', {
      beforeWork: beforeWork('third'),
      address: 'https://other.example.com',
    });
    await expect(unreachable.finished).rejects.toMatchObject({ because: 'unreachable' });
    await expect(elsewhere.finished).rejects.toThrow(
      'target: the run in this ledger belongs to http://localhost:1, and this worker is for https://other.example.com. Start it with --base-url http://localhost:1. If the address of the service has changed, begin the run with --retarget http://localhost:1.',
    );
    expect(checked).toEqual(['second']);
    expect(await running).toMatchObject({ state: 'finished', summary: { created: 30 } });
  });

  test('drains all of its workers, which wait outside of its ledger and say so; the same call resumes, also if the lines have another order of keys', async () => {
    const service = openService();
    const notes: string[] = [];
    const worker = service.worker('second', { onNote: (note) => void notes.push(note) });
    const first = await service.stoppedRun('', inputFromRecords(accounts(30)));
    await first.close();
    await vi.waitFor(() => expect(worker.status().state).toBe('waiting'), PATIENCE);
    // Other commands may use the ledger.
    expect(service.memory.present()).toEqual([]);
    const command = '(data-import-sdk run … --distributed).';
    await vi.waitFor(() => expect(notes).toHaveLength(3), PATIENCE);
    expect(notes).toEqual([
      `waiting for a run to begin ${command}`,
      'joined the run into http://localhost:1.',
      `the run was drained. Waiting for it to continue ${command}`,
    ]);
    const reversed = accounts(30).map(({ account: { import_supplier, external_account_number } }) => ({
      account: { external_account_number, import_supplier },
    }));
    const { summary } = await service.run(inputFromRecords(reversed));
    expect(summary).toMatchObject({ created: 30, unfinished: 0, rejected: 0, unknown: 0, changed: { count: 0 } });
    expect(service.created().toSorted()).toEqual(numbers(30));
    await expectOver(worker);
  });

  test('is left by a worker of the former address when the service has moved', async () => {
    const service = openService();
    const worker = service.worker('second');
    const input = inputFromRecords(accounts(30));
    await service.stoppedRun('', input, { works: false });
    const again = { address: 'https://moved.example.com' };
    const client = service.clientOf(service.sandbox.token, again.address);
    await expect(service.run(input, again, { client })).rejects.toThrow('belongs to http://localhost:1');
    const { summary } = await service.run(input, again, { client, retarget: ADDRESS });
    expect(summary).toMatchObject({ created: 30, unfinished: 0, unknown: 0 });
    await expect(worker.finished).rejects.toMatchObject({
      name: 'CannotJoinError',
      because: 'settings',
      message: expect.stringContaining(
        'belongs to https://moved.example.com, and this worker is for http://localhost:1.',
      ),
    });
  });

  test('stages one account with a wrong team, with any number of workers, and continues with the right one', async () => {
    const service = openService();
    // Few at a time, so that each of the workers is given some of the accounts.
    const workers = ['second', 'third', 'fourth'].map((name) => service.worker(name, { concurrency: 1 }));
    // Enough for all of them: with a lower limit than workers, each waits for its turn.
    const throttle = { process: { least: 8, most: 8 } };
    const source = inputFromRecords(accounts(40));
    const { state, reason } = await service.run(source, { works: false }, { team: 'NO_SUCH_TEAM', throttle });
    expect(state).toBe('halted');
    expect(reason).toContain('does not accept the operations team of this run');
    expect(service.memory.state()?.ended).toMatchObject({ notAccepted: 'team' });
    const staged = service.sandbox
      .requests()
      .filter(({ operation, status }) => operation === 'accounts.stage' && (status ?? 0) < 300);
    expect(staged).toHaveLength(1);
    // The workers stay, and use the settings of the next command.
    const { summary } = await service.run(source, { works: false }, { throttle });
    expect(summary).toMatchObject({ created: 40, unknown: 0, balance: { isBalanced: true } });
    await expectOver(...workers);
  });

  test('tries the team once, and not again after the service has accepted it', async () => {
    const service = openService();
    const dryRuns: unknown[] = [];
    service.onBody((url, body) => url.endsWith('/process/') && body['dry_run'] === true && dryRuns.push(body));
    const workers = ['second', 'third'].map((name) => service.worker(name));
    await service.run(inputFromRecords(accounts(20)), { works: false }, { canary: 10 });
    expect(dryRuns).toHaveLength(1);
    expect((await service.run(inputFromRecords(accounts(20)), { works: false })).summary.created).toBe(20);
    expect(dryRuns).toHaveLength(1);
    await expectOver(...workers);
  });

  test('queues lookups first, and sends payment instructions of a business when its accounts are imported', async () => {
    const service = openService();
    const worker = service.worker('second');
    const lines = [
      {
        ...business('B-1', 'C-1'),
        payment_instructions: [{ ...CARD, accounts: [{ external_account_number: 'A-3' }] }],
      },
      ...accounts(3),
      { populate: { prm_ids: ['01234567890123'] } },
    ];
    const { state, summary } = await service.run(inputFromRecords(lines), { works: false });
    expect([state, summary]).toMatchObject(['finished', { created: 5, balance: { isBalanced: true } }]);
    const sent = service.sandbox.requests().map(({ operation }) => operation);
    expect([sent[0], sent.at(-1)]).toEqual(['supplyPoints.populate', 'businesses.createPaymentInstruction']);
    await worker.finished;
  });

  test('does not import records whose lines have left the input since the last session, and sends corrected lines only', async () => {
    const service = openService();
    const worker = service.worker('second');
    await service.stoppedRun('/process/', inputFromRecords(accounts(40)));
    const already = service.created();
    expect(already.length).toBeLessThan(20);
    const sent: unknown[] = [];
    service.onBody((url, body) => url.includes('create-or-update') && sent.push(body));
    const { summary } = await service.run(inputFromRecords(corrected(20)));
    expect(service.created().toSorted()).toEqual([...new Set([...already, ...numbers(20)])].toSorted());
    expect(summary).toMatchObject({ created: 20, notInInput: 20, unfinished: 0, unknown: 0 });
    for (const body of sent) expect(body).toMatchObject({ billing_address1: '7 rue Neuve' });
    await expectOver(worker);
  });

  test('sends no items of a customer who now has the number of an unfinished record, until a person agrees', async () => {
    const service = openService();
    const line = (family_name: string, body: string) =>
      inputFromRecords([account('A-1', { customers: [{ given_name: 'Alix', family_name }] }, { notes: [{ body }] })]);
    const worker = service.worker('second');
    await service.stoppedRun('/process/', line('Exemple', 'Prefers letters.'), {}, { dryRun: 'none' });
    const notes = () => service.sandbox.state.suppliers[0]?.accounts[0]?.imported?.notes.map(({ body }) => body);
    expect(notes()).toEqual([]);
    const agreed = { changedSources: true };
    const { state, summary } = await service.run(line('Muster', 'Has moved.'), {}, agreed);
    expect([state, summary, notes()]).toMatchObject(['unfinished', { unfinished: 1, changed: { others: 1 } }, []]);
    await service.run(line('Muster', 'Has moved.'), {}, { ...agreed, addToExisting: true });
    expect(notes()).toEqual(['Has moved.']);
    await expectOver(worker);
  });

  test('reads a record again if a worker of the last session writes it while its corrected line is read', async () => {
    const service = openService();
    const first = await service.stoppedRun('/process/', inputFromRecords(accounts(30)));
    await first.close();
    const joined = await service.joinAs(COORDINATOR);
    const { write } = joined.ledger;
    let conflicts = 0;
    joined.ledger.write = async (record, contracts) => {
      if (conflicts++ < 3) throw new StaleRecordError(record);
      await write(record, contracts);
    };
    const distributed = distributedRunOf(joined, { ...PLACE, works: false });
    const worker = service.worker('second');
    const { summary } = await service.run(inputFromRecords(corrected(30)), {}, { distributed });
    expect(conflicts).toBeGreaterThan(3);
    expect(summary).toMatchObject({ created: 30, unfinished: 0, balance: { isBalanced: true } });
    expect(service.created().toSorted()).toEqual(numbers(30));
    await worker.finished;
  });

  test.each([
    [
      'continues with',
      'before the session ends',
      { state: 'finished', reason: undefined },
      { created: 2, unfinished: 0 },
    ],
    [
      'names as the cause, to its workers too,',
      'as the session ends',
      { state: 'unfinished', reason: `1 record has not ended; ${LATE_ANSWER}` },
      { created: 1, unfinished: 1 },
    ],
  ])('%s a record of an earlier session that a late answer makes unfinished again, %s', async (_, __, end, counts) => {
    const isInTime = end.state === 'finished';
    const notes: string[] = [];
    const service = openService();
    const withStatements = account(
      'A-1',
      {},
      { statements: [STATEMENT, { ...STATEMENT, statement_id: 'S-2', number: '2' }] },
    );
    const held: ((answer: Response) => void)[] = [];
    let stage: (() => void) | undefined;
    service.onBody((url, body) => {
      const isStatement = url.includes('statement') && held.length === 0;
      const isSecond = url.includes('create-or-update') && JSON.stringify(body).includes('"A-2"');
      if (isStatement) return new Promise<Response>((resolve) => held.push(resolve));
      return isSecond ? new Promise<void>((resolve) => (stage = resolve)) : undefined;
    });
    // The first session is killed while a worker sends the statement.
    const killed = await service.joinAs(COORDINATOR);
    const { countWork } = killed.ledger;
    killed.ledger.countWork = async (most) => {
      if (held.length > 0) throw new Error('killed');
      return countWork(most);
    };
    const stopped = await service.joinAs('stopped');
    const worker = service.worker('stopped', {
      joined: Promise.resolve(stopped),
      onNote: (note) => void notes.push(note),
    });
    const first = distributedRunOf(killed, { ...PLACE, works: false });
    await expect(service.run(inputFromRecords([withStatements]), {}, { distributed: first })).rejects.toThrow('killed');
    // The worker is stopped, and another one, with a clock that is ahead, takes the record: its outcome is unknown.
    await stopped.ledger.close();
    stopped.ledger.claim = async () => [];
    const key = { supplier: 'SANDBOX_SUPPLIER', kind: 'account', number: 'A-1' } as const;
    const other = await service.joinAs('other');
    const settings = service.memory.state()?.settings;
    if (settings === undefined) throw new Error('no run was begun');
    const work = takePart(other, {
      ...{ client: service.clientOf(), settings, concurrency: 1, isCoordinator: false, works: true },
      ...{ now: () => new Date(Date.now() + 7_200_000), onEvent: () => {}, onNote: () => {} },
    });
    await vi.waitFor(async () => expect((await other.ledger.find(key))?.outcome).toBe('unknown'), PATIENCE);
    await work.end();
    await other.ledger.close();
    // The second session reads the line of the record that has ended; then the first worker continues.
    const joined = await service.joinAs(COORDINATOR);
    // The session does not ask again.
    if (!isInTime) joined.ledger.countSetAside = async () => 0;
    const again = { distributed: distributedRunOf(joined, PLACE) };
    const second = await service.start(inputFromRecords([withStatements, account('A-2')]), {}, again);
    await vi.waitFor(() => expect(stage).toBeDefined(), PATIENCE);
    held[0]?.(new Response('', { status: 413 }));
    await vi.waitFor(async () => expect((await second.ledger.find(key))?.outcome).toBeNull(), PATIENCE);
    stage?.();
    const result = await second.finished;
    expect(result).toMatchObject({ ...end, summary: { ...counts, unknown: 0 } });
    expect(result.summary.items.statements).toMatchObject({ input: 2, sent: isInTime ? 2 : 0 });
    await second.close();
    if (!isInTime) {
      const waiting = `the run ended unfinished: ${end.reason}. Waiting for it to continue (data-import-sdk run … --distributed).`;
      await vi.waitFor(() => expect(notes.at(-1)).toBe(waiting), PATIENCE);
    }
    worker.drain();
    await worker.finished;
  });

  test('names as the cause that a canary read only a part of the input, also on one machine', async () => {
    const { run, onBody } = openService();
    const ledger = createMemoryLedger();
    onBody(() => Promise.resolve(Response.json({ detail: 'Failed.' }, { status: 500 })));
    const one = { distributed: undefined, ledger };
    const failed = await run(inputFromRecords(accounts(3)), {}, one);
    expect([failed.state, failed.reason]).toEqual([
      'unfinished',
      '3 records have not ended; calls failed, the last at stage: localhost:1 answers 500',
    ]);
    onBody(() => undefined);
    const { state, reason } = await run(inputFromRecords(accounts(3)), {}, { ...one, canary: 1 });
    const cause = 'this session read only 1 record of the input (--canary)';
    expect([state, reason]).toEqual(['unfinished', `2 records have not ended; ${cause}`]);
  });

  test('dates its requests by the clock of the database: another machine may have to wait for them', async () => {
    const service = openService({}, 7_200_000);
    const joined = await service.joinAs(COORDINATOR);
    let date: string | null | undefined;
    service.onBody(async (url) => {
      const key = { supplier: 'SANDBOX_SUPPLIER', kind: 'account', number: 'A-1' } as const;
      if (url.endsWith('/process/')) date = (await joined.ledger.find(key))?.intentAt;
    });
    await service.run(inputFromRecords([account('A-1')]), {}, { distributed: distributedRunOf(joined, PLACE) });
    expect(Date.parse(date ?? '') - Date.now()).toBeCloseTo(7_200_000, -6);
  });

  test('releases the unsent records of a worker that drains', async () => {
    const service = openService();
    const worker = service.worker('second', { concurrency: 1 });
    const running = service.run(inputFromRecords(accounts(20)), { works: false });
    await vi.waitFor(() => expect(service.created().length).toBeGreaterThan(1), PATIENCE);
    worker.drain();
    expect((await worker.finished).state).toBe('drained');
    const next = service.worker('third');
    expect((await running).summary).toMatchObject({ created: 20, unknown: 0 });
    expect((await next.finished).work.takenOver).toBe(0);
  });
});

/** What cannot be read as JSON is no record in code either. */
function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return line;
  }
}

/** Groups come in the order in which their first records were written. */
function withoutOrder(summary: Summary) {
  const sorted = (list: readonly unknown[]) => list.map((one) => JSON.stringify(one)).toSorted();
  return { ...summary, errors: sorted(summary.errors.map(({ samples: _, ...group }) => group)), changed: undefined };
}
