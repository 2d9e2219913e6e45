/** Exports the texts of numbers, times and steps for terminal and report. */
import { ACCOUNT_IMPORT_STATUSES } from '../../../schemas/values.js';
import type { Worker } from '../distributed/ledger/worker-rows.js';
import type { Place } from '../report/summary/error-groups.js';

// Made once: a report has thousands of numbers, and making one takes longer than all that is left to do.
const whole = new Intl.NumberFormat('en-GB', { maximumFractionDigits: 0 });
const withTenths = new Intl.NumberFormat('en-GB', { maximumFractionDigits: 1 });

export function number(value: number): string {
  return (value < 10 ? withTenths : whole).format(value);
}

/** Returns the first texts, and how many others there are: `a, b and 3 more`. */
export function firstInWords(texts: readonly string[], most: number, separator = ', '): string {
  const more = texts.length - most;
  return `${texts.slice(0, most).join(separator)}${more > 0 ? ` and ${number(more)} more` : ''}`;
}

/** Returns a text such as `12 accounts` or `1 account`. */
export function counted(count: number, one: string, several = `${one}s`): string {
  return `${number(count)} ${count === 1 ? one : several}`;
}

/** Returns a text such as `2 created, 0 already imported`. */
export function countsInWords<Name extends string>(counts: Record<Name, number>, names: readonly Name[]): string {
  return names.map((name) => `${number(counts[name])} ${spaced(name)}`).join(', ');
}

/** Numbers of items by kind. */
export type ItemTotals = Record<(typeof ITEM_KINDS)[number], number>;

/** Returns a text such as `1 payment instruction, 2 statements, 3 transactions, 4 notes`. */
export function itemsInWords(items: ItemTotals): string {
  return ITEM_KINDS.map((kind) => counted(items[kind], oneOf(kind))).join(', ');
}

export const ITEM_KINDS = ['paymentInstructions', 'statements', 'transactions', 'notes'] as const;

/** Returns the word for one item: `payment instruction`. */
export function oneOf(kind: keyof ItemTotals): string {
  return spaced(kind).slice(0, -1);
}

/** Returns the words of a name: `not sent` for `notSent`. */
export function spaced(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
}

/**
 * Numbers of accounts: with the five statuses of the API specification, with another status, with a 404, and with another service account
 * number than in the ledger. `notAnswered`: the query failed, or was not made yet.
 */
export type ImportCounts = Record<(typeof IMPORT_COUNTS)[number], number>;

const OTHER_IMPORT_COUNTS = {
  other: 'with another status',
  notFound: 'not found',
  otherNumber: 'with another number',
  notAnswered: 'not answered yet',
} as const;
const OTHERS = Object.keys(OTHER_IMPORT_COUNTS) as (keyof typeof OTHER_IMPORT_COUNTS)[];

export const IMPORT_COUNTS = [...ACCOUNT_IMPORT_STATUSES, ...OTHERS] as const;

/** Returns `0 UNKNOWN, 2 PENDING, 1 IN_PROGRESS, 0 REJECTED, 7 COMPLETED`, and the other numbers if they are above 0. */
export function importCountsInWords(counts: ImportCounts): string {
  return [
    ...ACCOUNT_IMPORT_STATUSES.map((status) => `${number(counts[status])} ${status}`),
    ...OTHERS.flatMap((name) => (counts[name] === 0 ? [] : [`${number(counts[name])} ${OTHER_IMPORT_COUNTS[name]}`])),
  ].join(', ');
}

/** Returns a text such as `2026-01-15 09:00:00 UTC`. */
export function moment(iso: string): string {
  return iso.replace(/^([\d-]+)T([\d:]{8})(?:\.\d+)?Z$/, '$1 $2 UTC');
}

/** Returns a text such as `3 h 25 min` or `12 s`. */
export function duration(milliseconds: number): string {
  const seconds = Math.round(milliseconds / 1000);
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 60) return `${minutes} min`;
  const [hours, rest] = [Math.floor(minutes / 60), minutes % 60];
  return rest === 0 ? `${hours} h` : `${hours} h ${rest} min`;
}

/** Returns when a worker left, or its state if it has not. */
export function untilWhen({ leftAt, isThere }: Pick<Worker, 'leftAt' | 'isThere'>): string {
  if (leftAt !== null) return moment(leftAt);
  return isThere ? 'active' : 'no heartbeat';
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
