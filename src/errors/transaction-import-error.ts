import type { TransactionEcho } from '../../schemas/payloads/transaction.js';
import { type AnswerFacts, ApiError } from './api-error.js';

/** 400: a transaction of the batch could not be added, for example because it lies outside the open statement period. */
export class TransactionImportError extends ApiError {
  /** @internal */
  static override readonly className: string = 'TransactionImportError';
  /** Tells this class from the others. */
  declare readonly name: 'TransactionImportError';
  /** Identifier of the first failing transaction, where it has one. */
  readonly transactionId: string | undefined;
  readonly #transaction: TransactionEcho;

  /** @internal */
  constructor(facts: AnswerFacts, transaction: TransactionEcho) {
    super(facts, {
      nextAction: 'fixPayload',
      sentence: 'Not retried: fix or set aside the transaction in `transaction`, then send the batch again.',
    });
    this.transactionId = transaction.transaction_id ?? undefined;
    this.#transaction = transaction;
  }

  /** The first failing transaction, as the service echoes it. */
  get transaction(): TransactionEcho {
    return this.#transaction;
  }
}
