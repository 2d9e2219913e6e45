/** A success in a body that differs from the API specification: which steps are done, sent again or unknown. */
import { describe, expect, test } from 'vitest';
import { DataImportClient } from '../../../src/client.js';
import { createMemoryLedger } from '../../../src/migration/ledger/memory.js';
import type { RunContext } from '../../../src/migration/run/run-context.js';
import type { DataImportClientOptions } from '../../../src/options.js';
import { createSandbox } from '../../../src/sandbox/index.js';
import { account, business, openRehearsal } from '../rehearsal.js';

const key = (number: string) => ({ supplier: 'SANDBOX_SUPPLIER', kind: 'account', number }) as const;
const items = {
  transactions: [{ transaction_id: 'T-1', type: 'CREDIT', amount: 1 }],
  notes: [{ body: 'n' }],
};

/** The service processes each request, and the first `times` answers to these paths are replaced. */
function rehearsalWith(
  path: string,
  body: string,
  times = Number.POSITIVE_INFINITY,
  how: { client?: Partial<DataImportClientOptions>; run?: Partial<RunContext> } = {},
) {
  const rehearsal = openRehearsal();
  let left = times;
  const client = new DataImportClient({
    baseUrl: 'http://localhost:1',
    token: rehearsal.sandbox.token,
    maxRetries: 0,
    ...how.client,
    fetch: async (url, init) => {
      const response = await rehearsal.sandbox.fetch(new Request(url, init));
      return String(url).endsWith(path) && left-- > 0 ? new Response(body, { status: 201 }) : response;
    },
  });
  return {
    ...rehearsal,
    run: (records: unknown[]) => rehearsal.run(records, createMemoryLedger(), { client, ...how.run }),
  };
}

test('the answer to a staging in JSON comes from the service: done, and the record continues', async () => {
  const { run, sandbox } = rehearsalWith('create-or-update/', '{"accepted":5}');
  const ledger = await run([account('A-1', {}, items)]);
  expect(await ledger.find(key('A-1'))).toMatchObject({ outcome: 'created', unknown: [], errors: [] });
  const { transactions, notes } = sandbox.state.suppliers[0]?.accounts[0]?.imported ?? {};
  expect([transactions?.length, notes?.length]).toEqual([1, 1]);
});

test.each([
  ['transactions', 'transactions/create/'],
  ['notes', 'notes/create/'],
])(
  'U32 JSON without an entry for each of the %s does not say which were added: unknown, not sent again',
  async (step, path) => {
    const { run, sandbox } = rehearsalWith(path, '{"accepted":5}');
    const ledger = await run([account('A-1', {}, items)]);
    expect(await ledger.find(key('A-1'))).toMatchObject({ outcome: 'unknown', unknown: [step], errors: [] });
    const { transactions, notes } = sandbox.state.suppliers[0]?.accounts[0]?.imported ?? {};
    expect([transactions?.length, notes?.length]).toEqual([1, 1]);
  },
);

describe.each([
  ['stage', 'create-or-update/'],
  ['transactions', 'transactions/create/'],
  ['notes', 'notes/create/'],
])('%s', (_, path) => {
  test('a page of another server is no answer of the service: sent again, and stored once', async () => {
    const { run, sandbox } = rehearsalWith(path, '<html>Welcome</html>', 1);
    const ledger = await run([account('A-1', {}, items)]);
    expect(await ledger.find(key('A-1'))).toMatchObject({ outcome: 'created', unknown: [], errors: [] });
    const { transactions, notes } = sandbox.state.suppliers[0]?.accounts[0]?.imported ?? {};
    expect([transactions?.length, notes?.length]).toEqual([1, 1]);
  });
});

test('a page on every attempt leaves the record open after four more passes, each after a longer pause', async () => {
  const pauses: number[] = [];
  const { run, events } = rehearsalWith('create-or-update/', '<html>Welcome</html>', Number.POSITIVE_INFINITY, {
    client: { maxRetries: 3, advanced: { retryBaseMs: 500 } },
    run: { sleep: async (ms) => void pauses.push(ms) },
  });
  const ledger = await run([account('A-1')]);
  // Those before a request is repeated within a reading are at most 500, 1000 and 2000 ms.
  expect(pauses.filter((ms) => ms > 2000)).toEqual([5_000, 15_000, 45_000]);
  expect(await ledger.find(key('A-1'))).toMatchObject({ outcome: null, intent: 'stage', done: 'check' });
  expect(events.filter((event) => event === 'A-1 noAnswer stage')).toHaveLength(5 * 4);
});

