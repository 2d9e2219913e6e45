/**
 * Exports `createComparisons`: warnings about values that only the other records of an input make suspicious. Its memory for a million
 * records is about 50 MB: some 20 bytes for each number of digits, and a bounded number of contacts.
 */
import { fieldOf } from '../../../schemas/objects.js';
import { contentNumberOf } from './canonical-json.js';

/** One kind of warning over all records. */
interface Comparison<Place> {
  code: string;
  /** With `*` for indexes. */
  attr: string;
  detail: string;
  /** Number of values. */
  count: number;
  /** The first three of them: their records, each with its path. */
  first: { place: Place; attr: string }[];
}

export interface Comparisons<Place> {
  /** `place`: returned with findings about this record. */
  add(parts: Readonly<Record<string, unknown>>, place: Place): void;
  findings(): Comparison<Place>[];
}

/** A value: its record, and the indexes in its path. */
interface Seen<Place> {
  place: Place;
  indexes: readonly number[];
}

interface Found<Place> {
  count: number;
  first: Seen<Place>[];
}

/** Looks at one field of all records. `indexes` changes after the call. */
interface Comparer<Place> {
  add(text: string, place: Place, indexes: readonly number[], scope: string, payload: unknown): void;
  found(): Found<Place>;
}

interface Rule {
  code: string;
  detail: string;
  at: readonly (readonly [part: string, pattern: string])[];
  comparer: <Place>() => Comparer<Place>;
}

const NUMBERS: Rule['at'] = [
  ['business', 'external_business_identifier'],
  ['account', 'external_account_number'],
  ['account', 'supply_addresses.*.supply_points.*.identifier'],
  ['populate', 'prm_ids.*'],
  ['populate', 'pce_ids.*'],
];

const RULES: readonly Rule[] = [
  {
    code: 'equal_but_for_zeros',
    detail:
      'An earlier record has the same number with more or fewer zeros in front: a program may have removed them, and the two may be one.',
    at: NUMBERS,
    comparer: equalButForZeros,
  },
  {
    code: 'shorter_than_other_numbers',
    detail: 'Nearly all numbers in this field have up to three digits more: zeros in front may be lost.',
    at: NUMBERS,
    comparer: () => shorterThanOthers({ leastUsual: 8, mostLost: 3 }),
  },
  {
    code: 'shorter_than_other_numbers',
    detail: 'Nearly all postcodes have one digit more: a zero in front may be lost.',
    at: [
      ['account', 'billing_postcode'],
      ['account', 'supply_addresses.*.supply_postcode'],
    ],
    comparer: () => shorterThanOthers({ leastUsual: 5, mostLost: 1 }),
  },
  {
    code: 'number_without_digit',
    detail: 'All or nearly all other numbers have a digit: a row of totals, or a comment, may have become a record.',
    at: NUMBERS.slice(0, 2),
    comparer: withoutDigit,
  },
  {
    code: 'record_of_only_a_number',
    detail:
      'Beside its number the record has no text that differs between records, and all or nearly all others have one: a row of totals, or of a page, may have become a record.',
    at: NUMBERS.slice(0, 2),
    comparer: ofOnlyANumber,
  },
  {
    code: 'contact_of_many_customers',
    detail: 'A hundred customers or more have this one: a program may have filled it in.',
    at: [
      ['account', 'customers.*.email'],
      ['account', 'customers.*.mobile'],
      ['account', 'customers.*.landline'],
    ],
    comparer: ofManyCustomers,
  },
];

const MOST_PLACES = 3;

export function createComparisons<Place>(): Comparisons<Place> {
  const fields = RULES.flatMap(({ at, comparer, ...rule }) =>
    at.map(([part, pattern]) => ({ ...rule, part, pattern, comparer: comparer<Place>() })),
  );
  // Each path is walked once.
  const paths = new Map<string, Path<Place>>();
  for (const { part, pattern, comparer } of fields) {
    const known = paths.get(`${part}.${pattern}`) ?? { part, path: pattern.split('.'), comparers: [] };
    paths.set(`${part}.${pattern}`, { ...known, comparers: [...known.comparers, comparer] });
  }
  const walked = [...paths.values()];
  return {
    add(parts, place) {
      for (const path of walked) {
        const payload = parts[path.part];
        if (payload !== undefined)
          addTexts(payload, path, { place, scope: supplierOf(payload), indexes: [], payload }, 0);
      }
    },
    findings: () =>
      fields.flatMap(({ code, detail, part, pattern, comparer }) => {
        const { count, first } = comparer.found();
        if (count === 0) return [];
        const attr = `${part}.${pattern}`;
        return [
          { code, detail, attr, count, first: first.map((seen) => ({ ...seen, attr: withIndexes(attr, seen) })) },
        ];
      }),
  };
}

