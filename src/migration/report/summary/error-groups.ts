/** What went wrong, grouped by step, code and attr: how many records each met, and a few of them to look at. */
import type { Step } from '../../ledger/ledger.js';
import { remedyOf } from './remedies.js';

/** `read` is what comes before all steps: the line itself. */
export type Place = Step | 'read';

/** One kind of error, and how many records met it. */
export interface ErrorGroup {
  /** Where it was met. */
  step: Place;
  /** Stable, such as `invalid_phone_number`. */
  code: string;
  /** Indexes are `*`: `customers.*.landline`. */
  attr: string;
  /** Records that met it, or lines where there is no record. */
  count: number;
  /** Up to three of them, masked. */
  samples: string[];
  /** What to do about it. */
  remedy: string;
  /** Of an unknown field: the documented field that was probably meant. */
  didYouMean?: string | undefined;
  /** What was said of the first one, where more can be said than the code: never a value of it. */
  detail?: string | undefined;
}

interface Met {
  step: Place;
  code: string;
  attr: string;
  didYouMean?: string | undefined;
  detail?: string | undefined;
}

export interface Groups {
  /**
   * Adds all errors of one record; an error that occurs several times in it counts once. `count`: how many records
   * they stand for.
   */
  add(who: string, errors: readonly Met[], count?: number): void;
  /** The most frequent first. */
  list(): ErrorGroup[];
}

/** Field names of a payload can be anything, so that groups could be without number; what comes later is counted together. */
const MOST_GROUPS = 500;
const MOST_SAMPLES = 3;
const REST = { code: 'other_errors', attr: '' };

export function createGroups(before: readonly ErrorGroup[] = []): Groups {
  const groups = new Map<string, ErrorGroup>();
  for (const group of before) groups.set(idOf(group), { ...group, samples: [...group.samples] });

  const groupOf = (error: Met): ErrorGroup => {
    const known = groups.get(idOf(error));
    if (known !== undefined) return known;
    if (groups.size >= MOST_GROUPS && error.code !== REST.code) return groupOf({ step: error.step, ...REST });
    const { step, code, attr, didYouMean, detail } = error;
    const made: ErrorGroup = { step, code, attr, count: 0, samples: [], remedy: remedyOf(code) };
    if (didYouMean !== undefined) made.didYouMean = didYouMean;
    if (detail !== undefined) made.detail = detail;
    groups.set(idOf(error), made);
    return made;
  };

  return {
    add(who, errors, count = 1) {
      const met = new Set(errors.map((error) => groupOf({ ...error, attr: withoutIndexes(error.attr) })));
      for (const group of met) {
        group.count += count;
        if (group.samples.length < MOST_SAMPLES) group.samples.push(who);
      }
    },
    list: () => [...groups.values()].sort((a, b) => b.count - a.count || compare(idOf(a), idOf(b))),
  };
}

/** The last four characters, and never more than half of a number: a sample is to be found again, not to be read out. */
export function masked(number: string): string {
  const characters = [...number];
  const shown = Math.min(4, Math.floor(characters.length / 2));
  return `…${characters.slice(characters.length - shown).join('')}`;
}

/** "(did you mean `mobile`?)" after the path of an unknown field. */
export function hintOf(didYouMean: string | undefined): string {
  return didYouMean === undefined ? '' : ` (did you mean \`${didYouMean}\`?)`;
}

function idOf({ step, code, attr, didYouMean }: Omit<Met, 'detail'>): string {
  return JSON.stringify([step, code, attr, didYouMean]);
}

function withoutIndexes(attr: string): string {
  return attr
    .split('.')
    .map((part) => (/^\d+$/.test(part) ? '*' : part))
    .join('.');
}

function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}
