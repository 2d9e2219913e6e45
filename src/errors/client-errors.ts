/** Errors that the client finds itself: in the payload before sending, in the token, or in the body of a success. */
import type { Finding } from '../validation/findings.js';
import { DataImportError, defineUnprinted, type NextAction } from './data-import-error.js';
import { type ErrorTree, firstItem, itemsAt, itemTree, presentable, presentablePath, printedErrors } from './items.js';
import type { ErrorCode } from './known-errors.js';

/** The local check refuses the payload, a parameter or an identifier in the path. Nothing was sent. */
export class InvalidPayloadError extends DataImportError {
  /** @internal */
  static override readonly className: string = 'InvalidPayloadError';
  /** Tells this class from the others. */
  declare readonly name: 'InvalidPayloadError';
  /** The same for all of these errors; `errors` has the codes of the findings. */
  readonly code: 'invalid_payload' = 'invalid_payload';
  /** Everything that blocks, up to 10,000 findings; the same shape as the errors of an answer. */
  declare readonly errors: readonly Finding[];
  readonly #total: number;

  /** `errors`: the findings that block, in the service's own shape; `total`: how many there are, where not all are listed. */
  constructor(operation: string | undefined, errors: readonly Finding[], total = errors.length) {
    const where = operation === undefined ? '' : `${operation}: `;
    super(`${where}invalid_payload, ${firstItem(errors, total) ?? 'see errors'}. Nothing was sent: fix the payload.`, {
      operation,
      nextAction: 'fixPayload',
    });
    defineUnprinted(this, 'errors', errors);
    this.#total = total;
  }

  /** The errors at exactly this path, such as `customers.0.landline`. */
  at(attr: string): Finding[] {
    return itemsAt(this.errors, attr);
  }

  /** True if any error has this code. */
  hasCode(code: ErrorCode): boolean {
    return this.errors.some((item) => item.code === code);
  }

  /** The errors as a tree of field names and indexes. */
  tree(): ErrorTree<Finding> {
    return itemTree(this.errors);
  }

  /** What may be logged: codes and paths; neither details nor values. */
  override toJSON(): Record<string, unknown> {
    const print = ({ code, attr, didYouMean }: Finding) => ({ code, attr: presentablePath(attr), didYouMean });
    return { ...super.toJSON(), code: this.code, ...printedErrors(this.errors, print, this.#total) };
  }
}

/** No token could be had: the token function failed, or the token call was refused. The request was not sent without. */
export class TokenError extends DataImportError {
  /** @internal */
  static override readonly className: string = 'TokenError';
  /** Tells this class from the others. */
  declare readonly name: 'TokenError';
  // Private like that of an ApiError: it is whatever the token's service says.
  readonly #code: string | undefined;
  /** Host of the token's service, where no answer came from it. */
  readonly host: string | undefined;
  /** Why no answer came, such as `ECONNREFUSED`. */
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

  /** The code that the token's service gave, where it gave one. */
  get code(): string | undefined {
    return this.#code;
  }

  /** What may be logged: the code of the token's service, where it looks like one. */
  override toJSON(): Record<string, unknown> {
    return { ...super.toJSON(), code: presentable(this.#code) };
  }
}

/**
 * The service answered with success, but the body differs from the API specification: no JSON, another shape, or too large.
 * The service did act; look at `body` before anything is sent again.
 */
export class ResponseMismatchError extends DataImportError {
  /** @internal */
  static override readonly className: string = 'ResponseMismatchError';
  /** Tells this class from the others. */
  declare readonly name: 'ResponseMismatchError';
  /** HTTP status of the answer. */
  readonly status: number;
  /** The service's identifier of the request, where it sent one. */
  readonly requestId: string | undefined;
  readonly #body: unknown;

  /** @internal */
  constructor(facts: {
    operation: string;
    attempts: number;
    status: number;
    body: unknown;
    /** What was found and what was expected, without quoting values. */
    mismatch?: string;
    /** In place of it, for a body that was not read to its end. */
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

  /** The body: parsed JSON, or the text if it is no JSON. May hold personal data. */
  get body(): unknown {
    return this.#body;
  }

  /** What may be logged: the status, and not the body. */
  override toJSON(): Record<string, unknown> {
    return { ...super.toJSON(), status: this.status, requestId: this.requestId };
  }
}

function inMebibytes(bytes: number): string {
  const mebibytes = bytes / 2 ** 20;
  return Number.isInteger(mebibytes) ? `${mebibytes} MiB` : `${bytes} bytes`;
}
