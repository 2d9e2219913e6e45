/**
 * Exports `expectNotRenumbered`: a record that the run has created, and that the input now has under another number, would be created a
 * second time. Sends no request.
 */
import { hash as digest } from 'node:crypto';
import { plainNumber } from '../../http/transport/other-name.js';
import type { ImportRecord } from '../../validation/records/import-record.js';
import type { RecordKey } from '../ledger/ledger.js';
import { canStartOver } from '../record/events/record-state.js';
import { areOtherCustomers, countOf, digestsOf, identityIn } from '../shared/content-digests.js';
import { createHashSet } from '../shared/hash-set.js';
import { compareLines, newLines, storedLines } from './input-against-ledger.js';
import { RenumberedError, type RenumberedRecord } from './renumbered-error.js';
import type { Reading, RunContext } from './run-context.js';

/**
 * Rejects with a `RenumberedError` if a reading of the input has such records, unless `onRenumbered` resolves with true. Call it when the
 * lines of the reading are stored.
 */
export async function expectNotRenumbered(run: RunContext, reading: Reading, number: number): Promise<void> {
  if (run.areChangesAccepted) return;
  const found = await renumberedIn(run, reading, number);
  if (found.length > 0 && !(await run.onRenumbered(found))) throw new RenumberedError(found);
}

async function renumberedIn(run: RunContext, reading: Reading, number: number): Promise<RenumberedRecord[]> {
  const { ledger } = run;
  if (reading.missing === 0 && reading.differing.isEmpty()) return [];
  const former = await formerRecords(run, reading, number);
  if (former.byLikeness.size === 0 && former.byWord.size === 0) return [];
  const found: RenumberedRecord[] = [];
  for await (const { supplier, kind, number: now, source, line, record } of newLines(ledger, number)) {
    const key = { supplier, kind, number: now };
    const one = formerOf(key, record, former);
    if (one === undefined) continue;
    const { number: formerNumber, supplier: formerSupplier } = one.key;
    found.push({ ...key, formerNumber, formerSupplier, by: one.by, source, line });
  }
  return found;
}

/** Records that exist or may exist, and whose line the input does not have. Only those that a new record may be: they may be millions. */
interface FormerRecords {
  /** The keys of these records by what a renumbered one has in common with them. */
  byLikeness: Map<string, RecordKey>;
  /** Their numbers by the last word of each. */
  byWord: Map<string, Set<string>>;
}

async function formerRecords(run: RunContext, reading: Reading, number: number): Promise<FormerRecords> {
  const { ledger } = run;
  const former: FormerRecords = { byLikeness: new Map(), byWord: new Map() };
  const ofNew = createHashSet();
  for await (const line of newLines(ledger, number)) {
    for (const record of ordersOf(line.record)) {
      for (const { id } of likenessesOf(line, digestsOf(record, line.number))) ofNew.add(id);
    }
    for (const word of wordsIn(JSON.stringify(line.record))) ofNew.add(digest('sha256', word));
  }
  if (ofNew.isEmpty()) return former;
  const add = ({ supplier, kind, number }: RecordKey, likenesses: readonly Likeness[], areAll: boolean) => {
    for (const { id } of likenesses) if (areAll || ofNew.has(id)) former.byLikeness.set(id, { supplier, kind, number });
  };
  for await (const { record, isMet } of compareLines(run, reading)) {
    const { kind, number } = record;
    // One that a person has accepted as removed exists as well, and may come back under another number.
    if (kind === 'populate' || canStartOver(record) || isMet) continue;
    const word = number.match(WORD)?.at(-1) ?? '';
    // A text of a new record may contain the number: without it, that record has other likenesses.
    const isInText = ofNew.has(digest('sha256', word));
    add(record, likenessesOf(record, record.contentHash), isInText);
    if (isInText) former.byWord.set(word, (former.byWord.get(word) ?? new Set()).add(number));
  }
  if (reading.differing.isEmpty()) return former;
  // The input may give their number to another customer, as where an export counts its rows. Another customer may live at a supply point.
  for await (const { line, known } of storedLines(ledger, number)) {
    if (known === undefined || canStartOver(known) || !areOtherCustomers(known.contentHash, line.contentHash)) continue;
    const likenesses = likenessesOf(known, known.contentHash);
    add(
      known,
      likenesses.filter(({ by }) => by === 'content' || by === 'customers'),
      false,
    );
  }
  return former;
}

