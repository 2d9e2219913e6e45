/**
 * Exports the control totals of a run: the amounts of the input, those that the service confirmed item by item, and the reasons of
 * their difference, by supplier and type. `AmountTally` adds the amounts of records and of lines without a record.
 */
import { AMOUNT_TYPES, type AmountSum, type AmountSums, type AmountType } from '../../ledger/amounts.js';
import type { Item, RecordItems } from '../../ledger/items.js';
import type { LedgerRecord } from '../../ledger/ledger.js';
import { isInInput } from '../../record/items/item-states.js';
import {
  amountsIn,
  confirmedAmount,
  confirmedSums,
  hasOtherAmount,
  isWithoutAmount,
} from '../../record/items/tally.js';
import { AmountTotal, differenceOf } from '../../shared/decimal.js';
import { OUTCOME_OF } from './item-totals.js';

/** The parts of the amounts of the input, in the order of the report. Their sums add up to the sum of the input. */
export const AMOUNT_PARTS = [
  'confirmed',
  'withoutAmount',
  'otherAmount',
  'computed',
  'corrected',
  'alreadyImported',
  'rejected',
  'skipped',
  'unknown',
  'notSent',
  'waiting',
  'unfinished',
  'notExplained',
] as const;

export type AmountPart = (typeof AMOUNT_PARTS)[number];

/** Amounts of one type: the sums of the parts add up to the sum of the input. */
export interface AmountTotals {
  /** The type of the transactions, `STATEMENT` for the gross amounts of statements, or `OTHER` for an unknown type. */
  type: AmountType;
  /** The input: also rejected lines and duplicates. */
  input: AmountSum;
  /** Added by this run, with the amounts of the answers. */
  confirmed: AmountSum;
  /**
   * Transactions that the service has, and that have an amount neither in the input nor in the answer. `sum` is 0. They also count in
   * `confirmed` or `alreadyImported`.
   */
  withoutAmount: AmountSum;
  /**
   * Items that the service has with another amount than was sent: `sum` is the amounts that were sent, less those of the answers. These
   * items also count in `confirmed` or `alreadyImported`. An amount of an answer that cannot be read counts as the one that was sent.
   */
  otherAmount: AmountSum;
  /** Items without an amount in the input: `sum` is the amounts of the answers, negative. They also count in `confirmed` or `alreadyImported`. */
  computed: AmountSum;
  /** What `retry` corrected: the amounts and items of the lines in the input, less those of the corrected lines. */
  corrected: AmountSum;
  /** The service had the item before: from an earlier request, or from before the run. */
  alreadyImported: AmountSum;
  /** Refused items, and items of rejected records and lines. */
  rejected: AmountSum;
  /** Items of skipped records, and of lines whose number another line has. */
  skipped: AmountSum;
  /** Items that may have been added. */
  unknown: AmountSum;
  /** Items that were not sent: the account existed before, its line changed after its creation, or its outcome is unknown. */
  notSent: AmountSum;
  /** Items of accounts that wait for a business. */
  waiting: AmountSum;
  /** Items of records without an outcome. */
  unfinished: AmountSum;
  /** The rest. Anything but 0 is a bug of this package. */
  notExplained: AmountSum;
  /** On the service, as this run sent it or found it there, and no longer in the input, which does not count it. */
  notInInput: AmountSum;
}

/** Amounts of one import supplier. */
export interface SupplierAmounts {
  /** Import supplier code; empty if the line has none. */
  supplier: string;
  /** By type; only those that occur. */
  types: AmountTotals[];
}

/** Amounts of the run. */
export interface AmountSummary {
  /** By type; only those that occur. */
  types: AmountTotals[];
  /** The same by import supplier, in the order of their codes. */
  suppliers: SupplierAmounts[];
  /** Whether nothing is left that no part explains. */
  isExplained: boolean;
}

/** All numbers of a type. */
export const AMOUNT_COLUMNS = ['input', ...AMOUNT_PARTS, 'notInInput'] as const;

type Column = (typeof AMOUNT_COLUMNS)[number];

/** Adds the amounts of records and lines. Memory depends on the number of suppliers. */
export class AmountTally {
  readonly #suppliers = new Map<string, SumsByType>();

  /** Adds a record. `waits`: for a business that failed. */
  addRecord(record: Pick<LedgerRecord, 'supplier' | 'outcome' | 'items'>, waits: boolean): void {
    const { items } = record;
    const own = this.#of(record.supplier);
    addItems(own, items, waits ? 'waiting' : PART_OF_OPEN[record.outcome ?? 'unfinished']);
    if (items.replaced === null) return;
    // What differs between the line in the input and the corrected line.
    for (const column of ['input', 'corrected'] as const) {
      own.addSums(items.replaced, column);
      own.addSums(amountsIn(items), column, -1);
    }
  }

  /** Adds a record that the service has, and that the input has no more. */
  addRemoved({ supplier, items }: Pick<LedgerRecord, 'supplier' | 'items'>): void {
    this.#of(supplier).addSums(confirmedSums(items), 'notInInput');
  }

  /** Adds the items of a line of which nothing is sent. */
  addLine(supplier: string, items: RecordItems, part: 'rejected' | 'skipped' | 'input'): void {
    this.#of(supplier).addSums(amountsIn(items), 'input');
    if (part !== 'input') this.#of(supplier).addSums(amountsIn(items), part);
  }

  /** Adds the amounts of another tally. */
  add(suppliers: readonly SupplierAmounts[]): void {
    for (const { supplier, types } of suppliers) {
      for (const { type, ...totals } of types) {
        for (const column of AMOUNT_COLUMNS) this.#of(supplier).add(type, column, totals[column]);
      }
    }
  }

