import { DataImportError, type NextAction } from './data-import-error.js';

/** No token could be had: the token function failed, or the token call was refused. The request was not sent without. */
export class TokenError extends DataImportError {
  static override readonly className: string = 'TokenError';
  /** The code that the token's service gave, where it gave one. */
  readonly code: string | undefined;

  constructor(
    message: string,
    options: { operation?: string; code?: string | undefined; nextAction?: NextAction; cause?: unknown } = {},
  ) {
    super(message, {
      operation: options.operation,
      nextAction: options.nextAction ?? 'fixToken',
      cause: options.cause,
    });
    this.code = options.code;
  }

  override toJSON(): Record<string, unknown> {
    return { ...super.toJSON(), code: this.code };
  }
}
