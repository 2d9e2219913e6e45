/**
 * Every operation with every kind of failure: the number of requests to the service, and the result of the caller (DESIGN 6;
 * document: Status codes). A client with maxRetries 2, a token function and a real server that never recovers.
 */
import { type CallOptions, DataImportClient, type DataImportError } from 'data-import-sdk';
import { expect, it } from 'vitest';
import { operations } from '../../../schemas/operations.js';
import { transactions } from '../../examples/transactions.js';
import { type Call, type CallName, calls, documentNotes } from '../../helpers/calls.js';
import {
  answer,
  hang,
  html,
  misbehavingServer,
  type Reaction,
  resetAfterReading,
  resetUnread,
} from '../../helpers/misbehaving-server.js';

/** The columns, in this order. */
const misfortunes = [
  '400',
  '401',
  '404',
  '429, Retry-After beyond patience',
  '500',
  '502 with HTML',
  '503 with Retry-After',
  'reset before any byte of the answer',
  'reset after the request was read',
  'timeout',
  'truncated JSON',
  'wrong shape on success',
  'empty body on success',
] as const;
type Misfortune = (typeof misfortunes)[number];

/** What a cell's word means: the error and what a program can do about it. */
const words: Record<string, string> = {
  fix: 'ValidationError inspect',
  token: 'AuthenticationError fixToken',
  none: 'NotFoundError fixPayload',
  wait: 'RateLimitError wait',
  later: 'ServerError retryLater',
  again: 'ConnectionError retryLater',
  slow: 'TimeoutError retryLater',
  '?': 'OutcomeUnknownError resolve',
  odd: 'ResponseMismatchError inspect',
  ok: 'success',
};

/**
 * A cell: requests to the operation's own path, `+` questions about the account's status where there are any, and the
 * word. 401 is sent twice: once more with a renewed token. The status of an account says here that nothing was created,
 * but for the row whose account was created all the same. `+q`: at least two questions after each request, since the client asks
 * until its quiet time is over.
 */