  suppliers(): SupplierAmounts[] {
    return [...this.#suppliers]
      .map(([supplier, sums]) => ({ supplier, types: sums.totals() }))
      .filter(({ types }) => types.length > 0)
      .sort((one, other) => (one.supplier < other.supplier ? -1 : 1));
  }

  /** Returns the sums of all suppliers. */
  types(): AmountTotals[] {
    const all = new AmountTally();
    all.add(this.suppliers().map(({ types }) => ({ supplier: '', types })));
    return all.#of('').totals();
  }

  #of(supplier: string): SumsByType {
    let own = this.#suppliers.get(supplier);
    if (own === undefined) {
      own = new SumsByType();
      this.#suppliers.set(supplier, own);
    }
    return own;
  }
}

/**
 * Returns the totals of the run. `records`: with their changed lines; `lines`: lines without a record. `read`: the records that this
 * session has read, if it has read the whole input: amounts that are not in the ledger are not explained.
 */
export function amountSummary(
  records: AmountTally,
  lines: readonly SupplierAmounts[],
  read: AmountTally | undefined,
): AmountSummary {
  const missing = read === undefined ? [] : missingFrom(records.types(), read.types());
  const all = new AmountTally();
  for (const part of [records.suppliers(), lines]) all.add(part);
  const suppliers = all.suppliers();
  all.add([{ supplier: '', types: missing }]);
  const types = all.types();
  return { types, suppliers, isExplained: !types.some(({ notExplained }) => isUsed(notExplained)) };
}

/** Returns the amounts that were read and are not in the records. A session that continues a run reads only a part of its lines. */
function missingFrom(records: readonly AmountTotals[], read: readonly AmountTotals[]): AmountTotals[] {
  const isAllRead = (isOfKind: (type: AmountType) => boolean) =>
    countOf(read.filter(({ type }) => isOfKind(type))) >= countOf(records.filter(({ type }) => isOfKind(type)));
  const difference = new SumsByType();
  for (const isOfKind of [isStatement, (type: AmountType) => !isStatement(type)]) {
    if (!isAllRead(isOfKind)) continue;
    for (const column of ['input', 'notExplained'] as const) {
      for (const { type, input } of read) if (isOfKind(type)) difference.add(type, column, input);
      for (const { type, input } of records) if (isOfKind(type)) difference.add(type, column, input, -1);
    }
  }
  return difference.totals();
}

export function isUsed({ count, sum }: Readonly<AmountSum>): boolean {
  return count !== 0 || sum !== '0';
}

function isStatement(type: AmountType): boolean {
  return type === 'STATEMENT';
}

function countOf(totals: readonly AmountTotals[]): number {
  return totals.reduce((sum, { input }) => sum + input.count, 0);
}

class SumsByType {
  readonly #types = new Map<AmountType, Map<Column, AmountTotal>>();

  addSums(sums: AmountSums, column: Column, sign: 1 | -1 = 1): void {
    for (const type in sums) {
      const own = sums[type as AmountType];
      if (own !== undefined) this.add(type as AmountType, column, own, sign);
    }
  }

  add(type: AmountType, column: Column, amounts: Readonly<AmountSum>, sign: 1 | -1 = 1): void {
    if (!isUsed(amounts)) return;
    let columns = this.#types.get(type);
    if (columns === undefined) {
      columns = new Map();
      this.#types.set(type, columns);
    }
    let own = columns.get(column);
    if (own === undefined) {
      own = new AmountTotal();
      columns.set(column, own);
    }
    own.add(amounts, sign);
  }

  totals(): AmountTotals[] {
    return AMOUNT_TYPES.flatMap((type) => {
      const columns = this.#types.get(type);
      const totals = AMOUNT_COLUMNS.map(
        (column) => [column, columns?.get(column)?.total() ?? { count: 0, sum: '0' }] as const,
      );
      return totals.some(([, own]) => isUsed(own))
        ? [{ type, ...(Object.fromEntries(totals) as Record<Column, AmountSum>) }]
        : [];
    });
  }
}

/** The part for those items of a record that wait or are in a request, by its outcome. */
const PART_OF_OPEN: Readonly<Record<NonNullable<LedgerRecord['outcome']> | 'unfinished', AmountPart>> = {
  unfinished: 'unfinished',
  rejected: 'rejected',
  unknown: 'notSent',
  // No item of an account that exists and has ended waits.
  created: 'notExplained',
  alreadyImported: 'notExplained',
};

function addItems(to: SumsByType, items: RecordItems, open: AmountPart): void {
  let isAllThere = true;
  for (const item of [...items.statements, ...items.transactions]) {
    if (isInInput(item)) addItem(to, item, open);
    else isAllThere = false;
  }
  const isGone = (item: Item) => !isInInput(item);
  if (!isAllThere) to.addSums(confirmedSums(items, isGone), 'notInInput');
}

function addItem(to: SumsByType, item: Item, open: AmountPart): void {
  const { key, status, confirmed } = item;
  if (key.type === null) return;
  const sum = key.amount ?? '0';
  to.add(key.type, 'input', { count: 1, sum });
  const outcome = OUTCOME_OF[status];
  const part = outcome === 'open' ? open : outcome === 'sent' ? 'confirmed' : outcome;
  to.add(key.type, part, { count: 1, sum: confirmedAmount(item) });
  if (isWithoutAmount(item)) to.add(key.type, 'withoutAmount', { count: 1, sum: '0' });
  if (confirmed === null) return;
  const difference = differenceOf(sum, confirmedAmount(item));
  to.add(key.type, hasOtherAmount(item) ? 'otherAmount' : 'computed', { count: 1, sum: difference });
}
