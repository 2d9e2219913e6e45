/**
 * Exports the control totals of a run: the amounts of the input, those that the service confirmed item by item, and the reasons of
 * their difference, by supplier and type. `AmountTally` adds the amounts of records and of lines without a record.
 */
import {
  AMOUNT_TYPES,
  type AmountSum,
  type AmountSums,
  type AmountType,
  type ItemAmounts,
} from '../../ledger/amounts.js';
import type { LedgerRecord, RecordItems } from '../../ledger/ledger.js';
import type { ChangedItems } from '../../record/items/item-counts.js';
import { DecimalSum } from '../../shared/decimal.js';

/** The parts of the amounts of the input, in the order of the report. Their sums add up to the sum of the input. */
export const AMOUNT_PARTS = [
  'confirmed',
  'otherAmount',
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
   * Items that the service has with another amount than was sent: `sum` is the amounts that were sent, less those of the answers. These
   * items also count in `confirmed` or `alreadyImported`.
   */
  otherAmount: AmountSum;
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
  /** Records whose amounts are in no sum, because an earlier version of this program wrote them. */
  uncounted: number;
}

type Column = AmountPart | 'input';

const COLUMNS: readonly Column[] = ['input', ...AMOUNT_PARTS];

/** Adds the amounts of records and lines. Memory depends on the number of suppliers. */
export class AmountTally {
  readonly #suppliers = new Map<string, SumsByType>();
  /** Records whose amounts are not known. */
  uncounted = 0;

