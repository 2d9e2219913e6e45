/**
 * Transactions that the service adds without looking for those that it has (`check_previously_added: false`): a
 * request without an answer is not sent again unasked, whatever the session says that finds its intent (issue 18, G).
 */
import { describe, expect, test } from 'vitest';
import { DataImportClient } from '../../../src/client.js';
import { RateLimitError } from '../../../src/errors/api-errors.js';
import { createMemoryLedger } from '../../../src/migration/ledger/memory.js';
import { unknownsOf } from '../../../src/migration/operations/resolve.js';
import { CallNotAdmittedError } from '../../../src/migration/record/record-context.js';
import type { RunContext } from '../../../src/migration/run/run-context.js';
import type { SandboxOptions } from '../../../src/sandbox/index.js';
import { settle } from '../../support/settle.js';
import { inWords } from '../ledger/records.js';
import { account, openRehearsal } from '../rehearsal.js';

const KEY = { supplier: 'SANDBOX_SUPPLIER', kind: 'account', number: 'A-1' } as const;
const UNCHECKED = { check_previously_added: false };
const now = () => new Date('2026-01-15T09:00:00Z');

const transaction = (id: string, more: object = {}) => ({ transaction_id: id, type: 'CREDIT', amount: 1, ...more });
const input = [account('A-1', {}, { transactions: [transaction('T-1'), transaction('T-2'), transaction('T-3')] })];

type Answer = 'answered' | 'killed after it took effect' | 'killed before' | Response;

/** A service, and sessions of one run of it. Each request for transactions ends as `answers` says, and then well. */
function open(answers: Answer[] = [], options: SandboxOptions = {}) {
  const rehearsal = openRehearsal(options);
  const ledger = createMemoryLedger();
  const queries: string[] = [];
  const sizes: number[] = [];

  /** One session, which may be killed in the middle of a request: from then on it does nothing. */
  async function session(more: Partial<RunContext> = {}, records: readonly unknown[] = input) {
    let kill = () => {};
    const killed = new Promise<void>((resolve) => {
      kill = resolve;
    });
    const client = new DataImportClient({
      ...{ baseUrl: 'http://localhost:1', token: rehearsal.sandbox.token, advanced: { retryBaseMs: 0 } },
      ...{ timeoutMs: Number.POSITIVE_INFINITY, deadlineMs: Number.POSITIVE_INFINITY },
      async fetch(url, init) {
        const respond = () => rehearsal.sandbox.fetch(new Request(url, init));
        const { pathname, search } = new URL(String(url));
        if (!pathname.endsWith('/transactions/create/')) return respond();
        queries.push(search);
        sizes.push(JSON.parse(String(init?.body)).transactions.length);
        const answer = answers.shift() ?? 'answered';
        if (answer === 'answered') return respond();
        if (answer instanceof Response) return answer;
        if (answer === 'killed after it took effect') await respond();
        kill();
        return new Promise<never>(() => {});
      },
    });
    await Promise.race([rehearsal.run(records, ledger, { client, ...more }), killed]);
    return inWords(await ledger.find(KEY));
  }

  const added = () =>
    rehearsal.sandbox.state.suppliers[0]?.accounts[0]?.imported?.transactions.map(({ sent }) => sent.transaction_id);
  const hasAnswers = () => answers.length > 0;
  return { ...rehearsal, ledger, queries, sizes, session, added, hasAnswers };
}

test('all transactions of an account are sent in one request, with any setting of the request size', async () => {
  const { session, queries, sizes, added } = open();
  expect(await session({ ...UNCHECKED, transactionsAtOnce: 1 })).toMatchObject({
    outcome: 'created',
    intentOnce: false,
  });
  expect([queries, sizes, added()]).toEqual([['?check_previously_added=false'], [3], ['T-1', 'T-2', 'T-3']]);
});

test('of two equal transactions with one id the first is sent: the service would add both', async () => {
  const { session, added } = open();
  const transactions = [transaction('T-1'), transaction('T-1'), transaction('T-2')];
  const record = await session(UNCHECKED, [account('A-1', {}, { transactions })]);
  expect(added()).toEqual(['T-1', 'T-2']);
  expect(record?.errors).toEqual([{ step: 'transactions', code: 'duplicate_transaction', attr: 'transactions.1' }]);
});

describe.each([
  ['killed after it took effect', ['T-1', 'T-2', 'T-3']],
  ['killed before', []],
] as const)('a session that was %s', (kill, there) => {
  test.each([
    ['with the check', {}],
    ['without it', UNCHECKED],
  ])('is continued %s: they are unknown, and are not sent again', async (_, more) => {
    const { session, ledger, queries, added } = open([kill]);
    expect(await session(UNCHECKED)).toMatchObject({ outcome: null, intent: 'transactions', intentOnce: true });
    expect(await session(more)).toMatchObject({ outcome: 'unknown', unknown: ['transactions'], intent: null });
    expect(await session(more)).toMatchObject({ outcome: 'unknown' });
    expect([queries.length, added()]).toEqual([1, there]);
    expect((await unknownsOf(ledger)).map(({ step }) => step)).toEqual(['transactions']);
  });

  test.each([
    ['done', 1],
    ['notDone', 2],
  ] as const)('is resolved as %s, also before it is continued', async (as, requests) => {
    const { session, ledger, queries } = open([kill]);
    await session(UNCHECKED);
    await settle(ledger, { step: 'transactions' }, as, now);
    expect(await session()).toMatchObject({ outcome: 'created', unknown: [] });
    expect(queries).toHaveLength(requests);
  });
});

