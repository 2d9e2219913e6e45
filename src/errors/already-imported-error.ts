import type { AlreadyImportedBody } from '../../schemas/error-bodies.js';
import { type AnswerFacts, ApiError } from './api-error.js';

/** 400: the account was imported before. Both of its numbers are here, so a migration can go on with them. */
export class AlreadyImportedError extends ApiError {
  /** @internal */
  static override readonly className: string = 'AlreadyImportedError';
  /** Tells this class from the others. */
  declare readonly name: 'AlreadyImportedError';
  /** The caller's identifier of the account. */
  readonly externalAccountNumber: string;
  /** The platform's account number. A string: leading zeros count. */
  readonly serviceAccountNumber: string;

  /** @internal */
  constructor(facts: AnswerFacts, numbers: AlreadyImportedBody) {
    super(facts, {
      nextAction: 'useExisting',
      sentence: 'Not retried: the account exists; its number is in serviceAccountNumber.',
    });
    this.externalAccountNumber = numbers.external_account_number;
    this.serviceAccountNumber = numbers.service_account_number;
  }
}
