/**
 * Exports `expectSameNumbers`: a mapping that changed since an earlier session must not give rows of created accounts other
 * numbers, because the accounts would be created again. No function here sends a request.
 */
import { hash as digest } from 'node:crypto';
import { resolve } from 'node:path';
import * as z from 'zod';
import type { Input, InputLine } from '../input/source.js';
import { STDIN } from '../input/text/input-files.js';
import { idOf, isImported, type Ledger, type LedgerRecord, type RecordKey } from '../ledger/ledger.js';
import { fits, jsonFact } from '../ledger/stored-fact.js';
import { keyedRecord } from '../record/record-key.js';
import { createHashSet } from '../shared/hash-set.js';
import type { ChangedSourcesOptions } from './changed-sources.js';
import { expectSameRecords } from './expect-same-records.js';
import { RunTargetError } from './expect-target.js';

/** Name of the ledger fact. */
const MAPPED_FILES = 'mapped files';

/** A content in the last session, and the number of records in the ledger when it was first used. Earlier records have lines of another content. */
const ContentSchema = z.object({ sha256: z.string(), recordsBefore: z.number() });

/** By file path. `mapping`: of the file together with its mapping. */
const MappedFilesSchema = z.record(z.string(), ContentSchema.extend({ mapping: ContentSchema.optional() }));

type MappedFiles = z.infer<typeof MappedFilesSchema>;

/**
 * Compares the rows of each mapped file whose bytes are those of the last session with their records in the ledger. Rejects with a
 * `RunTargetError` if the mapping makes a new record of a row, and no longer the one that was created from it; with the same mapping, if it
 * makes any other record, unless `areChangesAccepted`. Reads the input up to the last row that the ledger has.
 */
export async function expectSameNumbers(
  ledger: Ledger,
  input: Input,
  { folder, areChangesAccepted }: ChangedSourcesOptions,
): Promise<void> {
  const contents = (await input.mappedContents?.()) ?? [];
  if (contents.length === 0) return;
  const stored = await mappedFilesIn(ledger);
  const current: MappedFiles = { ...stored };
  const { total } = await ledger.counts();
  const comparedFrom = new Map<string, number>();
  const since = new Map<string, number>();
  for (const { source, sha256, mapping } of contents) {
    const place = placeOf(source);
    const known = stored[place]?.sha256 === sha256 ? stored[place] : undefined;
    const file = known ?? { sha256, recordsBefore: total };
    const former = known?.mapping?.sha256 === mapping ? known?.mapping : undefined;
    const whole = (areChangesAccepted ? undefined : former) ?? { sha256: mapping ?? '', recordsBefore: total };
    current[place] = { ...file, mapping: whole };
    if (whole.recordsBefore < total) since.set(place, whole.recordsBefore);
    // Otherwise all records of the file were made by this mapping.
    const hasOthers = !since.has(place) || file.recordsBefore < whole.recordsBefore;
    if (known !== undefined && hasOthers && file.recordsBefore < total) comparedFrom.set(place, file.recordsBefore);
  }
  if (since.size > 0) await expectSameRecords(ledger, input, { since, placeOf, computedBy: 'mapping' });
  if (comparedFrom.size > 0) await compareRows(ledger, input, { comparedFrom, folder });
  await ledger.setFact(MAPPED_FILES, JSON.stringify(current));
}

async function mappedFilesIn(ledger: Ledger): Promise<MappedFiles> {
  return (await jsonFact(ledger, MAPPED_FILES, fits(MappedFilesSchema))) ?? {};
}

function placeOf(source: string): string {
  return source === STDIN ? source : resolve(source);
}

interface Comparison {
  /** By file path: number of records that the ledger had before the file had this content. */
  comparedFrom: ReadonlyMap<string, number>;
  /** The run folder, for messages. */
  folder: string;
}

