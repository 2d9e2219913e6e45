import type { TransactionsAnswer, TransactionsPayload } from '../../schemas/payloads/transaction.js';
import type { CallPromise } from '../call-promise.js';
import type { CallOptions } from '../options.js';
import type { Requester } from './request.js';
import { suspicionsOfTransactions } from './suspicions.js';

/** Of `transactions.create`: the options of every call, and the two query parameters of the service. */
export interface TransactionsOptions extends CallOptions {
  /** Whether the service skips transactions that were added before. Default of the service: true. */
  checkPreviouslyAdded?: boolean | undefined;
  /**
   * Whether the service moves a date outside the open statement period into it, describes that on the transaction and
   * pins a note; otherwise such a transaction is an error. Default of the service: true.
   */
  forceAddToCurrentStatement?: boolean | undefined;
}

/** `client.transactions`: financial transactions of imported accounts (document: Transactions). */
export class Transactions {
  readonly #request: Requester;

  /** @internal */
  constructor(request: Requester) {
    this.#request = request;
  }

  /**
   * Adds financial transactions to an imported account; one result a transaction. `TransactionImportError` names the
   * first one that fails; `ValidationError` or `NotFoundError` where the account is not imported (U14). With
   * `checkPreviouslyAdded: false` a lost answer ends in `OutcomeUnknownError`. (Document: Transactions.)
   */
  create(payload: TransactionsPayload, options: TransactionsOptions = {}): CallPromise<TransactionsAnswer> {
    const { checkPreviouslyAdded, forceAddToCurrentStatement, ...call } = options;
    const query = {
      check_previously_added: checkPreviouslyAdded,
      force_add_to_current_statement: forceAddToCurrentStatement,
    };
    const suspicions = suspicionsOfTransactions(payload?.transactions);
    return this.#request('transactions.create', { payload, query, suspicions }, call);
  }
}
