/**
 * Exports `expectNotRenumbered`: a record that the run has created, and that the input now has under another number, would be created a
 * second time, and an item that it now has in another record would be sent a second time. Sends no request.
 */
import { hash as digest } from 'node:crypto';
import type { ImportRecord } from '../../validation/records/import-record.js';
import { numberWithoutZeros } from '../../validation/records/plain-number.js';
import { NO_ITEMS } from '../ledger/items.js';
import type { LedgerRecord, ReadStoredLine, RecordKey } from '../ledger/ledger.js';
import { hasOtherCustomer } from '../record/changed-and-removed.js';
import { canStartOver } from '../record/events/record-state.js';
import { itemsIn, newIn } from '../record/items/item-states.js';
import { areOtherCustomers, contentIn, digestsOf, identityIn } from '../shared/content-digests.js';
import { createHashSet, type HashSet } from '../shared/hash-set.js';
import { compareLines, isDiffering, storedLines } from './input-against-ledger.js';
import { movedItemsIn } from './moved-items.js';
import { RenumberedError, type RenumberedRecord } from './renumbered-error.js';
import type { Reading, RunContext } from './run-context.js';

/**
 * Rejects with a `RenumberedError` if a reading of the input has such records, unless `onRenumbered` resolves with true. Call it when the
 * lines of the reading are stored.
 */
export async function expectNotRenumbered(run: RunContext, reading: Reading, number: number): Promise<void> {
  if (run.areChangesAccepted) return;
  const found = await renumberedIn(run, reading, number);
  if (found.length === 0) return;
  if (!(await run.onRenumbered(found))) throw new RenumberedError(found);
  reading.areOthersAccepted = true;
}

async function renumberedIn(run: RunContext, reading: Reading, number: number): Promise<RenumberedRecord[]> {
  if (reading.missing === 0 && reading.differing.isEmpty()) return [];
  const found = await recordsOfOthers(run, reading, number);
  const pairOf = ({ supplier, kind, number, formerNumber, formerSupplier }: RenumberedRecord) =>
    JSON.stringify([supplier, kind, number, formerNumber, formerSupplier]);
  const named = new Set(found.map(pairOf));
  // A record that seems to be another one has its items.
  return [...found, ...(await movedItemsIn(run, reading, number)).filter((one) => !named.has(pairOf(one)))];
}

async function recordsOfOthers(run: RunContext, reading: Reading, number: number): Promise<RenumberedRecord[]> {
  const found: RenumberedRecord[] = [];
  for await (const { line, known, isOther } of changedLines(run, reading, number)) {
    if (!isOther || !hasUnsentItems(known, line)) continue;
    const { supplier, kind, number: now, source, line: at } = line;
    found.push({
      ...{ supplier, kind, number: now, formerNumber: now, formerSupplier: supplier },
      ...{ by: 'otherCustomer', source, line: at },
    });
  }
  const former = await formerRecords(run, reading, number);
  if (former.byLikeness.size === 0 && former.byWord.size === 0) return found;
  for await (const line of linesToCreate(run, reading, number)) {
    const one = formerOf(line, former);
    if (one === undefined) continue;
    const { supplier, kind, number: now, source, line: at } = line;
    const { number: formerNumber, supplier: formerSupplier } = one.key;
    found.push({ supplier, kind, number: now, formerNumber, formerSupplier, by: one.by, source, line: at });
  }
  return found;
}

/** Yields the stored lines of records that the run would create: new ones, and changed ones of which no part exists. */
async function* linesToCreate({ ledger }: RunContext, reading: Reading, number: number) {
  for await (const { line, known } of storedLines(ledger, number)) {
    if (known === undefined || (canStartOver(known) && isDiffering(known, reading))) yield line;
  }
}

/** Yields the changed lines of records that exist. `isOther`: of another customer than the record. */
async function* changedLines({ ledger }: RunContext, reading: Reading, number: number) {
  if (reading.differing.isEmpty()) return;
  for await (const { line, known } of storedLines(ledger, number)) {
    if (known === undefined || canStartOver(known) || !isDiffering(known, reading)) continue;
    yield { line, known, isOther: areOtherCustomers(known.contentHash, line.contentHash) };
  }
}

/** Returns whether the line has items that could be sent to the account of the record. Those of an unfinished record may be waiting. */
function hasUnsentItems({ outcome, items }: LedgerRecord, { record }: ReadStoredLine): boolean {
  return newIn(outcome === null ? NO_ITEMS : items, itemsIn(record)).length > 0;
}

/** Records that exist or may exist, and whose line the input does not have. Only those that a new record may be: they may be millions. */
interface FormerRecords {
  /** The keys of these records by what a renumbered one has in common with them. */
  byLikeness: Map<string, RecordKey>;
  /** Their numbers by the last word of each. */
  byWord: Map<string, Set<string>>;
  /** The companies of new accounts, each with the number of new and known accounts that have it. */
  counts: HashSet;
}

