/**
 * Two calls of `migrateRecord` for one record, as when a queue delivers it twice, while a request of the first one runs that must not be
 * repeated: the second call waits for its quiet time, and an answer that comes later settles the record.
 */
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { DataImportClient } from '../../src/client.js';
import type { Ledger, LedgerRecord } from '../../src/migration/ledger/ledger.js';
import { createMemoryLedger } from '../../src/migration/ledger/memory.js';
import { openSqliteLedger } from '../../src/migration/ledger/sqlite/sqlite-ledger.js';
import { type MigratedRecord, type MigrateRecordOptions, migrateRecord } from '../../src/migration/migrate-record.js';
import { storeAnswers } from '../../src/migration/operations/resolve.js';
import { createSandbox, SANDBOX_SUPPLIER, SANDBOX_TEAM } from '../../src/sandbox/index.js';
import type { ImportRecord } from '../../src/validation/records/import-record.js';
import { newFolder } from '../helpers/folder.js';
import { account, business } from './rehearsal.js';

const QUIET_MS = 60_000;
const setImmediateReal = setImmediate;
const tick = () => new Promise<'tick'>((resolve) => setImmediateReal(() => resolve('tick')));

beforeEach(() => {
  vi.useFakeTimers({ now: new Date('2026-01-15T09:00:00Z') });
});
afterEach(() => {
  vi.useRealTimers();
});

interface Subject {
  record: object;
  /** The operation of the request that takes long. */
  path: string;
  options?: Partial<MigrateRecordOptions>;
}

const TRANSACTION = {
  ...{ transaction_id: 'T-1', transaction_date: '2026-01-05', type: 'CHARGE', reason: 'IMPORTED_CHARGE', amount: 10 },
};
const STATEMENT = {
  ...{ bill_period_from_date: '2025-12-01', bill_period_to_date: '2025-12-31', statement_id: 'S-1' },
  ...{ issued_date: '2026-01-02', number: '1', gross_amount: 10 },
};
const INSTRUCTION = { type: 'DIRECT_DEBIT', reference: 'P-1', vendor: 'sbx' };

const SUBJECTS: Record<string, Subject> = {
  'a business': { record: business('B-1', 'C-1'), path: 'businesses.create' },
  'a payment instruction of a business': {
    record: { ...business('B-1', 'C-1'), payment_instructions: [INSTRUCTION] },
    path: 'businesses.createPaymentInstruction',
  },
  'a payment instruction of an account': {
    record: account('A-1', {}, { payment_instruction: INSTRUCTION, notes: [{ body: 'Prefers letters.' }] }),
    path: 'paymentInstructions.create',
  },
  statements: { record: account('A-1', {}, { statements: [STATEMENT] }), path: 'historicalStatements.create' },
  'transactions without the check of the service': {
    record: account('A-1', {}, { transactions: [TRANSACTION] }),
    path: 'transactions.create',
    options: { check_previously_added: false },
  },
  'a note without a body': {
    record: account('A-1', {}, { notes: [{ document_paths: [{ document_path: 'a.pdf' }] }] }),
    path: 'notes.create',
  },
};

const LEDGERS: Record<string, () => Promise<Ledger>> = {
  memory: async () => createMemoryLedger(),
  SQLite: () => openSqliteLedger(join(newFolder('two-calls-'), 'ledger.sqlite'), { thread: 'never' }),
};

const REFUSAL = {
  validation_errors: [{ code: 'refused', attr: 'non_field_errors', detail: 'Refused.' }],
};

