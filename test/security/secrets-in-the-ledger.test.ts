/** A service that echoes the token where a run stores its values: the ledger does not have it (issue 36). */
import { expect, it } from 'vitest';
import { DataImportClient } from '../../src/client.js';
import { createMemoryLedger } from '../../src/migration/ledger/memory.js';
import { account, business, openRehearsal } from '../migration/rehearsal.js';

type Body = Record<string, unknown>;

/** Runs the records with this token against the sandbox, whose answers are changed. Returns the records of the ledger. */
async function stored(
  token: string,
  records: readonly unknown[],
  changes: Record<string, (body: never) => unknown>,
  isLost = (_path: string) => false,
) {
  const { sandbox, run } = openRehearsal();
  const client = new DataImportClient({
    ...{ baseUrl: 'http://localhost:1', token, maxRetries: 0, advanced: { retryBaseMs: 0 } },
    fetch: async (url, init) => {
      const path = new URL(String(url)).pathname.replace('/v1/data-import/', '');
      const request = new Request(url, init);
      request.headers.set('authorization', `Token ${sandbox.token}`);
      const answered = await sandbox.fetch(request);
      if (isLost(path)) return new Response('', { status: 504 });
      const change = Object.entries(changes).find(([name]) => path.includes(name))?.[1];
      if (change === undefined || !answered.ok) return answered;
      return Response.json(change((await answered.json()) as never), { status: answered.status });
    },
  });
  const ledger = createMemoryLedger();
  await run(records, ledger, { client });
  const found = [];
  for await (const record of ledger.list()) found.push(record);
  return found;
}

const TOKEN = '70123456789';
const WORDS = 'quietlyhiddenaccesstoken';
const note = { body: 'Called.' };
const payment = {
  transaction_id: 'T-1',
  type: 'CHARGE',
  reason: 'IMPORTED_CHARGE',
  transaction_date: '2026-01-10',
  amount: 1,
};

const withAmount = (amount: unknown) => ({
  transactions: ({ results }: { results: { transaction_data: Body }[] }) => ({
    results: results.map((result) => ({ ...result, transaction_data: { ...result.transaction_data, amount } })),
  }),
});

/** The service confirmed another amount, and not the one that was sent. */
const NOTHING_CONFIRMED = [{ key: { type: 'CHARGE', amount: '1' }, status: 'sent', confirmed: '0' }];

it.each([
  ['as a number', Number(TOKEN)],
  ['as a decimal in text', `${TOKEN}.00`],
  ['with an exponent', '7.0123456789e10'],
  ['within a longer number', `5${TOKEN}5.5`],
])('as the amount of a transaction, %s', async (_, amount) => {
  const records = await stored(TOKEN, [account('A-1', {}, { transactions: [payment] })], withAmount(amount));
  expect(records[0]?.items?.transactions).toMatchObject(NOTHING_CONFIRMED);
  expect(JSON.stringify(records)).not.toContain(TOKEN);
});

it('as the number of an account, answered to process and to the status query', async () => {
  const records = await stored(TOKEN, [account('A-1')], { process: () => ({ service_account_number: `S-${TOKEN}` }) });
  expect(records[0]).toMatchObject({ outcome: 'created', serviceNumber: 'S-[secret]' });
  const status = { 'account-transfer-status': () => ({ status: 'PENDING', service_account_number: TOKEN }) };
  const isProcess = (path: string) => path.endsWith('process/process/');
  const settled = await stored(TOKEN, [account('A-1')], status, isProcess);
  expect(settled[0]).toMatchObject({ outcome: 'created', serviceNumber: '[secret]' });
});

it('as the id of a business, a number', async () => {
  const change = (body: Body) => ({ ...body, service_business_id: Number(TOKEN) });
  const records = await stored(TOKEN, [business('B-1', 'C-1')], { 'business/': change });
  expect(records[0]).toMatchObject({ outcome: 'created', serviceNumber: '[secret]' });
});

it('as the id of a batch', async () => {
  const populate = { populate: { prm_ids: ['12345678901234'], pce_ids: [], customer_category: 'RESIDENTIAL' } };
  const records = await stored(WORDS, [populate], { populate: () => ({ batch_id: WORDS }) });
  expect(records[0]).toMatchObject({ serviceNumber: '[secret]' });
});

it.each([
  ['of a note', { notes: [note] }, { notes: () => [{ ...note, status: `${WORDS}_ERROR` }] }],
  [
    'of a transaction',
    { transactions: [payment] },
    { transactions: () => ({ results: [{ status: `${WORDS}_ERROR`, transaction_data: payment }] }) },
  ],
])('as the status %s', async (_, items, changes) => {
  const records = await stored(WORDS, [account('A-1', {}, items)], changes);
  expect(records[0]?.errors).toMatchObject([{ code: '[secret]' }]);
});

it('without its leading zeros, and without the digits that a number cannot hold', async () => {
  const zeros = await stored(
    '0070123456789',
    [account('A-1', {}, { transactions: [payment] })],
    withAmount(70123456789),
  );
  expect(zeros[0]?.items?.transactions).toMatchObject(NOTHING_CONFIRMED);
  const long = '1234567890123456789012';
  const rounded = await stored(long, [account('A-1', {}, { transactions: [payment] })], withAmount(Number(long)));
  expect(rounded[0]?.items?.transactions).toMatchObject(NOTHING_CONFIRMED);
  expect(JSON.stringify(rounded)).not.toContain('12345678901234568');
});
