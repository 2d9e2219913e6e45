/**
 * Exports functions that find what a successful answer does not confirm. This is no error, because the enumerations of the API
 * specification are open: hooks and the logger receive it, with paths and without values.
 */
import { fieldOf, valueAt } from '../../schemas/objects.js';
import type { NoteResult } from '../../schemas/payloads/note.js';
import type { TransactionsAnswer } from '../../schemas/payloads/transaction.js';
import { NOTE_STATUSES, TRANSACTION_STATUSES } from '../../schemas/values.js';
import type { Suspicion } from '../http/call/observe.js';
import { isOther, nameOf } from '../http/transport/other-name.js';

/** A field of a result that repeats a field of the sent item, which has the last name of the path. */
interface Echo {
  /** Code of the suspicion that the result has another value. */
  code: string;
  path: readonly [string] | readonly [string, string];
  /** Returns equal texts for values that mean the same; nothing for a value that cannot be compared. */
  formOf: (value: unknown) => string | undefined;
}

const ECHOES_OF_NOTE: readonly Echo[] = [
  { code: 'other_body', path: ['body'], formOf: bodyForm },
  { code: 'other_date', path: ['created_at'], formOf: secondForm },
];

const ECHOES_OF_TRANSACTION: readonly Echo[] = [
  { code: 'other_id', path: ['transaction_data', 'transaction_id'], formOf: nameOf },
  { code: 'other_amount', path: ['transaction_data', 'amount'], formOf: amountForm },
];

const ECHOED_DATE: Echo = { code: 'other_date', path: ['transaction_data', 'transaction_date'], formOf: dayForm };

/** Checks the results of notes: their number, their statuses, and what they repeat of the notes. */
export function suspicionsOfNotes(results: NoteResult[], sent: unknown): Suspicion[] {
  return unconfirmed('notes', results, itemsIn(sent, 'notes'), NOTE_STATUSES, ECHOES_OF_NOTE);
}

/**
 * Returns a check of the results of transactions: their number, their statuses, and what they repeat of the transactions.
 * `mayMoveDates`: the service may change a date, and documents that (spec: Transactions).
 */
export function suspicionsOfTransactions(mayMoveDates: boolean) {
  const echoes = mayMoveDates ? ECHOES_OF_TRANSACTION : [...ECHOES_OF_TRANSACTION, ECHOED_DATE];
  return ({ results }: TransactionsAnswer, sent: unknown): Suspicion[] =>
    unconfirmed('results', results, itemsIn(sent, 'transactions'), TRANSACTION_STATUSES, echoes);
}

/** Returns at most one suspicion of each kind: a deployment with other statuses or forms would otherwise fill the log. */
function unconfirmed(
  attr: string,
  results: readonly { status: string }[],
  sent: readonly unknown[],
  known: readonly string[],
  echoes: readonly Echo[],
): Suspicion[] {
  const unknown = results.findIndex(({ status }) => !known.includes(status));
  return [
    ...(results.length < sent.length ? [{ code: 'fewer_results', attr }] : []),
    ...(unknown >= 0 ? [{ code: 'unknown_status', attr: `${attr}.${unknown}.status` }] : []),
    ...echoes.flatMap((echo) => {
      const other = firstOther(results, sent, echo);
      return other >= 0 ? [{ code: echo.code, attr: [attr, other, ...echo.path].join('.') }] : [];
    }),
  ];
}

/**
 * Returns the index of the first result with another value than its item; -1 if there is none. If there are not as many results as
 * items, it is unknown which result belongs to which item, so a value is another one only if no item has it.
 */
function firstOther(results: readonly unknown[], sent: readonly unknown[], { path, formOf }: Echo): number {
  const field = path.at(-1) as string;
  const forms = sent.map((item) => formOf(fieldOf(item, field)));
  const isComplete = results.length === sent.length;
  // A field that the answer leaves out, or has empty, says nothing.
  return results.findIndex((result, index) =>
    isOther(formOf(valueAt(result, path)) || undefined, isComplete ? [forms[index]] : forms),
  );
}

/** Requests have a number, answers a decimal as text. A text that is no number is another amount. */
function amountForm(value: unknown): string | undefined {
  const text = nameOf(value);
  return text === undefined || Number.isNaN(Number(text)) ? text : String(Number(text));
}

/** A service may return a date as a datetime. */
function dayForm(value: unknown): string | undefined {
  return nameOf(value)?.slice(0, 10);
}

/** Services write a datetime with different offsets, and with or without fractions of a second. Without an offset it counts as UTC. */
function secondForm(value: unknown): string | undefined {
  const text = nameOf(value);
  if (text === undefined) return undefined;
  const second = Math.floor(Date.parse(/(?:z|[+-]\d\d:?\d\d)$/.test(text) ? text : `${text}z`) / 1000);
  return Number.isNaN(second) ? text : String(second);
}

/** A note without a text has an empty one, so that the text of another note differs from it. Services change white space. */
function bodyForm(value: unknown): string {
  return typeof value === 'string' ? value.normalize().replace(/\s+/gu, ' ').trim() : '';
}

/** The payload may be unchecked, so it may have anything in place of the list. */
function itemsIn(sent: unknown, list: string): readonly unknown[] {
  const items = fieldOf(sent, list);
  return Array.isArray(items) ? items : [];
}
