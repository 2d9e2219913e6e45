/**
 * Exports `DataImportError`, the base class of all errors of the client, and `ErrorWithItems`, the base class of those with a list
 * of `{detail, code, attr}`.
 */
import type { ErrorItem } from '../../schemas/error-bodies.js';
import { isObjectOrArray } from '../../schemas/objects.js';
import { type ErrorTree, itemsAt, itemTree, presentable, printedErrors } from './items.js';
import type { ErrorCode, NextAction } from './known-errors.js';

/** Key of the class names of an error. `instanceof` reads them, so that it holds for errors of another copy of this package. */
const BRAND = Symbol.for('data-import-sdk.error');

/** The facts of an error, for its constructor. */
export interface DataImportErrorOptions {
  /** The method that was called, such as `accounts.stage`; missing if there was no call. */
  operation?: string | undefined;
  /** Requests that were started for this call. */
  attempts?: number | undefined;
  /** What went wrong, in one word for programs. */
  code: ErrorCode;
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
  | 'TimeoutError'
  | 'TokenError';

/** Base class of the errors of this package. `isDataImportError(error)` recognises them. */
export class DataImportError extends Error {
  /**
   * The name for `name` and `instanceof`. A literal, because minifiers rename classes.
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
  /**
   * What went wrong, in one word for programs: the code of the answer, or `http_503` if the answer has none; `ECONNRESET` or another
   * code of the network or of TLS; `timeout`, `aborted`, `invalid_payload`, `response_mismatch`, `outcome_unknown`, `token_error`.
   */
  declare readonly code: ErrorCode;
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
    const { code, cause } = options;
    // A code of an answer can be any text, and so quote personal data or a secret.
    if (presentable(code) === code) Object.defineProperty(this, 'code', { value: code, enumerable: true });
    else defineUnprinted(this, 'code', code);
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
    const code = presentable(this.code);
    return { name, id, message, operation, attempts, code, nextAction, ...(mayHaveSucceeded && { mayHaveSucceeded }) };
  }

  /** Text of `console.log(error)`: the stack, the parts that may be logged, and the kind of the cause, which may quote anything. */
  [Symbol.for('nodejs.util.inspect.custom')](): string {
    const { name: _name, message: _message, ...facts } = this.toJSON();
    const cause = this.cause === undefined ? '' : `\n  cause: ${causeKind(this.cause)}`;
    return `${this.stack}\n  ${JSON.stringify(facts)}${cause}`;
  }
}

// Whether an error is of a class, from any copy of this package. A class that a user derives has no `className`.
Object.defineProperty(DataImportError, Symbol.hasInstance, {
  value(this: typeof DataImportError, error: unknown): boolean {
    if (!Object.hasOwn(this, 'className')) return Function.prototype[Symbol.hasInstance].call(this, error);
    return isBranded(error, this.className);
  },
});

/**
 * Defines a property that may have personal data or a secret: not enumerable, and an accessor, because of an uncaught error Node.js
 * prints the values of `cause` and `errors`, but not of accessors. Not a private field, which makes the types of two copies of this
 * package incompatible.
 */
export function defineUnprinted(error: Error, name: string, value: unknown): void {
  Object.defineProperty(error, name, { get: () => value, configurable: true });
}

/** Base class of the errors that list what is wrong with a payload. */
export abstract class ErrorWithItems<Item extends ErrorItem = ErrorItem> extends DataImportError {
  /** All errors, as plain objects; empty if none are listed. What loggers print of this error has their codes and paths only. */
  declare readonly errors: readonly Item[];
  /** Number of errors; larger than `errors.length` if only the first 10,000 are listed. */
  declare readonly errorCount: number;

  /** @internal */
  constructor(message: string, options: DataImportErrorOptions, items: readonly Item[], count = items.length) {
    super(message, options);
    Object.defineProperty(this, 'errors', {
      get: () => (isPrintedByPino(this) ? printedErrors(items).errors : items),
      configurable: true,
    });
    defineUnprinted(this, 'errorCount', count);
  }

  /** Returns the errors at exactly this path, such as `customers.0.landline`. */
  at(attr: string): Item[] {
    return itemsAt(this.errors, attr);
  }

  /** Returns whether the error itself, or any item of `errors`, has this code. */
  hasCode(code: ErrorCode): boolean {
    return this.code === code || this.errors.some((item) => item.code === code);
  }

  /** Returns the errors as a tree of field names and indexes. */
  tree(): ErrorTree<Item> {
    return itemTree(this.errors);
  }

  /** Returns the parts that may be logged: codes and paths, without details and values. */
  override toJSON(): Record<string, unknown> {
    return { ...super.toJSON(), ...printedErrors(this.errors, this.errorCount) };
  }
}

/**
 * Returns whether pino is printing the error. It prints `errors` of every error, asks neither `toJSON` nor whether the property is
 * enumerable, and marks the error with a symbol while it does so.
 */
function isPrintedByPino(error: Error): boolean {
  return Object.getOwnPropertySymbols(error).some(({ description }) => description === 'circular-ref-tag');
}

/** Returns whether the error has the named class or one of its subclasses, from any copy of this package. */
export function isBranded(error: unknown, className: string): boolean {
  const brand = isObjectOrArray(error) && (error as { [BRAND]?: unknown })[BRAND];
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
