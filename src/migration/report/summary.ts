/**
 * What a run came to: every line of the book in one of six numbers, how far the records came, and what is to be done
 * about those that did not. Reads the ledger record by record; memory does not grow with the book.
 */
import type { End, Ledger, LedgerRecord, Step } from '../ledger/ledger.js';
import { createFunnel, type FunnelRow } from './funnel.js';
import { createGroups, type ErrorGroup, masked } from './groups.js';
import type { LineCounts } from './lines.js';
import { settlingOf } from './remedies.js';
import { isWaiting, WAITS } from './waiting.js';

/** What a run came to, in numbers. */
export interface Summary extends Record<End, number> {
  /** Everything that was read: records, and lines that became none. */
  input: number;
  /** Under way: only where the run was stopped, or something that is no record's fault stood in the way. */
  open: number;
  /** Of the skipped: accounts that wait for a business that failed. They go when it is mended. */
  waiting: number;
  /** Of the created: accounts of whose later items something was refused. */
  incomplete: number;
  /** created + alreadyThere + rejected + skipped + unknown + open = input, in words. */
  balance: { isBalanced: boolean; text: string };
  /** How far the records came, step by step. */
  funnel: FunnelRow[];
  /** What was refused, the most frequent first. */
  errors: ErrorGroup[];
  /** What nobody can tell of, by step. */
  unknowns: UnknownGroup[];
  /** Lines whose record exists, and was made of another payload. Nothing was done about them. */
  changed: { count: number; samples: string[] };
}

/** Steps that may have been done and nobody can tell. */
export interface UnknownGroup {
  /** The step. */
  step: Step;
  /** How many records. */
  count: number;
  /** Up to three of their numbers, masked. */
  samples: string[];
  /** How to find out. */
  howToSettle: string;
}

export interface SummaryOptions {
  lines: LineCounts;
  /** The steps that the run takes. Default: all. */
  steps?: readonly Step[] | undefined;
  /** How many lines the book had, where it was read to its end. Each of them must be in one of the numbers. */
  linesRead?: number | undefined;
}

const MOST_SAMPLES = 3;

/** `also` is told of every record in the same reading: to read a million takes longer than to look at them. */
export async function summarise(
  ledger: Ledger,
  { lines, steps, linesRead }: SummaryOptions,
  also?: (record: LedgerRecord, waits: boolean) => Promise<void>,
): Promise<Summary> {
  const counts = { created: 0, alreadyThere: 0, rejected: lines.rejected, skipped: lines.skipped, unknown: 0, open: 0 };
  const groups = createGroups(lines.groups);
  const funnel = createFunnel(steps);
  const unknowns = new Map<Step, UnknownGroup>();
  let waiting = 0;
  let incomplete = 0;

  for await (const record of ledger.list()) {
    const { number, end, errors, unknown } = record;
    const waits = end === null && (await isWaiting(record, ledger));
    if (waits) waiting++;
    if (end === 'created' && errors.length > 0) incomplete++;
    counts[waits ? 'skipped' : (end ?? 'open')]++;
    funnel.add(record, waits);
    // Most records have nothing to tell.
    if (waits || errors.length > 0) groups.add(masked(number), waits ? [...errors, WAITS] : errors);
    for (const step of unknown.length > 0 ? new Set(unknown) : []) addUnknown(unknowns, step, masked(number));
    await also?.(record, waits);
  }

  const { total } = await ledger.counts();
  const input = total + lines.rejected + lines.skipped;
  return {
    input,
    ...counts,
    waiting,
    incomplete,
    balance: balanceOf(input, counts, linesRead),
    funnel: funnel.rows(),
    errors: groups.list(),
    unknowns: [...unknowns.values()],
    changed: { count: lines.changed, samples: lines.changedSamples },
  };
}

function addUnknown(unknowns: Map<Step, UnknownGroup>, step: Step, sample: string): void {
  const group = unknowns.get(step) ?? { step, count: 0, samples: [], howToSettle: settlingOf(step) };
  group.count++;
  if (group.samples.length < MOST_SAMPLES) group.samples.push(sample);
  unknowns.set(step, group);
}

type Counts = Pick<Summary, End | 'open'>;

const WORDS: Readonly<Record<keyof Counts, string>> = {
  created: 'created',
  alreadyThere: 'already there',
  rejected: 'rejected',
  skipped: 'skipped',
  unknown: 'unknown',
  open: 'open',
};

/** A ledger that went on growing, or a line that is nowhere, is a bug: it is said and never smoothed over. */
function balanceOf(input: number, counts: Counts, linesRead: number | undefined): Summary['balance'] {
  const parts = (Object.keys(WORDS) as (keyof Counts)[]).filter((part) => part !== 'open' || counts.open > 0);
  const sum = parts.reduce((total, part) => total + counts[part], 0);
  const left = parts.map((part) => `${counts[part]} ${WORDS[part]}`).join(' + ');
  if (sum !== input) {
    const text = `${left} = ${sum}, but the input is ${input}: ${Math.abs(input - sum)} do not balance. This is a bug; keep the run folder and report it.`;
    return { isBalanced: false, text };
  }
  if (linesRead !== undefined && linesRead > input) {
    const text = `${left} = ${input}, but the book has ${linesRead} lines: ${linesRead - input} are accounted for nowhere. This is a bug; keep the run folder and report it.`;
    return { isBalanced: false, text };
  }
  return { isBalanced: true, text: `${left} = ${input}` };
}
