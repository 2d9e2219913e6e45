/** Exports `errorFromAnswer`, which chooses the error class for an answer of the service, and `saysNoImport`, which reads a 404. */
import { alreadyImportedBodySchema } from '../../schemas/error-bodies.js';
import { documentedValuesAt } from '../../schemas/known-field-names.js';
import { fieldOf, isObject } from '../../schemas/objects.js';
import { type OperationName, operations } from '../../schemas/operations.js';
import type { TransactionEcho } from '../../schemas/payloads/transaction.js';
import {
  AlreadyImportedError,
  type AnswerFacts,
  ApiError,
  AuthenticationError,
  NotFoundError,
  RateLimitError,
  type Remedy,
  ServerError,
  TransactionImportError,
  ValidationError,
} from './api-errors.js';
import { codeOfStatus, type DecodedError, decodeErrorBody, innerBody, NOTHING_DECODED, namesField } from './decode.js';
import { isLostByGateway } from './no-answer-errors.js';

/**
 * Returns the error for an answer with an error status. `isJson`: the body was JSON; text that is not JSON comes from a
 * gateway and is not decoded. `repeatable`: the request is safe to repeat. `payload`: that of the request. `mask`: replaces secrets of the client.
 */
export function errorFromAnswer(
  answer: Omit<AnswerFacts, 'decoded'> & { isJson: boolean; repeatable: boolean; payload?: unknown },
  mask: Mask = (text) => text,
): ApiError {
  const decoded = answer.isJson
    ? explained(masked(decodeErrorBody(answer.body, answer.status), mask), answer.operation)
    : NOTHING_DECODED;
  const facts: AnswerFacts = { ...answer, decoded };
  if (facts.status === 400 || isRefusal(facts)) return refusal(facts, answer.payload, mask);
  if (facts.status === 401) return new AuthenticationError(facts);
  if (facts.status === 404) return new NotFoundError(facts);
  if (facts.status === 429) return new RateLimitError(facts);
  if (facts.status >= 500 || isLostByGateway(facts.status)) return new ServerError(facts, answer.repeatable);
  if (facts.status >= 300 && facts.status < 400) {
    return new ApiError(facts, {
      nextAction: 'inspect',
      sentence: 'Redirects are not followed, because they would carry the token: check the base URL.',
    });
  }
  if (facts.status === 403) {
    return new ApiError(facts, {
      nextAction: 'inspect',
      sentence: 'Not retried: the service, or a gateway before it, refuses this caller; the token is kept.',
    });
  }
  return new ApiError(facts);
}

/** Adds the documented values of each field to its error: an answer often says only that another value is expected. */
function explained(decoded: DecodedError, operation: string): DecodedError {
  const schema = Object.hasOwn(operations, operation) ? operations[operation as OperationName].request : undefined;
  if (schema === undefined) return decoded;
  const errors = decoded.errors.map((item) => {
    const values = documentedValuesAt(schema, item.attr.split('.', MOST_PARTS));
    return values.length === 0 ? item : { ...item, documentedValues: values };
  });
  return { ...decoded, errors };
}

/** No payload is deeper. */
const MOST_PARTS = 32;

/** Returns the text with `[secret]` in place of token and API key. */
type Mask = (text: string) => string;

function masked({ code, detail, errors }: DecodedError, mask: Mask): DecodedError {
  // The time to mask a text grows with its length. The whole text remains in `body`.
  const shown = (text: string) => mask(text.length > MOST_CHARACTERS ? `${text.slice(0, MOST_CHARACTERS)}…` : text);
  return {
    code: code && shown(code),
    detail: detail && shown(detail),
    errors: errors.map((item) => ({ detail: shown(item.detail), code: shown(item.code), attr: shown(item.attr) })),
  };
}

/** Maximum length of a code, a path or a detail. */
const MOST_CHARACTERS = 10_000;

/** Returns the body with other account numbers. */
function withNumbers<Body extends object>(body: Body, change: (number: never) => unknown): Body {
  const { external_account_number: external, service_account_number: number } = body as Record<string, unknown>;
  return {
    ...body,
    external_account_number: change(external as never),
    service_account_number: change(number as never),
  };
}

function maskedId(transaction: TransactionEcho, mask: Mask): TransactionEcho {
  const { transaction_id: id } = transaction;
  return typeof id === 'string' ? { ...transaction, transaction_id: mask(id) } : transaction;
}

