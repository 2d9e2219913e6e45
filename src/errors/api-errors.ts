/** Exports `ApiError` and its subclasses: the service answered, and the answer is an error. */
import type { AlreadyImportedBody } from '../../schemas/error-bodies.js';
import type { TransactionEcho } from '../../schemas/payloads/transaction.js';
import { type ApiErrorName, defineUnprinted, ErrorWithItems } from './data-import-error.js';
import { codeOfStatus, type DecodedError, namesField } from './decode.js';
import { type AnswerItem, attemptsInWords, firstItem, presentable } from './items.js';
import { causeOutsidePayload, type KnownError, type NextAction, refusesValues } from './known-errors.js';

/** The parts of an answer that an error is made from. */
export interface AnswerFacts {
  operation: string;
  attempts: number;
  status: number;
  decoded: DecodedError;
  /** The parsed body, or its text if it is not JSON; undefined if it is empty. */
  body: unknown;
  /** Header names are in lower case. */
  headers: Record<string, string>;
  requestId?: string | undefined;
  retryAfterMs?: number | undefined;
  mayHaveSucceeded?: boolean;
}

/** What to do about an answer: one word for programs and one sentence for people. */
export interface Remedy {
  nextAction: NextAction;
  sentence: string;
}

/**
 * The service answered, and the answer is an error. Decide by `status`, `code` and the `attr` of `errors`, never by
 * `detail`: its wording may change.
 */
export class ApiError extends ErrorWithItems<AnswerItem> {
  /** @internal */
  static override readonly className: string = 'ApiError';
  /** Discriminates this class. */
  declare readonly name: ApiErrorName;
  /** HTTP status of the answer. */
  readonly status: number;
  /** The request id that the service sent, if any. */
  readonly requestId: string | undefined;
  /** The wait that the service asked for (`Retry-After`), in milliseconds. */
  readonly retryAfterMs: number | undefined;
  /** Text for people. The wording may change and may quote the payload. */
  declare readonly detail: string | undefined;
  /** The body: parsed JSON, or the text if it is not JSON. May contain personal data. */
  declare readonly body: unknown;
  /** Headers of the answer. Header names are in lower case. */
  declare readonly headers: Record<string, string>;

  /** @internal */
  constructor(facts: AnswerFacts, remedy: Remedy = REFUSED, message = describe(facts, remedy), cause?: unknown) {
    const { status, decoded } = facts;
    const code = decoded.code ?? codeOfStatus(status);
    super(message, { ...facts, code, nextAction: remedy.nextAction, cause }, decoded.errors);
    this.status = status;
    this.requestId = facts.requestId;
    this.retryAfterMs = facts.retryAfterMs;
    defineUnprinted(this, 'detail', decoded.detail);
    defineUnprinted(this, 'body', facts.body);
    defineUnprinted(this, 'headers', facts.headers);
  }

  /** Returns the parts that may be logged: the error, and the status, codes and paths of the answer, without details and body. */
  override toJSON(): Record<string, unknown> {
    const { status, requestId, retryAfterMs } = this;
    return { ...super.toJSON(), status, requestId, retryAfterMs };
  }
}

const REFUSED: Remedy = { nextAction: 'inspect', sentence: 'Not retried: look at status and body.' };

function describe({ operation, attempts, status, decoded, mayHaveSucceeded }: AnswerFacts, remedy: Remedy): string {
  const answer = [String(status), presentable(decoded.code)].filter((word) => word !== undefined).join(' ');
  const first = firstItem(decoded.errors.filter(({ code }) => code !== codeOfStatus(status)));
  const tries = attempts > 1 ? ` after ${attemptsInWords(attempts)}` : '';
  const reason = isReasonInDetail(status, decoded) ? ' error.detail has the reason.' : '';
  const doubt = mayHaveSucceeded && status < 500 ? ' An earlier attempt may have succeeded.' : '';
  // The body has another form than errors of the service have.
  const about = first?.replace(/^[*.]+ invalid\b.*/s, '$&: look at error.body');
  return `${operation}: ${answer}${about === undefined ? '' : `, ${about}`}${tries}.${reason}${doubt} ${remedy.sentence}`;
}

