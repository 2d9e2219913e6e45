/**
 * Exports the encoding of the amounts of a record as text, such as `C2:37.5,P1:30;=`: the sums of each outcome, separated by semicolons,
 * and of each type as letter, number of items and sum. `=` stands for the sums of the whole line. It is short, because every write
 * contains it.
 */
import {
  AMOUNT_TYPES,
  type AmountSum,
  type AmountSums,
  type AmountType,
  type ItemAmounts,
  type OtherAmount,
} from '../amounts.js';

const LETTERS: Readonly<Record<AmountType, string>> = {
  CHARGE: 'C',
  CREDIT: 'R',
  PAYMENT: 'P',
  REPAYMENT: 'Y',
  SUPPLY_CHARGE: 'S',
  STATEMENT: 'T',
  OTHER: 'O',
};
const TYPES = new Map(AMOUNT_TYPES.map((type) => [LETTERS[type], type]));

const SAME = '=';

/** Amounts that keep their text: most writes of a record contain the same amounts as the write before. */
export class Amounts implements ItemAmounts {
  #text: string | undefined;

  constructor(
    readonly total: AmountSums,
    readonly sent: AmountSums,
    readonly alreadyImported: AmountSums,
    readonly rejected: AmountSums,
    readonly unknown: AmountSums,
    readonly sending: AmountSums,
    readonly others: readonly OtherAmount[],
    readonly earlier: AmountSums,
  ) {}

  /** Returns the text for the ledger. */
  text(): string {
    this.#text ??= textOf(this);
    return this.#text;
  }
}

export function amountsToText(amounts: ItemAmounts): string {
  return amounts instanceof Amounts ? amounts.text() : textOf(amounts);
}

function textOf(amounts: ItemAmounts): string {
  const { total, sent, alreadyImported, rejected, unknown, sending, others, earlier } = amounts;
  let text = sumsToText(total);
  const whole = text;
  let empty = '';
  // Joined by hand, and without the empty parts at the end: this runs for every record.
  const add = (part: string) => {
    empty += ';';
    if (part === '') return;
    text += `${empty}${part === whole ? SAME : part}`;
    empty = '';
  };
  add(sent === total ? whole : sumsToText(sent));
  add(sumsToText(alreadyImported));
  add(sumsToText(rejected));
  add(sumsToText(unknown));
  add(sumsToText(sending));
  add(others.length === 0 ? '' : others.map(otherToText).join(','));
  add(sumsToText(earlier));
  return text;
}

function otherToText({ position, type, sent, confirmed }: OtherAmount): string {
  return `${LETTERS[type]}${position}:${sent}:${confirmed}`;
}

/** Throws a `TypeError` for a text that a run does not write. */
export function amountsFromText(text: unknown): ItemAmounts {
  if (typeof text !== 'string') throw new TypeError('not what a run writes');
  const [whole = '', ...parts] = text.split(';');
  const total = sumsFromText(whole);
  const [sent, alreadyImported, rejected, unknown, sending, earlier] = [0, 1, 2, 3, 4, 6].map((index) => {
    const part = parts[index] ?? '';
    return part === SAME ? total : sumsFromText(part);
  }) as [AmountSums, AmountSums, AmountSums, AmountSums, AmountSums, AmountSums];
  const others = entriesIn(parts[5] ?? '', OTHER).map(
    ([, letter, position, own = '', confirmed = '']): OtherAmount => ({
      position: Number(position),
      type: typeOf(letter),
      sent: own,
      confirmed,
    }),
  );
  return new Amounts(total, sent, alreadyImported, rejected, unknown, sending, others, earlier);
}

/** Returns sums as text, such as `C2:37.5,P1:30`. */
export function sumsToText(sums: AmountSums): string {
  let text = '';
  for (const name in sums) {
    const type = name as AmountType;
    const own = sums[type];
    if (own !== undefined) text += `${text === '' ? '' : ','}${LETTERS[type]}${own.count}:${own.sum}`;
  }
  return text;
}

const SUM = /^([A-Z])(\d{1,15}):(-?\d+(?:\.\d+)?)$/;
const OTHER = /^([A-Z])(\d{1,15}):(-?\d+(?:\.\d+)?):(-?\d+(?:\.\d+)?)$/;

/** Throws a `TypeError` for a text that a run does not write. */
export function sumsFromText(text: unknown): AmountSums {
  if (typeof text !== 'string') throw new TypeError('not what a run writes');
  const sums: Partial<Record<AmountType, AmountSum>> = {};
  for (const [, letter, count, sum = ''] of entriesIn(text, SUM)) sums[typeOf(letter)] = { count: Number(count), sum };
  return sums;
}

function entriesIn(text: string, form: RegExp): RegExpExecArray[] {
  if (text === '') return [];
  return text.split(',').map((entry) => {
    const found = form.exec(entry);
    if (found === null) throw new TypeError('not what a run writes');
    return found;
  });
}

function typeOf(letter: string | undefined): AmountType {
  const type = TYPES.get(letter ?? '');
  if (type === undefined) throw new TypeError('not what a run writes');
  return type;
}