function openService(ledger: Ledger, { record, path, options }: Subject, durationMs: number, isRefused: boolean) {
  const sandbox = createSandbox({
    wait: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
    faults: isRefused ? [{ match: { operation: path as never }, effect: { status: 400, body: REFUSAL } }] : [],
  });
  const requests = () => sandbox.requests().filter(({ operation }) => operation === path).length;
  /** A process with its own client. Its requests of the operation are answered after `durationMs`, and have no time limit. */
  function startProcess() {
    const client = new DataImportClient({
      ...{ baseUrl: 'http://localhost:1', token: sandbox.token, maxRetries: 0 },
      ...{ timeoutMs: Number.POSITIVE_INFINITY, advanced: { inFlightGraceMs: QUIET_MS } },
      async fetch(url, init) {
        const before = requests();
        const answer = await sandbox.fetch(new Request(String(url), { ...init, signal: null }));
        if (requests() > before) await new Promise((resolve) => setTimeout(resolve, durationMs));
        return answer;
      },
    });
    return (other: object = record) =>
      migrateRecord(other as ImportRecord, { client, ledger: { ...ledger }, team: SANDBOX_TEAM, ...options });
  }
  return { startProcess, requests };
}

/** Resolves when the request that takes long was sent. */
async function untilSent(requests: () => number): Promise<void> {
  for (let turns = 0; requests() === 0; turns++) {
    if (turns > 1000) throw new Error('the request was not sent');
    await Promise.all([tick(), vi.advanceTimersByTimeAsync(1)]);
  }
}

/** Lets time pass until the call returns. */
async function ended<T>(call: Promise<T>, stepMs = 100): Promise<T> {
  while ((await Promise.race([call, tick()])) === 'tick') await vi.advanceTimersByTimeAsync(stepMs);
  return call;
}

/** Calls again after the returned time until the record waits no longer. Returns what each call returned. */
async function repeated(migrate: () => Promise<MigratedRecord>): Promise<MigratedRecord[]> {
  const results: MigratedRecord[] = [];
  for (;;) {
    const result = await ended(migrate());
    results.push(result);
    if (result.state !== 'waiting') return results;
    if (results.length > 50) throw new Error(`it waits: ${results.map((one) => one.state).join(', ')}`);
    await vi.advanceTimersByTimeAsync(result.retryAfterMs);
  }
}

const wordsOf = (result: MigratedRecord | undefined) =>
  result && [result.state, 'reason' in result ? result.reason : undefined].filter(Boolean).join(' ');

const CASES = Object.keys(SUBJECTS).flatMap((subject) =>
  Object.keys(LEDGERS).flatMap((kind) => ['success', 'refusal'].map((answer) => [subject, kind, answer] as const)),
);

/** What the record is after the refusal: without the business there is none, and an item that is refused leaves the rest. */
const refused = (subject: string) => (subject === 'a business' ? 'incomplete rejected' : 'incomplete items');

describe.each(CASES)('%s, %s ledger, %s', (subject, kind, answer) => {
  const isRefused = answer === 'refusal';
  const lastWords = isRefused ? refused(subject) : 'complete';
  const outcome = isRefused && subject === 'a business' ? 'rejected' : 'created';

  test.each([1, 2])('within the quiet time: no outcome is unknown, %i process(es)', async (processes) => {
    const ledger = await (LEDGERS[kind] as () => Promise<Ledger>)();
    const { startProcess, requests } = openService(ledger, SUBJECTS[subject] as Subject, 8000, isRefused);
    const one = startProcess();
    const other = processes === 1 ? one : startProcess();
    const first = one();
    await untilSent(requests);
    await vi.advanceTimersByTimeAsync(500);
    const of = await repeated(other);
    const own = await ended(first);
    expect(wordsOf(of.at(-1))).toBe(lastWords);
    expect(wordsOf(of[0])).toBe('waiting inFlight');
    expect(own.record.outcome).toBe(outcome);
    expect(own.record.unknown).toEqual([]);
    expect(requests()).toBe(1);
    await ledger.close();
  });

  test('after the quiet time: the other call returns unknown, and the answer replaces it', async () => {
    const ledger = await (LEDGERS[kind] as () => Promise<Ledger>)();
    const { startProcess, requests } = openService(ledger, SUBJECTS[subject] as Subject, 90_000, isRefused);
    const one = startProcess();
    const first = one();
    await untilSent(requests);
    const of = await repeated(startProcess());
    expect(Date.now() - Date.parse('2026-01-15T09:00:00Z')).toBeGreaterThanOrEqual(QUIET_MS);
    expect(wordsOf(of.at(-1))).toBe('incomplete unknown');
    expect((await ended(first)).record).toMatchObject({ outcome, unknown: [], intent: null });
    expect(wordsOf((await repeated(one)).at(-1))).toBe(lastWords);
    expect(requests()).toBe(1);
    await ledger.close();
  });
});

