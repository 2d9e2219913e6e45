/** Numbers, times and steps as the report's page says them. */
import { ACCOUNT_IMPORT_STATUSES } from '../../../schemas/import-status.js';
import type { Worker } from '../distributed/ledger/worker-rows.js';
import type { Place } from '../report/summary/error-groups.js';

export function number(value: number): string {
  return value.toLocaleString('en-GB', { maximumFractionDigits: value < 10 ? 1 : 0 });
}

/** `12 accounts`, `1 account`. */
export function counted(count: number, one: string, several = `${one}s`): string {
  return `${number(count)} ${count === 1 ? one : several}`;
}

/** Items by kind. */
export interface ItemTotals {
  paymentInstructions: number;
  statements: number;
  transactions: number;
  notes: number;
}

/** `1 payment instruction, 2 statements, 3 transactions, 4 notes`. */
export function itemsInWords({ paymentInstructions, statements, transactions, notes }: ItemTotals): string {
  return [
    counted(paymentInstructions, 'payment instruction'),
    counted(statements, 'statement'),
    counted(transactions, 'transaction'),
    counted(notes, 'note'),
  ].join(', ');
}

/**
 * The five statuses of the specification; another one; 404; an answer with another service account number than the ledger has.
 * `notAnswered`: asked for in vain, or not asked yet.
 */
export type ImportCounts = Record<
  (typeof ACCOUNT_IMPORT_STATUSES)[number] | 'notAnswered' | 'other' | 'notFound' | 'otherNumber',
  number
>;

const OTHER_IMPORT_COUNTS = {
  other: 'with another status',
  notFound: 'not found',
  otherNumber: 'with another number',
  notAnswered: 'not answered yet',
} as const;

/** `0 UNKNOWN, 2 PENDING, 1 IN_PROGRESS, 0 REJECTED, 7 COMPLETED`; what is no status of the specification only where there is any. */
export function importCountsInWords(counts: ImportCounts): string {
  const others = Object.entries(OTHER_IMPORT_COUNTS) as [keyof typeof OTHER_IMPORT_COUNTS, string][];
  return [
    ...ACCOUNT_IMPORT_STATUSES.map((status) => `${number(counts[status])} ${status}`),
    ...others.flatMap(([name, words]) => (counts[name] === 0 ? [] : [`${number(counts[name])} ${words}`])),
  ].join(', ');
}

/** `2026-01-15 09:00:00 UTC`. */
export function moment(iso: string): string {
  return iso.replace(/^([\d-]+)T([\d:]{8})(?:\.\d+)?Z$/, '$1 $2 UTC');
}

/** `3 h 25 min`, `12 s`. */
export function duration(milliseconds: number): string {
  const seconds = Math.round(milliseconds / 1000);
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 60) return `${minutes} min`;
  const [hours, rest] = [Math.floor(minutes / 60), minutes % 60];
  return rest === 0 ? `${hours} h` : `${hours} h ${rest} min`;
}

/** When a worker left, or why that is unknown. */
export function untilWhen({ leftAt, isThere }: Pick<Worker, 'leftAt' | 'isThere'>): string {
  if (leftAt !== null) return moment(leftAt);
  return isThere ? 'still there' : 'not heard of any more';
}

const STEP_WORDS: Readonly<Record<Place, string>> = {
  read: 'reading the input',
  check: 'local check',
  populate: 'pre-population',
  create: 'create business',
  validate: 'validate',
  stage: 'stage',
  dryRun: 'dry run',
  process: 'process',
  paymentInstruction: 'payment instruction',
  statements: 'historical statements',
  transactions: 'transactions',
  notes: 'notes',
};

export function stepWord(step: Place): string {
  return STEP_WORDS[step];
}
