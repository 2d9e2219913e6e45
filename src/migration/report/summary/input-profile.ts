/**
 * Exports `createInputProfile`: what is in an input, without its personal data: the fields, and the amounts by type and sign. `profile`
 * and a run use it; a run continues it in its next session.
 */
import { createFieldProfile, type FieldProfile, type FieldStats } from '../../../validation/records/field-profile.js';
import type { AccountRecord, ImportRecord } from '../../../validation/records/import-record.js';
import { AMOUNT_TYPES, type AmountSum, type AmountType } from '../../ledger/amounts.js';
import { typedAmount } from '../../record/items/item-keys.js';
import { AmountTotal, DecimalSum, decimalText, hundredthsOf } from '../../shared/decimal.js';

/** Amounts of one type, by sign. */
export interface AmountProfile {
  type: AmountType;
  positive: AmountSum;
  negative: AmountSum;
  /** Number of items with the amount 0. */
  zero: number;
  /** Number of items without an amount, or with one that is no number. */
  without: number;
  /** Sum of all amounts; the lowest and the highest of them. Decimals in text; missing if no item has an amount. */
  net?: string | undefined;
  least?: string | undefined;
  most?: string | undefined;
}

export interface RecordsProfile {
  amounts: AmountProfile[];
  fields: FieldProfile[];
}

/** What a profile has counted, to be continued in another session. */
export interface ProfileState {
  fields: FieldStats[];
  amounts: AmountProfile[];
}

/** Memory does not depend on the number of records. `before`: what an earlier profile has counted. */
export function createInputProfile(before?: ProfileState) {
  const fields = createFieldProfile(before?.fields);
  const amounts = new Map(AMOUNT_TYPES.map((type) => [type, new SignedAmounts()]));
  for (const former of before?.amounts ?? []) amounts.get(former.type)?.restore(former);
  const addItems = (kind: 'statements' | 'transactions', list: unknown) => {
    if (!Array.isArray(list)) return;
    for (const item of list) {
      const { type, amount } = typedAmount(kind, item);
      amounts.get(type)?.add(amount);
    }
  };
  const profiled = () => [...amounts].flatMap(([type, own]) => own.profile(type));
  return {
    add(record: ImportRecord): void {
      fields.add(record);
      const { statements, transactions } = record as Partial<AccountRecord>;
      addItems('statements', statements);
      addItems('transactions', transactions);
    },
    profile: (): RecordsProfile => ({ amounts: profiled(), fields: fields.fields() }),
    state: (): ProfileState => ({ amounts: profiled(), fields: fields.stats() }),
  };
}

class SignedAmounts {
  readonly #positive = new AmountTotal();
  readonly #negative = new AmountTotal();
  readonly #counts = { zero: 0, without: 0 };
  #least: Extreme | undefined;
  #most: Extreme | undefined;

  add(amount: unknown): void {
    // Most amounts have at most two decimals.
    const hundredths = hundredthsOf(amount);
    const text = hundredths === undefined ? decimalText(amount) : undefined;
    if (hundredths === undefined && text === undefined) {
      this.#counts.without++;
      return;
    }
    const value = hundredths === undefined ? Number(text) : hundredths / 100;
    this.#addToRange(value, amount);
    if (hundredths === 0 || text === '0') {
      this.#counts.zero++;
      return;
    }
    const total = value < 0 || text?.startsWith('-') ? this.#negative : this.#positive;
    total.add({ count: 1, sum: amount });
  }

  restore({ positive, negative, zero, without, least, most }: AmountProfile): void {
    this.#counts.zero += zero;
    this.#counts.without += without;
    this.#positive.add(positive);
    this.#negative.add(negative);
    for (const text of [least, most]) if (text !== undefined) this.#addToRange(Number(text), text);
  }

  /** Empty if there are no items of the type. */
  profile(type: AmountType): AmountProfile[] {
    const [positive, negative] = [this.#positive.total(), this.#negative.total()];
    const { zero, without } = this.#counts;
    if (positive.count + negative.count + zero + without === 0) return [];
    const found = { type, positive, negative, zero, without };
    if (this.#least === undefined || this.#most === undefined) return [found];
    const net = new DecimalSum();
    net.add(positive.sum);
    net.add(negative.sum);
    const [least, most] = [this.#least, this.#most].map(({ amount }) => decimalText(amount));
    return [{ ...found, net: net.text(), least, most }];
  }

  #addToRange(value: number, amount: unknown): void {
    if (this.#least === undefined || value < this.#least.value) this.#least = { value, amount };
    if (this.#most === undefined || value > this.#most.value) this.#most = { value, amount };
  }
}

/** The lowest or the highest amount. */
interface Extreme {
  value: number;
  amount: unknown;
}
