import { DataImportError, type NextAction } from './data-import-error.js';
import { presentable } from './items.js';

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
