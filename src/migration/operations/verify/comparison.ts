/** The result of comparing ledger and service: what differs, how to solve it, and the counts that report and command line show. */
import type { Verification } from '../../report/report.js';
import { masked } from '../../report/summary/error-groups.js';
import { ITEM_KINDS, ITEM_OUTCOME_WORDS, type ItemKind, type ItemSummary } from '../../report/summary/item-totals.js';
import { counted } from '../../shared/format.js';

/** `-` the service lacks it, `+` the service has it and the ledger does not say so, `!` both have it, and differ. */
type DifferenceSign = '-' | '+' | '!';

/** What can differ, and what to do about it. */
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
    remedy: 'Ask the operator which number counts. ok.csv has that of the ledger.',
  },
  notCreated: {
    sign: '+',
    what: 'Imported on the service, and not created in the ledger',
    remedy:
      'Run the same command again: it looks up unfinished records. Rejected records were imported by another program.',
  },
  notInLedger: {
    sign: '+',
    what: 'Imported on the service, and not in the ledger',
    remedy: 'They came with another run, or by hand. If that was not meant, ask the operator.',
  },
  listedTwice: {
    sign: '!',
    what: 'More than once in the list of the service',
    remedy: 'Ask the operator which entry counts: an account has one.',
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

/** What differs. */
export type DifferenceKind = Difference['kind'];

export interface Comparison {
  /** Accounts that the ledger says exist, and that the service has under the same number. */
  same: number;
  /** Accounts of the ledger that exist on neither side: rejected, skipped, or without an outcome. */
  notImported: number;
  /** Accounts that a run changed meanwhile, and whose entry in the list was read before that. */
  changed: number;
  /** The first differences that were found, as many as were asked for. */
  differences: Difference[];
  /** How many differences there are. */
  differing: number;
  /** Differences by kind, in the order of the table; kinds that were not found are left out. */
  byKind: ReadonlyMap<DifferenceKind, KindCount>;
  /** Items of the accounts that exist, as the ledger counts them: the service does not list items. */
  items: ItemSummary;
}

export interface KindCount {
  count: number;
  /** The external account numbers of the first of them. */
  samples: readonly string[];
}

/** Differences counted by their kind. */
export function countsOf({ byKind }: Comparison): { kind: DifferenceKind; count: number; words: string }[] {
  return [...byKind].map(([kind, { count }]) => {
    const { sign, what, remedy } = KINDS[kind];
    return { kind, count, words: `${sign} ${what}. ${remedy}` };
  });
}

const MISSING = ['notSent', 'rejected', 'unknown'] as const;

/** Of accounts that exist, how many items were not sent, rejected, or are unknown; and in words, empty for none. */
export function missingItems(items: ItemSummary): Record<(typeof MISSING)[number], number> & { words: string } {
  const counts = { notSent: 0, rejected: 0, unknown: 0 };
  const said = MISSING.flatMap((outcome) => {
    const kinds = ITEM_KINDS.filter((kind) => items[kind][outcome] > 0);
    for (const kind of kinds) counts[outcome] += items[kind][outcome];
    const each = kinds.map((kind) => counted(items[kind][outcome], ONE[kind]));
    return kinds.length === 0 ? [] : [`${counts[outcome]} ${ITEM_OUTCOME_WORDS[outcome]} (${each.join(', ')})`];
  });
  return { ...counts, words: said.length === 0 ? '' : `items of accounts that exist: ${said.join(', ')}` };
}

const ONE: Readonly<Record<ItemKind, string>> = {
  paymentInstructions: 'payment instruction',
  statements: 'statement',
  transactions: 'transaction',
  notes: 'note',
};

/** For the report: by kind, with a few to look at. */
export function verificationOf({ same, notImported, differing, byKind }: Comparison, at: string): Verification {
  const differences = [...byKind].map(([kind, { count, samples }]) => {
    const { what, remedy } = KINDS[kind];
    return { what, count, samples: samples.map(masked), remedy };
  });
  // Of an account that is listed twice its first entry is counted, too.
  const twice = byKind.get('listedTwice')?.count ?? 0;
  return { at, compared: same + notImported + differing - twice, differences };
}

const MOST_SAMPLES = 3;

/** Collects the results of a comparison. Those of an incomplete list can be removed again. */
export class Findings {
  same = 0;
  notImported = 0;
  changed = 0;
  differences: Difference[] = [];
  readonly #counts = new Map<DifferenceKind, { count: number; samples: string[] }>();

  constructor(readonly limit: number) {}

  get differing(): number {
    return [...this.#counts.values()].reduce((sum, { count }) => sum + count, 0);
  }

  get byKind(): ReadonlyMap<DifferenceKind, KindCount> {
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
    counted.count++;
    if (counted.samples.length < MOST_SAMPLES) counted.samples.push(number);
  }

  /** A function that takes back what is added from now on. */
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
