/** `ApiError` and its classes: the service answered, and the answer is an error. */
import type { AlreadyImportedBody, ErrorItem } from '../../schemas/error-bodies.js';
import type { TransactionEcho } from '../../schemas/payloads/transaction.js';
import { type ApiErrorName, DataImportError, defineUnprinted, type NextAction } from './data-import-error.js';
import { type DecodedError, WHOLE } from './decode.js';
import { type ErrorTree, firstItem, itemsAt, itemTree, presentable, presentablePath, printedErrors } from './items.js';
import { causeOutsidePayload, type ErrorCode, type KnownError } from './known-errors.js';

/** An answer of the service, as the errors need it. */
export interface AnswerFacts {
  operation: string;
  attempts: number;
  status: number;
  decoded: DecodedError;
  /** The parsed body, or its text where it was no JSON; undefined where it was empty. */
  body: unknown;
  /** Names in lower case. */
  headers: Record<string, string>;
  requestId?: string | undefined;
  retryAfterMs?: number | undefined;
  mayHaveSucceeded?: boolean;
}

/** What to do about an answer: a word for programs and a sentence for people. */
export interface Remedy {
  nextAction: NextAction;
  sentence: string;
}

/**
 * The service answered, and the answer is an error. Decide by `status`, `code` and the `attr` of `errors`; never by
 * `detail`, whose wording may change.
 */
export class ApiError extends DataImportError {
  /** @internal */
  static override readonly className: string = 'ApiError';
  /** Tells this class from the others. */
  declare readonly name: ApiErrorName;
  /** Everything that the service found wrong; empty where the body does not say. */
  declare readonly errors: readonly ErrorItem[];
  /** HTTP status of the answer. */
  readonly status: number;
  /** The service's identifier of the request, where it sent one. */
  readonly requestId: string | undefined;
  /** How long the service asked to wait, in milliseconds. */
  readonly retryAfterMs: number | undefined;
  // Private, so that neither console.log nor a logger shows them: any string of an answer may quote personal data.
  readonly #decoded: DecodedError;
  readonly #body: unknown;
  readonly #headers: Record<string, string>;

  /** @internal */
  constructor(facts: AnswerFacts, remedy: Remedy = REFUSED) {
    super(describe(facts, remedy), { ...facts, nextAction: remedy.nextAction });
    this.status = facts.status;
    this.requestId = facts.requestId;
    this.retryAfterMs = facts.retryAfterMs;
    this.#decoded = facts.decoded;
    defineUnprinted(this, 'errors', facts.decoded.errors);
    this.#body = facts.body;
    this.#headers = facts.headers;
  }

  /** The stable code of the whole answer; undefined if the body has none. */
  get code(): ErrorCode | undefined {
    return this.#decoded.code;
  }

  /** For people; the wording may change and may quote the payload. */
  get detail(): string | undefined {
    return this.#decoded.detail;
  }

  /** The body: parsed JSON, or the text if it is no JSON. May hold personal data. */
  get body(): unknown {
    return this.#body;
  }

  /** Headers of the answer, names in lower case. */
  get headers(): Record<string, string> {
    return this.#headers;
  }

  /** The errors at exactly this path, such as `customers.0.landline`. */
  at(attr: string): ErrorItem[] {
    return itemsAt(this.errors, attr);
  }

  /** True if the answer, or any error in it, has this code. */
  hasCode(code: ErrorCode): boolean {
    return this.code === code || this.errors.some((item) => item.code === code);
  }

  /** The errors as a tree of field names and indexes. */
  tree(): ErrorTree {
    return itemTree(this.errors);
  }

  /** What may be logged: the error, and of the answer status, codes and paths; neither details nor the body. */
  override toJSON(): Record<string, unknown> {
    const printed = printedErrors(this.errors, ({ code, attr }) => ({
      code: presentable(code),
      attr: presentablePath(attr),
    }));
    const { status, requestId, retryAfterMs } = this;
    return { ...super.toJSON(), status, code: presentable(this.code), requestId, retryAfterMs, ...printed };
  }
}

const REFUSED: Remedy = { nextAction: 'inspect', sentence: 'Not retried: look at status and body.' };

function describe({ operation, attempts, status, decoded, mayHaveSucceeded }: AnswerFacts, remedy: Remedy): string {
  const answer = [String(status), presentable(decoded.code)].filter((word) => word !== undefined).join(' ');
  const first = firstItem(decoded.errors);
  const tries = attempts > 1 ? ` after ${attempts} attempts` : '';
  const reason = isReasonInDetail(status, decoded) ? ' error.detail has the reason.' : '';
  const doubt = mayHaveSucceeded && status < 500 ? ' An earlier attempt may have succeeded.' : '';
  return `${operation}: ${answer}${first === undefined ? '' : `, ${first}`}${tries}.${reason}${doubt} ${remedy.sentence}`;
}

/** Whether neither code nor path of the answer says why the service refuses. The detail may quote the payload, so messages leave it out. */
function isReasonInDetail(status: number, { code, detail, errors }: DecodedError): boolean {
  const isRefusal = status >= 400 && status < 500 && status !== 401 && status !== 429;
  const isOfWhole = errors.every((item) => item.attr === WHOLE && causeOutsidePayload(item.code) === undefined);
  return isRefusal && detail !== undefined && detail !== '' && causeOutsidePayload(code) === undefined && isOfWhole;
}

/**
 * 400, and 409 or 422 with the same body: the service refuses the payload, or its state does not allow the call.
 * `errors` says where and why, `nextAction` what to do.
 */
