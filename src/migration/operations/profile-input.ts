/** Exports `profileInput`: what is in an input, without its personal data: the fields, and the amounts by type and sign. */
import { createFieldProfile, type FieldProfile } from '../../validation/records/field-profile.js';
import type { AccountRecord } from '../../validation/records/import-record.js';
import type { Input } from '../input/source.js';
import { AMOUNT_TYPES, type AmountSum, type AmountSums, type AmountType } from '../ledger/amounts.js';
import { sumsOf } from '../record/items/item-amounts.js';
import { instructionsOf } from '../record/items/items.js';
import { DecimalSum, decimalText } from '../shared/decimal.js';
import type { ItemTotals } from '../shared/format.js';

/** Amounts of one type, by sign. */
export interface AmountProfile {
  type: AmountType;
  positive: AmountSum;
  negative: AmountSum;
  /** Number of items with the amount 0. */
  zero: number;
  /** Number of items without an amount, or with one that is no number. */
  without: number;
}

export interface InputProfile {
  /** Lines, and those of them that have no record. */
  lines: number;
  unread: number;
  populates: number;
  businesses: number;
  accounts: number;
  items: ItemTotals;
  amounts: AmountProfile[];
  fields: FieldProfile[];
}

/** Reads the input once. Memory does not depend on the number of records. */
export async function profileInput(input: Input): Promise<InputProfile> {
  const profile = createFieldProfile();
  const amounts = new Map(AMOUNT_TYPES.map((type) => [type, new SignedAmounts()]));
  const counts = { lines: 0, unread: 0, populates: 0, businesses: 0, accounts: 0 };
  const items: ItemTotals = { paymentInstructions: 0, statements: 0, transactions: 0, notes: 0 };
  for await (const item of input) {
    counts.lines++;
    const read = item.read();
    if (!('record' in read)) {
      counts.unread++;
      continue;
    }
    const { record } = read;
    profile.add(record);
    if ('business' in record) counts.businesses++;
    else if ('account' in record) counts.accounts++;
    else counts.populates++;
    items.paymentInstructions += lengthOf(instructionsOf(record));
    const { statements, transactions, notes } = record as Partial<AccountRecord>;
    items.notes += lengthOf(notes);
    for (const [kind, list] of [
      ['statements', statements],
      ['transactions', transactions],
    ] as const) {
      items[kind] += lengthOf(list);
      if (!Array.isArray(list)) continue;
      for (const one of list as readonly unknown[]) {
        const { gross_amount, amount } = (one ?? {}) as { gross_amount?: unknown; amount?: unknown };
        add(amounts, sumsOf(kind, [one]), kind === 'statements' ? gross_amount : amount);
      }
    }
  }
  const used = [...amounts].flatMap(([type, own]) => own.profile(type));
  return { ...counts, items, amounts: used, fields: profile.fields() };
}

/** `sums`: of this item only. */
function add(amounts: ReadonlyMap<AmountType, SignedAmounts>, sums: AmountSums | null, amount: unknown): void {
  for (const type in sums) amounts.get(type as AmountType)?.add(amount);
}

class SignedAmounts {
  readonly #sums = { positive: new DecimalSum(), negative: new DecimalSum() };
  readonly #counts = { positive: 0, negative: 0, zero: 0, without: 0 };

  add(amount: unknown): void {
    const text = decimalText(amount);
    if (text === undefined || text === '0') {
      this.#counts[text === undefined ? 'without' : 'zero']++;
      return;
    }
    const sign = text.startsWith('-') ? 'negative' : 'positive';
    this.#counts[sign]++;
    this.#sums[sign].add(text);
  }

  /** Empty if there are no items of the type. */
  profile(type: AmountType): AmountProfile[] {
    const { positive, negative, zero, without } = this.#counts;
    if (positive + negative + zero + without === 0) return [];
    const sum = (sign: 'positive' | 'negative') => ({ count: this.#counts[sign], sum: this.#sums[sign].text() });
    return [{ type, positive: sum('positive'), negative: sum('negative'), zero, without }];
  }
}

function lengthOf(list: unknown): number {
  return Array.isArray(list) ? list.length : 0;
}
