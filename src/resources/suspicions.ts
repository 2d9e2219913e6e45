/**
 * Finds what a success does not confirm of a request. The API specification leaves its enumerations open, so this is no
 * error: hooks and the logger receive it, with paths and never with values.
 */
import { NOTE_STATUSES, type NoteResult } from '../../schemas/payloads/note.js';
import { TRANSACTION_STATUSES, type TransactionsAnswer } from '../../schemas/payloads/transaction.js';
import type { Suspicion } from '../http/call/observe.js';

/** Of an answer that has a result for each item that was sent. */
export function suspicionsOfNotes(notes: unknown): (answer: NoteResult[]) => Suspicion[] {
  const sent = lengthOf(notes);
  return (results) => unconfirmed('notes', results, sent, NOTE_STATUSES);
}

export function suspicionsOfTransactions(transactions: unknown): (answer: TransactionsAnswer) => Suspicion[] {
  const sent = lengthOf(transactions);
  return ({ results }) => unconfirmed('results', results, sent, TRANSACTION_STATUSES);
}

/** One of each kind: a deployment with other words would otherwise write a line for each item into the log. */
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

/** Of an answer that names another account than the one that was sent; a field that it leaves out says nothing. */
export function suspicionsOfAccount(supplier: unknown, number: unknown): (answer: object) => Suspicion[] {
  const sent: Readonly<Record<string, unknown>> = {
    import_supplier: supplier,
    // Deployments differ in the name of this field.
    import_supplier_code: supplier,
    external_account_number: number,
  };
  return (answer) =>
    Object.keys(sent)
      .filter((attr) => ((answer as typeof sent)[attr] ?? sent[attr]) !== sent[attr])
      .map((attr) => ({ code: 'other_account', attr }));
}

/** Payloads that were not checked come here too. */
function lengthOf(items: unknown): number {
  return Array.isArray(items) ? items.length : 0;
}
