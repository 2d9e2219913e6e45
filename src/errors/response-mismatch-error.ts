import { DataImportError } from './data-import-error.js';

/**
 * The service answered with success, but not with what the document says: no JSON, another shape, or too large.
 * The platform did act; look at `body` before anything is sent again.
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
          ? `that is not what the document says: ${mismatch}. Not retried: the platform did answer; look at \`body\`, check the base URL, then report it.`
          : `larger than maxAnswerBytes (${inMebibytes(tooLarge.maxBytes)}). Not retried: the platform did answer; ${tooLarge.remedy}.`),
      { operation: facts.operation, attempts: facts.attempts, nextAction: 'inspect' },
    );
    this.status = facts.status;
    this.requestId = facts.requestId;
    this.#body = facts.body;
  }

  /** The body as it came: parsed JSON, or the text where it was none. May hold personal data. */
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