const table = `
  operation                           |   400 |   401   |  404   |  429   |   500   |   502   |   503   | unread  |  read   | timeout | truncated | shape | empty
  supplyPoints.populate               | 1 fix | 2 token | 1 none | 1 wait | 3 later |     1 ? |     1 ? |     1 ? |     1 ? |     1 ? |     1 odd | 1 odd | 1 odd
  businesses.create                   | 1 fix | 2 token | 1 none | 1 wait | 3 later |     1 ? |     1 ? |     1 ? |     1 ? |     1 ? |     1 odd | 1 odd | 1 odd
  businesses.createPaymentInstruction | 1 fix | 2 token | 1 none | 1 wait | 3 later |     1 ? |     1 ? |     1 ? |     1 ? |     1 ? |     1 odd | 1 odd | 1 odd
  accounts.validate                   | 1 fix | 2 token | 1 none | 1 wait | 3 later | 3 later | 3 later | 3 again | 3 again |  3 slow |     1 odd | 1 odd | 1 odd
  accounts.stage                      | 1 fix | 2 token | 1 none | 1 wait | 3 later | 3 later | 3 later | 3 again | 3 again |  3 slow |     1 odd | 1 odd | 1 odd
  accounts.process                    | 1 fix | 2 token | 1 none | 1 wait | 3+2 later |   3+q ? |   3+q ? |   3+q ? |   3+q ? |   3+q ? |     1 odd | 1 odd | 1 odd
  notes.create                        | 1 fix | 2 token | 1 none | 1 wait | 3 later | 3 later | 3 later | 3 again | 3 again |  3 slow |     1 odd | 1 odd | 1 odd
  transactions.create                 | 1 fix | 2 token | 1 none | 1 wait | 3 later | 3 later | 3 later | 3 again | 3 again |  3 slow |     1 odd | 1 odd | 1 odd
  historicalStatements.create         | 1 fix | 2 token | 1 none | 1 wait | 3 later |     1 ? |     1 ? |     1 ? |     1 ? |     1 ? |     1 odd | 1 odd | 1 ok
  paymentInstructions.create          | 1 fix | 2 token | 1 none | 1 wait | 3 later |     1 ? |     1 ? |     1 ? |     1 ? |     1 ? |     1 odd | 1 odd | 1 odd
  imports.status                      | 1 fix | 2 token | 1 none | 1 wait | 3 later | 3 later | 3 later | 3 again | 3 again |  3 slow |     1 odd | 1 odd | 1 odd
  imports.all                         | 1 fix | 2 token | 1 none | 1 wait | 3 later | 3 later | 3 later | 3 again | 3 again |  3 slow |     1 odd | 1 odd | 1 odd
  imports.pending                     | 1 fix | 2 token | 1 none | 1 wait | 3 later | 3 later | 3 later | 3 again | 3 again |  3 slow |     1 odd | 1 odd | 1 odd
  imports.imported                    | 1 fix | 2 token | 1 none | 1 wait | 3 later | 3 later | 3 later | 3 again | 3 again |  3 slow |     1 odd |  1 ok | 1 ok
  process of a created account        | 1 fix | 2 token | 1 none | 1 wait |  1+1 ok |  1+1 ok |  1+1 ok |  1+1 ok |  1+1 ok |  1+1 ok |     1 odd | 1 odd | 1 odd
  accounts.dryRun                     | 1 fix | 2 token | 1 none | 1 wait | 3 later | 3 later | 3 later | 3 again | 3 again |  3 slow |     1 odd | 1 odd | 1 odd
  transactions without the check      | 1 fix | 2 token | 1 none | 1 wait | 3 later |     1 ? |     1 ? |     1 ? |     1 ? |     1 ? |     1 odd | 1 odd | 1 odd
  notes without a body                | 1 fix | 2 token | 1 none | 1 wait | 3 later |     1 ? |     1 ? |     1 ? |     1 ? |     1 ? |     1 odd | 1 odd | 1 odd
`;

const [, ...rows] = table
  .trim()
  .split('\n')
  .map((line) => line.split('|').map((cell) => cell.trim()));

/** Calls that are sent differently from their operation's usual one. */
const variants: Record<string, { of: CallName; send?: Call['send'] }> = {
  'process of a created account': { of: 'accounts.process' },
  'transactions without the check': {
    of: 'transactions.create',
    send: (client: DataImportClient, options?: CallOptions) =>
      client.transactions.create(transactions, { ...options, check_previously_added: false }),
  },
  'notes without a body': {
    of: 'notes.create',
    send: (client, options) => client.notes.create(documentNotes, options),
  },
};

/** A success that is none: the documented fields, of another kind. */
const wrongShapes: Partial<Record<CallName, unknown>> = {
  'supplyPoints.populate': { batch_id: 7 },
  'businesses.create': { service_business_id: 'seven', external_business_identifier: 'BUSINESS-0001' },
  'businesses.createPaymentInstruction': { reference: null, external_business_identifier: 'BUSINESS-0001' },
  'accounts.validate': ['documented as an object'],
  'accounts.stage': { import_supplier: 'ACME', external_account_number: 1 },
  'accounts.process': { service_account_number: 12345 },
  'accounts.dryRun': { service_account_number: 12345 },
  'notes.create': { results: [] },
  'transactions.create': [],
  'historicalStatements.create': 'ok',
  'paymentInstructions.create': { reference: 'CARD-0001' },
  'imports.status': { service_account_number: 'S-1' },
  'imports.all': { results: [] },
  'imports.pending': [{ service_account_number: 'A-1' }],
  'imports.imported': { results: [] },
};

const nothingCreated = answer(200, { status: 'UNKNOWN', service_account_number: '' });
const created = answer(200, { status: 'PENDING', service_account_number: 'S-0007' });