/** For a 400 whose body is not JSON: a gateway may have refused the request. */
const NOT_OF_SERVICE: Remedy = {
  nextAction: 'inspect',
  sentence:
    'Not retried: look at error.body and check the base URL. It is not JSON, so a gateway may have refused the request.',
};

/** Returns whether a 409 or 422 has the documented body: some deployments refuse payloads with these statuses. */
function isRefusal({ status, decoded }: AnswerFacts): boolean {
  return (status === 409 || status === 422) && (decoded.code !== undefined || decoded.errors.length > 0);
}

function refusal(facts: AnswerFacts, payload: unknown, mask: Mask): ApiError {
  const body = innerBody(facts.body);
  // In answers of other operations, such as paymentInstructions.create, both numbers only name the account.
  const numbers = facts.operation.startsWith('accounts.')
    ? alreadyImportedBodySchema.safeParse(isObject(body) ? withNumbers(body, asText) : body)
    : undefined;
  const number = numbers?.data?.service_account_number ?? '';
  // A number with a byte that is not UTF-8 is none.
  if (numbers?.success && number.trim() !== '' && !number.includes('\uFFFD'))
    return new AlreadyImportedError(facts, withNumbers(numbers.data, mask));
  const transaction = failingTransaction(body);
  if (transaction !== undefined) return transactionError(facts, transaction, payload, mask);
  return facts.decoded === NOTHING_DECODED ? new ValidationError(facts, NOT_OF_SERVICE) : new ValidationError(facts);
}

/** Some deployments send JSON numbers. Unsafe integers stay as they are. */
function asText(value: unknown): unknown {
  return Number.isSafeInteger(value) ? String(value) : value;
}

function failingTransaction(body: unknown): TransactionEcho | undefined {
  const data = fieldOf(body, 'transaction_data');
  if (isObject(data)) return data as TransactionEcho;
  return fieldOf(body, 'status') === 'TRANSACTION_IMPORT_ERROR' ? {} : undefined;
}

/** The items of the error have the path of the transaction in the payload; the body has paths inside the transaction, or none. */
function transactionError(facts: AnswerFacts, transaction: TransactionEcho, payload: unknown, mask: Mask): ApiError {
  const index = indexOf(transaction, (payload as { transactions?: unknown } | undefined)?.transactions);
  const at = index === undefined ? 'transactions' : `transactions.${index}`;
  const { code = codeOfStatus(facts.status), detail = '', errors } = facts.decoded;
  const inTransaction = (attr: string) =>
    attr === 'transactions' || attr.startsWith('transactions.') ? attr : `${at}.${attr}`;
  const items = errors.map((item) => ({ ...item, attr: namesField(item) ? inTransaction(item.attr) : at }));
  const decoded = { ...facts.decoded, errors: items.length > 0 ? items : [{ detail, code, attr: at }] };
  return new TransactionImportError({ ...facts, decoded }, maskedId(transaction, mask), index);
}

/** Returns the index of the only transaction that was sent with the values of the answer; undefined if it is not exactly one. */
function indexOf(echo: TransactionEcho, sent: unknown): number | undefined {
  if (!Array.isArray(sent)) return undefined;
  const fields = echo.transaction_id ? (['transaction_id'] as const) : FIELDS;
  const isSame = (one: Partial<TransactionEcho> | null) =>
    fields.every((field) => echo[field] == null || String(echo[field]) === String(one?.[field])) &&
    (echo.transaction_id || echo.amount == null || Number(echo.amount) === Number(one?.amount));
  const found = sent.flatMap((one, index) => (isSame(one) ? [index] : []));
  return found.length === 1 ? found[0] : undefined;
}

/** They tell transactions without an id apart. The amount is compared as a number: answers have a decimal as text. */
const FIELDS = ['transaction_date', 'type', 'reason', 'reference'] as const;

/**
 * Returns whether the error of a status query says that there is no import process, and so no account: a 404 with `detail`, with only
 * `error`, or without a body (FACTS: 404 of similar services). Any other 404, such as a page, is that of a gateway.
 */
export function saysNoImport(error: unknown): boolean {
  if (!(error instanceof NotFoundError)) return false;
  const { body, headers } = error;
  // A body that is too large or cannot be decoded is not in `body` either.
  if (body === undefined)
    return (
      !headers['content-encoding'] && !headers['content-type']?.includes('html') && !Number(headers['content-length'])
    );
  const isAlone = Object.keys(Object(body)).length === 1;
  return typeof fieldOf(body, 'detail') === 'string' || (isAlone && typeof fieldOf(body, 'error') === 'string');
}
