/** Exports `parseDate`, which converts dates of an export, such as `31/12/2024`, to `YYYY-MM-DD`. */
import { expectKind } from '../../../../validation/option-kinds.js';
import { checkCall, errorAtCallOf, isBlank, type MappingError } from './mapping-error.js';

/** Options of `parseDate`. */
export interface ParseDateOptions {
  /**
   * For a form with `YY`: the last year that a text can mean. With 2026, `26` is 2026 and `27` is 1927. Choose it by the column: for
   * dates of birth a year after which no account holder was born, such as 16 years ago; for dates of contracts a year to come.
   * There is no default, because a wrong century is a valid date.
   */
  latestYear?: number | undefined;
}

/**
 * Returns the date as `YYYY-MM-DD`, or undefined if the text is empty, blank or undefined.
 *
 * | in the form | the text has |
 * |---|---|
 * | `YYYY`, `YY` | the year with four or two digits; `YY` needs `latestYear` |
 * | `MM`, `DD` | month and day with two digits |
 * | `M`, `D` | month and day with one or two digits |
 * | `HH`, `H`, `hh`, `h`, `mm`, `ss`, `SSS`, `A` | hour (0 to 23, 1 to 12), minute, second, fraction of a second, AM or PM |
 * | `Z` | `Z`, `UTC`, or an offset such as `+02:00` |
 * | a space | one or more spaces |
 * | `T`, any character that is not a letter | the same character |
 *
 * A time must be valid, and is then dropped: the result is the day that is written, without a conversion between time zones.
 *
 * Throws a `MappingError` if the text does not have the form, or the day does not exist, such as 31/02/2024; also if the form is invalid.
 *
 * @example
 * parseDate('31/12/2024', 'DD/MM/YYYY'); // '2024-12-31'
 * parseDate('1.2.80', 'D.M.YY', { latestYear: 2026 }); // '1980-02-01'
 * parseDate('12/31/2024 08:30', 'MM/DD/YYYY HH:mm'); // '2024-12-31'
 */
export function parseDate(text: string | undefined, form: string, options: ParseDateOptions = {}): string | undefined {
  const { pattern, example } = formOf(form);
  checkCall(parseDate, () => expectKind('parseDate: options', options, 'object'));
  const { latestYear } = options;
  if (form.includes('YY') && !form.includes('YYYY')) expectLatestYear(form, latestYear);
  if (isBlank(parseDate, 'parseDate', text)) return undefined;
  const { YYYY, YY, MM, M = MM, DD, D = DD } = pattern.exec(text.trim())?.groups ?? {};
  const year = YY === undefined ? Number(YYYY) : yearOf(Number(YY), latestYear ?? 0);
  if (isDay(year, Number(M), Number(D))) return [pad(year, 4), pad(M, 2), pad(D, 2)].join('-');
  throw errorAtCallOf(
    parseDate,
    `parseDate: expected a day of the calendar in the form ${form}, such as ${example}.`,
    text,
  );
}

const ONE_OR_TWO = '\\d{1,2}';

/** For each token its pattern and its text in the example. */
const TOKENS: Readonly<Record<string, readonly [pattern: string, example: string]>> = {
  YYYY: ['\\d{4}', '2024'],
  YY: ['\\d{2}', '24'],
  MM: ['\\d{2}', '12'],
  M: [ONE_OR_TWO, '12'],
  DD: ['\\d{2}', '31'],
  D: [ONE_OR_TWO, '31'],
  HH: ['(?:[01]\\d|2[0-3])', '08'],
  H: ['(?:1\\d|2[0-3]|0?\\d)', '8'],
  hh: ['(?:0[1-9]|1[0-2])', '08'],
  h: ['(?:1[0-2]|0?[1-9])', '8'],
  mm: ['[0-5]\\d', '30'],
  ss: ['[0-5]\\d', '00'],
  SSS: ['\\d{1,9}', '000'],
  A: ['(?:[AP]\\.?M\\.?|[ap]\\.?m\\.?)', 'AM'],
  Z: ['(?:Z|UTC|[+-]\\d{2}(?::?\\d{2})?)', 'Z'],
};