async function compareRows(ledger: Ledger, input: Input, comparison: Comparison): Promise<void> {
  const { comparedFrom } = comparison;
  /** The rows in the ledger, each with the number of its records. */
  const rows = createHashSet();
  const unchanged = createHashSet();
  let unread = 0;
  for await (const record of recordsOf(ledger, comparedFrom)) {
    const row = hashOfRow(record);
    unchanged.add(record.hash);
    if (rows.add(row, 1)) unread++;
    else rows.setNote(row, (rows.noteOf(row) ?? 0) + 1);
  }
  if (unread === 0) return;
  for await (const items of rowsOf(input)) {
    const [row] = items;
    const expected = comparedFrom.has(placeOf(row.source)) ? rows.noteOf(hashOfRow(row)) : undefined;
    if (expected === undefined) continue;
    // Most rows are unchanged and need not be parsed.
    if (items.filter(({ hash }) => unchanged.has(hash)).length < expected) {
      await expectKnownNumbers(ledger, items, expected, comparison);
    }
    if (--unread === 0) return;
  }
}

/** Rejects if the row gives a new record, and no longer all records that the ledger has of the row. */
async function expectKnownNumbers(
  ledger: Ledger,
  items: [InputLine, ...InputLine[]],
  expected: number,
  { comparedFrom, folder }: Comparison,
): Promise<void> {
  const [row] = items;
  const keys = keysOf(items);
  const known = await Promise.all(keys.map((key) => ledger.find(key)));
  const added = keys.find((_, index) => known[index] === undefined);
  const remaining = known.filter((record) => record !== undefined && mayExist(record) && isOfRow(record, row)).length;
  if (added === undefined || remaining >= expected) return;
  const given = new Set(keys.map(idOf));
  for await (const former of recordsOf(ledger, comparedFrom)) {
    if (!isOfRow(former, row) || given.has(idOf(former))) continue;
    throw new RunTargetError(
      `${row.source}:${row.line}: the ledger of the run in ${folder} has this row as ${inWords(former)}, and the mapping now makes ${inWords(added)} of it, which would be created a second time. ` +
        'Put the former mapping back, or give another folder with --run <folder> if the row shall be imported under both numbers.',
    );
  }
}

/** Yields the records that exist or may exist. The number of any other record may be wrong. */
async function* recordsOf(ledger: Ledger, comparedFrom: ReadonlyMap<string, number>): AsyncGenerator<LedgerRecord> {
  let position = 0;
  for await (const record of ledger.list()) {
    const from = comparedFrom.get(placeOf(record.source));
    if (from !== undefined && position >= from && mayExist(record)) yield record;
    position++;
  }
}

function mayExist({ outcome, intent, done }: LedgerRecord): boolean {
  if (outcome === null) return intent !== null || (done !== null && done !== 'check');
  return isImported({ outcome }) || outcome === 'unknown';
}

/** Yields the records of each row together. */
async function* rowsOf(input: Input): AsyncGenerator<[InputLine, ...InputLine[]]> {
  let row: [InputLine, ...InputLine[]] | undefined;
  for await (const item of input) {
    if (row !== undefined && row[0].line === item.line && row[0].source === item.source) {
      row.push(item);
      continue;
    }
    if (row !== undefined) yield row;
    row = [item];
  }
  if (row !== undefined) yield row;
}

function keysOf(items: readonly InputLine[]): RecordKey[] {
  const keys = new Map<string, RecordKey>();
  for (const item of items) {
    const { key } = keyedRecord(item) ?? {};
    if (key !== undefined) keys.set(idOf(key), key);
  }
  return [...keys.values()];
}

function hashOfRow({ source, line }: Pick<InputLine, 'source' | 'line'>): string {
  return digest('sha256', `${line} ${placeOf(source)}`);
}

function isOfRow({ source, line }: LedgerRecord, row: InputLine): boolean {
  return line === row.line && placeOf(source) === placeOf(row.source);
}

function inWords({ supplier, kind, number }: RecordKey): string {
  return `${kind} ${number} of ${supplier}`;
}
