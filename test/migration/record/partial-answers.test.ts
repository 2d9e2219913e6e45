/** Answers that do not confirm all that was sent, from a server of this file (U32; API specification: Notes, Transactions). */
import { describe, expect, onTestFinished, test } from 'vitest';
import { DataImportClient } from '../../../src/client.js';
import { createMemoryLedger } from '../../../src/migration/ledger/memory.js';
import type { RunContext } from '../../../src/migration/run/run-context.js';
import { parseHalt } from '../../../src/migration/throttle/halt-rules.js';
import { createThrottle } from '../../../src/migration/throttle/throttle.js';
import { type OwnServiceOptions, ownService } from '../../helpers/own-service.js';
import { settle } from '../../support/settle.js';
import { inWords } from '../ledger/records.js';
import { account, openRehearsal } from '../rehearsal.js';

const key = (number: string) => ({ supplier: 'SANDBOX_SUPPLIER', kind: 'account', number }) as const;

async function openRun(options: OwnServiceOptions) {
  const service = await ownService(options);
  const client = new DataImportClient({
    baseUrl: service.url,
    token: 'T',
    advanced: { retryBaseMs: 0 },
    maxRetries: 0,
  });
  onTestFinished(() => client.close());
  const { run } = openRehearsal();
  const ledger = createMemoryLedger();
  return {
    ...service,
    ledger,
    run: (records: unknown[], more: Partial<RunContext> = {}) => run(records, ledger, { client, ...more }),
    sent: (path: string) => service.requests.filter((request) => request.path === path).map(({ payload }) => payload),
  };
}

type Results = { results: object[] };
const notes = [{ body: 'one' }, { body: 'two' }, { body: 'three' }];
const transactions = ['T-1', 'T-2', 'T-3'].map((transaction_id) => ({ transaction_id, type: 'CREDIT', amount: 1 }));
/** The answer to the first request of this path, changed; from then on as it is. */
const once = (path: string, change: (body: unknown) => unknown): OwnServiceOptions['answer'] => {
  let isChanged = false;
  return (asked, body) => {
    if (asked !== path || isChanged) return body;
    isChanged = true;
    return change(body);
  };
};

describe('U32 notes', () => {
  test('in another order all are sent', async () => {
    const answer = once('notes', (body) => (body as object[]).toReversed());
    const { run, ledger } = await openRun({ answer });
    await run([account('A-1', {}, { notes })]);
    expect(inWords(await ledger.find(key('A-1')))).toMatchObject({
      outcome: 'created',
      errors: [],
      items: { notes: ['sent', 'sent', 'sent'] },
    });
  });

  test('of which one has no entry: it is unknown, and only it is sent again once it is resolved as not done', async () => {
    const answer = once('notes', (body) => (body as object[]).toSpliced(1, 1));
    const { run, ledger, sent, accounts } = await openRun({ answer });
    const input = [account('A-1', {}, { notes })];
    await run(input);
    expect(inWords(await ledger.find(key('A-1')))).toMatchObject({
      outcome: 'unknown',
      unknown: ['notes'],
      errors: [{ step: 'notes', code: 'fewer_results', attr: 'notes.1' }],
      items: { notes: ['sent', 'unknown', 'sent'] },
    });
    await settle(ledger, { step: 'notes', kind: 'account', number: 'A-1' }, 'notDone', () => new Date(0));
    await run(input);
    expect(sent('notes').map((payload) => payload['notes'])).toEqual([notes, [{ body: 'two' }]]);
    // The service had it after all, and says so.
    expect(inWords(await ledger.find(key('A-1')))).toMatchObject({
      outcome: 'created',
      unknown: [],
      errors: [],
      items: { notes: ['sent', 'existed', 'sent'] },
    });
    expect(accounts.get('A-1')?.notes).toHaveLength(3);
  });

  test('of which one has a failure status: it is rejected, and sent again in its own request', async () => {
    const answer = once('notes', (body) =>
      (body as object[]).with(2, { body: 'three', status: 'NOTE_CREATION_FAILED' }),
    );
    const { run, ledger, sent } = await openRun({ answer });
    const input = [account('A-1', {}, { notes })];
    await run(input);
    expect(inWords(await ledger.find(key('A-1')))).toMatchObject({
      outcome: 'created',
      errors: [{ step: 'notes', code: 'note_creation_failed', attr: 'notes.2' }],
      items: { notes: ['sent', 'sent', 'rejected'] },
    });
    await run(input, { retryRejected: true });
    expect(sent('notes')[1]?.['notes']).toEqual([{ body: 'three' }]);
    expect(inWords(await ledger.find(key('A-1')))).toMatchObject({
      errors: [],
      items: { notes: ['sent', 'sent', 'existed'] },
    });
  });
});

