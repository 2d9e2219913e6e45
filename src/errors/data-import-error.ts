/** The root of every error that this package throws. */
import { presentable } from './items.js';

/** Marks an error across copies of the package, where `instanceof` fails. Holds the names of its classes. */
const BRAND = Symbol.for('data-import-sdk.error');

/** What a program can do about an error, as one word; the message says it in a sentence. */
export type NextAction =
  /** Correct the payload (or the identifiers in it); sending it again unchanged fails again. */
  | 'fixPayload'
  /** The platform already has it: use what exists. An `AlreadyImportedError` has the number of the account. */
  | 'useExisting'
  /** Send first what this call needs, such as the staged account or the business; then the same call again. */
  | 'sendFirst'
  /** Only the operator of the service can remove the cause; the message says what to ask. */
  | 'askOperator'
  /** Get a valid token or API key. */
  | 'fixToken'
  /** Wait `retryAfterMs`, or a while, and call again. */
  | 'wait'
  /** Call again later: the service failed, and did so on every attempt. */
  | 'retryLater'
  /** Find out whether the request took effect before you send it again; `howToResolve` says how. */
  | 'resolve'
  /** Look at the answer: it differs from the API specification. Check the base URL, then report it. */
  | 'inspect'
  /** You asked for it. */
  | 'none';

/** What every error of this package is made of. */
export interface DataImportErrorOptions {
  /** The method that was called, such as `accounts.stage`; absent where no call was made. */
  operation?: string | undefined;
  /** Requests that were started for this call. */
  attempts?: number | undefined;
  /** What a program can do about it. */
  nextAction: NextAction;
  /** Whether an earlier request of the same call may have succeeded. */
  mayHaveSucceeded?: boolean | undefined;
  /** What led to it. */
  cause?: unknown;
}

/** Names of the errors that hold an answer of the service. */
export type ApiErrorName =
  | 'ApiError'
  | 'AlreadyImportedError'
  | 'AuthenticationError'
  | 'ConcurrencyLimitError'
  | 'NotFoundError'
  | 'RateLimitError'
  | 'ServerError'
  | 'TransactionImportError'
  | 'ValidationError';

/** Names of all errors of this package. */
export type DataImportErrorName =
  | ApiErrorName
  | 'AbortedError'
  | 'ConnectionError'
  | 'InvalidPayloadError'
  | 'OutcomeUnknownError'
  | 'ResponseMismatchError'
  | 'ThrottledError'
  | 'TimeoutError'
  | 'TokenError';

/** Base class. Catch it, or ask `isDataImportError(error)`, to tell this package's errors from all others. */
export class DataImportError extends Error {
  /**
   * The name that `name` and the guards go by; written down, because minifiers rename classes.
   * @internal
   */
  static readonly className: string = 'DataImportError';
  /** The name of its class. Narrows what `isDataImportError` has told: `if (error.name === 'AlreadyImportedError') …`. */
  declare readonly name: DataImportErrorName;
  /** Heading of this error in docs/errors.md, where cause and remedy are; it ends the message, in brackets. */
  readonly id: string;
  /** The method that was called, such as `accounts.stage`. */
  readonly operation: string | undefined;
  /** Requests that were started for this call; 0 when nothing was sent. */
  readonly attempts: number;
  /** What a program can do about it. */
  readonly nextAction: NextAction;
  /**
   * True where an earlier request of the same call may have succeeded: its answer was lost, or the service answered 5xx.
   * What the service refuses now may then exist because of that request. Always false for calls that change nothing;
   * a renewed token or a 429 does not make it true.
   */
  readonly mayHaveSucceeded: boolean;

  /** @internal */
  constructor(message: string, options: DataImportErrorOptions) {
    const id = idOf(new.target.className);
    super(`${message} [${id}]`);
    this.id = id;
    this.operation = options.operation;
    this.attempts = options.attempts ?? 0;
    this.nextAction = options.nextAction;
    this.mayHaveSucceeded = options.mayHaveSucceeded ?? false;
    const { cause } = options;
    if (cause !== undefined) defineUnprinted(this, 'cause', cause);
    Object.defineProperty(this, 'name', { value: new.target.className, configurable: true });
    Object.defineProperty(this, BRAND, { value: classNames(new.target) });
  }

  /** Whether the same call may succeed later, and does no harm: where `nextAction` is `wait` or `retryLater`. */
  get retryable(): boolean {
    return this.nextAction === 'wait' || this.nextAction === 'retryLater';
  }

  /** What may be logged: neither details, which may quote the payload, nor bodies. */
  toJSON(): Record<string, unknown> {
    const { name, id, message, operation, attempts, nextAction, mayHaveSucceeded } = this;
    return { name, id, message, operation, attempts, nextAction, ...(mayHaveSucceeded && { mayHaveSucceeded }) };
  }

  /** `console.log(error)`: the stack and what may be logged; of the cause only its kind, for it may quote anything. */
  [Symbol.for('nodejs.util.inspect.custom')](): string {
    const { name: _name, message: _message, ...facts } = this.toJSON();
    const cause = this.cause === undefined ? '' : `\n  cause: ${causeKind(this.cause)}`;
    return `${this.stack}\n  ${JSON.stringify(facts)}${cause}`;
  }
}

/**
 * Defines `cause` or `errors` as an accessor. For an uncaught error Node prints their values, which may quote personal data,
 * but not the value of an accessor.
 */
export function defineUnprinted(error: Error, name: 'cause' | 'errors', value: unknown): void {
  Object.defineProperty(error, name, { get: () => value, configurable: true });
}

/** True for an error of the named class, or of one below it, from any copy of this package. */
export function isBranded(error: unknown, className: string): boolean {
  if (typeof error !== 'object' || error === null) return false;
  const brand = (error as Record<symbol, unknown>)[BRAND];
  return Array.isArray(brand) && brand.includes(className);
}

/** `validation-error` of `ValidationError`. */
function idOf(className: string): string {
  return className.replace(/(?<=[a-z])(?=[A-Z])/g, '-').toLowerCase();
}

function classNames(errorClass: { className: string }): string[] {
  const names: string[] = [];
  for (let current = errorClass; current.className !== undefined; current = Object.getPrototypeOf(current)) {
    names.push(current.className);
  }
  return names;
}

function causeKind(cause: unknown): string {
  if (isBranded(cause, 'DataImportError')) return (cause as Error).message;
  if (!(cause instanceof Error)) return typeof cause;
  const { name, code } = cause as { name?: unknown; code?: unknown };
  const words = [name, code].map((word) => (typeof word === 'string' ? presentable(word) : undefined));
  return words.filter((word) => word !== undefined).join(' ') || 'Error';
}