function reactionTo(misfortune: Misfortune, call: CallName): Reaction {
  // A successful dry run is answered with 400, so an answer with 201 is not a success.
  const { status } = call === 'accounts.dryRun' ? calls['accounts.process'] : calls[call];
  switch (misfortune) {
    case '400':
      return answer(400, { detail: 'No.', code: 'refused', errors: [] });
    case '401':
      return answer(401, { detail: 'Invalid token.' });
    case '404':
      return answer(404, { detail: 'Not found.' });
    case '429, Retry-After beyond patience':
      return answer(429, { detail: 'Too many.' }, { 'retry-after': '3600' });
    case '500':
      return answer(500, { detail: 'Failed.' });
    case '502 with HTML':
      return html(502);
    case '503 with Retry-After':
      return answer(503, { detail: 'Down.' }, { 'retry-after': '1' });
    case 'reset before any byte of the answer':
      return resetUnread;
    case 'reset after the request was read':
      return resetAfterReading;
    case 'timeout':
      return hang;
    case 'truncated JSON':
      return answer(status, JSON.stringify(calls[call].answer).slice(0, -1));
    case 'wrong shape on success':
      return answer(status, wrongShapes[call]);
    case 'empty body on success':
      return answer(status);
  }
}

/** What happened, in the words of the table. */
async function happened(row: string, misfortune: Misfortune): Promise<string> {
  const name = (variants[row]?.of ?? row) as CallName;
  const { path, send } = { ...calls[name], ...variants[row] };
  const status = row === 'process of a created account' ? created : nothingCreated;
  const server = await misbehavingServer({
    [calls['imports.status'].path]: status,
    [path]: reactionTo(misfortune, name),
  });
  let tokens = 0;
  const client = new DataImportClient({
    baseUrl: server.url,
    token: () => `T-${++tokens}`,
    maxRetries: 2,
    advanced: { retryBaseMs: 1, maxThrottleWaitMs: 5_000, inFlightGraceMs: 5 },
    // Long enough not to end a call on a busy machine where the column is another.
    timeoutMs: misfortune === 'timeout' ? 500 : Number.POSITIVE_INFINITY,
  });

  const result = await Promise.resolve(send(client)).then(
    () => 'success',
    (error: DataImportError) => `${error.name} ${error.nextAction}`,
  );

  const own = server.log.filter((line) => line.split(' ')[1]?.replace(/\?.*/, '') === path).length;
  const questions = server.requests.length - own;
  const word = Object.keys(words).find((key) => words[key] === result) ?? result;
  const asked = questions >= 2 * own && own > 1 ? 'q' : questions;
  return `${own}${questions === 0 ? '' : `+${asked}`} ${word}`;
}

it('has fourteen rows of thirteen cells, one a misfortune, and none is missing', () => {
  const ofOperations = rows.filter(([name = '']) => name in operations);
  expect(ofOperations.map(([name]) => name)).toEqual(Object.keys(operations));
  expect(ofOperations).toHaveLength(14);
  expect(misfortunes).toHaveLength(13);
  expect(ofOperations.flatMap(([, ...cells]) => cells)).toHaveLength(14 * 13);
  for (const [, ...cells] of rows) {
    expect(cells).toHaveLength(13);
    for (const cell of cells) expect(cell).toMatch(/^\d(\+[\dq])? (fix|token|none|wait|later|again|slow|\?|odd|ok)$/);
  }
});

// All rows of a column at once: they share no client and no server, and some wait as long as the server asks.
it.each(misfortunes.map((misfortune, column) => [misfortune, column] as const))('%s', async (misfortune, column) => {
  const found = await Promise.all(rows.map(async ([row = '']) => [row, await happened(row, misfortune)]));

  expect(Object.fromEntries(found)).toEqual(Object.fromEntries(rows.map(([row, ...cells]) => [row, cells[column]])));
});
