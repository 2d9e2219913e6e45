/**
 * Exports `digestsOf`: the content of a record as one short digest for each of its values. Equal content gives equal digests, whatever
 * the order of keys, the spacing or the file format; and from other digests `changedPaths` tells which fields differ, without the payload.
 */
import { hash } from 'node:crypto';
import {
  areOfOtherCustomers,
  bothIdentities,
  type Identity,
  identityFrom,
  identityOf,
} from '../../validation/records/identity.js';
import type { ImportRecord } from '../../validation/records/import-record.js';
import { leavesOf, type Place, rootPlace } from '../../validation/records/payload-places.js';
import { eachIn, finished, inText, LENGTH, numberIn } from '../../validation/records/short-digests.js';

/** Of the characters of a digest, 3 are of the path, without indexes, and 5 of the value and its place. */
const LENGTH_OF_PATH = 3;

/** The first character, so that digests are as long as no other hash. */
const MARK = '~';

/** A number of at least this length is recognised anywhere in other texts, such as the id of a transaction; a shorter one only between signs and spaces. */
const LEAST_OF_NUMBER = 4;

/** Between the digests of the account or business, those of its items, and those of the persons and places that it is of. */
const PART = '|';

/** The parts with items. The order of items means nothing: one is found again by its identifier, or by its content. */
const IDS: Readonly<Record<string, string>> = {
  notes: '',
  transactions: 'transaction_id',
  statements: 'statement_id',
  payment_instruction: 'reference',
  payment_instructions: 'reference',
};

/**
 * Returns the digests of the values of a record, in ascending order. `numbers`: the number of the record, and former ones. Neither they nor
 * the supplier count: a record that differs in nothing else has the same digests. After them follow those of its identity.
 */
export function digestsOf(record: ImportRecord, ...numbers: string[]): string {
  const { own, ofItems } = valuesOf(record, numbers);
  const [first, second, third] = [own, ofItems, identityOf(record)];
  const all = new Float64Array(first.length + second.length + third.length);
  const [atItems, atIdentity] = [first.length, first.length + second.length];
  all.set(first);
  all.set(second, atItems);
  all.set(third, atIdentity);
  all.subarray(0, atItems).sort();
  all.subarray(atItems, atIdentity).sort();
  all.subarray(atIdentity).sort();
  const text = inText(all);
  return `${MARK}${text.slice(0, atItems * LENGTH)}${PART}${text.slice(atItems * LENGTH, atIdentity * LENGTH)}${PART}${text.slice(atIdentity * LENGTH)}`;
}

/** Returns whether both digests are of records that differ at most in their items. */
export function isSameButItems(one: string, other: string): boolean {
  return one.slice(0, one.indexOf(PART)) === other.slice(0, other.indexOf(PART));
}

/** Returns whether both digests are of one content. The identities of equal contents differ only if a person has accepted further customers. */
export function isSameContent(one: string, other: string): boolean {
  return one === other || contentIn(one).content === contentIn(other).content;
}

/** Returns the digests with those of a further identity. */
export function withIdentityOf(digests: string, other: string): string {
  const [own, further] = [identityOfDigests(digests), identityOfDigests(other)];
  return further === '' ? digests : contentIn(digests).content + PART + bothIdentities(own, further);
}

function identityOfDigests(digests: string): string {
  return digests.split(PART)[2] ?? '';
}

/** Returns the digests with further items: each is in the result as often as in the list that has more of it. */
export function withItemsOf(digests: string, other: string): string {
  const [own, items, identity] = digests.split(PART) as [string, string, string];
  const left = countsOf(eachIn(items));
  const added = eachIn(other.split(PART)[1] ?? '').filter((digest) => !takenFrom(left, digest));
  return own + PART + inText(new Float64Array([...eachIn(items), ...added].map(numberIn)).sort()) + PART + identity;
}

/**
 * Returns the paths of the values that differ from those with these digests, with `*` in place of indexes and of names that are not
 * documented. A value that is no longer there is named by its path, too, unless its path is in one of the parts `removed`.
 */
