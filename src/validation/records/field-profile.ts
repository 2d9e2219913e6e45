/**
 * Exports `createFieldProfile`: for each field how often it is filled, the values of code fields, the first and last date, and the lengths
 * of texts. It has no names, numbers, texts or days of birth of persons.
 */
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

export interface FieldProfiler {
  add(record: ImportRecord): void;
  /** Returns what was counted so far. */
  stats(): FieldStats[];
  /** In the order of the API specification, also fields that are never filled; not those inside of objects that no record has. */
  fields(): FieldProfile[];
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
  first: string | undefined;
  last: string | undefined;
}

/** Its memory depends on the number of fields in the schemas, not of records. `before`: what an earlier profiler has counted. */
export function createFieldProfile(before: readonly FieldStats[] = []): FieldProfiler {
  const root = rootPlace();
  const stats = new Map<Place, Stats>();
  const former = new Map(before.map((one) => [one.path, one]));
  if (former.size > 0) restore(root);
  function restore(place: Place): void {
    const own = former.get(place.path);
    // An object and a value of it under an unknown name have different paths, except in lists of both.
    former.delete(place.path);
    if (own !== undefined) stats.set(place, restored(own));
    for (const inside of insideOf(place)) restore(inside);
  }
  const statsOf = (place: Place): Stats => {
    let own = stats.get(place);
    if (own === undefined) {
      own = noStats();
      stats.set(place, own);
    }
    return own;
  };

  function meet(value: unknown, place: Place): void {
    const own = statsOf(place);
    own.visits++;
    if (!place.hasInside) addValue(own, place, value);
  }

  function collect(place: Place, parent: Place, found: FieldProfile[]): void {
    const own = stats.get(place);
    const isNamed = [...parent.fields.values()].includes(place);
    if (place.hasInside) {
      if (own !== undefined) for (const inside of insideOf(place)) collect(inside, place, found);
    } else if (own !== undefined || isNamed) {
      const of = isNamed ? (stats.get(parent)?.visits ?? 0) : (own?.visits ?? 0);
      found.push(profileOf(place, own ?? noStats(), of));
    }
  }

  return {
    add: (record) => visitPlaces(record, root, meet),
    stats: () => [...stats].map(([{ path }, own]) => ({ path, ...own, values: Object.fromEntries(own.values) })),
    fields() {
      const found: FieldProfile[] = [];
      for (const part of insideOf(root)) if (stats.has(part)) collect(part, root, found);
      return found;
    },
  };
}

function restored({ path: _, values, first, last, ...counts }: FieldStats): Stats {
  return { ...counts, values: new Map(Object.entries(values)), first, last };
}

function noStats(): Stats {
  const [values, first, last] = [new Map<string, number>(), undefined, undefined];
  return { visits: 0, filled: 0, values, otherValues: 0, first, last, noDates: 0, least: 0, most: 0 };
}

function addValue(own: Stats, place: Place, value: unknown): void {
  if (value === null || value === undefined || value === '') return;
  own.filled++;
  if (place.kind === 'boolean' && typeof value === 'boolean') countValue(own, String(value));
  if (typeof value !== 'string') return;
  if (isCode(place)) {
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
  return kind === 'choice' || (kind === 'text' && CODES.has(nameOf(path)));
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

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('.') + 1);
}