export class ValidationError extends ApiError {
  /** @internal */
  static override readonly className: string = 'ValidationError';
  /** Tells this class from the others. */
  declare readonly name: 'ValidationError';

  /** @internal */
  constructor(facts: AnswerFacts, remedy: Remedy = remedyForRefusal(facts.decoded)) {
    super(facts, remedy);
  }
}

function remedyForRefusal(decoded: DecodedError): Remedy {
  const known = causeOf(decoded);
  if (known === undefined) return { nextAction: 'fixPayload', sentence: 'Not retried: fix the payload.' };
  return { nextAction: known.nextAction, sentence: `Not retried. ${known.cause} ${known.action}` };
}

/** By the code of the whole answer; without one, by those of all items. undefined where any item refuses a value of the payload. */
function causeOf({ code, errors }: DecodedError): KnownError | undefined {
  const ofItems = errors.map((item) => causeOutsidePayload(item.code));
  return causeOutsidePayload(code) ?? (ofItems.includes(undefined) ? undefined : ofItems[0]);
}

/** 400: the account was imported before. The error has both of its numbers, so that a migration can continue with them. */
export class AlreadyImportedError extends ApiError {
  /** @internal */
  static override readonly className: string = 'AlreadyImportedError';
  /** Tells this class from the others. */
  declare readonly name: 'AlreadyImportedError';
  /** The caller's identifier of the account. */
  readonly externalAccountNumber: string;
  /** The platform's account number. A string: leading zeros count. */
  readonly serviceAccountNumber: string;

  /** @internal */
  constructor(facts: AnswerFacts, numbers: AlreadyImportedBody) {
    super(facts, {
      nextAction: 'useExisting',
      sentence: 'Not retried: the account exists; its number is in serviceAccountNumber.',
    });
    this.externalAccountNumber = numbers.external_account_number;
    this.serviceAccountNumber = numbers.service_account_number;
  }
}

/** 400: a transaction of the batch could not be added, for example because it lies outside the open statement period. */
export class TransactionImportError extends ApiError {
  /** @internal */
  static override readonly className: string = 'TransactionImportError';
  /** Tells this class from the others. */
  declare readonly name: 'TransactionImportError';
  /** Identifier of the first failing transaction, where it has one. */
  readonly transactionId: string | undefined;
  readonly #transaction: TransactionEcho;

  /** @internal */
  constructor(facts: AnswerFacts, transaction: TransactionEcho) {
    super(facts, {
      nextAction: 'fixPayload',
      sentence: 'Not retried: fix or set aside the transaction in `transaction`, then send the batch again.',
    });
    this.transactionId = transaction.transaction_id ?? undefined;
    this.#transaction = transaction;
  }

  /** The first failing transaction, as the service echoes it. */
  get transaction(): TransactionEcho {
    return this.#transaction;
  }
}

/** 401: the token is missing, invalid or expired, also after it was renewed once where it can be. */
export class AuthenticationError extends ApiError {
  /** @internal */
  static override readonly className: string = 'AuthenticationError';
  /** Tells this class from the others. */
  declare readonly name: 'AuthenticationError';

  /** @internal */
  constructor(facts: AnswerFacts) {
    super(facts, { nextAction: 'fixToken', sentence: 'Check the token, its scheme and the API key behind it.' });
  }
}

/** 404: no such account or import process for this supplier. Notes need an imported account; staged is not enough. */
export class NotFoundError extends ApiError {
  /** @internal */
  static override readonly className: string = 'NotFoundError';
  /** Tells this class from the others. */
  declare readonly name: 'NotFoundError';

  /** @internal */
  constructor(facts: AnswerFacts) {
    super(facts, {
      nextAction: 'fixPayload',
      sentence: 'Not retried: check supplier code, account number, whether the account is imported, and the base URL.',
    });
  }
}

/** 429: too many requests, for longer than `maxThrottleWaitMs`. Nothing was done. */
export class RateLimitError extends ApiError {
  /** @internal */
  static override readonly className: string = 'RateLimitError';
  /** Tells this class from the others. */
  declare readonly name: 'RateLimitError' | 'ConcurrencyLimitError';

  /** @internal */
  constructor(facts: AnswerFacts) {
    const wait = facts.retryAfterMs === undefined ? 'a while' : `${facts.retryAfterMs} ms (retryAfterMs)`;
    super(facts, {
      nextAction: 'wait',
      sentence: `Nothing was done: wait ${wait} and call again, with fewer calls at once.`,
    });
  }
}

/** The `RateLimitError` of `accounts.process` and `accounts.dryRun`: too many accounts are processed at once. */
export class ConcurrencyLimitError extends RateLimitError {
  /** @internal */
  static override readonly className: string = 'ConcurrencyLimitError';
  /** Tells this class from the others. */
  declare readonly name: 'ConcurrencyLimitError';
}

/** 5xx: the service failed, or a payment vendor behind it did, on every attempt. */
export class ServerError extends ApiError {
  /** @internal */
  static override readonly className: string = 'ServerError';
  /** Tells this class from the others. */
  declare readonly name: 'ServerError';

  /** @internal */
  constructor(facts: AnswerFacts, repeatable: boolean) {
    super(
      facts,
      repeatable
        ? { nextAction: 'retryLater', sentence: 'Call again later with the same payload.' }
        : { nextAction: 'resolve', sentence: 'The request may have taken effect.' },
    );
  }
}
