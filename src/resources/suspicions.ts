/**
 * Exports functions that find what a successful answer does not confirm. This is no error, because the enumerations of the API
 * specification are open: hooks and the logger receive it, with paths and without values.
 */
import { fieldOf, valueAt } from '../../schemas/objects.js';
import type { HistoricalStatementsAnswer } from '../../schemas/payloads/historical-statement.js';
import type { NoteResult } from '../../schemas/payloads/note.js';
import type { TransactionsAnswer } from '../../schemas/payloads/transaction.js';
import { NOTE_STATUSES, TRANSACTION_STATUSES } from '../../schemas/values.js';
import { isFilled } from '../errors/decode.js';
import type { Suspicion } from '../http/call/observe.js';
import { isOther, nameOf } from '../http/transport/other-name.js';

/** Returns the payload as it was sent. */
type Sent = () => unknown;

/** A field of a result that repeats a field of the sent item, which has the last name of the path. */
interface Echo {
  /** Code of the suspicion that the result has another value. */
  code: string;
  path: readonly string[];
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
  ...['type', 'reason', 'reference', 'payment_type', 'product_code'].map(
    (field): Echo => ({ code: `other_${field}`, path: ['transaction_data', field], formOf: nameOf }),
  ),
];

const ECHOED_DATE: Echo = { code: 'other_date', path: ['transaction_data', 'transaction_date'], formOf: dayForm };

/** Not the names of a statement: an answer with other ones belongs to another request. */
const ECHOES_OF_STATEMENT: readonly Echo[] = [
  { code: 'other_amount', path: ['gross_amount'], formOf: amountForm },
  ...['bill_period_from_date', 'bill_period_to_date', 'issued_date'].map(
    (field): Echo => ({ code: 'other_date', path: [field], formOf: dayForm }),
  ),
];

/** A field with a status, and its documented values. */
type Status = readonly [path: readonly string[], known: readonly string[]];

const STATUS_OF_NOTE: Status = [['status'], NOTE_STATUSES];
const STATUSES_OF_TRANSACTION: readonly Status[] = [
  [['status'], TRANSACTION_STATUSES],
  [['transaction_data', 'status'], ['TRANSACTION_IMPORT_SUCCESS']],
];

/** Checks the results of notes: their number, their statuses, and what they repeat of the notes. */
export function suspicionsOfNotes(results: NoteResult[], sent: Sent): Suspicion[] {
  return unconfirmed('notes', results, itemsIn(sent, 'notes'), ECHOES_OF_NOTE, [STATUS_OF_NOTE]);
}

/**
 * Returns a check of the results of transactions: their number, their statuses, and what they repeat of the transactions.
 * `mayMoveDates`: the service may change a date, and documents that (spec: Transactions).
 */
export function suspicionsOfTransactions(mayMoveDates: boolean) {
  const echoes = mayMoveDates ? ECHOES_OF_TRANSACTION : [...ECHOES_OF_TRANSACTION, ECHOED_DATE];
  return (answer: TransactionsAnswer, sent: Sent): Suspicion[] =>
    unconfirmed('results', answer.results, itemsIn(sent, 'transactions'), echoes, STATUSES_OF_TRANSACTION);
}

/** Checks the echo of statements, if there is one: their number, their amounts and dates. */
export function suspicionsOfStatements(answer: HistoricalStatementsAnswer, sent: Sent): Suspicion[] {
  const echo = Array.isArray(answer) ? answer : (fieldOf(answer, 'statements') ?? fieldOf(answer, 'results'));
  return Array.isArray(echo) ? unconfirmed('statements', echo, itemsIn(sent, 'statements'), ECHOES_OF_STATEMENT) : [];
}

/** Returns what a successful answer of any operation has of the body of an error. */
export function failuresIn(answer: unknown): Suspicion[] {
  const found = ['errors', 'error_detail']
    .filter((name) => isFilled(fieldOf(answer, name)))
    .map((attr) => ({ code: 'errors_in_answer', attr }))
    .slice(0, 1);
  return fieldOf(answer, 'status') === 'TRANSACTION_IMPORT_ERROR'
    ? [{ code: 'unknown_status', attr: 'status' }, ...found]
    : found;
}

/** Returns at most one suspicion of each kind: a deployment with other statuses or forms would otherwise fill the log. */
function unconfirmed(
  attr: string,
  results: readonly unknown[],
  sent: readonly unknown[],
  echoes: readonly Echo[],
  statuses: readonly Status[] = [],
): Suspicion[] {
  const firstOf = (code: string, index: number, path: readonly string[]) =>
    index >= 0 ? [{ code, attr: [attr, index, ...path].join('.') }] : [];
  const found = [
    ...(results.length < sent.length ? [{ code: 'fewer_results', attr }] : []),
    ...statuses.flatMap(([path, known]) => {
      const isUnknown = (status: unknown) => Boolean(status) && !known.includes(status as string);
      const unknown = results.findIndex((result) => isUnknown(valueAt(result, path)));
      return firstOf('unknown_status', unknown, path);
    }),
    ...echoes.flatMap((echo) => firstOf(echo.code, firstOther(results, sent, echo), echo.path)),
  ];
  return found.filter(({ code }, index) => found.findIndex((one) => one.code === code) === index);
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
function itemsIn(sent: Sent, list: string): readonly unknown[] {
  const items = fieldOf(sent(), list);
  return Array.isArray(items) ? items : [];
}
