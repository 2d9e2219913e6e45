/**
 * Exports `createFieldProfile`: for each field how often it is filled, the values of code fields, the first and last date, and the lengths of
 * texts. It has no names, numbers, texts or days of birth of persons.
 */
import { lastName } from '../known-names.js';
import type { ImportRecord } from './import-record.js';
import { insideOf, type Place, rootPlace, visitPlaces } from './payload-places.js';

/** One field, over all records. */
export interface FieldProfile {
  /** Path with `*` for any index or unknown name: `account.customers.*.email`. */
  path: string;
  /** Number of values that are not empty. */
  filled: number;
  /** Number of objects that can have the field. */
  of: number;
  /** For code fields: number of fields with each value, the most frequent first. At most 20 values. */
  values?: Record<string, number>;
  /** For code fields: values that are not listed, because they are too many or do not look like a code. */
  otherValues?: number;
  /** For dates: the first and the last day; for days of birth only the years. */
  dates?: { first: string; last: string };
  /** For dates: values that are none. */
  noDates?: number;
  /** For texts: the fewest and the most characters. */
  lengths?: { least: number; most: number };
}

/** What a profiler has counted at one place, to be continued in another session. Like a profile without values of persons. */
export interface FieldStats {
  path: string;
  /** Number of objects, lists or values at this place. */
  visits: number;
  filled: number;
  values: Record<string, number>;
  otherValues: number;
  first?: string | undefined;
  last?: string | undefined;
  noDates: number;
  least: number;
  most: number;
}

/** Text fields with a code of a small set that the API specification does not list. */
const CODES: ReadonlySet<string> = new Set([
  ...['import_supplier', 'import_supplier_code', 'customer_category', 'business_type', 'product_code', 'tariff_code'],
  ...['rate_group_code', 'characteristic_code', 'sales_channel', 'sales_subchannel', 'ledger_code', 'status'],
]);

/** A value in another form may be personal data in the wrong column. */
const CODE = /^[A-Z0-9][A-Z0-9_.:-]{0,63}$/;
const MOST_VALUES = 20;
/** Distinct values that are counted. With more of them the field is no code. */
const MOST_COUNTED = 1000;

interface Stats extends Omit<FieldStats, 'path' | 'values'> {
  values: Map<string, number>;
}

interface Counter {
  own: Stats;
  isCode: boolean;
}

/** Its memory depends on the number of fields in the schemas, not of records. `before`: what an earlier profiler has counted. */
export function createFieldProfile(before: readonly FieldStats[] = []) {
  const root = rootPlace();
  const stats = new Map(before.map(({ path, ...own }) => [path, statsOf(own)]));
  /** The same by the index of the place: each value of each record is counted. */
  const counters: Counter[] = [];

  function meet(value: unknown, place: Place): void {
    counters[place.index] ??= counterOf(place);
    const { own, isCode } = counters[place.index] as Counter;
    own.visits++;
    if (!place.hasInside) addValue(own, place, isCode, value);
  }

  function counterOf(place: Place): Counter {
    const own = stats.get(place.path) ?? statsOf(NOTHING);
    stats.set(place.path, own);
    return { own, isCode: isCode(place) };
  }

  function collect(place: Place, parent: Place): FieldProfile[] {
    const own = stats.get(place.path);
    const isNamed = [...parent.fields.values()].includes(place);
    if (own === undefined && (place.hasInside || !isNamed)) return [];
    if (place.hasInside) return insideOf(place).flatMap((inside) => collect(inside, place));
    const of = (isNamed ? stats.get(parent.path) : own)?.visits ?? 0;
    return [profileOf(place, own ?? statsOf(NOTHING), of)];
  }

  return {
    add: (record: ImportRecord): void => visitPlaces(record, root, meet),
    /** Returns what was counted so far. */
    stats: (): FieldStats[] =>
      [...stats].map(([path, { values, ...own }]) => ({ path, ...own, values: Object.fromEntries(values) })),
    /** In the order of the API specification, also fields that are never filled; not those inside of objects that no record has. */
    fields: (): FieldProfile[] => insideOf(root).flatMap((part) => (stats.has(part.path) ? collect(part, root) : [])),
  };
}

export type FieldProfiler = ReturnType<typeof createFieldProfile>;

const NOTHING = { visits: 0, filled: 0, values: {}, otherValues: 0, noDates: 0, least: 0, most: 0 };

function statsOf({ values, ...own }: Omit<FieldStats, 'path'>): Stats {
  return { ...own, values: new Map(Object.entries(values)) };
}

function addValue(own: Stats, place: Place, isOfCode: boolean, value: unknown): void {
  if (value === null || value === undefined || value === '') return;
  own.filled++;
  if (place.kind === 'boolean' && typeof value === 'boolean') countValue(own, String(value));
  if (typeof value !== 'string') return;
  if (isOfCode) {
    if (CODE.test(value)) countValue(own, value);
    else own.otherValues++;
  } else if (place.kind === 'date') addDate(own, place, value);
  else {
    // Values before it may be numbers, which have no length.
    own.least = own.most === 0 ? value.length : Math.min(own.least, value.length);
    own.most = Math.max(own.most, value.length);
  }
}

function countValue(own: Stats, value: string): void {
  const count = own.values.get(value);
  if (count === undefined && own.values.size >= MOST_COUNTED) own.otherValues++;
  else own.values.set(value, (count ?? 0) + 1);
}

function addDate(own: Stats, { path }: Place, value: string): void {
  const found = DAY.exec(value)?.[0];
  if (found === undefined) {
    own.noDates++;
    return;
  }
  // The first and the last day of birth would be those of two persons.
  const day = path.endsWith('birth') ? found.slice(0, 4) : found;
  if (own.first === undefined || day < own.first) own.first = day;
  if (own.last === undefined || day > own.last) own.last = day;
}

const DAY = /^\d{4}-\d{2}-\d{2}(?=$|T)/;

function isCode({ kind, path }: Place): boolean {
  return kind === 'choice' || (kind === 'text' && CODES.has(lastName(path)));
}

function profileOf(place: Place, own: Stats, of: number): FieldProfile {
  const { path, kind } = place;
  const { filled, noDates, first, last, least, most } = own;
  const profile: FieldProfile = { path, filled, of };
  if (isCode(place) || kind === 'boolean') {
    const frequent = [...own.values].sort(([a, one], [b, other]) => other - one || (a < b ? -1 : 1));
    const rest = frequent.slice(MOST_VALUES).reduce((sum, [, count]) => sum + count, own.otherValues);
    if (frequent.length > 0) profile.values = Object.fromEntries(frequent.slice(0, MOST_VALUES));
    if (rest > 0) profile.otherValues = rest;
  } else if (kind === 'date') {
    if (first !== undefined && last !== undefined) profile.dates = { first, last };
    if (noDates > 0) profile.noDates = noDates;
  } else if (most > 0) profile.lengths = { least, most };
  return profile;
}