describe('a session with the check that was killed, continued without it', () => {
  test('sends them again with the check: the service skips those that it has', async () => {
    const { session, queries, added } = open(['killed after it took effect']);
    expect(await session()).toMatchObject({ outcome: null, intent: 'transactions', intentOnce: false });
    expect(await session(UNCHECKED)).toMatchObject({ outcome: 'created' });
    expect([queries, added()]).toEqual([
      ['', ''],
      ['T-1', 'T-2', 'T-3'],
    ]);
  });

  test('also if sessions in between could not send anything', async () => {
    const { session, queries, added } = open(['killed after it took effect']);
    await session();
    const notAdmitted: RunContext['schedule'] = () => Promise.reject(new CallNotAdmittedError('draining'));
    await session({ ...UNCHECKED, schedule: notAdmitted });
    expect(await session(UNCHECKED)).toMatchObject({ outcome: 'created' });
    expect([queries, added()]).toEqual([
      ['', ''],
      ['T-1', 'T-2', 'T-3'],
    ]);
  });

  test('also if it was drained after the first of several requests', async () => {
    const { session, queries, added, hasAnswers } = open(['answered', Response.json({}, { status: 429 })]);
    const first = await session({ transactionsAtOnce: 1, isAccepting: hasAnswers });
    expect(first).toMatchObject({ outcome: null, intent: 'transactions', intentAt: null });
    expect(added()).toEqual(['T-1']);
    expect(await session(UNCHECKED)).toMatchObject({ outcome: 'created' });
    expect([new Set(queries), added()]).toEqual([new Set(['']), ['T-1', 'T-2', 'T-3']]);
  });

  test('also if the service answered 429', async () => {
    const tooMany = () => Response.json({}, { status: 503 });
    const { session, queries, added, hasAnswers } = open([
      'killed after it took effect',
      ...Array.from({ length: 4 }, tooMany),
    ]);
    await session();
    await session({ ...UNCHECKED, isAccepting: hasAnswers });
    expect(await session(UNCHECKED)).toMatchObject({ outcome: 'created' });
    expect(new Set(queries)).toEqual(new Set(['']));
    expect(added()).toEqual(['T-1', 'T-2', 'T-3']);
  });
});

test('a 500 may come after they were added: they are unknown after one request', async () => {
  const { session, queries } = open([Response.json({}, { status: 500 })]);
  expect(await session(UNCHECKED)).toMatchObject({ outcome: 'unknown', unknown: ['transactions'] });
  expect(queries).toHaveLength(1);
});

test('a 429 did nothing: they are sent again', async () => {
  const { session, queries, added } = open([Response.json({}, { status: 429 })]);
  let refused: unknown;
  const again: RunContext['schedule'] = async (step, call) => {
    try {
      return await call();
    } catch (error) {
      if (!(error instanceof RateLimitError)) throw error;
      refused ??= error;
      return again(step, call);
    }
  };
  expect(await session({ ...UNCHECKED, schedule: again })).toMatchObject({ outcome: 'created' });
  expect(refused).toMatchObject({ name: 'RateLimitError' });
  expect([queries.length, added()]).toEqual([2, ['T-1', 'T-2', 'T-3']]);
});

describe('one that the service refuses', () => {
  const dated = (id: string) => transaction(id, { transaction_date: '2020-01-01' });
  const refusing = { ...UNCHECKED, force_add_to_current_statement: false };
  const withRefused = (...transactions: object[]) => [
    account('A-1', { last_billed_to_date: '2023-12-31' }, { transactions }),
  ];

  test('is the first of its request: no item of that request was added', async () => {
    const { session, added } = open();
    expect(await session(refusing, withRefused(dated('T-1'), transaction('T-2')))).toMatchObject({
      outcome: 'created',
      unknown: [],
      errors: [{ step: 'transactions', code: 'transaction_import_error', attr: 'transactions.0' }],
      items: { transactions: ['rejected', 'notSent'] },
    });
    expect(added()).toEqual([]);
  });

  test.each(['none', 'prefix'] as const)(
    'U15 has others before it, of which the service keeps %j: these are unknown, and not sent again',
    async (failingBatchKeeps) => {
      const { session, added } = open([], { settings: { failingBatchKeeps } });
      const records = withRefused(transaction('T-1'), dated('T-2'), transaction('T-3'));
      expect(await session(refusing, records)).toMatchObject({
        outcome: 'unknown',
        unknown: ['transactions'],
        errors: [{ step: 'transactions', code: 'transaction_import_error', attr: 'transactions.1' }],
        items: { transactions: ['unknown', 'rejected', 'notSent'] },
      });
      expect(added()).toEqual(failingBatchKeeps === 'none' ? [] : ['T-1']);
    },
  );
});

describe.each([
  ['without an id', undefined],
  ['with an empty id', ''],
])('a transaction %s, which the service may not recognise', (_, id) => {
  const mixed = [
    account('A-1', {}, { transactions: [transaction('T-1'), { ...transaction(''), transaction_id: id }] }),
  ];

  test('is in one request with the others, with the check', async () => {
    const { session, queries, sizes } = open();
    expect(await session({ transactionsAtOnce: 1 }, mixed)).toMatchObject({ outcome: 'created' });
    expect([queries, sizes]).toEqual([[''], [2]]);
  });

  test.each<[string, Answer]>([
    ['lost', 'killed after it took effect'],
    ['a 503', Response.json({}, { status: 503 })],
    ['a 500', Response.json({ detail: 'Failed.' }, { status: 500 })],
  ])('is unknown if the answer is %s, and is not sent again', async (__, answer) => {
    const { session, queries } = open([answer]);
    await session({}, mixed);
    expect(await session({}, mixed)).toMatchObject({ outcome: 'unknown', unknown: ['transactions'] });
    expect(queries).toHaveLength(1);
  });
});
