/** Exports the errors that the client finds itself: an invalid payload, a missing token, or an unexpected body of a success. */
import type { Finding } from '../validation/findings.js';
import { DataImportError, defineUnprinted, type NextAction } from './data-import-error.js';
import {
  type ErrorTree,
  firstItem,
  itemsAt,
  itemTree,
  presentable,
  printedErrors,
  withoutDetailsInJson,
} from './items.js';
import type { ErrorCode } from './known-errors.js';

/** The local check rejects the payload, a parameter or an identifier in the path. Nothing was sent. */
export class InvalidPayloadError extends DataImportError {
  /** @internal */
  static override readonly className: string = 'InvalidPayloadError';
  /** Discriminates this class. */
  declare readonly name: 'InvalidPayloadError';
  /** The same for every `InvalidPayloadError`; the items of `errors` have their own codes. */
  readonly code: 'invalid_payload' = 'invalid_payload';
  /** The findings that block sending, up to 10,000, in the form of `ApiError.errors`. */
  declare readonly errors: readonly Finding[];
  readonly #total: number;

  /** `errors`: the findings that block sending; `total`: their number, if not all are listed. */
  constructor(operation: string | undefined, errors: readonly Finding[], total = errors.length) {
    const where = operation === undefined ? '' : `${operation}: `;
    super(`${where}invalid_payload, ${firstItem(errors, total) ?? 'see errors'}. Nothing was sent: fix the payload.`, {
      operation,
      nextAction: 'fixPayload',
    });
    defineUnprinted(this, 'errors', withoutDetailsInJson(errors));
    this.#total = total;
  }

  /** Returns the errors at exactly this path, such as `customers.0.landline`. */
  at(attr: string): Finding[] {
    return itemsAt(this.errors, attr);
  }

  /** Returns whether any error has this code. */
  hasCode(code: ErrorCode): boolean {
    return this.errors.some((item) => item.code === code);
  }

  /** Returns the errors as a tree of field names and indexes. */
  tree(): ErrorTree<Finding> {
    return itemTree(this.errors);
  }

  /** Returns the parts that may be logged: codes and paths, without details and values. */
  override toJSON(): Record<string, unknown> {
    return { ...super.toJSON(), code: this.code, ...printedErrors(this.errors, this.#total) };
  }
}

/** There is no token: the token function failed, or the token request was refused. The request was not sent. */
export class TokenError extends DataImportError {
  /** @internal */
  static override readonly className: string = 'TokenError';
  /** Discriminates this class. */
  declare readonly name: 'TokenError';
  // Private, as the code of an ApiError: any text of the token service may be a secret.
  readonly #code: string | undefined;
  /** Host of the token service, if it did not answer. */
  readonly host: string | undefined;
  /** Why it did not answer, such as `ECONNREFUSED`. */
  readonly reason: string | undefined;

  /** @internal */
  constructor(
    message: string,
    options: {
      operation?: string;
      code?: string | undefined;
      nextAction?: NextAction;
      cause?: unknown;
      host?: string | undefined;
      reason?: string | undefined;
    } = {},
  ) {
    super(message, {
      operation: options.operation,
      nextAction: options.nextAction ?? 'fixToken',
      cause: options.cause,
    });
    this.#code = options.code;
    this.host = options.host;
    this.reason = options.reason;
  }

  /** The code in the answer of the token service, if any. */
  get code(): string | undefined {
    return this.#code;
  }

  /** Returns the parts that may be logged. The code of the token service is one of them if it has the form of a code. */
  override toJSON(): Record<string, unknown> {
    return { ...super.toJSON(), code: presentable(this.#code) };
  }
}

/**
 * The service answered with success, but the body differs from the API specification: no JSON, another shape, or too large.
 * The request took effect: look at `body` before you send anything again.
 */
export class ResponseMismatchError extends DataImportError {
  /** @internal */
  static override readonly className: string = 'ResponseMismatchError';
  /** Discriminates this class. */
  declare readonly name: 'ResponseMismatchError';
  /** HTTP status of the answer. */
  readonly status: number;
  /** The request id that the service sent, if any. */
  readonly requestId: string | undefined;
  readonly #body: unknown;

  /** @internal */
  constructor(facts: {
    operation: string;
    attempts: number;
    status: number;
    body: unknown;
    /** What was found and what was expected, without values. */
    mismatch?: string;
    /** In place of `mismatch`, for a body that was not read to its end. */
    tooLarge?: { maxBytes: number; remedy: string };
    requestId?: string | undefined;
  }) {
    const { mismatch, tooLarge } = facts;
    super(
      `${facts.operation}: ${facts.status} with a body ` +
        (tooLarge === undefined
          ? `that differs from the API specification: ${mismatch}. Not retried: the service did answer. Look at \`body\` and check the base URL, then report it.`
          : `larger than maxAnswerBytes (${inMebibytes(tooLarge.maxBytes)}). Not retried: the service did answer; ${tooLarge.remedy}.`),
      { operation: facts.operation, attempts: facts.attempts, nextAction: 'inspect' },
    );
    this.status = facts.status;
    this.requestId = facts.requestId;
    this.#body = facts.body;
  }

  /** The body: parsed JSON, or the text if it is not JSON. May contain personal data. */
  get body(): unknown {
    return this.#body;
  }

  /** Returns the parts that may be logged: the status, without the body. */
  override toJSON(): Record<string, unknown> {
    return { ...super.toJSON(), status: this.status, requestId: this.requestId };
  }
}

function inMebibytes(bytes: number): string {
  const mebibytes = bytes / 2 ** 20;
  return Number.isInteger(mebibytes) ? `${mebibytes} MiB` : `${bytes} bytes`;
}