async function formerRecords(run: RunContext, reading: Reading, number: number): Promise<FormerRecords> {
  const ofNew = createHashSet();
  const former: FormerRecords = { byLikeness: new Map(), byWord: new Map(), counts: ofNew };
  let hasCompany = false;
  const count = (company: readonly Likeness[]) => {
    for (const { id } of company) ofNew.setNote(id, (ofNew.noteOf(id) ?? 0) + 1);
  };
  for await (const line of linesToCreate(run, reading, number)) {
    for (const { id } of likenessesOf(line, line.contentHash, true)) ofNew.add(id);
    const company = companyOf(line, line.contentHash);
    hasCompany ||= company.length > 0;
    count(company);
    for (const word of wordsIn(JSON.stringify(line.record))) ofNew.add(digest('sha256', word));
  }
  if (ofNew.isEmpty()) return former;
  const add = ({ supplier, kind, number }: RecordKey, likenesses: readonly Likeness[], areAll: boolean) => {
    for (const { id } of likenesses) if (areAll || ofNew.has(id)) former.byLikeness.set(id, { supplier, kind, number });
  };
  for await (const { record, isMet } of compareLines(run, reading)) {
    const { kind, number } = record;
    // One that a person has accepted as removed exists as well, and may come back under another number.
    if (kind === 'populate' || canStartOver(record)) continue;
    if (hasCompany) count(companyOf(record, record.contentHash));
    if (isMet) continue;
    const word = number.match(WORD)?.at(-1) ?? '';
    // A text of a new record may contain the number: without it, that record has other likenesses.
    const isInText = ofNew.has(digest('sha256', word));
    add(record, [...likenessesOf(record, record.contentHash), ...contentsOf(record)], isInText);
    if (isInText) former.byWord.set(word, (former.byWord.get(word) ?? new Set()).add(number));
  }
  // The input may give their number to another customer, as where an export counts its rows. Another customer may live at a supply point.
  for await (const { known, isOther } of changedLines(run, reading, number)) {
    const likenesses = likenessesOf(known, known.contentHash);
    const isOfOne = ({ by, isOfMany }: Likeness) => by !== 'number' && by !== 'supplyPoints' && !isOfMany;
    // Without a customer, only its content tells whose it was.
    add(known, isOther ? likenesses.filter(isOfOne) : hasCustomer(known) ? [] : contentsOf(known), false);
  }
  return former;
}

function formerOf(line: ReadStoredLine, former: FormerRecords) {
  const alike = (digests: string) => {
    for (const { by, id, isOfMany } of likenessesOf(line, digests, true)) {
      const key = former.byLikeness.get(id);
      if (key === undefined || (isOfMany && former.counts.noteOf(id) !== ONE_AND_FORMER)) continue;
      return { key, by };
    }
    return undefined;
  };
  const found = alike(line.contentHash);
  if (found !== undefined) return found;
  // Texts that still contain the former number were compared without it.
  for (const number of formerNumbersIn(line.record, former)) {
    // One number may be a part of the other.
    const numbers = [line.number, number].sort((one, other) => other.length - one.length);
    const one = alike(digestsOf(line.record, ...numbers));
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

/** A new record, and the one that it may be. */
const ONE_AND_FORMER = 2;

interface Likeness {
  by: RenumberedRecord['by'];
  id: string;
  /** Several records may have it, and it then tells nothing about one. */
  isOfMany: boolean;
}

/** With fewer values, number and supplier included, two records are equal by chance. */
const FEW = 4;

/** What two records of one customer have in common, whatever their numbers. `isSought`: what a record of the same customer has. */
function likenessesOf(key: RecordKey, digests: string, isSought = false): Likeness[] {
  const { supplier, kind, number } = key;
  const idOf = (by: Likeness['by'], what: string) => likenessOf(kind, by, what);
  const plain = numberWithoutZeros(number);
  const { supplyPoints, customers } = identityIn(digests, isSought);
  return [
    ...contentOf(kind, digests),
    // A customer who has moved to another supplier keeps the number.
    ...(plain === '' ? [] : [idOf('number', JSON.stringify([supplier, plain])), idOf('number', plain)]),
    ...supplyPoints.map((one) => idOf('supplyPoints', one)),
    ...customers.map((one) => idOf(kind === 'business' ? 'company' : 'customers', one)),
    ...companyOf(key, digests),
  ];
}

function contentOf(kind: RecordKey['kind'], digests: string): Likeness[] {
  const { content, count } = contentIn(digests);
  return count < FEW ? [] : [likenessOf(kind, 'content', content)];
}

/** The content that the record was sent with, and that of its last line, which a person may have accepted: that of another customer is not of the record. */
function contentsOf(record: LedgerRecord): Likeness[] {
  const { kind, contentHash, difference } = record;
  const last = hasOtherCustomer(record) ? undefined : difference?.contentHash;
  return [contentHash, ...(last === undefined ? [] : [last])].flatMap((digests) => contentOf(kind, digests));
}

function hasCustomer({ contentHash }: LedgerRecord): boolean {
  return Object.values(identityIn(contentHash)).some((digests) => digests.length > 0);
}

/** The company of an account, and the contracts of an account or a business. Each supplier has its own contracts. */
function companyOf({ supplier, kind }: RecordKey, digests: string): Likeness[] {
  const { company, contracts } = identityIn(digests);
  return [
    ...company.map((one) => likenessOf(kind, 'company', one)),
    ...contracts.map((one) => likenessOf(kind, 'contracts', JSON.stringify([supplier, one]))),
  ].map((likeness) => ({ ...likeness, isOfMany: kind === 'account' }));
}

function likenessOf(kind: RecordKey['kind'], by: Likeness['by'], what: string): Likeness {
  return { by, id: digest('sha256', JSON.stringify([kind, by, what])), isOfMany: false };
}
