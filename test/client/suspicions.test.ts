/** A success that does not confirm the sent items is no error, and hooks and logger report it (API specification: Notes, Transactions). */
import type {
  DataImportClient,
  DataImportClientOptions,
  Logger,
  SuspicionEvent,
  TransactionsOptions,
} from 'data-import-sdk';
import { describe, expect, it } from 'vitest';
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
const sentStatements = ['S-1', 'S-2'].map((statement_id) => ({
  ...{ statement_id, bill_period_from_date: '2024-01-01', bill_period_to_date: '2024-01-31' },
  ...{ issued_date: '2024-02-05', gross_amount: 1250 },
}));
const statements: Send = (client) => client.historicalStatements.create({ ...account, statements: sentStatements });
const SENDS = {
  ...{ 'notes.create': notes, 'transactions.create': transactions, 'historicalStatements.create': statements },
  'accounts.stage': (client) => client.accounts.stage(account),
  'accounts.process': (client) => client.accounts.process(processPayload),
  'paymentInstructions.create': (client) => calls['paymentInstructions.create'].send(client, {}),
  'supplyPoints.populate': (client) => calls['supplyPoints.populate'].send(client, {}),
} as const satisfies Record<string, Send>;

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

it.each<[operation: keyof typeof SENDS, what: string, body: unknown, ...suspicions: string[]]>([
  ['notes.create', 'fewer results than notes', [added], 'fewer_results notes'],
  ['notes.create', 'no result', [], 'fewer_results notes'],
  ['notes.create', 'another status', [added, other], 'unknown_status notes.1.status'],
  ['transactions.create', 'no result', { results: [] }, 'fewer_results results'],
  [
    'transactions.create',
    'fewer results, all of another status',
    { results: [other] },
    ...['fewer_results results', 'unknown_status results.0.status'],
  ],
  [
    'transactions.create',
    'other statuses, once an answer',
    { results: [other, other] },
    'unknown_status results.0.status',
  ],
  [
    'transactions.create',
    'another status of the data',
    { results: [charged, { ...charged, transaction_data: { status: 'TRANSACTION_IMPORT_ERROR' } }] },
    'unknown_status results.1.transaction_data.status',
  ],
  [
    'transactions.create',
    'other statuses of result and data, once an answer',
    { results: [{ ...charged, transaction_data: { status: 'LATER' } }, other] },
    'unknown_status results.1.status',
  ],
  [
    'transactions.create',
    'the status of a failure beside results',
    { status: 'TRANSACTION_IMPORT_ERROR', error_detail: 'No.', results: [charged, charged] },
    ...['unknown_status status', 'errors_in_answer error_detail'],
  ],
  [
    'transactions.create',
    'errors beside results',
    { errors: ['No.'], results: [charged, charged] },
    'errors_in_answer errors',
  ],
  ['historicalStatements.create', 'no statement', { statements: [] }, 'fewer_results statements'],
  ['historicalStatements.create', 'no entry', [], 'fewer_results statements'],
  ['historicalStatements.create', 'no result', { results: [] }, 'fewer_results statements'],
  ['historicalStatements.create', 'fewer statements', { statements: [sentStatements[1]] }, 'fewer_results statements'],
  [
    'historicalStatements.create',
    'errors',
    { statements: sentStatements, errors: [{ detail: 'No.' }] },
    'errors_in_answer errors',
  ],
  ['accounts.stage', 'errors', { ...account, errors: ['No.'] }, 'errors_in_answer errors'],
  ['accounts.process', 'errors', { service_account_number: '1', errors: ['No.'] }, 'errors_in_answer errors'],
  [
    'paymentInstructions.create',
    'errors',
    { ...(calls['paymentInstructions.create'].answer as object), errors: ['No.'] },
    'errors_in_answer errors',
  ],
  ['supplyPoints.populate', 'errors', { batch_id: 'B-1', errors: ['No.'] }, 'errors_in_answer errors'],
  [
    'historicalStatements.create',
    'another amount and other dates',
    {
      statements: [
        sentStatements[0],
        { ...sentStatements[1], gross_amount: '13', issued_date: '2024-02-06', bill_period_to_date: '2024-01-30' },
      ],
    },
    ...['other_amount statements.1.gross_amount', 'other_date statements.1.bill_period_to_date'],
  ],
])('%s: %s', async (operation, _, body, ...suspicions) => {
  const expected = suspicions.map((suspicion) => {
    const [code, attr] = suspicion.split(' ');
    return { callId: expect.any(Number), operation, code, attr };
  });
  const { events, lines } = await reported(operation, SENDS[operation], body);
  expect(events).toEqual(expected);
  expect(lines).toEqual(expected.map((event) => ['data-import warning', event]));
});

