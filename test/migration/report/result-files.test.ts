/** Which transaction of a request the service refused, and that no other is taken for it (document: Transactions). */
import { expect, test } from 'vitest';
import { DataImportClient } from '../../../src/client.js';
import { createMemoryLedger } from '../../../src/migration/ledger/memory.js';
import { inWords } from '../ledger/records.js';
import { account, openRehearsal } from '../rehearsal.js';

const key = { supplier: 'SANDBOX_SUPPLIER', kind: 'account', number: 'A-1' } as const;
type Sent = { amount: number; [field: string]: unknown };

/** A service that answers requests for transactions by itself; what it was sent, request by request. */
function answering(answer: (transactions: Sent[]) => Response) {
  const rehearsal = openRehearsal();
  const sent: Sent[][] = [];
  const client = new DataImportClient({
    baseUrl: 'http://localhost:1',
    token: rehearsal.sandbox.token,
    maxRetries: 0,
    fetch: async (url, init) => {
      if (!String(url).includes('transactions/create/')) return rehearsal.sandbox.fetch(new Request(url, init));
      const { transactions } = JSON.parse(String(init?.body)) as { transactions: Sent[] };
      sent.push(transactions);
      return answer(transactions);
    },
  });
  return {
    sent,
    run: (transactions: object[]) =>
      rehearsal.run([account('A-1', {}, { transactions })], createMemoryLedger(), { client, setAside: true }),
  };
}

const results = (transactions: Sent[], status = 'TRANSACTION_ADDED_TO_ACCOUNT') =>
  transactions.map(({ amount, ...rest }) => ({ status, transaction_data: { ...rest, amount: amount.toFixed(2) } }));

test('of those without an id it is the one of the same amount; whether the service added the others is unknown', async () => {
  const { run, sent } = answering((transactions) => {
    const bad = transactions.find(({ amount }) => amount === 3);
    if (bad === undefined) return Response.json({ results: results(transactions) }, { status: 201 });
    const body = {
      status: 'TRANSACTION_IMPORT_ERROR',
      error_detail: 'no',
      transaction_data: { ...bad, amount: '3.00' },
    };
    return Response.json(body, { status: 400 });
  });
  const charge = { type: 'CHARGE', transaction_date: '2026-01-02' };
  const ledger = await run([1, 2, 3].map((amount) => ({ ...charge, amount })));
  expect(sent.map((transactions) => transactions.map(({ amount }) => amount))).toEqual([[1, 2, 3]]);
  expect(inWords(await ledger.find(key))).toMatchObject({
    outcome: 'unknown',
    errors: [{ step: 'transactions', code: 'transaction_import_error', attr: 'transactions.2' }],
    items: { transactions: ['unknown', 'unknown', 'rejected'] },
  });
});

test('an item that a 201 reports as not imported is refused, and the others are done', async () => {
  const { run, sent } = answering((transactions) => {
    const [first, second] = results(transactions);
    return Response.json({ results: [first, { ...second, status: 'TRANSACTION_IMPORT_ERROR' }] }, { status: 201 });
  });
  const ledger = await run([1, 2].map((amount) => ({ type: 'CREDIT', transaction_id: `T-${amount}`, amount })));
  expect(sent).toHaveLength(1);
  expect(inWords(await ledger.find(key))).toMatchObject({
    outcome: 'created',
    errors: [{ step: 'transactions', code: 'transaction_import_error', attr: 'transactions.1' }],
    items: { transactions: ['sent', 'rejected'] },
  });
});