export function changedPaths(
  record: ImportRecord,
  number: string,
  before: string,
  removed: readonly string[] = [],
): string[] {
  const old = countsOf(eachOf(before));
  const paths = new Set<string>();
  const names = new Map<string, string>();
  valuesOf(record, [number], (digest, path) => {
    const text = inText(Float64Array.of(digest));
    const count = old.get(text) ?? 0;
    names.set(text.slice(0, LENGTH_OF_PATH), path);
    if (count > 0) old.set(text, count - 1);
    else paths.add(path);
  });
  for (const [digest, count] of old) {
    if (count <= 0) continue;
    const begin = digest.slice(0, LENGTH_OF_PATH);
    const path = names.get(begin) ?? documentedPaths().get(begin) ?? '*';
    if (!removed.some((part) => path === part || path.startsWith(`${part}.`))) paths.add(path);
  }
  return [...paths].sort();
}

/** Returns the digests without those of the identity, and how many they are. */
export function contentIn(digests: string): { content: string; count: number } {
  const end = digests.lastIndexOf(PART);
  const content = end < 0 ? digests : digests.slice(0, end);
  return { content, count: Math.floor(content.length / LENGTH) };
}

/** Returns whose record it is: see `identityFrom`. */
export function identityIn(digests: string, isSought = false): Identity {
  return identityFrom(identityOfDigests(digests), isSought);
}

/** Returns whether both digests are known to be of records of different customers, or have too little in common to be of one. */
export function areOtherCustomers(before: string, now: string): boolean {
  const [own, further] = [identityOfDigests(before), identityOfDigests(now)];
  if (own !== '' && further !== '') return areOfOtherCustomers(own, further);
  const [left, values] = [countsOf(valuesIn(before)), valuesIn(now)];
  const least = Math.min(valuesIn(before).length, values.length) - VALUES_OF_KEY;
  const common = values.filter((digest) => takenFrom(left, digest)).length - VALUES_OF_KEY;
  // One value is too few to compare, unless the record has got or lost its customer.
  return 2 * common < least && (least > 1 || own !== further);
}

/** Number and supplier, which do not count. */
const VALUES_OF_KEY = 2;

/** Returns the digests of the account or business without its items. */
function valuesIn(digests: string): string[] {
  return eachIn(digests.slice(MARK.length, digests.indexOf(PART)));
}

function takenFrom(counts: Map<string, number>, digest: string): boolean {
  const count = counts.get(digest) ?? 0;
  counts.set(digest, count - 1);
  return count > 0;
}

/** `nameEach` is called with each digest and its path. */
function valuesOf(record: ImportRecord, numbers: readonly string[], nameEach?: (digest: number, path: string) => void) {
  const found: { digest: number; path: string }[] = [];
  const [own, ofItems]: [number[], number[]] = [[], []];
  const add: Each = (digest, path, isOfItem) => {
    (isOfItem ? ofItems : own).push(digest);
    if (path !== undefined) found.push({ digest, path });
  };
  new Visit(numbers, add).record(record, nameEach !== undefined);
  if (Math.max(own.length, ofItems.length) <= MOST_VALUES) {
    for (const { digest, path } of found) nameEach?.(digest, documentedPath(path));
    return { own, ofItems };
  }
  const sums = sumsOfParts(record, numbers);
  for (const { digest, part } of sums) nameEach?.(digest, part);
  const of = (isOfItem: boolean) => sums.filter((sum) => sum.isOfItem === isOfItem).map(({ digest }) => digest);
  return { own: of(false), ofItems: of(true) };
}

/** A record with more values has one digest for each of its parts: what the ledger holds of a record has an upper bound. */
const MOST_VALUES = 10_000;

function sumsOfParts(record: ImportRecord, numbers: readonly string[]) {
  const sums = new Map<string, { digest: number; part: string; isOfItem: boolean }>();
  for (const name in record) {
    const part = documentedPath(name);
    const start = ofPath(sumOfPath(part));
    const add: Each = (digest, _, isOfItem) => {
      const key = `${part}.${isOfItem}`;
      const { digest: sum } = sums.get(key) ?? { digest: start };
      sums.set(key, { digest: start + ((sum + digest) % OF_VALUE), part, isOfItem });
    };
    new Visit(numbers, add).record({ [name]: record[name as keyof ImportRecord] }, false);
  }
  return [...sums.values()];
}

