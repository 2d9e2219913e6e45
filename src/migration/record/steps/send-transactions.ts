/** Exports the calls that add the transactions of an account, in batches. */

import type { Transaction } from '../../../../schemas/payloads/transaction.js';
import { RateLimitError, TransactionImportError } from '../../../errors/api-errors.js';
import type { LedgerError } from '../../ledger/ledger.js';
import { confirmTransactions, nothingConfirmed } from '../items/confirmed-items.js';
import { contradictingTransactions } from '../items/contradicting-transactions.js';
import { type Placed, placed } from '../items/items.js';
import { type CallSettings, callRepeatedByRun, unrepeatableCall } from './call-settings.js';
import { classifyError, isTooLarge, type StepResult } from './classify-error.js';
import { type AccountKey, entriesOf, inRecord, positionsIn } from './send-items.js';

const STEP = 'transactions';

/**
 * Sends transactions in batches. The service skips a transaction that it has. If one transaction of a request fails, the
 * service keeps none of the request, or those before the failing one: either way the rest can be sent again. With
 * `check_previously_added: false` all go in one request that is sent once, so that its intent applies for exactly these. A request that
 * is too large is halved.
 */
export async function sendTransactions(
  key: AccountKey,
  transactions: readonly Transaction[],
  positions: readonly number[],
  settings: CallSettings,
  beforeRequest: () => Promise<void>,
): Promise<StepResult> {
  const sending = new TransactionBatches(key, placed(transactions, positions), settings, beforeRequest);
  sending.rejectContradicting(contradictingTransactions(transactions));
  return sending.send();
}

/** The transactions that are still to be sent, and what the answers so far say about the others. */
class TransactionBatches {
  readonly #key: AccountKey;
  #rest: readonly Placed<Transaction>[];
  readonly #settings: CallSettings;
  readonly #beforeRequest: () => Promise<void>;
  readonly #confirmation = nothingConfirmed();
  #most: number;

  constructor(
    key: AccountKey,
    transactions: readonly Placed<Transaction>[],
    settings: CallSettings,
    beforeRequest: () => Promise<void>,
  ) {
    this.#key = key;
    this.#rest = transactions;
    this.#settings = settings;
    this.#beforeRequest = beforeRequest;
    this.#most = settings.check_previously_added ? settings.transactionsAtOnce : Number.POSITIVE_INFINITY;
  }

  /** Rejects the transactions at these positions unsent: the service may take them for the earlier ones and skip them. */
  rejectContradicting(positions: ReadonlySet<number>): void {
    const { items, errors } = this.#confirmation;
    const contradicting = positionsIn(this.#rest).filter((position) => positions.has(position));
    items.rejected.push(...contradicting);
    for (const position of contradicting) {
      errors.push({ code: 'contradicting_transaction', attr: `transactions.${position}` });
    }
    this.#rest = this.#rest.filter(({ position }) => !positions.has(position));
  }

  async send(): Promise<StepResult> {
    while (this.#rest.length > 0) {
      const end = await this.#sendBatch();
      if (end !== 'continue') return end;
    }
    return { type: 'stepSucceeded', step: STEP, ...this.#confirmation };
  }

  /** Returns the result of the step if no further batch is sent. */
  async #sendBatch(): Promise<StepResult | 'continue'> {
    const { client, check_previously_added: isRepeatable } = this.#settings;
    const batch = this.#rest.slice(0, this.#most);
    const payload = { transactions: batch.map(({ item }) => item), ...this.#key };
    try {
      await this.#beforeRequest();
      const call = client.transactions.create(payload, optionsOf(this.#settings));
      const results = await entriesOf(call, (answer) => answer.results);
      confirmTransactions(batch, results, this.#confirmation);
      this.#rest = this.#rest.slice(batch.length);
      return 'continue';
    } catch (error) {
      if (error instanceof RateLimitError && (isRepeatable || !error.mayHaveSucceeded)) throw error;
      if (isTooLarge(error) && isRepeatable && batch.length > 1) {
        this.#most = Math.ceil(batch.length / 2);
        return 'continue';
      }
      return this.#afterFailure(error, batch, payload);
    }
  }

  #afterFailure(error: unknown, batch: readonly Placed<Transaction>[], body: unknown): StepResult | 'continue' {
    const { setAside, check_previously_added: isRepeatable } = this.#settings;
    const { items, errors } = this.#confirmation;
    const failing = error instanceof TransactionImportError ? batch.find(({ item }) => isSame(item, error)) : undefined;
    if (setAside && isRepeatable && failing !== undefined) {
      errors.push(importErrorOf(failing.position));
      items.rejected.push(failing.position);
      this.#rest = this.#rest.filter(({ position }) => position !== failing.position);
      return 'continue';
    }
    const result = inRecord(classifyError(error, STEP, { ...this.#settings, isRepeatable, body }), batch);
    if (result?.type !== 'stepRejected' && result?.type !== 'outcomeUnknown') return result;
    errors.push(...(failing === undefined ? (result.errors ?? []) : [importErrorOf(failing.position)]));
    this.#rest = this.#rest.slice(batch.length);
    if (!isRepeatable && result.type === 'stepRejected' && error instanceof TransactionImportError) {
      return this.#afterPartlyKept(batch, failing);
    }
    // A transaction that may have been added does not block the others; a refused one does.
    items[result.type === 'outcomeUnknown' ? 'unknown' : 'rejected'].push(...positionsIn(batch));
    if (result.type === 'outcomeUnknown' && result.isOfAnother !== true) return 'continue';
    items.notSent.push(...positionsIn(this.#rest));
    return { ...result, ...this.#confirmation };
  }

  /** The service may have kept the transactions before the failing one (U15), and would add them a second time. */
  #afterPartlyKept(batch: readonly Placed<Transaction>[], failing: Placed<Transaction> | undefined): StepResult {
    const { items } = this.#confirmation;
    const kept = failing === undefined ? batch : batch.slice(0, batch.indexOf(failing));
    items.unknown.push(...positionsIn(kept));
    items.rejected.push(...positionsIn(batch.slice(kept.length, kept.length + 1)));
    items.notSent.push(...positionsIn(batch.slice(kept.length + 1)));
    return { type: kept.length > 0 ? 'outcomeUnknown' : 'stepRejected', step: STEP, ...this.#confirmation };
  }
}

/** The service takes both options for true if they are missing, so only false is sent. */
function optionsOf(settings: CallSettings) {
  const { force_add_to_current_statement, check_previously_added } = settings;
  return {
    ...(check_previously_added ? callRepeatedByRun(settings) : unrepeatableCall(settings)),
    ...(!force_add_to_current_statement && { force_add_to_current_statement: false }),
    ...(!check_previously_added && { check_previously_added: false }),
  };
}

function importErrorOf(position: number): Omit<LedgerError, 'step'> {
  return { code: 'transaction_import_error', attr: `transactions.${position}` };
}

/** Compares the ids; without an id, everything that the answer repeats of the transaction. */
function isSame(sent: Transaction, { transaction }: TransactionImportError): boolean {
  if (sent.transaction_id !== undefined) return sent.transaction_id === transaction?.transaction_id;
  const { amount, reason = sent.reason } = transaction ?? {};
  return (
    (['transaction_date', 'type', 'reference'] as const).every((field) => sent[field] === transaction?.[field]) &&
    sent.reason === reason &&
    // Requests have a number, answers a decimal as text.
    (amount === undefined || Number(amount) === Number(sent.amount))
  );
}