/** A path in a part of a record, in which `*` is any index. */
interface Path<Place> {
  part: string;
  path: readonly string[];
  comparers: readonly Comparer<Place>[];
}

/** Adds each text that is not empty. `select` would create the path of each as text. */
function addTexts<Place>(
  value: unknown,
  field: Path<Place>,
  record: { place: Place; scope: string; indexes: number[]; payload: unknown },
  at: number,
): void {
  const part = field.path[at];
  if (part === undefined) {
    if (typeof value !== 'string' || value === '') return;
    const { place, indexes, scope, payload } = record;
    for (const comparer of field.comparers) comparer.add(value, place, indexes, scope, payload);
  } else if (part !== '*') addTexts(fieldOf(value, part), field, record, at + 1);
  else if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index++) {
      record.indexes.push(index);
      addTexts(value[index], field, record, at + 1);
      record.indexes.pop();
    }
  }
}

function withIndexes(attr: string, { indexes }: Seen<unknown>): string {
  const left = [...indexes];
  return attr.replace(/\*/g, () => String(left.shift()));
}

/** Numbers of different suppliers do not meet. */
export function supplierOf(payload: unknown): string {
  const supplier = fieldOf(payload, 'import_supplier') ?? fieldOf(payload, 'import_supplier_code');
  return typeof supplier === 'string' ? supplier : '';
}

function addTo<Place>(found: Found<Place>, place: Place, indexes: readonly number[]): void {
  found.count++;
  if (found.first.length < MOST_PLACES) found.first.push({ place, indexes: indexes.slice() });
}

const DIGITS = /^\d+$/;

function equalButForZeros<Place>(): Comparer<Place> {
  const found: Found<Place> = { count: 0, first: [] };
  const tables = new Map<string, NumberTable>();
  return {
    add(text, place, indexes, scope) {
      if (!DIGITS.test(text)) return;
      const digits = text[0] === '0' ? text.replace(/^0+/, '') : text;
      const zeros = text.length - digits.length;
      const zerosOf = tables.get(scope) ?? createNumberTable();
      tables.set(scope, zerosOf);
      const key = digits.length <= MOST_EXACT ? Number(digits) : contentNumberOf(digits);
      if (zerosOf(key, zeros) !== zeros) addTo(found, place, indexes);
    },
    found: () => found,
  };
}

/** A number holds as many digits exactly. */
const MOST_EXACT = 15;

/** Stores a small number under a key, and returns the one that the key had before, or this one. */
type NumberTable = (key: number, value: number) => number;

const SMALLEST_TABLE = 1024;

/** A `Map` needs four times as much memory. */
function createNumberTable(): NumberTable {
  let keys = new Float64Array(SMALLEST_TABLE).fill(Number.NaN);
  let values = new Uint8Array(SMALLEST_TABLE);
  let size = 0;
  const slotOf = (key: number): number => {
    // Numbers with the same last digits must not meet in few slots.
    const mixed = Math.imul((key ^ (key / 2 ** 32)) >>> 0, 0x9e3779b1);
    let slot = ((mixed ^ (mixed >>> 15)) >>> 0) % keys.length;
    while (!Number.isNaN(keys[slot]) && keys[slot] !== key) slot = (slot + 1) % keys.length;
    return slot;
  };
  const grow = () => {
    const [formerKeys, formerValues] = [keys, values];
    keys = new Float64Array(2 * formerKeys.length).fill(Number.NaN);
    values = new Uint8Array(keys.length);
    formerKeys.forEach((key, index) => {
      if (Number.isNaN(key)) return;
      const slot = slotOf(key);
      keys[slot] = key;
      values[slot] = formerValues[index] ?? 0;
    });
  };
  return (key, value) => {
    const slot = slotOf(key);
    if (keys[slot] === key) return values[slot] ?? value;
    keys[slot] = key;
    values[slot] = value;
    if (++size > 0.7 * keys.length) grow();
    return value;
  };
}

/** Fewer numbers have no usual length. */
const LEAST_NUMBERS = 20;
/** Share of the numbers with the usual length: of random ones a tenth begins with 0. */
const USUAL_SHARE = 0.8;
/** Longer texts are no numbers. */
const LONGEST = 64;

/**
 * `leastUsual`: of shorter numbers none is found, because they may be counted from 1, so that their length grows. `mostLost`: more zeros in
 * front are no chance.
 */