function eachOf(digests: string): string[] {
  return eachIn(contentIn(digests).content.slice(MARK.length).replace(PART, ''));
}

function countsOf(digests: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const digest of digests) counts.set(digest, (counts.get(digest) ?? 0) + 1);
  return counts;
}

/** Returns a short number of the content, to compare two records with one key in memory. 0 equals none. */
export function noteOfDigests(digests: string): number {
  return Number.parseInt(hash('sha256', digests).slice(0, 8), 16) || 1;
}

/** `path`: without indexes; only for a caller that names it. */
type Each = (digest: number, path: string | undefined, isOfItem: boolean) => void;

/** Visits the values of a record. `a` and `b`: two sums of the place with its indexes; `c`: one of the path without them. */
class Visit {
  readonly #numbers: readonly string[];
  readonly #each: Each;
  #isOfItem = false;

  constructor(numbers: readonly string[], each: Each) {
    this.#numbers = numbers;
    this.#each = each;
  }

  record(record: object, isNamed: boolean): void {
    for (const part in record) {
      const value = (record as Record<string, unknown>)[part];
      if (value === undefined) continue;
      const name = numberOf(part);
      const [a, b, c] = [next(A, name), next(B, name), next(C, name)];
      const path = isNamed ? part : undefined;
      const idOfItem = IDS[part];
      this.#isOfItem = idOfItem !== undefined;
      if (idOfItem === undefined || !Array.isArray(value)) this.#value(value, a, b, c, path);
      else for (const item of value) this.#item(item, idOfItem, a, b, c, path);
    }
  }

  /** The place of an item is its identifier or, without one, its content. */
  #item(item: unknown, idOfItem: string, a: number, b: number, c: number, path: string | undefined): void {
    const id = typeof item === 'object' && item !== null ? (item as Record<string, unknown>)[idOfItem] : undefined;
    const text =
      typeof id === 'string' && id !== '' ? withoutNumbers(id, this.#numbers) : contentOf(item, this.#numbers);
    this.#value(item, sumOf(text, a, PRIME_A), sumOf(text, b, PRIME_B), next(c, EACH), path && `${path}.*`);
  }

  /** The number counts where it identifies a supply point. The supplier is part of the key, as the number is. */
  #textOf(value: string, c: number): string {
    if (C_OF_SUPPLIER.has(c)) return NUMBER;
    return c === C_OF_SUPPLY_POINT ? value : withoutNumbers(value, this.#numbers);
  }

  #value(value: unknown, a: number, b: number, c: number, path: string | undefined): void {
    if (typeof value !== 'object' || value === null) {
      const text = typeof value === 'string' ? this.#textOf(value, c) : `\u0000${value}`;
      this.#each(digestOf(text, a, b, c), path, this.#isOfItem);
      return;
    }
    let isEmpty = true;
    if (Array.isArray(value)) {
      const of = next(c, EACH);
      const at = path && `${path}.*`;
      for (let index = 0; index < value.length; index++) {
        isEmpty = false;
        if (of === EACH_SUPPLY_POINT) this.#item(value[index], 'identifier', a, b, c, path);
        else this.#value(value[index], next(a, index), next(b, index), of, at);
      }
    } else {
      for (const key in value) {
        const field = (value as Record<string, unknown>)[key];
        if (field === undefined) continue;
        isEmpty = false;
        const name = numberOf(key);
        this.#value(field, next(a, name), next(b, name), next(c, name), path && `${path}.${key}`);
      }
    }
    if (isEmpty) this.#each(digestOf(Array.isArray(value) ? '\u0000[]' : '\u0000{}', a, b, c), path, this.#isOfItem);
  }
}

const A = 0x11c9dc5;
const B = 0x1b873593;
const C = 0x7f4a7c15;
const PRIME_A = 0x01000193;
const PRIME_B = 0x5bd1e995;
const EACH = 0x2a2a2a2a;

