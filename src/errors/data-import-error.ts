/** Exports `DataImportError`, the base class of all errors of the client, and `NextAction`. */
import { presentable } from './items.js';

/** Key of the class names of an error. The guards read them, because `instanceof` fails across two copies of this package. */
const BRAND = Symbol.for('data-import-sdk.error');

/** The remedy of an error as one word for programs; the message states it as a sentence. */
export type NextAction =
  /** Correct the payload or its identifiers: sent again unchanged, it fails again. */
  | 'fixPayload'
  /** The object exists already: use it. An `AlreadyImportedError` has the number of the account. */
  | 'useExisting'
  /** First send what this call needs, such as the staged account or the business. Then repeat the call. */
  | 'sendFirst'
  /** Only the operator of the service can remove the cause; the message says what to ask. */
  | 'askOperator'
  /** Get a valid token or API key. */
  | 'fixToken'
  /** Wait for `retryAfterMs`, or some seconds if it is undefined, then repeat the call. */
  | 'wait'
  /** Repeat the call later: every attempt failed. */
  | 'retryLater'
  /** Find out whether the request took effect before you send it again. `OutcomeUnknownError.howToResolve` says how. */
  | 'resolve'
  /** Look at the answer: it differs from the API specification. Check the base URL, then report it. */
  | 'inspect'
  /** Nothing to do: your signal ended the call. */
  | 'none';

/** The facts of an error, for its constructor. */
export interface DataImportErrorOptions {
  /** The method that was called, such as `accounts.stage`; missing if there was no call. */
  operation?: string | undefined;
  /** Requests that were started for this call. */
  attempts?: number | undefined;
  /** The remedy, for programs. */
  nextAction: NextAction;
  /** Whether an earlier request of the same call may have succeeded. */
  mayHaveSucceeded?: boolean | undefined;
  /** The underlying error or reason. */
  cause?: unknown;
}

/** Names of the errors that contain an answer of the service. */
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

/** Base class of the errors of this package. `isDataImportError(error)` recognises them. */
export class DataImportError extends Error {
  /**
   * The name for `name` and the guards. A literal, because minifiers rename classes.
   * @internal
   */
  static readonly className: string = 'DataImportError';
  /** The name of the class. Narrows the type after `isDataImportError(error)`: `if (error.name === 'AlreadyImportedError') …`. */
  declare readonly name: DataImportErrorName;
  /** Heading of this error in docs/errors.md, which has cause and remedy. The message ends with it, in brackets. */
  readonly id: string;
  /** The method that was called, such as `accounts.stage`. */
  readonly operation: string | undefined;
  /** Requests that were started for this call; 0 if nothing was sent. */
  readonly attempts: number;
  /** The remedy, for programs. */
  readonly nextAction: NextAction;
  /**
   * True if an earlier request of the same call may have succeeded: it got no answer, or a 5xx. If the service now refuses
   * because the object exists, that request may have created it. Always false for calls without side effects. A renewed
   * token and a 429 do not set it.
   */
  readonly mayHaveSucceeded: boolean;

  /** @internal */
  constructor(message: string, options: DataImportErrorOptions) {
    const id = idOf(new.target.className);
    const restore = deepenStacks();
    super(`${message} [${id}]`);
    restore();
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

  /** Whether the same call may succeed later and is safe to repeat: `nextAction` is `wait` or `retryLater`. */
  get retryable(): boolean {
    return this.nextAction === 'wait' || this.nextAction === 'retryLater';
  }

  /** Returns the parts that may be logged: no details, which may quote the payload, and no bodies. */
  toJSON(): Record<string, unknown> {
    const { name, id, message, operation, attempts, nextAction, mayHaveSucceeded } = this;
    return { name, id, message, operation, attempts, nextAction, ...(mayHaveSucceeded && { mayHaveSucceeded }) };
  }

  /** Text of `console.log(error)`: the stack, the parts that may be logged, and the kind of the cause, which may quote anything. */
  [Symbol.for('nodejs.util.inspect.custom')](): string {
    const { name: _name, message: _message, ...facts } = this.toJSON();
    const cause = this.cause === undefined ? '' : `\n  cause: ${causeKind(this.cause)}`;
    return `${this.stack}\n  ${JSON.stringify(facts)}${cause}`;
  }
}

/**
 * Defines `cause` or `errors` as an accessor. For an uncaught error Node.js prints the values of properties, which may be
 * personal data here, but not the values of accessors.
 */
export function defineUnprinted(error: Error, name: 'cause' | 'errors', value: unknown): void {
  Object.defineProperty(error, name, { get: () => value, configurable: true });
}

/** Returns whether the error has the named class or one of its subclasses, from any copy of this package. */
export function isBranded(error: unknown, className: string): boolean {
  if (typeof error !== 'object' || error === null) return false;
  const brand = (error as Record<symbol, unknown>)[BRAND];
  return Array.isArray(brand) && brand.includes(className);
}

/**
 * Frames of a stack. The functions of the client, of its retries and of its waits come first: with the usual ten frames, the line
 * of the caller would be missing.
 */
const STACK_FRAMES = 40;

/** Deepens the stacks of the errors that are created now. Returns the function that ends it. */
function deepenStacks(): () => void {
  const { stackTraceLimit: usual } = Error;
  // Fewer than one frame is the wish of the program. The property may be frozen or missing.
  if (!(usual > 0 && usual < STACK_FRAMES) || !Reflect.set(Error, 'stackTraceLimit', STACK_FRAMES)) return () => {};
  return () => {
    Error.stackTraceLimit = usual;
  };
}

/** Converts `ValidationError` to `validation-error`. */
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