describe('U32 transactions', () => {
  test('one of another status and one refused: the one resolved as done is there, and the refused one is missing', async () => {
    const answer = once('transactions', (body) => {
      const [first, second, third] = (body as Results).results;
      const parked = { ...first, status: 'TRANSACTION_PARKED' };
      return { results: [third, { ...second, status: 'TRANSACTION_IMPORT_ERROR' }, parked] };
    });
    const { run, ledger } = await openRun({ answer });
    await run([account('A-1', {}, { transactions, notes })]);
    expect(inWords(await ledger.find(key('A-1')))).toMatchObject({
      outcome: 'unknown',
      unknown: ['transactions'],
      errors: [
        { step: 'transactions', code: 'unknown_status', attr: 'transactions.0' },
        { step: 'transactions', code: 'transaction_import_error', attr: 'transactions.1' },
      ],
      items: { transactions: ['unknown', 'rejected', 'sent'], notes: ['sent', 'sent', 'sent'] },
    });
    await settle(ledger, { step: 'transactions', kind: 'account', number: 'A-1' }, 'done', () => new Date(0));
    expect(inWords(await ledger.find(key('A-1')))).toMatchObject({
      outcome: 'created',
      unknown: [],
      errors: [{ step: 'transactions', code: 'transaction_import_error', attr: 'transactions.1' }],
      items: { transactions: ['sent', 'rejected', 'sent'] },
    });
  });

  test('in batches, an answer without entries leaves its batch unknown, and the next ones are sent', async () => {
    const answer = once('transactions', () => ({ accepted: 1 }));
    const { run, ledger, sent } = await openRun({ answer });
    await run([account('A-1', {}, { transactions })], { transactionsAtOnce: 2 });
    expect(sent('transactions')).toHaveLength(2);
    expect(inWords(await ledger.find(key('A-1')))).toMatchObject({
      outcome: 'unknown',
      items: { transactions: ['unknown', 'unknown', 'sent'] },
    });
  });

  test('with another date than was sent are noted by their positions', async () => {
    const dated = transactions.map((one) => ({ ...one, transaction_date: '2026-01-05' }));
    const answer = once('transactions', (body) => ({
      results: (body as { results: { transaction_data: object }[] }).results.map((result, index) =>
        index === 1
          ? result
          : { ...result, transaction_data: { ...result.transaction_data, transaction_date: '2026-02-01' } },
      ),
    }));
    const { run, ledger } = await openRun({ answer });
    await run([account('A-1', {}, { transactions: dated })]);
    expect(inWords(await ledger.find(key('A-1')))).toMatchObject({
      outcome: 'created',
      items: { transactions: ['moved sent', 'sent', 'moved sent'] },
    });
  });
});

describe('U32 statements', () => {
  const statements = ['S-1', 'S-2'].map((statement_id) => ({ statement_id, number: statement_id, gross_amount: 1 }));

  test.each<[string, (body: { statements: object[] }) => unknown, string]>([
    ['without one of them', (body) => ({ ...body, statements: body.statements.slice(1) }), 'fewer_results'],
    ['without any', (body) => ({ ...body, statements: [] }), 'fewer_results'],
    ['without results', () => ({ results: [] }), 'fewer_results'],
    [
      'with errors',
      (body) => ({ ...body, errors: [{ code: 'x', attr: 'statements.0', detail: 'd' }] }),
      'errors_in_answer',
    ],
    ['with an error', () => ({ detail: 'Internal error' }), 'errors_in_answer'],
  ])('answered with 201 %s are unknown, and not sent again', async (_, change, code) => {
    const answer = once('historical-statements', (body) => change(body as { statements: object[] }));
    const { run, ledger, sent } = await openRun({ answer });
    for (let time = 1; time <= 2; time++) await run([account('A-1', {}, { statements })]);
    expect(sent('historical-statements')).toHaveLength(1);
    expect(inWords(await ledger.find(key('A-1')))).toMatchObject({
      outcome: 'unknown',
      errors: [{ step: 'statements', code }],
      items: { statements: ['unknown', 'unknown'] },
    });
  });
});

