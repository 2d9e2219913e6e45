/**
 * Exports the sums of the amounts of items: `sumsOf` a list, `amountsOfStep` by the outcomes of a step, and how they change in a record.
 * Transactions have amounts, and statements gross amounts.
 */
import { TRANSACTION_TYPES } from '../../../../schemas/values.js';
import {
  AMOUNT_TYPES,
  type AmountSum,
  type AmountSums,
  type AmountType,
  type ItemAmounts,
  type OtherAmount,
} from '../../ledger/amounts.js';
import type { ItemStep } from '../../ledger/ledger.js';
import { Amounts } from '../../ledger/sql/amounts-text.js';
import { DecimalSum, decimalText, isSameDecimal } from '../../shared/decimal.js';
import type { ItemOutcomes } from './item-outcomes.js';

const NO_SUMS: AmountSums = {};
const NO_OTHERS: readonly OtherAmount[] = [];

/** Sums of the amounts of the items that a step sent, by outcome. */
export type StepAmounts = Pick<ItemAmounts, 'sent' | 'alreadyImported' | 'rejected' | 'unknown' | 'others'>;

/** Returns the sums of the items; null for a kind without amounts. The items may be unchecked. */
export function sumsOf(step: ItemStep, list: readonly unknown[]): AmountSums | null {
  if (!hasAmounts(step)) return null;
  const sums = new SumsByType();
  for (const item of list) sums.add(typeOf(step, item), amountOf(step, item));
  return sums.sums();
}

/** Returns type and amount of one item, which may be unchecked. */
export function typedAmount(step: 'statements' | 'transactions', item: unknown): { type: AmountType; amount: unknown } {
  return { type: typeOf(step, item), amount: amountOf(step, item) };
}

/** Returns the amounts of a record before anything is sent. `earlier`: those that the service confirmed of earlier versions of the line. */
export function untriedAmounts(total: AmountSums | null, earlier: AmountSums = NO_SUMS): ItemAmounts | null {
  return total === null ? null : new Amounts(total, NO_SUMS, NO_SUMS, NO_SUMS, NO_SUMS, NO_SUMS, NO_OTHERS, earlier);
}

/**
 * Returns the sums by the outcomes of a step; undefined for a kind without amounts. `attempted`: the positions of the items that it
 * sent, null for all. `total`: the sums of the whole list.
 */
export function amountsOfStep(
  step: ItemStep,
  list: readonly unknown[],
  attempted: readonly number[] | null,
  { alreadyImported = [], rejected = [], unknown = [], notSent = [], otherAmounts = [] }: ItemOutcomes,
  total: AmountSums | null,
): StepAmounts | undefined {
  if (total === null) return undefined;
  const exceptions = alreadyImported.length + rejected.length + unknown.length + notSent.length + otherAmounts.length;
  if (attempted === null && exceptions === 0) return stepAmounts(total, NO_SUMS, NO_SUMS, NO_SUMS, NO_OTHERS);

  const outcomes = new Map<number, SumsByType>();
  const [sent, there, refused, lost, left] = [1, 2, 3, 4, 5].map(() => new SumsByType()) as FiveSums;
  for (const position of alreadyImported) outcomes.set(position, there);
  for (const position of rejected) outcomes.set(position, refused);
  for (const position of unknown) outcomes.set(position, lost);
  for (const position of notSent) outcomes.set(position, left);
  const confirmed = new Map(otherAmounts.map(({ position, amount }) => [position, amount]));
  for (const position of attempted ?? list.keys()) {
    if (position >= list.length) continue;
    const item = list[position];
    const amount = confirmed.get(position) ?? amountOf(step, item);
    (outcomes.get(position) ?? sent).add(typeOf(step, item), amount);
  }
  const others = otherAmounts.map(
    ({ position, amount }): OtherAmount => ({
      position,
      type: typeOf(step, list[position]),
      sent: decimalText(amountOf(step, list[position])) ?? '0',
      confirmed: amount,
    }),
  );
  return stepAmounts(sent.sums(), there.sums(), refused.sums(), lost.sums(), others);
}

