/** Numbers, times and steps as the report's page says them. */
import type { Member } from '../fleet/fleet-ledger.js';
import type { ItemTotals } from '../forecast.js';
import type { Place } from './groups.js';

export function number(value: number): string {
  return value.toLocaleString('en-GB', { maximumFractionDigits: value < 10 ? 1 : 0 });
}

/** `12 accounts`, `1 account`. */
export function counted(count: number, one: string, several = `${one}s`): string {
  return `${number(count)} ${count === 1 ? one : several}`;
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

/** When a member left, or why nobody can tell. */
export function untilWhen({ leftAt, isThere }: Pick<Member, 'leftAt' | 'isThere'>): string {
  if (leftAt !== null) return moment(leftAt);
  return isThere ? 'still there' : 'not heard of any more';
}

const STEP_WORDS: Readonly<Record<Place, string>> = {
  read: 'reading the book',
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