test('a page in place of the answer to notes without a body: unknown, and they are not sent again', async () => {
  const { run, sandbox } = rehearsalWith('notes/create/', '<html>Welcome</html>');
  const ledger = await run([account('A-1', {}, { notes: [{ document_paths: [{ document_path: 'a.pdf' }] }] })]);
  expect(await ledger.find(key('A-1'))).toMatchObject({ outcome: 'unknown', unknown: ['notes'] });
  expect(sandbox.requests().filter(({ rule }) => rule === 'E7')).toHaveLength(1);
});

test.each([
  ['[5]', 'in JSON'],
  ['<html>Welcome</html>', 'of another server'],
])('statements that were answered with %s, %s: unknown', async (body) => {
  const { run } = rehearsalWith('historical-statements/create/', body);
  const ledger = await run([account('A-1', {}, { statements: [{ statement_id: 'S-1' }] })]);
  expect(await ledger.find(key('A-1'))).toMatchObject({ outcome: 'unknown', unknown: ['statements'] });
});

test.each([
  ['[{"statement_id":"S-1"}]', 'a list'],
  ['', 'nothing'],
])(
  'statements that were answered with %j, %s, are done: the API specification does not show the data',
  async (body) => {
    const { run } = rehearsalWith('historical-statements/create/', body);
    const ledger = await run([account('A-1', {}, { statements: [{ statement_id: 'S-1' }] })]);
    expect(await ledger.find(key('A-1'))).toMatchObject({ outcome: 'created', unknown: [] });
  },
);

describe('a dry run that is answered with success', () => {
  test.each([
    ['may have created the account: the service has it, and it counts as created', true, { outcome: 'created' }],
    ['and created nothing, is tried again and stays open', false, { outcome: null, done: 'stage' }],
  ])('%s', async (_, creates, expected) => {
    const rehearsal = openRehearsal();
    const { sandbox } = rehearsal;
    const client = new DataImportClient({
      baseUrl: 'http://localhost:1',
      token: sandbox.token,
      maxRetries: 0,
      fetch: async (url, init) => {
        const body = typeof init?.body === 'string' ? init.body : '';
        if (!body.includes('"dry_run":true')) return sandbox.fetch(new Request(url, init));
        const inEarnest = { ...init, body: body.replace('"dry_run":true', '"dry_run":false') };
        return creates ? sandbox.fetch(new Request(url, inEarnest)) : new Response('{}', { status: 201 });
      },
    });
    const ledger = await rehearsal.run([account('A-1')], createMemoryLedger(), { client, dryRun: () => true });
    expect(await ledger.find(key('A-1'))).toMatchObject(expected);
  });
});

describe('a business that is refused', () => {
  const refusedAfter = async (status: number, phase: 'before' | 'afterCommit') => {
    const sandbox = createSandbox({
      faults: [{ match: { operation: 'businesses.create' }, when: { nth: 2 }, effect: { status }, phase }],
    });
    const client = new DataImportClient({
      baseUrl: 'http://localhost:1',
      token: () => sandbox.token,
      advanced: { retryBaseMs: 0 },
      fetch: sandbox.fetch,
    });
    const { run } = openRehearsal();
    await run([business('B-1', 'C-1')], createMemoryLedger(), { client });
    // Another ledger has no record of it.
    return run([business('B-1', 'C-1')], createMemoryLedger(), { client, resendAfter500: true });
  };
  const found = { supplier: 'SANDBOX_SUPPLIER', kind: 'business', number: 'B-1' } as const;

  test('after a 401 and a new token was certainly not made by us', async () => {
    const ledger = await refusedAfter(401, 'before');
    expect(await ledger.find(found)).toMatchObject({ outcome: 'rejected', unknown: [] });
  });

  test('after a 500 may have been', async () => {
    const ledger = await refusedAfter(500, 'before');
    expect(await ledger.find(found)).toMatchObject({ outcome: 'unknown', unknown: ['create'] });
  });
});
