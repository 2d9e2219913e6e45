/**
 * Exports `parseDecimal` and `parseDecimalText`, which convert numbers of an export, such as `1.234,56`, without rounding; and `readingsOf` for a
 * text whose decimal mark is not known.
 */
import { errorAtCallOf, isBlank } from './mapping-error.js';

/** The character before the decimals. */
export type DecimalMark = ',' | '.';

/** A number of JavaScript represents every decimal with this number of digits, and JSON writes it as that decimal. */
const EXACT_DIGITS = 15;

/**
 * Returns the decimal as a number, the form of amounts in payloads; undefined if the text is empty, blank or undefined. JSON writes
 * it as the same decimal: a text with more than 15 significant digits, which a number would round, is an error.
 *
 * `mark` is the decimal mark of the column. Groups of three digits may be separated by a space (also a no-break or a thin one), an apostrophe, or
 * the other mark: with `,`, `1.234` is 1234 and `1.23` is an error. A minus before or after the number, or parentheses around it,
 * make it negative. A currency sign or an ISO 4217 code, such as EUR, may stand before or after it.
 *
 * Throws a `MappingError` for any other text.
 *
 * @example
 * parseDecimal('1.234,56', ','); // 1234.56
 * parseDecimal('(12.50 €)', '.'); // -12.5
 */
export function parseDecimal(text: string | undefined, mark: DecimalMark): number | undefined {
  const decimal = decimalOf(parseDecimal, 'parseDecimal', text, mark);
  if (decimal === undefined) return undefined;
  if (isExact(decimal)) return Number(decimal);
  throw errorAtCallOf(
    parseDecimal,
    `parseDecimal: the number has more than ${EXACT_DIGITS} digits and would be rounded. A field that takes a text can have it: parseDecimalText.`,
    text,
  );
}

/**
 * As `parseDecimal`, but returns a text such as `0.1520`, with all decimals that were written: the form of prices in contracts.
 *
 * @example
 * parseDecimalText('0,1520', ','); // '0.1520'
 */
export function parseDecimalText(text: string | undefined, mark: DecimalMark): string | undefined {
  return decimalOf(parseDecimalText, 'parseDecimalText', text, mark);
}

function decimalOf(
  caller: (...args: never[]) => unknown,
  name: string,
  text: string | undefined,
  mark: DecimalMark,
): string | undefined {
  if (mark !== ',' && mark !== '.') {
    throw errorAtCallOf(caller, `${name}: the decimal mark is ${JSON.stringify(mark)}; expected "," or ".".`);
  }
  if (isBlank(caller, name, text)) return undefined;
  const decimal = decimalWith(mark, withoutSigns(text));
  if (decimal !== undefined) return decimal;
  const expected = `${name}: expected a number such as ${EXAMPLES[mark]}, with groups of three digits.`;
  throw errorAtCallOf(caller, expected, text);
}

/** What a text means with this decimal mark; without a mark if it means the same with either. */
interface Reading {
  decimal: string;
  mark?: DecimalMark;
}

/**
 * Returns what a text means if its decimal mark is not known: one decimal; two for a text such as `1.234`; none for what is no number. A
 * currency is no part of it.
 */
export function readingsOf(text: string): readonly Reading[] {
  const signed = withoutSigns(text, true);
  const [comma, point] = [decimalWith(',', signed), decimalWith('.', signed)];
  if (comma === undefined) return point === undefined ? [] : [{ decimal: point, mark: '.' }];
  if (point === undefined) return [{ decimal: comma, mark: ',' }];
  if (comma === point) return [{ decimal: comma }];
  return [
    { decimal: comma, mark: ',' },
    { decimal: point, mark: '.' },
  ];
}

/** Returns undefined for what is no number with this mark. */
function decimalWith(mark: DecimalMark, { number, isNegative }: ReturnType<typeof withoutSigns>): string | undefined {
  const [whole = '', fraction, ...rest] = number.split(mark);
  const digits = rest.length === 0 ? ungrouped(whole, mark, fraction !== undefined) : undefined;
  if (digits === undefined || (fraction !== undefined && !/^\d+$/.test(fraction))) return undefined;
  const decimal = `${digits.replace(/^0+(?=\d)/, '') || '0'}${fraction === undefined ? '' : `.${fraction}`}`;
  return isNegative && /[1-9]/.test(decimal) ? `-${decimal}` : decimal;
}

/** Returns whether a number of JavaScript has all digits of the decimal. */
export function isExact(decimal: string): boolean {
  const digits = decimal.replace(/\D/g, '').replace(/^0+/, '');
  let end = digits.length;
  // Zeros after the last decimal do not count.
  if (decimal.includes('.')) while (digits.charAt(end - 1) === '0') end--;
  return end <= EXACT_DIGITS;
}

const EXAMPLES: Readonly<Record<DecimalMark, string>> = {
  ',': '-1234,56 or 1.234,56',
  '.': '-1234.56 or 1,234.56',
};

/** Hyphen, minus sign and en dash. */
const MINUS: ReadonlySet<string> = new Set(['-', '\u2212', '\u2013']);

/** Removes the sign and the currency, each at most once, in any order. `isCurrencyRead`: leaves a currency. */
function withoutSigns(text: string, isCurrencyRead = false): { number: string; isNegative: boolean } {
  let number = text.trim();
  let sign: '-' | '+' | undefined;
  for (;;) {
    const first = number.charAt(0);
    const last = number.slice(-1);
    const currency = isCurrencyRead ? '' : currencyAt(number);
    if (sign === undefined && first === '(' && last === ')') [sign, number] = ['-', number.slice(1, -1)];
    else if (sign === undefined && MINUS.has(first)) [sign, number] = ['-', number.slice(1)];
    else if (sign === undefined && first === '+') [sign, number] = ['+', number.slice(1)];
    else if (sign === undefined && MINUS.has(last)) [sign, number] = ['-', number.slice(0, -1)];
    else if (currency !== '') {
      isCurrencyRead = true;
      number = number.startsWith(currency) ? number.slice(currency.length) : number.slice(0, -currency.length);
    } else return { number, isNegative: sign === '-' };
    number = number.trim();
  }
}

let currencies: ReadonlySet<string> | undefined;

/** Returns the currency at one end of the text, or ''. */
function currencyAt(text: string): string {
  for (const sign of [text.charAt(0), text.slice(-1)]) if (/^\p{Sc}$/u.test(sign)) return sign;
  currencies ??= new Set(Intl.supportedValuesOf('currency'));
  for (const code of [text.slice(0, 3), text.slice(-3)]) if (currencies.has(code)) return code;
  return '';
}

/** Besides the mark that is not the decimal mark: apostrophes and spaces, also no-break and thin ones. */
const SEPARATORS: ReadonlySet<string> = new Set(["'", '\u2019', ' ', '\u00a0', '\u202f', '\u2009']);

/** Returns the digits before the decimal mark; undefined if they are not digits, or their groups do not have three. */
function ungrouped(whole: string, mark: DecimalMark, hasFraction: boolean): string | undefined {
  if (/^\d+$/.test(whole) || (whole === '' && hasFraction)) return whole;
  const separator = /\D/.exec(whole)?.[0] ?? '';
  if (!SEPARATORS.has(separator) && separator !== (mark === ',' ? '.' : ',')) return undefined;
  const [first = '', ...groups] = whole.split(separator);
  // A number that begins with 0 has no thousands: 0.123 has decimals after another mark.
  if (!/^[1-9]\d{0,2}$/.test(first) || !groups.every((group) => /^\d{3}$/.test(group))) return undefined;
  return first + groups.join('');
}