test('a payment instruction answered with 201 with errors is unknown, and not sent again', async () => {
  const answer = once('payment-instruction', (body) => ({ ...(body as object), errors: [{ code: 'x', detail: 'd' }] }));
  const { run, ledger, sent } = await openRun({ answer });
  const payment_instruction = { vendor: 'V', reference: 'R-1', type: 'CARD' };
  for (let time = 1; time <= 2; time++) await run([account('A-1', {}, { payment_instruction })]);
  expect(sent('payment-instruction')).toHaveLength(1);
  expect(inWords(await ledger.find(key('A-1')))).toMatchObject({
    outcome: 'unknown',
    errors: [{ step: 'paymentInstruction', code: 'errors_in_answer', attr: 'errors' }],
    items: { paymentInstruction: ['unknown'] },
  });
});

describe('an answer that names another account', () => {
  test.each([
    [
      'create-or-update',
      'stage',
      'external_account_number',
      { import_supplier: 'SANDBOX_SUPPLIER', external_account_number: 'B-9' },
    ],
    ['create-or-update', 'stage', 'import_supplier', { import_supplier: 'OTHER', external_account_number: 'A-1' }],
    [
      'create-or-update',
      'stage',
      'import_supplier_code',
      { import_supplier_code: 'OTHER', external_account_number: 'A-1' },
    ],
    [
      'process',
      'process',
      'external_account_number',
      { service_account_number: 'S-9', external_account_number: 'B-9' },
    ],
  ])('to %s: the outcome is unknown, and the run halts and names the account', async (path, step, attr, body) => {
    const { run, ledger, requests } = await openRun({ answer: once(path, () => body) });
    const throttle = createThrottle({ halt: parseHalt('same=0') });
    onTestFinished(() => throttle.drain());
    const input = [account('A-1', {}, { notes }), account('A-2')];
    await run(input, {
      recordsAtOnce: 1,
      onEvent: throttle.onEvent,
      isAccepting: throttle.isAccepting,
      schedule: throttle.schedule,
    });
    expect(inWords(await ledger.find(key('A-1')))).toMatchObject({
      outcome: 'unknown',
      unknown: [step],
      errors: [{ step, code: 'answer_of_another_request', attr }],
      serviceNumber: null,
    });
    expect(throttle.status()).toMatchObject({ state: 'halted' });
    expect(throttle.status().reason).toMatch(
      new RegExp(`^the answer to ${step} of account …1 \\(input record 1\\) belongs to another request: `),
    );
    expect(requests.some(({ payload }) => payload['external_account_number'] === 'A-2')).toBe(false);
  });

  test('an answer with the account number as a JSON number is for the same account', async () => {
    const answer = once('process', () => ({ service_account_number: 'S-1', external_account_number: 77 }));
    const { run, ledger } = await openRun({ answer });
    await run([account('77')]);
    expect(await ledger.find(key('77'))).toMatchObject({ outcome: 'created', serviceNumber: 'S-1' });
  });
});

describe('two transactions with the same transaction_id', () => {
  test('and other content: the second is not sent, and is listed as rejected; the others are sent', async () => {
    const { run, ledger, sent } = await openRun({});
    const input = [...transactions.slice(0, 2), { ...transactions[0], amount: 9 }, ...transactions.slice(2)];
    await run([account('A-1', {}, { transactions: input })]);
    expect(sent('transactions')).toMatchObject([
      { transactions: [{ transaction_id: 'T-1', amount: 1 }, { transaction_id: 'T-2' }, { transaction_id: 'T-3' }] },
    ]);
    expect(inWords(await ledger.find(key('A-1')))).toMatchObject({
      outcome: 'created',
      errors: [{ step: 'transactions', code: 'contradicting_transaction', attr: 'transactions.2' }],
      items: { transactions: ['sent', 'sent', 'rejected', 'sent'] },
    });
  });

  test('and the same content: the same, because the service would have only one of the two', async () => {
    const { run, ledger, sent } = await openRun({});
    await run([account('A-1', {}, { transactions: [transactions[0], transactions[0]] })]);
    expect(sent('transactions')).toMatchObject([{ transactions: [{ transaction_id: 'T-1' }] }]);
    expect(inWords(await ledger.find(key('A-1')))).toMatchObject({
      outcome: 'created',
      errors: [{ step: 'transactions', code: 'duplicate_transaction', attr: 'transactions.1' }],
      items: { transactions: ['sent', 'rejected'] },
    });
  });
});

