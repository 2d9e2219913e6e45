/** Exports `createGroups`, which groups errors by step, code and path, with the number of records and some samples. */
import { withoutIndexes } from '../../../validation/path-patterns.js';
import { isAboutMoney } from '../../../validation/warnings/rules.js';
import type { Step } from '../../ledger/ledger.js';
import { oneLine } from '../../shared/printable.js';
import { remedyOf } from './remedies.js';

/** A step, or `read` for errors of the line itself. */
export type Place = Step | 'read';

/** One kind of error, with the number of its records. */
export interface ErrorGroup {
  /** The step of the error. */
  step: Place;
  /** Stable, such as `invalid_phone_number`. */
  code: string;
  /** The path, with `*` for indexes: `customers.*.landline`. */
  attr: string;
  /** Number of records with it, or of lines without a record. */
  count: number;
  /** The first three places, such as `input.jsonl:2`; of warnings with the path, such as `input.jsonl:2 transactions.0.amount`. */
  samples: string[];
  /** The remedy. */
  remedy: string;
  /** For an unknown field: the most similar documented field. */
  didYouMean?: string | undefined;
  /** Details of the error at the first place, if there are more than the code: without values unless `showPersonalData` is set. */
  detail?: string | undefined;
}

type Met = Omit<ErrorGroup, 'count' | 'samples' | 'remedy'>;

/** Maximum number of groups: field names may be anything. Further errors are counted together. */
const MOST_GROUPS = 500;
const MOST_SAMPLES = 3;
const REST = { code: 'other_errors', attr: '' };

/** `order`: of samples; the first ones are kept. @default as they are added */
export function createGroups(before: readonly ErrorGroup[] = [], order = (_one: string, _other: string) => 0) {
  const groups = new Map<string, ErrorGroup>();
  for (const group of before) groups.set(idOf(group), { ...group, samples: [...group.samples] });

  const groupOf = (error: Met): ErrorGroup => {
    const known = groups.get(idOf(error));
    if (known !== undefined) return known;
    if (groups.size >= MOST_GROUPS && error.code !== REST.code) return groupOf({ step: error.step, ...REST });
    const { step, code, attr, didYouMean, detail } = error;
    const made: ErrorGroup = { step, code, attr, count: 0, samples: [], remedy: remedyOf(code) };
    if (didYouMean !== undefined) made.didYouMean = didYouMean;
    setDetail(made, detail);
    groups.set(idOf(error), made);
    return made;
  };

  return {
    /**
     * Adds all errors of one record; an error that occurs several times in it counts once. `count`: number of records with these errors,
     * of which `who` names some.
     */
    add(who: string | readonly string[], errors: readonly Met[], count = 1): void {
      const met = new Map(
        errors.map((error) => [groupOf({ ...error, attr: withoutIndexes(error.attr) }), error] as const).reverse(),
      );
      for (const [group, { code, detail }] of met) {
        group.count += count;
        const [first] = group.samples;
        for (const sample of [who].flat()) {
          if (group.samples.includes(sample)) continue;
          const last = group.samples.at(-1);
          if (last !== undefined && group.samples.length >= MOST_SAMPLES && order(last, sample) <= 0) continue;
          group.samples = [...group.samples, sample].sort(order).slice(0, MOST_SAMPLES);
        }
        // The text is that of the first place.
        if (group.code === code && group.samples[0] !== first) setDetail(group, detail);
      }
    },
    /** Returns the groups, the most frequent first. */
    list: () => inOrder(groups.values()),
  };
}

function setDetail(group: ErrorGroup, detail: string | undefined): void {
  if (detail === undefined) delete group.detail;
  else group.detail = detail;
}

function inOrder(groups: Iterable<ErrorGroup>): ErrorGroup[] {
  return [...groups].sort((a, b) => b.count - a.count || compare(idOf(a), idOf(b)));
}

/**
 * Returns the warnings about the records by themselves, and those that compare records: those about money first, then the most frequent.
 * `ofRecords` may have the others already, as a stored summary has.
 */
export function allWarnings(ofRecords: readonly ErrorGroup[], compared: readonly ErrorGroup[] = []): ErrorGroup[] {
  const warnings = inOrder(new Map([...ofRecords, ...compared].map((group) => [idOf(group), group])).values());
  return [...warnings.filter(isAboutMoney), ...warnings.filter((group) => !isAboutMoney(group))];
}

/** Compares places, because a distributed run writes its records in any order. */
export function byPlace(one: string, other: string): number {
  return one.localeCompare(other, 'en', { numeric: true });
}

/** Returns the groups with places and details of those of `located` that have as many records: these have columns and values. */
export function withPlaces(groups: readonly ErrorGroup[], located: readonly ErrorGroup[]): ErrorGroup[] {
  const known = new Map(located.map((group) => [idOf(group), group]));
  return groups.map((group) => {
    const found = known.get(idOf(group));
    if (found?.count !== group.count) return group;
    const placed = { ...group, samples: found.samples };
    setDetail(placed, found.detail);
    return placed;
  });
}

/** Returns the last four characters of a number, at most half of it: enough to find the record. */
export function masked(number: string): string {
  const characters = [...number];
  const shown = Math.min(4, Math.floor(characters.length / 2));
  return `…${oneLine(characters.slice(characters.length - shown).join(''))}`;
}

/** Returns "(did you mean `mobile`?)", for the path of an unknown field. */
export function hintOf(didYouMean: string | undefined): string {
  return didYouMean === undefined ? '' : ` (did you mean \`${didYouMean}\`?)`;
}

function idOf({ step, code, attr, didYouMean }: Omit<Met, 'detail'>): string {
  return JSON.stringify([step, code, attr, didYouMean]);
}

function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}
