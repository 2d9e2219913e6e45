/** Exports `Transactions`, the method of `client.transactions`, and its options. */
import type { TransactionsAnswer, TransactionsPayload } from '../../schemas/payloads/transaction.js';
import type { CallOptions } from '../options.js';
import type { CallPromise } from './call-promise.js';
import type { Requester } from './check-and-send.js';
import { suspicionsOfTransactions } from './suspicions.js';

/** Options of `transactions.create`: the call options, and the two query parameters of the service. */
export interface TransactionsOptions extends CallOptions {
  /** Whether the service skips transactions that were added before. Default of the service: true. */
  check_previously_added?: boolean | undefined;
  /**
   * Whether the service moves a date outside the open statement period into it, describes the move on the transaction and pins a
   * note. Otherwise it rejects such a transaction. Default of the service: true.
   */
  force_add_to_current_statement?: boolean | undefined;
}

/** `client.transactions`: financial transactions of imported accounts (spec: Transactions). */
export interface Transactions {
  /**
   * Adds financial transactions to an imported account. Resolves with one result per transaction. Rejects with
   * `TransactionImportError`, which names the first failing transaction, and with `ValidationError` or `NotFoundError` if the account
   * is not imported (U14). With `check_previously_added: false`, or if a transaction has no `transaction_id`, a request without an
   * answer ends in `OutcomeUnknownError`. (Spec: Transactions.)
   */
  create(payload: TransactionsPayload, options?: TransactionsOptions): CallPromise<TransactionsAnswer>;
}

/** Returns the method of `client.transactions`. */
export function createTransactions(request: Requester): Transactions {
  return {
    create(payload, options) {
      const { check_previously_added, force_add_to_current_statement } = Object(options) as TransactionsOptions;
      const query = { check_previously_added, force_add_to_current_statement };
      const suspicions = suspicionsOfTransactions(force_add_to_current_statement !== false);
      return request('transactions.create', { payload, query, suspicions }, options);
    },
  };
}