describe('a transaction that the service says it had, and has only as another one of the account', () => {
  const paid = (more: object = {}) => ({ type: 'PAYMENT', amount: 10, transaction_date: '2026-01-10', ...more });
  const [ADDED, THERE] = ['TRANSACTION_ADDED_TO_ACCOUNT', 'TRANSACTION_ALREADY_EXISTS'];
  const answerOf =
    (statuses: readonly string[]): OwnServiceOptions['answer'] =>
    (path, body, payload) => {
      if (path !== 'transactions') return body;
      const sent = payload['transactions'] as object[];
      return { results: sent.map((transaction_data, index) => ({ status: statuses[index], transaction_data })) };
    };

  test.each([
    ['two equal ones without an id', [paid(), paid()], [ADDED, THERE], ['sent', 'rejected']],
    ['two equal ones, of which the second is the added one', [paid(), paid()], [THERE, ADDED], ['rejected', 'sent']],
    [
      'three equal ones that are all there',
      [paid(), paid(), paid()],
      [THERE, THERE, THERE],
      ['existed', 'rejected', 'rejected'],
    ],
    [
      'one without an id and with another date',
      [paid(), paid({ transaction_date: '2026-01-11' })],
      [ADDED, THERE],
      ['sent', 'rejected'],
    ],
    ['one with another amount', [paid(), paid({ amount: 11 })], [ADDED, THERE], ['sent', 'existed']],
    ['one with another type', [paid(), paid({ type: 'CREDIT' })], [ADDED, THERE], ['sent', 'existed']],
    ['one with its own id', [paid(), paid({ transaction_id: 'T-2' })], [ADDED, THERE], ['sent', 'existed']],
    [
      'two with different ids',
      [paid({ transaction_id: 'T-1' }), paid({ transaction_id: 'T-2' })],
      [ADDED, THERE],
      ['sent', 'existed'],
    ],
    ['two equal ones that are both added', [paid(), paid()], [ADDED, ADDED], ['sent', 'sent']],
    [
      'one equal to a transaction that was refused',
      [paid(), paid()],
      ['TRANSACTION_IMPORT_ERROR', THERE],
      ['rejected', 'existed'],
    ],
  ] as const)('%s: %j answered with %j', async (_, list, statuses, expected) => {
    const { run, ledger } = await openRun({ answer: answerOf(statuses) });
    await run([account('A-1', {}, { transactions: list })]);
    expect(inWords(await ledger.find(key('A-1')))).toMatchObject({ items: { transactions: expected } });
  });

  test('is named with its place', async () => {
    const { run, ledger } = await openRun({ answer: answerOf([ADDED, ADDED, THERE]) });
    await run([account('A-1', {}, { transactions: [paid({ amount: 7 }), paid(), paid()] })]);
    expect(await ledger.find(key('A-1'))).toMatchObject({
      outcome: 'created',
      errors: [{ step: 'transactions', code: 'duplicate_transaction', attr: 'transactions.2' }],
    });
  });

  test.each([
    ['another date: the service has both, as far as is known', '2026-01-11', ['existed', 'existed']],
    ['all fields equal', '2026-01-10', ['existed', 'rejected']],
  ] as const)('in an account that existed before, %s', async (_, transaction_date, expected) => {
    const { run, ledger } = await openRun({ answer: answerOf([THERE, THERE]), existing: ['A-1'] });
    const input = [account('A-1', {}, { transactions: [paid(), paid({ transaction_date })] })];
    await run(input, { addToExisting: 'all' });
    expect(inWords(await ledger.find(key('A-1')))).toMatchObject({ items: { transactions: expected } });
  });

  test('that a later line adds beside an equal one that was sent', async () => {
    const { run, ledger, sent } = await openRun({
      answer: (path, body, payload) =>
        answerOf([sent('transactions').length === 1 ? ADDED : THERE])?.(path, body, payload),
    });
    await run([account('A-1', {}, { transactions: [paid()] })]);
    await run([account('A-1', {}, { transactions: [paid(), paid()] })], { addToExisting: true });
    expect(sent('transactions')).toMatchObject([{ transactions: [paid()] }, { transactions: [paid()] }]);
    expect(inWords(await ledger.find(key('A-1')))).toMatchObject({ items: { transactions: ['sent', 'rejected'] } });
  });
});
