/**
 * Exports `expectNotRenumbered`: a record that the run has created, and that the input now has under another number, would be created a
 * second time. Sends no request.
 */
import { hash as digest } from 'node:crypto';
import { plainNumber } from '../../http/transport/other-name.js';
import type { ImportRecord } from '../../validation/records/import-record.js';
import type { RecordKey } from '../ledger/ledger.js';
import { canStartOver } from '../record/events/record-state.js';
import { areOtherCustomers, countOf, customersIn, digestsOf, supplyPointsIn } from '../shared/digests.js';
import { createHashSet } from '../shared/hash-set.js';
import type { Reading, RunContext } from './input-pass.js';
import { type ComparedLine, compareLines, newLines, storedLines } from './reading.js';
import { RenumberedError, type RenumberedRecord } from './renumbered-error.js';

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
  const missing = await missingIn(compareLines(run, reading));
  await addReassigned(missing, run, reading, number);
  if (missing.byLikeness.size === 0) return [];
  const found: RenumberedRecord[] = [];
  for await (const { supplier, kind, number: now, source, line, record } of newLines(ledger, number)) {
    const key = { supplier, kind, number: now };
    const former = formerOf(key, record, missing);
    if (former === undefined) continue;
    const { number: formerNumber, supplier: formerSupplier } = former.key;
    found.push({ ...key, formerNumber, formerSupplier, by: former.by, source, line });
  }
  return found;
}

interface Missing {
  /** The keys of these records by what a renumbered one has in common with them. */
  byLikeness: Map<string, RecordKey>;
  /** Their numbers by the last word of each. */
  byWord: Map<string, Set<string>>;
}

/** The records without their line that exist or may exist. */
async function missingIn(lines: AsyncIterable<ComparedLine>): Promise<Missing> {
  const missing: Missing = { byLikeness: new Map(), byWord: new Map() };
  for await (const { record, isMet } of lines) {
    const { supplier, kind, number, contentHash } = record;
    // One that a person has accepted as removed exists as well, and may come back under another number.
    if (kind === 'populate' || canStartOver(record) || isMet) continue;
    const key = { supplier, kind, number };
    for (const { id } of likenessesOf(key, contentHash)) missing.byLikeness.set(id, key);
    const word = number.match(WORD)?.at(-1) ?? '';
    missing.byWord.set(word, (missing.byWord.get(word) ?? new Set()).add(number));
  }
  return missing;
}

/**
 * Adds the records whose number the input gives to another customer, as when an export counts its rows: their own customers may be the new
 * ones. Only those of which a new record has the content or the customers, because another customer may live at a supply point.
 */
async function addReassigned({ byLikeness }: Missing, { ledger }: RunContext, reading: Reading, number: number) {
  if (reading.differing.isEmpty()) return;
  const ofNew = createHashSet();
  for await (const line of newLines(ledger, number))
    for (const id of likenessesOfCustomers(line, line.contentHash)) ofNew.add(id);
  for await (const { line, known } of storedLines(ledger, number)) {
    if (known === undefined || canStartOver(known) || !areOtherCustomers(known.contentHash, line.contentHash)) continue;
    for (const id of likenessesOfCustomers(known, known.contentHash)) if (ofNew.has(id)) byLikeness.set(id, known);
  }
}

function likenessesOfCustomers(key: RecordKey, digests: string): string[] {
  const all = likenessesOf(key, digests);
  return all.flatMap(({ by, id }) => (by === 'content' || by === 'customers' ? [id] : []));
}

function formerOf(key: RecordKey, record: ImportRecord, missing: Missing) {
  const likenesses = (...formerNumbers: string[]) => {
    // One number may be a part of the other.
    const numbers = [key.number, ...formerNumbers].sort((one, other) => other.length - one.length);
    return likenessesOf(key, digestsOf(record, ...numbers)).flatMap(({ by, id }) => {
      const former = missing.byLikeness.get(id);
      return former === undefined ? [] : [{ key: former, by }];
    });
  };
  const [found] = likenesses();
  if (found !== undefined) return found;
  // Texts that still contain the former number were compared without it.
  for (const number of formerNumbersIn(record, missing)) {
    const [former] = likenesses(number);
    if (former !== undefined) return former;
  }
  return undefined;
}

const WORD = /[\p{L}\p{N}]+/gu;
/** Of a word in the texts of a record: `4711` of `TX4711`. */
const DIGITS = /\d+/g;
/** Further numbers that the texts of one record may contain are not tried. */
const MOST_TRIED = 20;

function formerNumbersIn(record: ImportRecord, { byWord }: Missing): string[] {
  const text = JSON.stringify(record);
  const words = new Set([...(text.match(WORD) ?? []), ...(text.match(DIGITS) ?? [])]);
  const numbers = [...words].flatMap((word) => [...(byWord.get(word) ?? [])]);
  return numbers.filter((number) => text.includes(number)).slice(0, MOST_TRIED);
}

/** With fewer values, number and supplier included, two records are equal by chance. */
const FEW = 4;

/** What two records of one customer have in common, whatever their numbers. */
function likenessesOf({ supplier, kind, number }: RecordKey, digests: string) {
  const idOfAll = (by: RenumberedRecord['by'], what: string) => ({
    by,
    id: digest('sha256', JSON.stringify([kind, by, what])),
  });
  const [points, customers, plain] = [supplyPointsIn(digests), customersIn(digests), plainNumber(number)];
  const ofNumber = (...what: string[]) => (plain === '' ? [] : [idOfAll('number', JSON.stringify([...what, plain]))]);
  return [
    ...(countOf(digests) < FEW ? [] : [idOfAll('content', digests)]),
    ...ofNumber(supplier),
    ...(points === '' ? [] : [idOfAll('supplyPoints', points)]),
    ...(customers === '' ? [] : [idOfAll('customers', customers)]),
    // A customer who has moved to another supplier keeps the number.
    ...ofNumber(),
  ];
}
