/** Exports the calls that add the transactions of an account, in batches. */

import { hasId, type Transaction } from '../../../../schemas/payloads/transaction.js';
import { RateLimitError, TransactionImportError } from '../../../errors/api-errors.js';
import type { LedgerError, LedgerRecord } from '../../ledger/ledger.js';
import { confirmTransactions, nothingConfirmed } from '../items/confirmed-items.js';
import { type Placed, placed } from '../items/items.js';
import { rejectMerged } from '../items/repeated-items.js';
import { type CallSettings, callRepeatedByRun, unrepeatableCall } from './call-settings.js';
import { classifyError, isTooLarge, type StepResult } from './classify-error.js';
import { type AccountKey, entriesOf, inRecord, positionsIn } from './send-items.js';

const STEP = 'transactions';

/**
 * Sends transactions in batches. The service skips a transaction that it has. If one transaction of a request fails, the
 * service keeps none of the request, or those before the failing one: either way the rest can be sent again. With
 * `check_previously_added: false`, or if one has no id, all go in one request that is sent once, so that its intent applies for exactly these. A request that
 * is too large is halved.
 */
export async function sendTransactions(
  record: LedgerRecord,
  key: AccountKey,
  transactions: readonly Transaction[],
  positions: readonly number[],
  settings: CallSettings,
  beforeRequest: () => Promise<void>,
): Promise<StepResult> {
  const { client, setAside } = settings;
  const isRepeatable = settings.check_previously_added && transactions.every(hasId);
  /** What the answers so far say about the transactions that are not in `rest`. */
  const confirmation = nothingConfirmed();
  const { items, errors } = confirmation;
  let most = isRepeatable ? settings.transactionsAtOnce : Number.POSITIVE_INFINITY;
  let rest: readonly Placed<Transaction>[] = placed(transactions, positions);

  /** Returns the result of the step if no further batch is sent. */
  const sendBatch = async (): Promise<StepResult | 'continue'> => {
    const batch = rest.slice(0, most);
    const payload = { transactions: batch.map(({ item }) => item), ...key };
    try {
      await beforeRequest();
      const call = client.transactions.create(payload, optionsOf(settings, isRepeatable));
      const results = await entriesOf(call, (answer) => answer.results);
      confirmTransactions(batch, results, confirmation);
      rejectMerged(confirmation, record);
      rest = rest.slice(batch.length);
      return 'continue';
    } catch (error) {
      if (error instanceof RateLimitError && (isRepeatable || !error.mayHaveSucceeded)) throw error;
      if (isTooLarge(error) && isRepeatable && batch.length > 1) {
        most = Math.ceil(batch.length / 2);
        return 'continue';
      }
      return afterFailure(error, batch, payload);
    }
  };

  const afterFailure = (error: unknown, batch: readonly Placed<Transaction>[], body: unknown) => {
    const failing = error instanceof TransactionImportError ? batch.find(({ item }) => isSame(item, error)) : undefined;
    if (setAside && isRepeatable && failing !== undefined) {
      errors.push(importErrorOf(failing.position));
      items.rejected.push(failing.position);
      rest = rest.filter(({ position }) => position !== failing.position);
      return 'continue';
    }
    const result = inRecord(classifyError(error, STEP, { ...settings, isRepeatable, body }), batch);
    if (result?.type !== 'stepRejected' && result?.type !== 'outcomeUnknown') return result;
    errors.push(...(failing === undefined ? (result.errors ?? []) : [importErrorOf(failing.position)]));
    rest = rest.slice(batch.length);
    if (!isRepeatable && result.type === 'stepRejected' && error instanceof TransactionImportError) {
      return afterPartlyKept(batch, failing);
    }
    // A transaction that may have been added does not block the others; a refused one does.
    items[result.type === 'outcomeUnknown' ? 'unknown' : 'rejected'].push(...positionsIn(batch));
    if (result.type === 'outcomeUnknown' && result.isOfAnother !== true) return 'continue';
    items.notSent.push(...positionsIn(rest));
    return { ...result, ...confirmation };
  };

  /** The service may have kept the transactions before the failing one (U15), and would add them a second time. */
  const afterPartlyKept = (
    batch: readonly Placed<Transaction>[],
    failing: Placed<Transaction> | undefined,
  ): StepResult => {
    const kept = failing === undefined ? batch : batch.slice(0, batch.indexOf(failing));
    items.unknown.push(...positionsIn(kept));
    items.rejected.push(...positionsIn(batch.slice(kept.length, kept.length + 1)));
    items.notSent.push(...positionsIn(batch.slice(kept.length + 1)));
    return { type: kept.length > 0 ? 'outcomeUnknown' : 'stepRejected', step: STEP, ...confirmation };
  };

  while (rest.length > 0) {
    const end = await sendBatch();
    if (end !== 'continue') return end;
  }
  return { type: 'stepSucceeded', step: STEP, ...confirmation };
}

/** The service takes both options for true if they are missing, so only false is sent. */
function optionsOf(settings: CallSettings, isRepeatable: boolean) {
  const { force_add_to_current_statement, check_previously_added } = settings;
  return {
    ...(isRepeatable ? callRepeatedByRun(settings) : unrepeatableCall(settings)),
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