/** Tokens whose length the text decides. */
const VARIABLE: ReadonlySet<string> = new Set(['M', 'D', 'H', 'h']);

const forms = new Map<string, ReturnType<typeof readForm>>();

function formOf(form: string) {
  const known = forms.get(form);
  if (known !== undefined) return known;
  const made = readForm(form);
  // A mapping may compute its forms.
  if (forms.size >= MOST_FORMS) forms.clear();
  forms.set(form, made);
  return made;
}

const MOST_FORMS = 100;

function readForm(form: string) {
  const parts = typeof form === 'string' ? (form.match(/Y+|M+|D+|H+|h+|m+|s+|S+|./gsu) ?? []) : [];
  const unknown = parts.find((part) => /\p{L}/u.test(part) && !Object.hasOwn(TOKENS, part) && part !== 'T');
  if (unknown !== undefined) throw invalidForm(form, `it has "${unknown}"`);
  const tokens = parts.filter((part) => Object.hasOwn(TOKENS, part));
  const repeated = tokens.find((part, index) => tokens.indexOf(part) !== index);
  if (repeated !== undefined) throw invalidForm(form, `it has "${repeated}" twice`);
  for (const [name, of] of [
    ['day', /^D/],
    ['month', /^M/],
    ['year', /^Y/],
  ] as const) {
    const count = tokens.filter((token) => of.test(token)).length;
    if (count !== 1) throw invalidForm(form, `it has ${count === 0 ? 'no' : 'more than one'} ${name}`);
  }
  if (hasUnclearLengths(parts)) throw invalidForm(form, 'the lengths of its parts are not clear');
  const patterns = parts.map((part) => {
    const token = TOKENS[part];
    if (token !== undefined) return `(?<${part}>${token[0]})`;
    return /^\s$/.test(part) ? '\\s+' : part.replace(/[\\^$.*+?()[\]{}|/]/, '\\$&');
  });
  return {
    pattern: new RegExp(`^${patterns.join('')}$`),
    /** A text of this form, for messages. */
    example: parts.map((part) => TOKENS[part]?.[1] ?? part).join(''),
  };
}

/** Returns whether several parts of variable length follow each other, as in DMYYYY: 1112024 may be 1 November or 11 January. */
function hasUnclearLengths(parts: readonly string[]): boolean {
  let count = 0;
  return parts.some((part) => {
    if (!Object.hasOwn(TOKENS, part)) count = 0;
    else if (VARIABLE.has(part)) count++;
    return count > 1;
  });
}

function invalidForm(form: unknown, why: string): MappingError {
  return errorAtCallOf(
    parseDate,
    `parseDate: the form ${JSON.stringify(form)} is invalid: ${why}. Expected one of DD and D, of MM and M, and of YYYY and YY, such as DD/MM/YYYY.`,
  );
}

function expectLatestYear(form: string, latestYear: number | undefined): void {
  if (latestYear !== undefined && Number.isInteger(latestYear) && latestYear >= 100 && latestYear <= 9999) return;
  throw errorAtCallOf(
    parseDate,
    `parseDate: the form ${form} has a year of two digits. Give the last year that it can mean, such as { latestYear: 2026 }.`,
  );
}

function yearOf(twoDigits: number, latestYear: number): number {
  return latestYear - ((((latestYear - twoDigits) % 100) + 100) % 100);
}

function isDay(year: number, month: number, day: number): boolean {
  if (!(year >= 1)) return false;
  const date = new Date(0);
  // Not Date.UTC, which takes the years 1 to 99 for 1901 to 1999.
  date.setUTCFullYear(year, month - 1, day);
  return date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
}

function pad(value: number | string | undefined, width: number): string {
  return String(value).padStart(width, '0');
}
