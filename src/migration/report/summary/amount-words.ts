/** Exports `amountsInWords`: the control totals as lines for the terminal, and the words of their parts for the report. */
import type { AmountSum, AmountType } from '../../ledger/amounts.js';
import { amountInWords } from '../../shared/decimal.js';
import { counted, number, spaced } from '../../shared/format.js';
import {
  AMOUNT_COLUMNS,
  AMOUNT_PARTS,
  type AmountPart,
  type AmountSummary,
  type AmountTotals,
  isUsed,
} from './amount-totals.js';
import type { ErrorGroup } from './error-groups.js';

type Part = AmountPart | 'notInInput';

const PART_WORDS: Readonly<Partial<Record<Part, string>>> = {
  withoutAmount: 'without an amount',
  otherAmount: 'difference of other amounts',
  computed: 'computed by the service',
  corrected: 'corrected by retry',
  waiting: 'waiting for a business',
  notInInput: 'on the service, no longer in the input',
};

export function partInWords(part: Part): string {
  return PART_WORDS[part] ?? spaced(part);
}

/** Returns the name of a type: that of the API specification, or `statements`. */
export function typeInWords(type: AmountType): string {
  if (type === 'STATEMENT') return 'statements';
  return type === 'OTHER' ? 'transactions of an unknown type' : type;
}

/** Returns whether the amounts of the type have a line. Statements without an amount have none. */
function hasAmounts(totals: AmountTotals): boolean {
  if (totals.otherAmount.count > 0 || totals.withoutAmount.count > 0) return true;
  return AMOUNT_COLUMNS.some((column) => totals[column].sum !== '0');
}

/** Returns whether the service confirmed each item of the type with its amount, and no item that has left the input. */
function doAgree({ input, confirmed, otherAmount, withoutAmount, notInInput }: AmountTotals): boolean {
  const isSame = input.count === confirmed.count && input.sum === confirmed.sum;
  return isSame && [otherAmount, withoutAmount, notInInput].every(({ count }) => count === 0);
}

/** Returns the sentence about lines whose items are in no number. */
export function uncountedInWords(count: number): string {
  return `The items of ${counted(count, 'line')} are not counted: no record has them.`;
}

/**
 * Returns a line for each type with a difference, then one for the others; none for an input without amounts. `isPart`: the input has other
 * amounts, which no record has.
 */
export function amountsInWords({ types: all, isExplained }: AmountSummary, isPart = false): string[] {
  const types = all.filter(hasAmounts);
  const agreeing = types.filter(doAgree);
  const sums = agreeing.map(({ type, input }) => `${amountInWords(input.sum)} ${typeInWords(type)}`).join(', ');
  return [
    ...types.filter((totals) => !doAgree(totals)).map(differenceInWords),
    ...(agreeing.length > 0 ? [`Amounts${isPart ? ' of the records' : ''}: input and service agree: ${sums}`] : []),
    ...(isExplained ? [] : ['Amounts are not explained. This is a bug; keep the run folder and report it.']),
  ];
}

const AMOUNT_FIELD = /(?:^|\.)(?:transactions\.\*\.amount|statements\.\*\.gross_amount)$/;
const NO_NUMBER: ReadonlySet<string> = new Set(['invalid_type', 'invalid', 'null']);

/** Returns a line with the errors of amounts of which some may be no number; none if there are no such errors. */
export function unreadAmountsInWords(errors: readonly ErrorGroup[]): string[] {
  const found = errors.filter(({ code, attr }) => NO_NUMBER.has(code) && AMOUNT_FIELD.test(attr));
  if (found.length === 0) return [];
  const groups = found.map(({ code, attr, count }) => `${code} at ${attr} (${counted(count, 'record')})`).join(', ');
  return [`An amount that cannot be read as a number, such as 12,50, counts as 0.00 in the sums: ${groups}.`];
}

/** `Amounts, CHARGE: 80.00 confirmed (2) + 20.00 rejected (1) = 100.00 (3)` */
function differenceInWords(totals: AmountTotals): string {
  const parts = AMOUNT_PARTS.filter((part) => part === 'confirmed' || isUsed(totals[part]));
  const sum = parts.map((part) => sumInWords(totals[part], ` ${partInWords(part)}`)).join(' + ');
  const removed = isUsed(totals.notInInput)
    ? `; ${sumInWords(totals.notInInput, ` ${partInWords('notInInput')}`)}`
    : '';
  return `Amounts, ${typeInWords(totals.type)}: ${sum} = ${sumInWords(totals.input)}${removed}`;
}

function sumInWords(amounts: AmountSum, words = ''): string {
  return `${amountInWords(amounts.sum)}${words}${countInWords(amounts)}`;
}

/** Returns ` (2)`; empty for a sum without items: a correction changes amounts, and mostly no number of items. */
export function countInWords({ count, sum }: AmountSum): string {
  return count === 0 && sum !== '0' ? '' : ` (${number(count)})`;
}