it.each<[operation: keyof typeof SENDS, body: unknown]>([
  ['notes.create', [added, there]],
  ['transactions.create', { results: [charged, skipped] }],
  [
    'transactions.create',
    {
      ...{ errors: [], error_detail: '', status: 'ok' },
      results: [{ ...charged, transaction_data: { status: 'TRANSACTION_IMPORT_SUCCESS' } }, charged],
    },
  ],
  ['historicalStatements.create', { statements: sentStatements, errors: [] }],
  ['historicalStatements.create', sentStatements.map((one) => ({ ...one, gross_amount: '1250.00' }))],
  ['historicalStatements.create', {}],
  ['historicalStatements.create', { statements: null }],
  ['historicalStatements.create', undefined],
  ['accounts.stage', account],
  ['accounts.stage', { import_supplier: null, external_account_number: 'A-1' }],
  ['accounts.process', { service_account_number: '0001' }],
])('%s: no event for an answer that confirms the sent items', async (operation, body) => {
  expect(await reported(operation, SENDS[operation], body)).toEqual({ events: [], lines: [] });
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
  expect(
    await reported('transactions.create', transactions, { results: [] }, { advanced: { warnings: 'ignore' } }),
  ).toEqual({
    events: [],
    lines: [],
  });
});

describe('an answer that repeats another value than was sent', () => {
  const sentNotes = [
    { body: 'Called about the bill.', created_at: '2024-03-01T10:00:00+02:00' },
    { body: 'Wants paper.', created_at: '2024-03-02T09:30:00Z' },
    { document_paths: [{ document_path: 'letter.pdf' }] },
  ];
  const sendNotes: Send = (client) => client.notes.create({ ...account, notes: sentNotes });
  const echoOfNote = (index: number, more: object = {}) => ({
    created_at: '2024-03-05T00:00:00Z',
    body: null,
    ...sentNotes[index],
    ...added,
    ...more,
  });
  const answerToNotes = (index: number, more: object) =>
    sentNotes.map((_, at) => echoOfNote(at, at === index ? more : {}));

  const ids = ['T-1', 'T-2', 'T-3'];
  const sendTransactions =
    (options: TransactionsOptions = {}): Send =>
    (client) =>
      client.transactions.create(
        {
          ...account,
          transactions: ids.map((transaction_id) => ({
            type: 'CHARGE',
            transaction_id,
            transaction_date: '2024-01-31',
            amount: 12.5,
            reason: 'IMPORTED_CHARGE',
            reference: 'R-1',
          })),
        },
        options,
      );
  const echoOfTransaction = (transaction_id: string, more: object = {}) => ({
    ...charged,
    transaction_data: { transaction_id, type: 'CHARGE', transaction_date: '2024-01-31', amount: '12.50', ...more },
  });
  const answerToTransactions = (index: number, more: object) => ({
    results: ids.map((id, at) => echoOfTransaction(id, at === index ? more : {})),
  });
  const codesAndPaths = ({ events }: { events: SuspicionEvent[] }) => events.map(({ code, attr }) => `${code} ${attr}`);

  it.each([
    ['another text', 1, { body: 'Wants e-mail.' }, ['other_body notes.1.body']],
    ['the text of another note', 1, { body: 'Called about the bill.' }, ['other_body notes.1.body']],
    ['a text for a note without one', 2, { body: 'Wants paper.' }, ['other_body notes.2.body']],
    ['another time', 0, { created_at: '2024-03-01T10:00:00Z' }, ['other_date notes.0.created_at']],
    ['another day', 1, { created_at: '2024-03-03T09:30:00Z' }, ['other_date notes.1.created_at']],
    ['no time at all', 1, { created_at: 'yesterday' }, ['other_date notes.1.created_at']],
    [
      'another text and time',
      0,
      { body: 'x', created_at: '2020-01-01T00:00:00Z' },
      ['other_body notes.0.body', 'other_date notes.0.created_at'],
    ],
  ] as const)('a note: %s', async (_, index, more, expected) => {
    expect(codesAndPaths(await reported('notes.create', sendNotes, answerToNotes(index, more)))).toEqual(expected);
  });

  it.each([
    ['the same instant with another offset', 0, { created_at: '2024-03-01T08:00:00Z' }],
    ['with fractions of a second', 1, { created_at: '2024-03-02T09:30:00.123456Z' }],
    ['with a space and without a colon in the offset', 0, { created_at: '2024-03-01 09:00:00+0100' }],
    ['in UTC without an offset', 1, { created_at: '2024-03-02T09:30:00' }],
    ['other white space', 0, { body: ' Called about\r\nthe bill. ' }],
    ['no text and no time', 0, { body: null, created_at: null }],
    ['an empty text and an empty time', 0, { body: '', created_at: '' }],
    ['neither field', 0, { body: undefined, created_at: undefined }],
    ['a time for a note that was sent without one', 2, { created_at: '2019-01-01T00:00:00Z' }],
  ] as const)('a note: not %s', async (_, index, more) => {
    expect(codesAndPaths(await reported('notes.create', sendNotes, answerToNotes(index, more)))).toEqual([]);
  });

  it.each([
    ['another id', 1, { transaction_id: 'T-9' }, ['other_id results.1.transaction_data.transaction_id']],
    ['the id of another one', 1, { transaction_id: 'T-1' }, ['other_id results.1.transaction_data.transaction_id']],
    ['another amount', 2, { amount: '12.51' }, ['other_amount results.2.transaction_data.amount']],
    ['another amount as a number', 2, { amount: 1250 }, ['other_amount results.2.transaction_data.amount']],
    ['another sign', 0, { amount: '-12.50' }, ['other_amount results.0.transaction_data.amount']],
    ['0', 0, { amount: 0 }, ['other_amount results.0.transaction_data.amount']],
    ['another type', 1, { type: 'CREDIT' }, ['other_type results.1.transaction_data.type']],
    ['another reason', 0, { reason: 'OTHER' }, ['other_reason results.0.transaction_data.reason']],
    ['another reference', 2, { reference: 'R-2' }, ['other_reference results.2.transaction_data.reference']],
    ['no number', 0, { amount: '12,50' }, ['other_amount results.0.transaction_data.amount']],
  ] as const)('a transaction: %s', async (_, index, more, expected) => {
    const answered = answerToTransactions(index, more);
    expect(codesAndPaths(await reported('transactions.create', sendTransactions(), answered))).toEqual(expected);
  });

  it.each([
    ['the amount with other zeros', { amount: '12.5' }],
    ['the amount as a number', { amount: 12.5 }],
    ['the amount with four decimals', { amount: '12.5000' }],
    ['a datetime of the same day', { transaction_date: '2024-01-31T00:00:00Z' }],
    ['type, reason and reference', { type: 'charge', reason: 'IMPORTED_CHARGE', reference: ' R-1' }],
    ['a value for a field that was not sent', { payment_type: 'DEBIT_CARD', product_code: 'P' }],
    ['the id in other letters', { transaction_id: 't-1' }],
    ['null', { transaction_id: null, amount: null, transaction_date: null }],
    ['empty texts', { transaction_id: '', amount: '', transaction_date: '' }],
    ['no fields', { transaction_id: undefined, amount: undefined, transaction_date: undefined }],
  ] as const)('a transaction: not %s', async (_, more) => {
    const send = sendTransactions({ force_add_to_current_statement: false });
    expect(codesAndPaths(await reported('transactions.create', send, answerToTransactions(0, more)))).toEqual([]);
  });

  it.each([
    ['no data', [charged, charged, charged]],
    ['null as data', [1, 2, 3].map(() => ({ ...charged, transaction_data: null }))],
  ])('a transaction: not %s', async (_, results) => {
    expect(codesAndPaths(await reported('transactions.create', sendTransactions(), { results }))).toEqual([]);
  });

  it('another date of a transaction counts only if the service may not move it', async () => {
    const moved = answerToTransactions(1, { transaction_date: '2024-02-01' });
    const other = ['other_date results.1.transaction_data.transaction_date'];
    for (const [force_add_to_current_statement, expected] of [
      [false, other],
      [true, []],
      [undefined, []],
    ] as const) {
      const send = sendTransactions({ force_add_to_current_statement });
      expect(codesAndPaths(await reported('transactions.create', send, moved))).toEqual(expected);
    }
  });

  it('each kind once an answer, at the first place', async () => {
    const results = ids.map(() => echoOfTransaction('T-9', { amount: '1', transaction_date: '2020-01-01' }));
    const send = sendTransactions({ force_add_to_current_statement: false });
    expect(codesAndPaths(await reported('transactions.create', send, { results }))).toEqual([
      'other_id results.0.transaction_data.transaction_id',
      'other_amount results.0.transaction_data.amount',
      'other_date results.0.transaction_data.transaction_date',
    ]);
  });

  it('of fewer results, only what no sent item has', async () => {
    const fewer = 'fewer_results results';
    const one = { results: [echoOfTransaction('T-3')] };
    expect(codesAndPaths(await reported('transactions.create', sendTransactions(), one))).toEqual([fewer]);
    const other = { results: [echoOfTransaction('T-3'), echoOfTransaction('T-9', { amount: '7' })] };
    expect(codesAndPaths(await reported('transactions.create', sendTransactions(), other))).toEqual([
      fewer,
      'other_id results.1.transaction_data.transaction_id',
      'other_amount results.1.transaction_data.amount',
    ]);
  });

  it('the sent values count, even if the caller changes the payload afterwards', async () => {
    const send: Send = (client) => {
      const note = { body: 'One.' };
      const call = client.notes.create({ ...account, notes: [note] });
      note.body = 'Two.';
      return call;
    };
    expect(codesAndPaths(await reported('notes.create', send, [{ body: 'One.', ...added }]))).toEqual([]);
    expect(codesAndPaths(await reported('notes.create', send, [{ body: 'Two.', ...added }]))).toEqual([
      'other_body notes.0.body',
    ]);
  });

  it('not the items that were sent without the field, and not a payload of another shape', async () => {
    const without: Send = (client) =>
      client.transactions.create({ ...account, transactions: [{ type: 'CHARGE' }] }, { validate: false });
    const results = [echoOfTransaction('T-1')];
    expect(codesAndPaths(await reported('transactions.create', without, { results }))).toEqual([]);
    for (const list of [null, 'T-1', [null, 7], undefined]) {
      const unchecked: Send = (client) =>
        client.transactions.create({ ...account, transactions: list as never }, { validate: false });
      expect(codesAndPaths(await reported('transactions.create', unchecked, { results })).join()).not.toContain(
        'other_id',
      );
    }
  });
});
