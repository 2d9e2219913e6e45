/** Exports functions that find the form of the values of a column: dates, telephone numbers, and what is supplied. */

/** A form of dates, as `parseDate` of data-import-sdk/mapping reads it. */
export interface DateForm {
  form: string;
  /** What the user should check. */
  remark: string | undefined;
}

interface KnownForm {
  form: string;
  pattern: RegExp;
  /** Groups of year, month and day. */
  order: readonly [year: number, month: number, day: number];
}

/** For an ambiguous column the first one counts. */
const DATE_FORMS: readonly KnownForm[] = [
  { form: 'YYYY-MM-DD', pattern: /^(\d{4})-(\d{2})-(\d{2})$/, order: [1, 2, 3] },
  { form: 'YYYY/MM/DD', pattern: /^(\d{4})\/(\d{1,2})\/(\d{1,2})$/, order: [1, 2, 3] },
  { form: 'YYYYMMDD', pattern: /^(\d{4})(\d{2})(\d{2})$/, order: [1, 2, 3] },
  { form: 'DD/MM/YYYY', pattern: /^(\d{1,2})\/(\d{1,2})\/(\d{4})$/, order: [3, 2, 1] },
  { form: 'MM/DD/YYYY', pattern: /^(\d{1,2})\/(\d{1,2})\/(\d{4})$/, order: [3, 1, 2] },
  { form: 'DD.MM.YYYY', pattern: /^(\d{1,2})\.(\d{1,2})\.(\d{4})$/, order: [3, 2, 1] },
  { form: 'DD-MM-YYYY', pattern: /^(\d{1,2})-(\d{1,2})-(\d{4})$/, order: [3, 2, 1] },
  { form: 'DD/MM/YY', pattern: /^(\d{1,2})\/(\d{1,2})\/(\d{2})$/, order: [3, 2, 1] },
  { form: 'MM/DD/YY', pattern: /^(\d{1,2})\/(\d{1,2})\/(\d{2})$/, order: [3, 1, 2] },
  { form: 'DD.MM.YY', pattern: /^(\d{1,2})\.(\d{1,2})\.(\d{2})$/, order: [3, 2, 1] },
  { form: 'DD-MM-YY', pattern: /^(\d{1,2})-(\d{1,2})-(\d{2})$/, order: [3, 2, 1] },
];

/** Share of the values that must have the form: a few wrong values are for the check to report. */
const MOST_VALUES = 0.9;

/** Returns the form of the dates of a column. */
export function dateForm(values: readonly string[]): DateForm {
  const counted = DATE_FORMS.map((known) => ({
    ...known,
    count: values.filter((value) => isDate(value, known)).length,
  }));
  const fits = counted.filter(({ count }) => count > 0 && count >= MOST_VALUES * values.length);
  // Otherwise the form of most of them.
  const [most] = counted.filter(({ count }) => count > 0).sort((one, other) => other.count - one.count);
  const first = fits[0] ?? most ?? { form: 'DD/MM/YYYY' };
  const remarks = [
    ...(fits.length === 0 ? ['the form of these dates is not clear: check it'] : []),
    ...(fits.length > 1 ? ['day or month first? The dates fit both: check it'] : []),
    ...(first.form.includes('YYYY') ? [] : ['years of two digits: check the century']),
  ];
  const form = values.some(hasOneDigit) ? first.form.replace('DD', 'D').replace('MM', 'M') : first.form;
  return { form, remark: remarks.length === 0 ? undefined : remarks.join('; ') };
}

/** Returns whether the day or the month has one digit, as in 1/2/2024. */
function hasOneDigit(value: string): boolean {
  return /(?<!\d)\d(?!\d)/.test(value);
}

function isDate(value: string, { pattern, order: [, month, day] }: KnownForm): boolean {
  const groups = pattern.exec(value);
  return groups !== null && isWithin(groups[month], 12) && isWithin(groups[day], 31);
}

function isWithin(text: string | undefined, most: number): boolean {
  const number = Number(text);
  return number >= 1 && number <= most;
}

/** Returns whether the telephone numbers have the form that the service expects, such as +33612345678. */
export function areInternational(values: readonly string[]): boolean {
  return values.length > 0 && isMost(values, (value) => /^\+\d{6,15}$/.test(value));
}

/**
 * Returns whether the telephone numbers of a column are parsed with a region. A column without a number in the first rows asks for none,
 * and is parsed if the user names one.
 */
export function areParsed(values: readonly string[], region: string | undefined): boolean {
  return values.length === 0 ? region !== undefined : !areInternational(values);
}

function isMost(values: readonly string[], is: (value: string) => boolean): boolean {
  return values.length > 0 && values.filter(is).length >= MOST_VALUES * values.length;
}

export type EnergyType = 'ELECTRICITY' | 'GAS';

/** What is supplied, in lower case without accents: how a value begins that names it, and what also names it elsewhere in a value. */
const SUPPLY_TYPES = [
  [
    'ELECTRICITY',
    /^(?:e$|el|en\w* el|power|po\b|strom|stroom|luz|luce)/,
    /\be\b|\bel|ele[ck]|strom|stroom|power|luz|luce/,
  ],
  ['GAS', /^g(?:n?\b|a[sz])/, /\bg\b|ga[sz]/],
] as const;

/** What joins several values in one. */
const JOINED = /\w\s*[+&/,;|]|\b(?:and|und|et|y|ed|plus)\b/;
/** What says that there are several. */
const DUAL = /\b(?:dual|duo|[ck]ombi|mix|both|beide|deux|eg$|ge$)/;

/** Most values of a column that names what is supplied. More are something else, and may be personal data. */
const MOST_TYPES = 10;

/** Returns the different values of a column with what they mean; undefined where that is not clear. */
export function supplyTypes(values: readonly string[]): ReadonlyMap<string, EnergyType | undefined> {
  const different = [...new Set(values)].sort();
  if (different.length > MOST_TYPES) return new Map();
  return new Map(different.map((value) => [value, supplyTypeOf(value)]));
}

/** Returns what a value means; undefined where that is not clear, as of a value that names both. */
export function supplyTypeOf(value: string): EnergyType | undefined {
  const plain = plainText(value);
  return namesSeveral(plain) ? undefined : SUPPLY_TYPES.find(([, pattern]) => pattern.test(plain))?.[0];
}

/** Returns whether a value names what is supplied, also if it names both. */
export function namesSupply(value: string): boolean {
  const plain = plainText(value);
  return SUPPLY_TYPES.some(([, pattern]) => pattern.test(plain)) || DUAL.test(plain);
}

function namesSeveral(plain: string): boolean {
  return SUPPLY_TYPES.every(([, , pattern]) => pattern.test(plain)) || JOINED.test(plain) || DUAL.test(plain);
}

/** Lower case without accents. A digit or _ between two words is a part of neither. */
function plainText(value: string): string {
  return value.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase().replace(/[\d_]/g, ' ');
}