/** Returns whether only the detail says why the service refuses. Messages do not contain the detail, because it may quote the payload. */
function isReasonInDetail(status: number, { code, detail, errors }: DecodedError): boolean {
  const isRefusal = status >= 400 && status < 500 && status !== 401 && status !== 429;
  // A refused transaction has the code of the answer too.
  const isOfWhole = errors.every(
    (item) => (!namesField(item) || item.code === code) && causeOutsidePayload(item.code) === undefined,
  );
  return isRefusal && detail !== undefined && detail !== '' && causeOutsidePayload(code) === undefined && isOfWhole;
}

/**
 * 400, and 409 or 422 with the same body: the service refuses the payload, or its state does not allow the call.
 * `errors` has the path and the code of each error, `nextAction` the remedy.
 */
export class ValidationError extends ApiError {
  /** @internal */
  static override readonly className: string = 'ValidationError';
  /** Discriminates this class. */
  declare readonly name: 'ValidationError';

  /** @internal */
  constructor(facts: AnswerFacts, remedy: Remedy = remedyForRefusal(facts.decoded)) {
    super(facts, remedy);
  }
}

/** Returns the remedy that the answer itself gives: by a known code, or by an item that names a field; otherwise a person decides. */
function remedyForRefusal(decoded: DecodedError): Remedy {
  const known = causeOf(decoded);
  if (known !== undefined)
    return { nextAction: known.nextAction, sentence: `Not retried. ${known.cause} ${known.action}` };
  if (decoded.errors.some(namesField) || refusesValues(decoded.code))
    return { nextAction: 'fixPayload', sentence: 'Not retried: fix the payload.' };
  return {
    nextAction: 'inspect',
    sentence: 'Not retried: look at error.body, which has no known code and no path of a field.',
  };
}

/** Returns the cause of the answer's code, otherwise that of the items; undefined if an item refuses a value of the payload. */
function causeOf({ code, errors }: DecodedError): KnownError | undefined {
  const ofItems = errors.map((item) => causeOutsidePayload(item.code));
  return causeOutsidePayload(code) ?? (ofItems.includes(undefined) ? undefined : ofItems[0]);
}

/** 400: the account was imported before. The error has both of its numbers, so that a migration can continue with them. */
export class AlreadyImportedError extends ApiError {
  /** @internal */
  static override readonly className: string = 'AlreadyImportedError';
  /** Discriminates this class. */
  declare readonly name: 'AlreadyImportedError';
  /** The identifier of the account. Compare it with yours: the service may have the account under another one. */
  readonly externalAccountNumber: string;
  /** The service's account number. A string: leading zeros count. */
  readonly serviceAccountNumber: string;

  /** @internal */
  constructor(facts: AnswerFacts, numbers: AlreadyImportedBody) {
    super(facts, {
      nextAction: 'useExisting',
      sentence: 'Not retried: the account exists; its numbers are in externalAccountNumber and serviceAccountNumber.',
    });
    this.externalAccountNumber = numbers.external_account_number;
    this.serviceAccountNumber = numbers.service_account_number;
  }
}

/**
 * 400: a transaction of the batch could not be added, for example because it lies outside the open statement period. The items of
 * `errors` have its path, such as `transactions.3`.
 */
export class TransactionImportError extends ApiError {
  /** @internal */
  static override readonly className: string = 'TransactionImportError';
  /** Discriminates this class. */
  declare readonly name: 'TransactionImportError';
  /** Index of the first failing transaction in the payload; undefined if none, or more than one, equals the one in the answer. */
  readonly transactionIndex: number | undefined;
  /** Identifier of the first failing transaction, if it has one. */
  readonly transactionId: string | undefined;
  /** The first failing transaction, as the service echoes it. */
  declare readonly transaction: TransactionEcho;