function shorterThanOthers<Place>({ leastUsual, mostLost }: { leastUsual: number; mostLost: number }): Comparer<Place> {
  const lengths = Array.from({ length: LONGEST + 1 }, (): Found<Place> => ({ count: 0, first: [] }));
  /** Texts of each length that are no numbers without a zero in front. */
  const others = new Array<number>(LONGEST + 1).fill(0);
  return {
    add(text, place, indexes) {
      const { length } = text;
      const ofLength = lengths[length];
      if (ofLength === undefined) return;
      if (DIGITS.test(text) && text[0] !== '0') addTo(ofLength, place, indexes);
      else others[length] = (others[length] ?? 0) + 1;
    },
    found() {
      const counts = lengths.map(({ count }, length) => count + (others[length] ?? 0));
      const all = counts.reduce((sum, count) => sum + count, 0);
      const usual = counts.findIndex((count) => count > 0 && count >= USUAL_SHARE * all);
      const shorter = all < LEAST_NUMBERS || usual < leastUsual ? [] : lengths.slice(usual - mostLost, usual);
      return {
        count: shorter.reduce((sum, { count }) => sum + count, 0),
        first: shorter.flatMap(({ first }) => first).slice(0, MOST_PLACES),
      };
    },
  };
}

function withoutDigit<Place>(): Comparer<Place> {
  const found: Found<Place> = { count: 0, first: [] };
  let others = 0;
  return {
    add(text, place, indexes) {
      if (/\d/.test(text)) others++;
      else addTo(found, place, indexes);
    },
    // Of a few numbers one may have none by chance.
    found: () => (others < LEAST_NUMBERS * Math.max(1, found.count) ? { count: 0, first: [] } : found),
  };
}

/** Finds records whose texts are the number and those that a mapping or a query gives to each record. */
function ofOnlyANumber<Place>(): Comparer<Place> {
  const firstTexts = new Map<string, string>();
  const varied = new Set<string>();
  /** By the fields with a text, which may vary in later records. */
  const candidates = new Map<string, Found<Place> & { fields: readonly string[] }>();
  let all = 0;
  return {
    add(number, place, indexes, _, payload) {
      all++;
      const fields: string[] = [];
      for (const [field, text] of textsIn(payload)) {
        if (text === number || text.trim() === '') continue;
        if ((firstTexts.get(field) ?? text) !== text) varied.add(field);
        // Most records end here, at one of their first fields.
        if (varied.has(field)) return;
        firstTexts.set(field, text);
        fields.push(field);
      }
      const found = candidates.get(fields.join()) ?? { count: 0, first: [], fields };
      candidates.set(fields.join(), found);
      addTo(found, place, indexes);
    },
    found() {
      const rest = [...candidates.values()].filter(({ fields }) => !fields.some((field) => varied.has(field)));
      const count = rest.reduce((sum, found) => sum + found.count, 0);
      if (all - count < LEAST_NUMBERS * Math.max(1, count)) return { count: 0, first: [] };
      return { count, first: rest.flatMap(({ first }) => first).slice(0, MOST_PLACES) };
    },
  };
}

/** Yields the texts of a value, each with its path without indexes. */
function* textsIn(value: unknown, path = '', depth = 0): Generator<[path: string, text: string]> {
  if (depth > DEEPEST) return;
  if (typeof value === 'string') yield [path, value];
  else if (Array.isArray(value)) for (const one of value) yield* textsIn(one, path, depth + 1);
  else if (typeof value === 'object' && value !== null)
    for (const [name, one] of Object.entries(value)) yield* textsIn(one, `${path}.${name}`, depth + 1);
}

/** Of the documented fields, metadata apart. A value of a program may contain itself. */
const DEEPEST = 8;

/** Number of customers from which a contact is suspicious: one person may have some accounts. */
const MANY = 100;
/** Number of contacts after which the rare ones are forgotten, to bound the memory (lossy counting): of 3,000,000, up to 60 of each. */
const BETWEEN_CLEANUPS = 50_000;

/** Returns the contact, however it is written. Most are in the usual form. */
function contactOf(text: string): string {
  if (text.includes('@')) return text.trim().toLowerCase();
  if (E164.test(text)) return text;
  const digits = text.replace(/\D/g, '');
  return digits === '' ? text : `+${digits}`;
}

const E164 = /^\+\d+$/;

function ofManyCustomers<Place>(): Comparer<Place> {
  const contacts = new Map<string, Found<Place> & { missed: number }>();
  let added = 0;
  let cleanups = 0;
  const cleanUp = () => {
    cleanups++;
    for (const [contact, { count, missed }] of contacts) if (count + missed <= cleanups) contacts.delete(contact);
  };
  return {
    add(text, place, indexes) {
      const contact = contactOf(text);
      const known = contacts.get(contact);
      if (known !== undefined) addTo(known, place, indexes);
      else contacts.set(contact, { count: 1, first: [{ place, indexes: indexes.slice() }], missed: cleanups });
      if (++added % BETWEEN_CLEANUPS === 0) cleanUp();
    },
    found() {
      const many = [...contacts.values()].filter(({ count, missed }) => count + missed >= MANY);
      return {
        count: many.reduce((sum, { count }) => sum + count, 0),
        first: many.flatMap(({ first }) => first).slice(0, MOST_PLACES),
      };
    },
  };
}
