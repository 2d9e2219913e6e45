/**
 * Exports `loadInput`, which reads an input and stores its lines in the ledger, and `fromStore`, which returns a stored line. `readInput`
 * decides which lines become the lines of records; `compareLines` finds the records that have no line any more.
 */
import { hash as digest } from 'node:crypto';
import type { InputLine } from '../input/source.js';
import {
  idOf,
  type LedgerRecord,
  type ReadStoredLine,
  type RecordKind,
  type StoredLine,
  unreadableLineOf,
} from '../ledger/ledger.js';
import { isRemoved } from '../record/differences.js';
import { hasUnsent } from '../record/items/item-states.js';
import { createHashSet } from '../shared/hash-set.js';
import { wasRejectedByCheck } from './check-rules.js';
import { findEarlierLine, isLineOfRecord, LINE_SEEN, reportDuplicate, reportKnownDuplicate } from './duplicates.js';
import { type InputPass, lineReporter, type Reading, type ReadLine, type RunContext } from './input-pass.js';
import { storeLastReading } from './last-reading.js';
import { CORRECTED, canBeRetried, readRecord } from './process-line.js';

/** Number of the last reading of an input. */
const READING = 'reading';

/** Reads the input to its end. */
export async function loadInput(run: RunContext, isInput: boolean, corrections: readonly LedgerRecord[]) {
  const { ledger, filesToRead: files } = run;
  const number = Number((await ledger.fact(READING)) ?? 0) + 1;
  await ledger.raiseFact(READING, number);
  await storeLastReading(ledger, undefined);
  const pass = await beginReading(run, corrections);
  const stored = storeInGroups(pass, number);
  const { lines, isWhole } = await readInput(pass, stored.add);
  await stored.end();
  const { reading } = pass;
  if (isWhole && isInput) {
    await ledger.eraseLinesBefore(number);
    const { reported } = reading;
    // Lines of records that the ledger had before may be reported later.
    const isKept = reading.isNew && (reported === 0 || (files !== undefined && run.keepReported?.() === true));
    if (isKept) [reading.kept, reading.reported] = [reported, 0];
    if (files !== undefined) await storeLastReading(ledger, { files, lines, number: isKept ? number : 0, reported });
  }
  return { number, lines, isWhole, reading };
}

async function beginReading(run: RunContext, corrections: readonly LedgerRecord[]): Promise<InputPass> {
  const reading = { ...emptyReading(), ...(await endedIn(run, corrections)), corrections };
  return newPass(run, { ...reading, isNew: await isEmpty(run) }, true);
}

export function emptyReading(): Reading {
  const [seenKeys, endedHashes, equalLines] = [createHashSet(), createHashSet(), new Map<string, number>()];
  return {
    ...{ isNew: true, seenKeys, endedHashes, equalLines, met: 0, reported: 0, kept: 0 },
    ...{ corrections: [], correctedLines: new Set() },
  };
}

export function newPass(options: RunContext, reading: Reading, isFirst: boolean): InputPass {
  const run = { ...options, isWholeInputKnown: !isFirst && options.isPartOfInput !== true };
  const [items, businesses, waitedFor] = [new Map<string, InputLine>(), new Map(), new Set<string>()];
  const of = { run, reading, isFirst, items, businesses, waitedFor };
  return { ...of, over: [], unfinished: 0, waiting: 0, failure: undefined };
}

/** Reads the input. `take`: called with each line whose record may continue; the next line is read when it resolves. */
async function readInput(
  pass: InputPass,
  take: (line: ReadLine) => Promise<void>,
): Promise<{ lines: number; isWhole: boolean }> {
  const { run, reading } = pass;
  const { endedHashes, equalLines, correctedLines, isNew } = reading;
  let lines = 0;
  for await (const item of run.input) {
    if (!run.isAccepting() || pass.failure !== undefined) return { lines, isWhole: false };
    lines++;
    run.onRead?.(item);
    const note = endedHashes.noteOf(item.hash);
    if (note !== undefined) {
      const others = equalLines.get(item.hash) ?? 0;
      if ((note === 0 || others > 0) && correctedLines.has(item.hash)) lineReporter(item, pass)(CORRECTED);
      if (note === 0) {
        endedHashes.setNote(item.hash, LINE_SEEN);
        reading.met++;
      } else if (others > 0) equalLines.set(item.hash, others - 1);
      else {
        const duplicate = readRecord(item, pass);
        if (duplicate !== undefined) await reportKnownDuplicate(duplicate, note, pass);
      }
      continue;
    }
    const found = readRecord(item, pass);
    if (found === undefined) continue;
    const { key } = found;
    const before = findEarlierLine(found, pass);
    if (before !== undefined) {
      await reportDuplicate(item, { key, isSame: before.isSame }, pass);
      continue;
    }
    reading.met++;
    const known = isNew ? undefined : await run.ledger.find(key);
    if (known === undefined || (await isLineOfRecord(known, found, pass))) await take(found);
  }
  return { lines, isWhole: true };
}

/** Lines that are stored together, and the number of characters from which fewer are. */
const STORED_AT_ONCE = { lines: 200, characters: 4_000_000 };

