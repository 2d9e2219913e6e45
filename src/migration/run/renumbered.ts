/**
 * Exports `expectNotRenumbered`: a record that the run has created, and that the input now has under another number, would be created a
 * second time. Sends no request.
 */
import { hash as digest } from 'node:crypto';
import { plainNumber } from '../../http/transport/other-name.js';
import type { ImportRecord } from '../../validation/records/import-record.js';
import type { Input } from '../input/source.js';
import { idOf, type Ledger, type LedgerRecord, type RecordKey } from '../ledger/ledger.js';
import { canStartOver } from '../record/events/record-state.js';
import { keyedRecord } from '../record/record-key.js';
import { countOf, customersIn, digestsOf, supplyPointsIn } from '../shared/digests.js';
import { counted } from '../shared/format.js';
import { createHashSet } from '../shared/hash-set.js';
import { placeInWords } from '../shared/place.js';
import { lastReading } from './last-reading.js';

/** A new record that seems to be a record of the run whose line is no longer in the input. */
export interface RenumberedRecord extends RecordKey {
  /** The number in the run. */
  formerNumber: string;
  /** The import supplier in the run. */
  formerSupplier: string;
  /** `content`: they differ in nothing but their numbers. `number`: in zeros, case or signs of the number. `supplyPoints`: they have the same. `customers`: so they have customers and addresses. */
  by: 'content' | 'number' | 'supplyPoints' | 'customers';
  /** File of the new record. */
  source: string;
  /** Its line, counted from 1. */
  line: number;
}

/** The input has renumbered records. Nothing was sent. */
export class RenumberedError extends Error {
  /** Discriminates this class. */
  override readonly name = 'RenumberedError';
  /** The records. */
  readonly records: readonly RenumberedRecord[];
  /** @internal */
  constructor(records: readonly RenumberedRecord[]) {
    super(
      `${renumberedInWords(records)} Nothing was sent. Restore the numbers; or, if they are other customers, accept them with --changed-sources (changedSources of runMigration).`,
    );
    this.records = records;
  }
}

const MOST_NAMED = 3;

const HOW = {
  content: 'nothing else differs',
  number: 'the number differs in zeros, case or signs only',
  supplyPoints: 'the supply points are the same',
  customers: 'the customers and their addresses are the same',
};

/** Returns a sentence with the first of them. */
export function renumberedInWords(records: readonly RenumberedRecord[]): string {
  const named = records
    .slice(0, MOST_NAMED)
    .map(({ supplier, kind, number, formerNumber, formerSupplier, by, ...place }) => {
      const [now, before] = supplier === formerSupplier ? ['', ''] : [` of ${supplier}`, ` of ${formerSupplier}`];
      return `${placeInWords(place)} ${kind} ${number}${now}, formerly ${formerNumber}${before} (${HOW[by]})`;
    });
  const rest = records.length > MOST_NAMED ? '; …' : '';
  return `${counted(records.length, 'new record seems', 'new records seem')} to exist already under another number or supplier, which the input no longer has: ${named.join('; ')}${rest}. ${records.length === 1 ? 'It' : 'They'} would be created a second time.`;
}

/**
 * Rejects with a `RenumberedError` if the input has such records, unless `confirm` resolves with true. Reads the input if it has changed
 * since the last session; twice if records of the run are no longer in it. `filesToRead`: `identity` of the input.
 */
export async function expectNotRenumbered(
  ledger: Ledger,
  input: Input,
  filesToRead: string | undefined,
  confirm: (records: readonly RenumberedRecord[]) => boolean | Promise<boolean>,
): Promise<void> {
  if (input.isReadOnce) return;
  if ((await lastReading(ledger, filesToRead)) !== undefined) return;
  if ((await ledger.counts()).total === 0) return;
  const found = await renumberedIn(ledger, input);
  if (found.length > 0 && !(await confirm(found))) throw new RenumberedError(found);
}

async function renumberedIn(ledger: Ledger, input: Input): Promise<RenumberedRecord[]> {
  const lines = createHashSet();
  for await (const hash of ledger.endedHashes()) lines.add(hash);
  let met = 0;
  for await (const { hash } of input) {
    if (lines.noteOf(hash) !== 0) continue;
    lines.setNote(hash, MET);
    met++;
  }
  if (met === (await ledger.counts()).total) return [];
  const missing = await missingIn(ledger, ({ hash }) => (lines.noteOf(hash) ?? 0) > 0);
  if (missing.ids.size === 0) return [];
  const found = new Map<string, RenumberedRecord & { formerId: string }>();
  for await (const item of input) {
    if (lines.has(item.hash)) continue;
    const { record, key } = keyedRecord(item) ?? {};
    if (record === undefined || key === undefined || key.kind === 'populate') continue;
    // The line of a record that differs from the sent one.
    if (missing.ids.delete(idOf(key))) continue;
    const former = formerOf(key, record, missing);
    if (former === undefined) continue;
    const { source, line } = item;
    const { number: formerNumber, supplier: formerSupplier } = former.key;
    const { by } = former;
    found.set(idOf(key), { ...key, formerNumber, formerSupplier, by, source, line, formerId: idOf(former.key) });
  }
  const isMissing = ({ formerId }: { formerId: string }) => missing.ids.has(formerId);
  return [...found.values()].filter(isMissing).map(({ formerId: _, ...record }) => record);
}

/** Note on a hash: the input has the line. */
const MET = 1;

interface Missing {
  ids: Set<string>;
  /** The keys of these records by what a renumbered one has in common with them. */
  byLikeness: Map<string, RecordKey>;
  /** Their numbers by the last word of each. */
  byWord: Map<string, Set<string>>;
}

/** The records without their line that exist or may exist. */
async function missingIn(ledger: Ledger, isMet: (record: LedgerRecord) => boolean): Promise<Missing> {
  const missing: Missing = { ids: new Set(), byLikeness: new Map(), byWord: new Map() };
  for await (const record of ledger.list()) {
    const { supplier, kind, number, contentHash } = record;
    // One that a person has accepted as removed exists as well, and may come back under another number.
    if (kind === 'populate' || canStartOver(record) || isMet(record)) continue;
    const key = { supplier, kind, number };
    missing.ids.add(idOf(key));
    for (const { id } of likenessesOf(key, contentHash)) missing.byLikeness.set(id, key);
    const word = number.match(WORD)?.at(-1) ?? '';
    missing.byWord.set(word, (missing.byWord.get(word) ?? new Set()).add(number));
  }
  return missing;
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
  const [points, customers] = [supplyPointsIn(digests), customersIn(digests)];
  return [
    ...(countOf(digests) < FEW ? [] : [idOfAll('content', digests)]),
    ...(plainNumber(number) === '' ? [] : [idOfAll('number', JSON.stringify([supplier, plainNumber(number)]))]),
    ...(points === '' ? [] : [idOfAll('supplyPoints', points)]),
    ...(customers === '' ? [] : [idOfAll('customers', customers)]),
  ];
}