function formerOf(key: RecordKey, record: ImportRecord, former: FormerRecords) {
  const likenesses = (...formerNumbers: string[]) => {
    // One number may be a part of the other.
    const numbers = [key.number, ...formerNumbers].sort((one, other) => other.length - one.length);
    const all = ordersOf(record).flatMap((one) => likenessesOf(key, digestsOf(one, ...numbers)));
    return all.flatMap(({ by, id }) => {
      const found = former.byLikeness.get(id);
      return found === undefined ? [] : [{ key: found, by }];
    });
  };
  const [found] = likenesses();
  if (found !== undefined) return found;
  // Texts that still contain the former number were compared without it.
  for (const number of formerNumbersIn(record, former)) {
    const [one] = likenesses(number);
    if (one !== undefined) return one;
  }
  return undefined;
}

const WORD = /[\p{L}\p{N}]+/gu;
/** Of a word in the texts of a record: `4711` of `TX4711`. */
const DIGITS = /\d+/g;
/** Further numbers that the texts of one record may contain are not tried. */
const MOST_TRIED = 20;

function wordsIn(text: string): Set<string> {
  return new Set([...(text.match(WORD) ?? []), ...(text.match(DIGITS) ?? [])]);
}

function formerNumbersIn(record: ImportRecord, { byWord }: FormerRecords): string[] {
  const text = JSON.stringify(record);
  const numbers = [...wordsIn(text)].flatMap((word) => [...(byWord.get(word) ?? [])]);
  return numbers.filter((number) => text.includes(number)).slice(0, MOST_TRIED);
}

/** With more customers, only the order of the record is tried. */
const MOST_ORDERED = 3;

/** Returns the record with its customers in each order, its own first: an export may give another one each day. */
function ordersOf(record: ImportRecord): ImportRecord[] {
  if (!('account' in record)) return [record];
  const { account } = record;
  const { customers } = account;
  if (!Array.isArray(customers) || customers.length > MOST_ORDERED) return [record];
  return permutations(customers).map((order) => ({ ...record, account: { ...account, customers: order } }));
}

function permutations<Value>(list: readonly Value[]): Value[][] {
  if (list.length < 2) return [[...list]];
  return list.flatMap((one, at) => permutations(list.toSpliced(at, 1)).map((rest) => [one, ...rest]));
}

interface Likeness {
  by: RenumberedRecord['by'];
  id: string;
}

/** A spreadsheet that splits numbers at their signs makes `A-7` of `A-007`. */
const ZEROS = /(?<!\d)0+(?=\d)/g;

/** With fewer values, number and supplier included, two records are equal by chance. */
const FEW = 4;

/** What two records of one customer have in common, whatever their numbers. */
function likenessesOf({ supplier, kind, number }: RecordKey, digests: string): Likeness[] {
  const idOfAll = (by: Likeness['by'], what: string) => ({
    by,
    id: digest('sha256', JSON.stringify([kind, by, what])),
  });
  const [{ supplyPoints, customers }, plain] = [identityIn(digests), plainNumber(number.replace(ZEROS, ''))];
  const ofNumber = (...what: string[]) => (plain === '' ? [] : [idOfAll('number', JSON.stringify([...what, plain]))]);
  return [
    ...(countOf(digests) < FEW ? [] : [idOfAll('content', digests)]),
    ...ofNumber(supplier),
    ...(supplyPoints === '' ? [] : [idOfAll('supplyPoints', supplyPoints)]),
    ...(customers === '' ? [] : [idOfAll('customers', customers)]),
    // A customer who has moved to another supplier keeps the number.
    ...ofNumber(),
  ];
}