/** A second process declares the outcome unknown; `then` happens; then the first one gets its answer. Returns the record. */
async function afterUnknown(subject: Subject, then: (ledger: Ledger, known: LedgerRecord) => Promise<void>) {
  const ledger = createMemoryLedger();
  const { startProcess, requests } = openService(ledger, subject, 90_000, false);
  const first = startProcess()();
  await untilSent(requests);
  const { record } = (await repeated(startProcess())).at(-1) as MigratedRecord;
  expect(record.outcome).toBe('unknown');
  await then(ledger, record);
  return (await ended(first)).record;
}

describe('an answer after another process has declared the outcome unknown', () => {
  const statements = SUBJECTS['statements'] as Subject;
  const decide = (as: 'done' | 'notDone') => async (ledger: Ledger, record: LedgerRecord) =>
    storeAnswers([{ record, step: 'statements', as }], ledger, () => new Date());

  test.each(['done', 'notDone'] as const)('and a person has decided (%s): the decision stays', async (as) => {
    const record = await afterUnknown(statements, decide(as));
    expect(record.decisions).toMatchObject([{ step: 'statements', as }]);
    expect(record.items.statements).toMatchObject([{ status: as === 'done' ? 'sent' : 'waiting' }]);
  });

  test('and another one has read the same items in another order: each has its own outcome', async () => {
    const list = [STATEMENT, { ...STATEMENT, statement_id: 'S-2', number: '2' }];
    const subject = { ...statements, options: { statementsAtOnce: 1 } };
    const ofBoth = { ...subject, record: account('A-1', {}, { statements: list }) };
    const ledger = createMemoryLedger();
    const { startProcess, requests } = openService(ledger, ofBoth, 90_000, false);
    const one = startProcess();
    const first = one();
    await untilSent(requests);
    await vi.advanceTimersByTimeAsync(61_000);
    const other = startProcess()(account('A-1', {}, { statements: list.toReversed() }));
    await vi.advanceTimersByTimeAsync(10_000);
    const known = await ledger.find({ supplier: SANDBOX_SUPPLIER, kind: 'account', number: 'A-1' });
    expect(known?.items.statements.map(({ status }) => status)).toEqual(['sending', 'unknown']);
    await ended(first);
    await ended(other);
    expect((await repeated(one)).at(-1)?.state).toBe('complete');
    expect(requests()).toBe(2);
  });
});

test('another process that asks the service in vain does not take the answer from the request that it asks about', async () => {
  const ledger = createMemoryLedger();
  const subject = { record: account('A-1'), path: 'accounts.process' };
  const { startProcess, requests } = openService(ledger, subject, 8000, true);
  const first = startProcess()();
  await untilSent(requests);
  const client = new DataImportClient({
    ...{ baseUrl: 'http://localhost:1', token: 'other', maxRetries: 0, advanced: { inFlightGraceMs: QUIET_MS } },
    fetch: async () => new Response('{"detail":"Failed."}', { status: 500 }),
  });
  await vi.advanceTimersByTimeAsync(3000);
  const events: string[] = [];
  const other = migrateRecord(subject.record as ImportRecord, {
    ...{ client, ledger: { ...ledger }, team: SANDBOX_TEAM },
    onEvent: (_, { type }) => events.push(type),
  });
  await vi.advanceTimersByTimeAsync(1000);
  expect(events).toEqual(['reconcileFailed']);
  await ended(other);
  const { record } = await ended(first);
  expect(record).toMatchObject({ outcome: 'rejected', errors: [{ step: 'process', code: 'refused' }] });
});
