import { RateLimitError } from './rate-limit-error.js';

/** The `RateLimitError` of `accounts.process` and `accounts.dryRun`: too many accounts are processed at once. */
export class ConcurrencyLimitError extends RateLimitError {
  /** @internal */
  static override readonly className: string = 'ConcurrencyLimitError';
  /** Tells this class from the others. */
  declare readonly name: 'ConcurrencyLimitError';
}