function next(sum: number, number: number): number {
  const mixed = Math.imul(sum ^ number, 0x85ebca6b);
  return mixed ^ (mixed >>> 15);
}

const numbersOfNames = new Map<string, number>();
/** Names under `metadata` may be any; the memory for them has an end. */
const MOST_NAMES = 10_000;

function numberOf(name: string): number {
  const known = numbersOfNames.get(name);
  if (known !== undefined) return known;
  const found = finished(sumOf(name, A, PRIME_A)) >>> 1;
  if (numbersOfNames.size < MOST_NAMES) numbersOfNames.set(name, found);
  return found;
}

function contentOf(item: unknown, numbers: readonly string[]): string {
  let sum = 0;
  const add: Each = (digest) => {
    sum = (sum + digest) % Number.MAX_SAFE_INTEGER;
  };
  new Visit(numbers, add).record({ item }, false);
  return String(sum);
}

/** Stands for the number of the record. Values that are no text begin with another control character. */
const NUMBER = '\u0001';

function withoutNumbers(text: string, numbers: readonly string[]): string {
  let left = text;
  for (const number of numbers) left = withoutNumber(left, number);
  return left;
}

function withoutNumber(text: string, number: string): string {
  if (number === '' || text.length < number.length) return text;
  if (text === number) return NUMBER;
  if (!text.includes(number)) return text;
  if (number.length >= LEAST_OF_NUMBER) return text.replaceAll(number, NUMBER);
  return text.replaceAll(number, (found, at: number) =>
    ALNUM.test(text[at - 1] ?? '') || ALNUM.test(text[at + number.length] ?? '') ? found : NUMBER,
  );
}

const ALNUM = /[\p{L}\p{N}]/u;

/** 30 bits of a digest are of the place and the value. */
const OF_VALUE = 2 ** 30;

/** 48 bits: 18 of the path, 30 of the place and the value. */
function digestOf(text: string, a: number, b: number, c: number): number {
  let [x, y] = [a, b];
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    x = Math.imul(x ^ code, PRIME_A);
    y = Math.imul(y ^ code, PRIME_B);
  }
  return ofPath(c) + (finished(finished(x) ^ Math.imul(y ^ (y >>> 15), 0x9e3779b1)) >>> 2);
}

function ofPath(c: number): number {
  return (finished(c) >>> 14) * OF_VALUE;
}

function sumOf(text: string, start: number, prime: number): number {
  let sum = start;
  for (let index = 0; index < text.length; index++) sum = Math.imul(sum ^ text.charCodeAt(index), prime);
  return sum;
}

/** The characters that the digests of a documented path begin with. */
function beginOf(path: string): string {
  return inText(Float64Array.of(ofPath(sumOfPath(path)))).slice(0, LENGTH_OF_PATH);
}

function sumOfPath(path: string): number {
  return path.split('.').reduce((c, part) => next(c, part === '*' ? EACH : numberOf(part)), C);
}

/** Their order means nothing, as that of items. */
const EACH_SUPPLY_POINT = sumOfPath('account.supply_addresses.*.supply_points.*');
const C_OF_SUPPLY_POINT = sumOfPath('account.supply_addresses.*.supply_points.*.identifier');
const C_OF_SUPPLIER: ReadonlySet<number> = new Set(
  ['account.import_supplier', 'business.import_supplier_code'].map(sumOfPath),
);

let byBegin: ReadonlyMap<string, string> | undefined;

/** The documented paths, by what their digests begin with. */
function documentedPaths(): ReadonlyMap<string, string> {
  byBegin ??= new Map(leavesOf(rootPlace()).map((path) => [beginOf(path), path]));
  return byBegin;
}

/** Returns the path with `*` for names that are not documented: they may be personal data. */
function documentedPath(path: string): string {
  let place: Place | undefined = rootPlace();
  for (const part of path.split('.')) {
    const next: Place | undefined = place.fields.get(part) ?? place.each ?? place.other;
    if (next === undefined) break;
    place = next;
  }
  return place.path;
}