  /** Adds a record. `waits`: for a business that failed. */
  addRecord(record: Pick<LedgerRecord, 'supplier' | 'items' | RestFields>, waits: boolean): void {
    const amounts = amountsOf(record.items);
    if (amounts === 'unknown') {
      this.uncounted++;
      return;
    }
    for (const one of amounts) addAmounts(this.#of(record.supplier), one, restOf(record, waits), 1);
    const replaced = record.items?.replaced ?? null;
    if (replaced !== null) addCorrection(this.#of(record.supplier), replaced, amounts);
  }

  /** Adds the items of a line of which nothing is sent. */
  addLine(supplier: string, items: RecordItems, part: 'rejected' | 'skipped' | 'input'): void {
    const amounts = amountsOf(items);
    for (const { total } of amounts === 'unknown' ? [] : amounts) {
      this.#of(supplier).addSums(total, 'input');
      if (part !== 'input') this.#of(supplier).addSums(total, part);
    }
  }

  /** Adds a changed line: its items are in the input in place of those of its record. Unchanged items keep their outcomes. */
  addChange(record: Pick<LedgerRecord, 'supplier' | RestFields>, { before, kept, amounts }: ChangedItems): void {
    const known = before?.amounts ?? null;
    if (amounts === null || (before !== null && known === null)) return;
    const own = this.#of(record.supplier);
    if (known !== null && kept === 0) addAmounts(own, known, restOf(record, false), -1);
    for (const column of ['input', 'notSent'] as const) {
      own.addSums(amounts, column);
      if (known !== null && kept > 0) own.addSums(known.total, column, -1);
    }
  }

  /** Adds the amounts of another tally. */
  add(suppliers: readonly SupplierAmounts[]): void {
    for (const { supplier, types } of suppliers) {
      for (const { type, ...totals } of types) {
        for (const column of COLUMNS) this.#of(supplier).add(type, column, totals[column]);
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
  const missing = read === undefined || records.uncounted > 0 ? [] : missingFrom(records.types(), read.types());
  const all = new AmountTally();
  for (const part of [records.suppliers(), lines]) all.add(part);
  const suppliers = all.suppliers();
  all.add([{ supplier: '', types: missing }]);
  const types = all.types();
  const isExplained = types.every(({ notExplained: { count, sum } }) => count === 0 && sum === '0');
  return { types, suppliers, isExplained, uncounted: records.uncounted };
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

function isStatement(type: AmountType): boolean {
  return type === 'STATEMENT';
}

function countOf(totals: readonly AmountTotals[]): number {
  return totals.reduce((sum, { input }) => sum + input.count, 0);
}

class SumsByType {
  readonly #types = new Map<AmountType, Map<Column, { count: number; sum: DecimalSum }>>();

  addSums(sums: AmountSums, column: Column, sign: 1 | -1 = 1): void {
    for (const type in sums) {
      const own = sums[type as AmountType];
      if (own !== undefined) this.add(type as AmountType, column, own, sign);
    }
  }

  add(type: AmountType, column: Column, { count, sum }: Readonly<AmountSum>, sign: 1 | -1 = 1): void {
    if (count === 0 && sum === '0') return;
    let columns = this.#types.get(type);
    if (columns === undefined) {
      columns = new Map();
      this.#types.set(type, columns);
    }
    let own = columns.get(column);
    if (own === undefined) {
      own = { count: 0, sum: new DecimalSum() };
      columns.set(column, own);
    }
    own.count += sign * count;
    own.sum.add(sum, sign);
  }

  totals(): AmountTotals[] {
    return AMOUNT_TYPES.flatMap((type) => {
      const columns = this.#types.get(type);
      const totals = COLUMNS.map((column) => {
        const { count = 0, sum } = columns?.get(column) ?? {};
        return [column, { count, sum: sum?.text() ?? '0' }] as const;
      });
      const isUsed = totals.some(([, { count, sum }]) => count !== 0 || sum !== '0');
      return isUsed ? [{ type, ...(Object.fromEntries(totals) as Record<Column, AmountSum>) }] : [];
    });
  }
}

type RestFields = 'outcome' | 'errors' | 'missing';

/** Returns the part for those items of a record that have no outcome. */
function restOf({ outcome, errors, missing }: Pick<LedgerRecord, RestFields>, waits: boolean): AmountPart {
  if (waits) return 'waiting';
  switch (outcome) {
    case null:
      return 'unfinished';
    case 'rejected':
    case 'skipped':
      return outcome;
    case 'unknown':
      return 'notSent';
    default:
      // Each item that is not sent to an existing account is missing or has an error.
      return missing !== null || errors.length > 0 ? 'notSent' : 'notExplained';
  }
}

/** Returns the amounts of the kinds; `unknown` if an earlier version counted the items without their amounts. */
function amountsOf(items: RecordItems | null): ItemAmounts[] | 'unknown' {
  if (items === null) return 'unknown';
  const counts = [items.statements, items.transactions].filter((one) => one !== null);
  const amounts = counts.map(({ amounts }) => amounts).filter((one) => one !== null);
  return amounts.length < counts.length ? 'unknown' : amounts;
}

function addAmounts(to: SumsByType, amounts: ItemAmounts, rest: AmountPart, sign: 1 | -1): void {
  const { total, sent, alreadyImported, rejected, unknown, others } = amounts;
  to.addSums(total, 'input', sign);
  to.addSums(sent, 'confirmed', sign);
  // Almost all records: every item is confirmed as it was sent.
  if (sent === total) return;
  to.addSums(alreadyImported, 'alreadyImported', sign);
  to.addSums(rejected, 'rejected', sign);
  to.addSums(unknown, 'unknown', sign);
  const differing = others.map((other) => ({ type: other.type, sum: differenceOf(other.sent, [other.confirmed]) }));
  for (const { type, sum } of differing) to.add(type, 'otherAmount', { count: 1, sum }, sign);
  for (const type in total) {
    const own = total[type as AmountType];
    if (own === undefined) continue;
    const outcomes = [sent, alreadyImported, rejected, unknown].flatMap((sums) => sums[type as AmountType] ?? []);
    const explained = [...outcomes, ...differing.filter((other) => other.type === type)];
    const count = outcomes.reduce((left, outcome) => left - outcome.count, own.count);
    const left = {
      count,
      sum: differenceOf(
        own.sum,
        explained.map(({ sum }) => sum),
      ),
    };
    // More outcomes than items are a bug.
    to.add(type as AmountType, left.count < 0 ? 'notExplained' : rest, left, sign);
  }
}

/** Adds the difference between the line in the input and the corrected line. */
function addCorrection(to: SumsByType, replaced: AmountSums, amounts: readonly ItemAmounts[]): void {
  for (const column of ['input', 'corrected'] as const) {
    to.addSums(replaced, column);
    for (const { total } of amounts) to.addSums(total, column, -1);
  }
}

function differenceOf(sum: string, subtracted: readonly string[]): string {
  const left = new DecimalSum();
  left.add(sum);
  for (const one of subtracted) left.add(one, -1);
  return left.text();
}