/** Stores lines in groups: each write waits for the disk. */
function storeInGroups({ run, items }: InputPass, reading: number) {
  let group: StoredLine[] = [];
  let characters = 0;
  const end = async () => {
    const lines = group;
    [group, characters] = [[], 0];
    if (lines.length > 0) await run.ledger.addLines(reading, lines);
    items.clear();
  };
  return {
    async add(line: ReadLine): Promise<void> {
      group.push(toStore(line));
      // A second line of the record names the place of this one.
      items.set(idOf(line.key), line.item);
      characters += line.item.text.length;
      if (group.length === STORED_AT_ONCE.lines || characters > STORED_AT_ONCE.characters) await end();
    },
    end,
  };
}

function toStore({ item, key, contentHash }: ReadLine): StoredLine {
  const { hash, source, line, text, label = null, cells, corrects = null } = item;
  const { supplier, kind, number } = key;
  const row = cells?.() ?? null;
  return { supplier, kind, number, hash, contentHash, source, line, text, label, cells: row, corrects };
}

export function fromStore(stored: ReadStoredLine): ReadLine {
  const { supplier, kind, number, hash, contentHash, source, line, text, record, label, cells, corrects } = stored;
  const item: InputLine = { source, line, text, hash, read: () => ({ record }) };
  if (label !== null) item.label = label;
  if (corrects !== null) item.corrects = corrects;
  if (cells !== null) item.cells = () => cells;
  return { item, payload: record, key: { supplier, kind, number }, contentHash };
}

export interface ComparedLine {
  record: LedgerRecord;
  isMet: boolean;
}

/**
 * Yields the records: one has its line if the reading has seen its key, or if a line with its hash was skipped. Usually all have, and then
 * the ledger need not be read.
 */
export async function* compareLines(run: RunContext, reading: Reading): AsyncGenerator<ComparedLine> {
  const { seenKeys, endedHashes, met } = reading;
  if ((await run.ledger.counts()).total === met) return;
  for await (const record of run.ledger.list()) {
    const lines = [record.hash, unreadableLineOf(record) ?? record.hash];
    const isSkipped = lines.some((one) => (endedHashes.noteOf(one) ?? 0) > 0);
    yield { record, isMet: isSkipped || seenKeys.has(digest('sha256', idOf(record))) };
  }
}

/** Resolves with the unfinished records whose corrected lines the ledger has. Those whose line was removed from the input stay as they are. */
export async function openCorrections(ledger: RunContext['ledger']): Promise<LedgerRecord[]> {
  const found: LedgerRecord[] = [];
  for await (const record of ledger.list({ outcome: null, isCorrected: true })) {
    if (!isRemoved(record)) found.push(record);
  }
  return found;
}

/**
 * Yields the corrected lines of this kind that no line of this reading leads to: of a retry, those that other files had; of the whole input,
 * those of lines without a readable record.
 */
export async function* correctionsLeft({ run, reading }: InputPass, kind: RecordKind): AsyncGenerator<ReadLine> {
  const { corrections, endedHashes, seenKeys } = reading;
  for (const record of corrections) {
    const unreadable = unreadableLineOf(record);
    const isLeft =
      run.correctedLines === undefined
        ? unreadable !== undefined && (endedHashes.noteOf(unreadable) ?? 0) > 0
        : !seenKeys.has(digest('sha256', idOf(record)));
    const stored = isLeft && record.kind === kind ? await run.ledger.line(record, record.hash) : undefined;
    if (stored !== undefined) yield fromStore(stored);
  }
}

async function isEmpty({ ledger }: RunContext): Promise<boolean> {
  for await (const _ of ledger.list()) return false;
  return true;
}

/**
 * Returns the hashes of the lines of ended records, which are skipped. `equalLines`: how many further lines with the same bytes are skipped,
 * because `retry` has corrected several equal lines that had no readable record.
 */
async function endedIn(run: RunContext, corrections: readonly LedgerRecord[]) {
  const endedHashes = createHashSet();
  const equalLines = new Map<string, number>();
  const correctedLines = new Set<string>();
  const add = (hash: string) => {
    if (!endedHashes.add(hash)) equalLines.set(hash, (equalLines.get(hash) ?? 0) + 1);
  };
  // Each corrected line has to be reported, so none is skipped.
  if (run.correctedLines !== undefined) return { endedHashes, equalLines, correctedLines };
  for (const record of corrections) {
    const unreadable = unreadableLineOf(record);
    if (unreadable !== undefined) add(unreadable);
  }
  for await (const record of run.ledger.list({ isCorrected: true })) {
    const unreadable = unreadableLineOf(record);
    if (unreadable !== undefined) correctedLines.add(unreadable);
  }
  if (run.retryRejected || run.addToExisting || run.recheckRejected) {
    for await (const record of run.ledger.list()) {
      const isRetried =
        (run.retryRejected && canBeRetried(record)) || (run.recheckRejected && wasRejectedByCheck(record));
      const isTried = isRetried || (run.addToExisting && hasUnsent(record));
      const { hash, correctedFrom, outcome, difference } = record;
      const unreadable = unreadableLineOf(record);
      if (unreadable !== undefined && outcome !== null) add(unreadable);
      if (correctedFrom === null && difference === null && outcome !== null && !isTried) add(hash);
    }
  } else {
    for await (const hash of run.ledger.endedHashes()) add(hash);
  }
  return { endedHashes, equalLines, correctedLines };
}
