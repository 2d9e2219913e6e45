/** A success that does not confirm the sent items is no error, and hooks and logger report it (API specification: Notes, Transactions). */
import type { DataImportClient, DataImportClientOptions, Logger, SuspicionEvent } from 'data-import-sdk';
import { expect, it } from 'vitest';
import { account, calls, processPayload } from '../helpers/calls.js';
import { clientOf } from '../helpers/client-of.js';
import { answer, misbehavingServer } from '../helpers/misbehaving-server.js';

type Send = (client: DataImportClient) => PromiseLike<unknown>;

const notes: Send = (client) => client.notes.create({ ...account, notes: [{ body: 'One.' }, { body: 'Two.' }] });
const transactions: Send = (client) =>
  client.transactions.create({
    ...account,
    transactions: ['T-1', 'T-2'].map((transaction_id) => ({
      type: 'CHARGE',
      transaction_id,
      transaction_date: '2024-01-01',
      amount: 1,
    })),
  });
const stage: Send = (client) => client.accounts.stage(account);
const process: Send = (client) => client.accounts.process(processPayload);

async function reported(
  operation: keyof typeof calls,
  send: Send,
  body: unknown,
  options: Partial<DataImportClientOptions> = {},
) {
  const events: SuspicionEvent[] = [];
  const lines: unknown[] = [];
  const logger: Logger = { debug: () => {}, warn: (facts, message) => void lines.push([message, facts]) };
  const server = await misbehavingServer({ [calls[operation].path]: answer(201, body) });
  const hooks = { onSuspicion: (event: SuspicionEvent) => void events.push(event) };
  await send(clientOf(server, { hooks, logger, ...options }));
  return { events, lines };
}

const added = { status: 'NOTE_CREATION_SUCCESS' };
const there = { status: 'NOTE_ALREADY_EXISTS' };
const charged = { status: 'TRANSACTION_ADDED_TO_ACCOUNT' };
const skipped = { status: 'TRANSACTION_ALREADY_EXISTS' };
const other = { status: 'Jean Exemple' };

it.each([
  ['notes.create', 'fewer results than notes', notes, [added], [['fewer_results', 'notes']]],
  ['notes.create', 'no result', notes, [], [['fewer_results', 'notes']]],
  ['notes.create', 'another status', notes, [added, other], [['unknown_status', 'notes.1.status']]],
  ['transactions.create', 'no result', transactions, { results: [] }, [['fewer_results', 'results']]],
  [
    'transactions.create',
    'fewer results, all of another status',
    transactions,
    { results: [other] },
    [
      ['fewer_results', 'results'],
      ['unknown_status', 'results.0.status'],
    ],
  ],
  [
    'transactions.create',
    'other statuses, once an answer',
    transactions,
    { results: [other, other] },
    [['unknown_status', 'results.0.status']],
  ],
] as const)('%s: %s', async (operation, _, send, body, suspicions) => {
  const expected = suspicions.map(([code, attr]) => ({ callId: expect.any(Number), operation, code, attr }));
  const { events, lines } = await reported(operation, send, body);
  expect(events).toEqual(expected);
  expect(lines).toEqual(expected.map((event) => ['data-import warning', event]));
});

it.each([
  ['notes.create', notes, [added, there]],
  ['transactions.create', transactions, { results: [charged, skipped] }],
  ['accounts.stage', stage, account],
  ['accounts.stage', stage, { import_supplier: null, external_account_number: 'A-1' }],
  ['accounts.process', process, { service_account_number: '0001' }],
] as const)('%s: no event for an answer that confirms the sent items', async (operation, send, body) => {
  expect(await reported(operation, send, body)).toEqual({ events: [], lines: [] });
});

it('accounts.validate: what the service dropped', async () => {
  const events: SuspicionEvent[] = [];
  const server = await misbehavingServer({ [calls['accounts.validate'].path]: answer(200, account) });
  const hooks = { onSuspicion: (event: SuspicionEvent) => void events.push(event) };
  await clientOf(server, { hooks }).accounts.validate({ ...account, billing_postcode: '69003' });
  expect(events).toEqual([
    {
      callId: expect.any(Number),
      operation: 'accounts.validate',
      code: 'dropped_by_service',
      attr: 'billing_postcode',
    },
  ]);
});

it("not with warnings: 'ignore'", async () => {
  expect(await reported('transactions.create', transactions, { results: [] }, { warnings: 'ignore' })).toEqual({
    events: [],
    lines: [],
  });
});
