/** Exports `Comparison`, the result of comparing ledger and service: differences with remedies, and counts for report and command line. */
import type { Verification } from '../../report/report.js';
import { masked } from '../../report/summary/error-groups.js';
import type { ItemSummary } from '../../report/summary/item-totals.js';
import { addPlace, type CountedPlaces } from '../../shared/counted-places.js';
import { counted, ITEM_KINDS, oneOf, spaced } from '../../shared/format.js';

/** `-` the service lacks it, `+` the service has it and the ledger does not say so, `!` both have it, and differ. */
type DifferenceSign = '-' | '+' | '!';

/** The kinds of differences, with their remedies. */
const KINDS = {
  missing: {
    sign: '-',
    what: 'Created in the ledger, and not known to the service',
    remedy: 'Ask the operator whether they were removed. If they were, run them in a new folder.',
  },
  onlyStaged: {
    sign: '!',
    what: 'Created in the ledger, and only staged on the service',
    remedy: 'Ask the operator whether they were deleted or renumbered before you send anything again.',
  },
  otherNumber: {
    sign: '!',
    what: 'Known by another number on the service than in the ledger',
    remedy: 'Ask the operator which number is correct. ok.csv has that of the ledger.',
  },
  notCreated: {
    sign: '+',
    what: 'Imported on the service, and not created in the ledger',
    remedy:
      'While a run is active, its calls in flight are among them: give verify again after the run. Otherwise continue the run, which looks up unfinished records. Rejected records were imported by another program.',
  },
  notInLedger: {
    sign: '+',
    what: 'Imported on the service, and not in the ledger',
    remedy: 'Another run or a person has imported them. If that was not intended, ask the operator.',
  },
  sharedNumber: {
    sign: '!',
    what: 'Under the same number of the service as another record of the ledger',
    remedy: 'An answer belonged to another request: ask the operator which of them exist, and under which numbers.',
  },
  listedTwice: {
    sign: '!',
    what: 'More than once in the list of the service',
    remedy: 'Ask the operator which entry is correct: each account should have one.',
  },
} as const satisfies Record<string, { sign: DifferenceSign; what: string; remedy: string }>;

export interface Difference {
  kind: keyof typeof KINDS;
  sign: DifferenceSign;
  supplier: string;
  /** External account number. */
  number: string;
  what: string;
}

/** The kind of a difference. */
export type DifferenceKind = Difference['kind'];

export interface Comparison extends Omit<Findings, 'limit' | 'count' | 'add' | 'mark'> {
  /** Items of the existing accounts, as counted in the ledger: the service does not list items. */
  items: ItemSummary;
}

/** Returns the number of differences by kind. */
export function countsOf({ byKind }: Comparison): { kind: DifferenceKind; count: number; words: string }[] {
  return [...byKind].map(([kind, { count }]) => {
    const { sign, what, remedy } = KINDS[kind];
    return { kind, count, words: `${sign} ${what}. ${remedy}` };
  });
}

const MISSING = ['notSent', 'rejected', 'unknown'] as const;

/** Returns how many items of existing accounts were not sent, rejected, or are unknown, also in words; empty if none. */
export function missingItems(items: ItemSummary): Record<(typeof MISSING)[number], number> & { words: string } {
  const counts = { notSent: 0, rejected: 0, unknown: 0 };
  const said = MISSING.flatMap((outcome) => {
    const kinds = ITEM_KINDS.filter((kind) => items[kind][outcome] > 0);
    for (const kind of kinds) counts[outcome] += items[kind][outcome];
    const each = kinds.map((kind) => counted(items[kind][outcome], oneOf(kind)));
    return kinds.length === 0 ? [] : [`${counts[outcome]} ${spaced(outcome)} (${each.join(', ')})`];
  });
  return { ...counts, words: said.length === 0 ? '' : `items of accounts that exist: ${said.join(', ')}` };
}

/** Returns `Not compared: 480 transactions, 2 notes. …`, with the items that the service has, or may have; empty without them. */
export function notComparedInWords(items: ItemSummary): string {
  const kinds = ITEM_KINDS.map((kind) => ({
    kind,
    count: items[kind].sent + items[kind].alreadyImported + items[kind].unknown,
  }));
  const each = kinds.filter(({ count }) => count > 0).map(({ kind, count }) => counted(count, oneOf(kind)));
  if (each.length === 0) return '';
  return `Not compared: ${each.join(', ')}. The service does not list items; --extract compares amounts with an extract of the operator.`;
}

/** Returns the result for the report: counts by kind, with a few samples. */
export function verificationOf({ same, notImported, differing, byKind }: Comparison, at: string): Verification {
  const differences = [...byKind].map(([kind, { count, samples }]) => {
    const { what, remedy } = KINDS[kind];
    return { what, count, samples: samples.map(masked), remedy };
  });
  // The first entry of an account that is listed twice counts as well, and so does the entry of an account with a shared number.
  const twice = (byKind.get('listedTwice')?.count ?? 0) + (byKind.get('sharedNumber')?.count ?? 0);
  return { at, compared: same + notImported + differing - twice, differences };
}

/** Collects the results of a comparison. Those of an incomplete list can be removed again. */
export class Findings {
  /** Number of accounts that ledger and service have under the same number. */
  same = 0;
  /** Number of those that the service's list leaves out: only a query about the account shows it. */
  notListed = 0;
  /** Number of accounts of the ledger that do not exist: rejected, skipped, or without an outcome. */
  notImported = 0;
  /** Number of accounts that a run changed after their list entry was read. */
  changed = 0;
  /** The first differences, up to `limit`. */
  differences: Difference[] = [];
  /** With the first external account numbers. */
  readonly #counts = new Map<DifferenceKind, CountedPlaces>();

  constructor(readonly limit: number) {}

  /** Number of all differences. */
  get differing(): number {
    return [...this.#counts.values()].reduce((sum, { count }) => sum + count, 0);
  }

  /** Differences by kind, in the order of the table, without kinds that were not found. */
  get byKind(): ReadonlyMap<DifferenceKind, CountedPlaces> {
    const kinds = Object.keys(KINDS) as DifferenceKind[];
    return new Map(kinds.flatMap((kind) => [...this.#counts].filter(([one]) => one === kind)));
  }

  count(outcome: 'agrees' | 'notImported'): void {
    if (outcome === 'agrees') this.same++;
    else this.notImported++;
  }

  add({ supplier, number }: { supplier: string; number: string }, kind: DifferenceKind, what: string): void {
    if (this.differences.length < this.limit) {
      this.differences.push({ kind, sign: KINDS[kind].sign, supplier, number, what });
    }
    const counted = this.#counts.get(kind) ?? { count: 0, samples: [] };
    this.#counts.set(kind, counted);
    addPlace(counted, number);
  }

  /** Returns a function that removes all findings added after this call. */
  mark(): () => void {
    const { same, notImported, differences } = this;
    const kept = differences.length;
    const counts = structuredClone(this.#counts);
    return () => {
      Object.assign(this, { same, notImported });
      differences.length = kept;
      this.#counts.clear();
      for (const [kind, { count, samples }] of counts) this.#counts.set(kind, { count, samples: [...samples] });
    };
  }
}
