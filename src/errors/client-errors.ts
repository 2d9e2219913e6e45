/** Exports the errors that the client finds itself: an invalid payload, a missing token, or an unexpected body of a success. */
import type { Finding } from '../validation/findings.js';
import { DataImportError, defineUnprinted, ErrorWithItems } from './data-import-error.js';
import { firstItem } from './items.js';
import type { NextAction } from './known-errors.js';

/** The local check rejects the payload, a parameter or an identifier in the path. Nothing was sent. */
export class InvalidPayloadError extends ErrorWithItems<Finding> {
  /** @internal */
  static override readonly className: string = 'InvalidPayloadError';
  /** Discriminates this class. */
  declare readonly name: 'InvalidPayloadError';
  /** The same for every `InvalidPayloadError`; the items of `errors` have their own codes. */
  declare readonly code: 'invalid_payload';

  /** `errors`: the findings that block sending; `total`: their number, if not all are listed. */
  constructor(operation: string | undefined, errors: readonly Finding[], total = errors.length) {
    const where = operation === undefined ? '' : `${operation}: `;
    super(
      `${where}invalid_payload, ${whatIsWrong(errors, total)}. Nothing was sent: fix the payload.`,
      { operation, code: 'invalid_payload', nextAction: 'fixPayload' },
      errors,
      total,
    );
  }
}

/** Returns the first finding as text. A name that no documented field has may be personal data, and is only in `errors`. */
function whatIsWrong(errors: readonly Finding[], total: number): string {
  const first = firstItem(errors, total);
  if (first === undefined) return 'see error.errors';
  const { attr, didYouMean, detail = '' } = errors[0] ?? {};
  if (didYouMean !== undefined) return first;
  if (first.includes('*')) return `${first} (error.errors has the name)`;
  return `${attr === '' ? 'the payload itself: ' : ''}${first}: ${detail.replace(/\.$/, '')}`;
}

/** There is no token: the token function failed, or the token request was refused. The request was not sent. */
export class TokenError extends DataImportError {
  /** @internal */
  static override readonly className: string = 'TokenError';
  /** Discriminates this class. */
  declare readonly name: 'TokenError';
  /** Host of the token service, if it did not answer; `code` says why, such as `ECONNREFUSED`. */
  readonly host: string | undefined;

  /** @internal */
  constructor(
    message: string,
    options: {
      operation?: string;
      code?: string | undefined;
      nextAction?: NextAction;
      cause?: unknown;
      host?: string | undefined;
    } = {},
  ) {
    const { code = 'token_error', nextAction = 'fixToken' } = options;
    super(message, { ...options, code, nextAction });
    this.host = options.host;
  }
}

/**
 * The service answered with success, but the body differs from the API specification: no JSON, another shape, or too large. This request
 * took effect (`mayHaveSucceeded` is about earlier requests of the call): look at `body` before you send anything again. Or, if `otherName`
 * is set, the answer, which may also be a refusal, belongs to another request.
 */
export class ResponseMismatchError extends DataImportError {
  /** @internal */
  static override readonly className: string = 'ResponseMismatchError';
  /** Discriminates this class. */
  declare readonly name: 'ResponseMismatchError';
  /** The same for every error of this class. */
  declare readonly code: 'response_mismatch';
  /** HTTP status of the answer. */
  readonly status: number;
  /** The request id that the service sent, if any. */
  readonly requestId: string | undefined;
  /**
   * Path of the field that names another account, business, instruction or statement than the request: the body is the answer to
   * another request. undefined if there is none.
   */
  readonly otherName: string | undefined;
  /** The body: parsed JSON, or the text if it is not JSON. May contain personal data. */
  declare readonly body: unknown;

  /** @internal */
  constructor(facts: {
    operation: string;
    attempts: number;
    status: number;
    body: unknown;
    otherName?: string | undefined;
    /** What was found and what was expected, without values. */
    mismatch?: string;
    /** In place of `mismatch`, for a body that was not read to its end. */
    tooLarge?: { maxBytes: number; remedy: string };
    requestId?: string | undefined;
  }) {
    const { operation, attempts, status, mismatch, tooLarge } = facts;
    super(
      `${operation}: ${status} with a body ` +
        (tooLarge === undefined
          ? `that differs from the API specification: ${mismatch}`
          : `larger than maxAnswerBytes (${inMebibytes(tooLarge.maxBytes)})`) +
        `. Not retried: the service did answer${tooLarge === undefined ? '. Look at `body` and check the base URL, then report it' : `; ${tooLarge.remedy}`}.`,
      { operation, attempts, code: 'response_mismatch', nextAction: 'inspect' },
    );
    this.status = status;
    this.requestId = facts.requestId;
    this.otherName = facts.otherName;
    defineUnprinted(this, 'body', facts.body);
  }

  /** Returns the parts that may be logged: the status, without the body. */
  override toJSON(): Record<string, unknown> {
    return { ...super.toJSON(), status: this.status, requestId: this.requestId, otherName: this.otherName };
  }
}

function inMebibytes(bytes: number): string {
  const mebibytes = bytes / 2 ** 20;
  return Number.isInteger(mebibytes) ? `${mebibytes} MiB` : `${bytes} bytes`;
}