type FiveSums = [SumsByType, SumsByType, SumsByType, SumsByType, SumsByType];

/** Returns the amounts after a step. `after`: undefined if they are not known, so that those of the record are not known any more. */
export function addStep(
  before: ItemAmounts | null,
  after: StepAmounts | undefined,
  total: AmountSums | null,
): ItemAmounts | null {
  if (before === null || after === undefined) return null;
  return new Amounts(
    total ?? before.total,
    sumOfBoth(before.sent, after.sent),
    sumOfBoth(before.alreadyImported, after.alreadyImported),
    sumOfBoth(before.rejected, after.rejected),
    sumOfBoth(before.unknown, after.unknown),
    NO_SUMS,
    after.others.length === 0 ? before.others : [...before.others, ...after.others],
    before.earlier,
  );
}

/** Returns the amounts with the items of a request that was added, although no answer came. */
export function addFound(before: ItemAmounts | null, isAll: boolean): ItemAmounts | null {
  if (before === null) return null;
  const found = isAll ? before.total : before.sending;
  return addStep(before, stepAmounts(found, NO_SUMS, NO_SUMS, NO_SUMS, NO_OTHERS), null);
}

/**
 * Returns the amounts after items with an unknown outcome were found to be added, or (`isAdded: false`) not to be. `isSending`: the
 * request of the intent is among them.
 */
export function resolveUnknown(before: ItemAmounts | null, isAdded: boolean, isSending: boolean): ItemAmounts | null {
  if (before === null) return null;
  const { total, sent, alreadyImported, rejected, unknown, sending, others, earlier } = before;
  const found = isSending ? sumOfBoth(unknown, sending) : unknown;
  return new Amounts(
    total,
    isAdded ? sumOfBoth(sent, found) : sent,
    alreadyImported,
    rejected,
    NO_SUMS,
    NO_SUMS,
    others,
    earlier,
  );
}

/** Returns the amounts of a record whose refused and possibly added items are sent again. */
export function amountsToSendAgain(before: ItemAmounts | null, total: AmountSums | undefined): ItemAmounts | null {
  if (before === null) return null;
  const { sent, alreadyImported, others, earlier } = before;
  return new Amounts(total ?? before.total, sent, alreadyImported, NO_SUMS, NO_SUMS, NO_SUMS, others, earlier);
}

export function withTotal(before: ItemAmounts | null, total: AmountSums | null): ItemAmounts | null {
  if (before === null || total === null) return before;
  const { sent, alreadyImported, rejected, unknown, sending, others, earlier } = before;
  return new Amounts(total, sent, alreadyImported, rejected, unknown, sending, others, earlier);
}

/** Returns the sums of everything that the service has confirmed for any version of the line; empty if they are not known. */
export function confirmedAmounts(amounts: ItemAmounts | null): AmountSums {
  if (amounts === null) return NO_SUMS;
  const { sent, alreadyImported, earlier } = amounts;
  // The items that the service had already are those of the earlier versions, if there are any.
  return sumOfBoth(sent, countIn(earlier) > countIn(alreadyImported) ? earlier : alreadyImported);
}

function countIn(sums: AmountSums): number {
  return Object.values(sums).reduce((all, { count }) => all + count, 0);
}

/**
 * Returns other amounts of items that the service had already, by their positions in the list. A service may answer with the amount that was
 * sent now and not with the one that it has: of items that an earlier version of the line has added, the sum that the service confirmed then
 * counts. If it differs, the first of the items stands for all: which one has changed is not known.
 */