  /** @internal */
  constructor(facts: AnswerFacts, transaction: TransactionEcho, index?: number) {
    super(facts, {
      nextAction: 'fixPayload',
      sentence: 'Not retried: fix or set aside the transaction in `transaction`, then send the batch again.',
    });
    this.transactionIndex = index;
    const { transaction_id: id } = transaction;
    this.transactionId = id == null ? undefined : String(id);
    defineUnprinted(this, 'transaction', transaction);
  }
}

/** 401: the token is missing, invalid or expired. If it comes from a function, a renewed token was refused too. */
export class AuthenticationError extends ApiError {
  /** @internal */
  static override readonly className: string = 'AuthenticationError';
  /** Discriminates this class. */
  declare readonly name: 'AuthenticationError';

  /** @internal */
  constructor(facts: AnswerFacts) {
    super(facts, { nextAction: 'fixToken', sentence: 'Check the token, its scheme and the API key behind it.' });
  }
}

/** 404: the supplier has no such account or import process. Notes need an imported account: staged is not enough. */
export class NotFoundError extends ApiError {
  /** @internal */
  static override readonly className: string = 'NotFoundError';
  /** Discriminates this class. */
  declare readonly name: 'NotFoundError';

  /** @internal */
  constructor(facts: AnswerFacts) {
    super(facts, {
      nextAction: 'fixPayload',
      sentence: 'Not retried: check supplier code, account number, whether the account is imported, and the base URL.',
    });
  }
}

/**
 * 429, and waiting longer would exceed `maxThrottleWaitMs` or the deadline. The service did nothing. If the 429 was the answer to
 * another call of this client, this call was not sent (`attempts` is 0), or not repeated (`cause` is the error of its last request):
 * then `refusedOperation` is the method of that call, and there is no body.
 */
export class RateLimitError extends ApiError {
  /** @internal */
  static override readonly className: string = 'RateLimitError';
  /** Discriminates this class. */
  declare readonly name: 'RateLimitError';
  /**
   * The method that was answered 429. After a 429 of `accounts.process` or `accounts.dryRun` only calls of these two methods wait, after
   * any other all calls.
   */
  readonly refusedOperation: string;

  /** @internal */
  constructor(facts: AnswerFacts & { refusedOperation?: string; cause?: unknown }) {
    const { operation, attempts, retryAfterMs, refusedOperation = operation } = facts;
    const time = retryAfterMs === undefined ? 'a while' : `${retryAfterMs} ms (retryAfterMs)`;
    const then = `${time} and call again, with fewer calls at once.`;
    const notSent = attempts === 0 ? 'nothing was sent' : `not sent again after ${attemptsInWords(attempts)}`;
    super(
      facts,
      { nextAction: 'wait', sentence: `Nothing was done: wait ${then}` },
      facts.refusedOperation &&
        `${operation}: ${notSent}, because another call of this client (${refusedOperation}) was answered 429. Wait ${then}`,
      facts.cause,
    );
    this.refusedOperation = refusedOperation;
  }

  /** Returns the parts that may be logged. */
  override toJSON(): Record<string, unknown> {
    return { ...super.toJSON(), refusedOperation: this.refusedOperation };
  }
}

/** 5xx, 408 or 499: the service failed, a payment vendor behind it did, or a proxy gave the request up, on every attempt. */
export class ServerError extends ApiError {
  /** @internal */
  static override readonly className: string = 'ServerError';
  /** Discriminates this class. */
  declare readonly name: 'ServerError';

  /** @internal */
  constructor(facts: AnswerFacts, repeatable: boolean) {
    super(
      facts,
      repeatable
        ? { nextAction: 'retryLater', sentence: 'It is safe to call again later.' }
        : { nextAction: 'resolve', sentence: 'The request may have taken effect.' },
    );
  }
}
