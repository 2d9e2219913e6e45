import { DataImportError } from './data-import-error.js';

/** Your AbortSignal ended the call. `cause` is the signal's reason. */
export class AbortedError extends DataImportError {
  /** @internal */
  static override readonly className: string = 'AbortedError';
  /** Tells this class from the others. */
  declare readonly name: 'AbortedError';
  /** True if a request may have reached the service, and sending it again may do it twice. */
  readonly outcomeUnknown: boolean;

  /** @internal */
  constructor(facts: {
    operation: string;
    attempts: number;
    outcomeUnknown: boolean;
    mayHaveSucceeded?: boolean;
    cause: unknown;
  }) {
    super(
      `${facts.operation}: aborted by its signal. ` +
        (facts.outcomeUnknown
          ? 'A request was under way: the platform may have done it; ask before you send it again.'
          : 'It is safe to call again.'),
      {
        operation: facts.operation,
        attempts: facts.attempts,
        mayHaveSucceeded: facts.mayHaveSucceeded,
        nextAction: facts.outcomeUnknown ? 'settle' : 'none',
        cause: facts.cause,
      },
    );
    this.outcomeUnknown = facts.outcomeUnknown;
  }
}