export function amountsConfirmedBefore(
  before: ItemAmounts | null,
  list: readonly unknown[],
  { alreadyImported = [], otherAmounts = [] }: ItemOutcomes,
): { position: number; amount: string }[] {
  if (before === null || before.earlier === NO_SUMS || alreadyImported.length === 0) return [];
  const now = new SumsByType();
  const confirmed = new Map(otherAmounts.map(({ position, amount }) => [position, amount]));
  const amountAt = (position: number) => confirmed.get(position) ?? amountOf('transactions', list[position]);
  for (const position of alreadyImported) now.add(typeOf('transactions', list[position]), amountAt(position));
  const found = sumOfBoth(before.alreadyImported, now.sums());
  // Until all of them were sent again, or if the line has fewer, the sums cannot be compared.
  if (countIn(found) !== countIn(before.earlier)) return [];
  return AMOUNT_TYPES.flatMap((type) => {
    const position = alreadyImported.find((one) => typeOf('transactions', list[one]) === type);
    const [sum, former] = [found[type]?.sum ?? '0', before.earlier[type]?.sum ?? '0'];
    if (position === undefined || isSameDecimal(sum, former)) return [];
    const amount = new DecimalSum();
    amount.add(amountAt(position));
    amount.add(former);
    amount.add(sum, -1);
    return [{ position, amount: amount.text() }];
  });
}

/** Returns the outcomes with these other amounts in place of those at the same positions. */
export function withOtherAmounts(
  outcomes: ItemOutcomes,
  others: readonly { position: number; amount: string }[],
): ItemOutcomes {
  if (others.length === 0) return outcomes;
  const kept = (outcomes.otherAmounts ?? []).filter((one) => others.every(({ position }) => position !== one.position));
  return { ...outcomes, otherAmounts: [...kept, ...others] };
}

/** Returns the amounts with those of the items in the request of the intent. */
export function withSending(before: ItemAmounts | null, sending: AmountSums): ItemAmounts | null {
  if (before === null) return null;
  const { total, sent, alreadyImported, rejected, unknown, others, earlier } = before;
  return new Amounts(total, sent, alreadyImported, rejected, unknown, sending, others, earlier);
}

/** Returns the sums of the items at the positions; null for a kind without amounts. */
export function sumsAt(step: ItemStep, list: readonly unknown[], positions: readonly number[]): AmountSums | null {
  return sumsOf(
    step,
    positions.filter((position) => position < list.length).map((position) => list[position]),
  );
}

function stepAmounts(
  sent: AmountSums,
  alreadyImported: AmountSums,
  rejected: AmountSums,
  unknown: AmountSums,
  others: readonly OtherAmount[],
): StepAmounts {
  return { sent, alreadyImported, rejected, unknown, others };
}

function sumOfBoth(one: AmountSums, other: AmountSums): AmountSums {
  if (one === NO_SUMS) return other;
  if (other === NO_SUMS) return one;
  const sums = new SumsByType();
  for (const part of [one, other]) {
    for (const type of Object.keys(part) as AmountType[]) sums.add(type, part[type]?.sum, part[type]?.count);
  }
  return sums.sums();
}

class SumsByType {
  readonly #sums: { [Type in AmountType]?: { count: number; sum: DecimalSum } } = {};

  add(type: AmountType, amount: unknown, count = 1): void {
    let own = this.#sums[type];
    if (own === undefined) {
      own = { count: 0, sum: new DecimalSum() };
      this.#sums[type] = own;
    }
    own.count += count;
    own.sum.add(amount);
  }

  /** In the order of the types, so that equal sums have the same text in the ledger. */
  sums(): AmountSums {
    let sums: Partial<Record<AmountType, AmountSum>> | undefined;
    for (const type of AMOUNT_TYPES) {
      const own = this.#sums[type];
      if (own === undefined) continue;
      sums ??= {};
      sums[type] = { count: own.count, sum: own.sum.text() };
    }
    return sums ?? NO_SUMS;
  }
}

function hasAmounts(step: ItemStep): boolean {
  return step === 'transactions' || step === 'statements';
}

function typeOf(step: ItemStep, item: unknown): AmountType {
  if (step === 'statements') return 'STATEMENT';
  const { type } = (item ?? {}) as { type?: unknown };
  return (TRANSACTION_TYPES as readonly unknown[]).includes(type) ? (type as AmountType) : 'OTHER';
}

function amountOf(step: ItemStep, item: unknown): unknown {
  const { amount, gross_amount } = (item ?? {}) as { amount?: unknown; gross_amount?: unknown };
  return step === 'statements' ? gross_amount : amount;
}
