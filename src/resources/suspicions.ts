/**
 * Exports functions that find what a successful answer does not confirm. This is no error, because the enumerations of the API
 * specification are open: hooks and the logger receive it, with paths and without values.
 */
import type { NoteResult } from '../../schemas/payloads/note.js';
import type { TransactionsAnswer } from '../../schemas/payloads/transaction.js';
import { NOTE_STATUSES, TRANSACTION_STATUSES } from '../../schemas/values.js';
import type { Suspicion } from '../http/call/observe.js';

/** Returns a check of the results of notes: their number and their statuses. */
export function suspicionsOfNotes(notes: unknown): (answer: NoteResult[]) => Suspicion[] {
  const sent = lengthOf(notes);
  return (results) => unconfirmed('notes', results, sent, NOTE_STATUSES);
}

/** Returns a check of the results of transactions: their number and their statuses. */
export function suspicionsOfTransactions(transactions: unknown): (answer: TransactionsAnswer) => Suspicion[] {
  const sent = lengthOf(transactions);
  return ({ results }) => unconfirmed('results', results, sent, TRANSACTION_STATUSES);
}

/** Returns at most one suspicion of each kind: a deployment with other statuses would otherwise fill the log. */
function unconfirmed(
  attr: string,
  results: readonly { status: string }[],
  sent: number,
  known: readonly string[],
): Suspicion[] {
  const unknown = results.findIndex(({ status }) => !known.includes(status));
  return [
    ...(results.length < sent ? [{ code: 'fewer_results', attr }] : []),
    ...(unknown >= 0 ? [{ code: 'unknown_status', attr: `${attr}.${unknown}.status` }] : []),
  ];
}

/** The payload may be unchecked, so `items` may be anything. */
function lengthOf(items: unknown): number {
  return Array.isArray(items) ? items.length : 0;
}
