/** Exports functions that find the form of the values of a column: dates, telephone numbers, and what is supplied. */
import { parseDate } from '../../../migration/input/csv/mapping/parse-date.js';

/** Forms as `parseDate` reads them. For an ambiguous column the first one counts. */
const DATE_FORMS = [
  ...['YYYY-M-D', 'YYYY/M/D', 'YYYYMMDD', 'D/M/YYYY', 'M/D/YYYY', 'D.M.YYYY', 'D-M-YYYY'],
  ...['D/M/YY', 'M/D/YY', 'D.M.YY', 'D-M-YY'],
];

/** Share of the values that must have the form: a few wrong values are for the check to report. */
const MOST_VALUES = 0.9;

/** Returns the form of the dates of a column, and what the user should check. */
export function dateForm(values: readonly string[]): { form: string; remark: string | undefined } {
  const times = [...new Set(values.map(timeForm))];
  const forms = DATE_FORMS.flatMap((day) => times.map((time) => `${day}${time}`));
  const counts = forms.map((form) => ({ form, count: values.filter((value) => isDate(value, form)).length }));
  const fits = counts.filter(({ count }) => count > 0 && count >= MOST_VALUES * values.length);
  // Otherwise the form of most of them.
  const [most] = counts.filter(({ count }) => count > 0).sort((one, other) => other.count - one.count);
  const { form: first } = fits[0] ?? most ?? { form: 'D/M/YYYY' };
  const remarks = [
    ...(fits.length === 0 ? ['the form of these dates is not clear: check it'] : []),
    ...(fits.length > 1 ? ['day or month first? The dates fit both: check it'] : []),
    ...(first.includes('YYYY') ? [] : ['years of two digits: check the century']),
    ...(first.endsWith('Z') && !values.every((value) => /[ T]0?0:00/.test(value))
      ? ['the day is that of the time zone in the text: check it']
      : []),
  ];
  // Of 1/2/2024, day or month has one digit.
  const form = values.some((value) => /(?<!\d)\d(?!\d)/.test(value.replace(TIME, '')))
    ? first
    : first.replace(/M+/, 'MM').replace(/D+/, 'DD');
  return { form, remark: remarks.length === 0 ? undefined : remarks.join('; ') };
}

/** A time after a day. */
export const TIME = /[T ] ?\d{1,2}:\d{2}(:\d{2}([.,]\d{1,9})?)?( ?[AP]\.?M\.?)?( ?(Z|UTC|[+-]\d{2}(:?\d{2})?))?$/i;

/** Returns the form of the time of a value, with what stands before it; empty if there is none. */
function timeForm(value: string): string {
  const [time = '', seconds, fraction, half, zone] = TIME.exec(value) ?? [];
  const parts = [
    seconds && ':ss',
    fraction && `${fraction[0]}SSS`,
    half?.replace(/\S+/, 'A'),
    zone?.replace(/\S+/, 'Z'),
  ];
  return `${/^[T ]+/.exec(time)?.[0] ?? ''}${time && (half ? 'h:mm' : 'H:mm')}${parts.join('')}`;
}

/** Returns whether the values are days as spreadsheets count them, such as 45292. */
export function areDays(values: readonly string[]): boolean {
  return values.length > 0 && values.filter((value) => /^\d{5}$/.test(value)).length >= MOST_VALUES * values.length;
}

function isDate(value: string, form: string): boolean {
  try {
    return parseDate(value, form, { latestYear: 2000 }) !== undefined;
  } catch {
    return false;
  }
}

/** Returns whether the telephone numbers have the form that the service expects, such as +33612345678. */
export function areInternational(values: readonly string[]): boolean {
  const international = values.filter((value) => /^\+\d{6,15}$/.test(value));
  return values.length > 0 && international.length >= MOST_VALUES * values.length;
}

/**
 * Returns whether the telephone numbers of a column are parsed with a region. A column without a number in the first rows asks for none,
 * and is parsed if the user names one.
 */
export function areParsed(values: readonly string[], region: string | undefined): boolean {
  return values.length === 0 ? region !== undefined : !areInternational(values);
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
