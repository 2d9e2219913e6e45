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
  type RecordKey,
  type RecordKind,
  type StoredLine,
  unreadableLineOf,
} from '../ledger/ledger.js';
import { isRemoved } from '../record/differences.js';
import { isOver } from '../record/is-over.js';
import { createHashSet } from '../shared/hash-set.js';
import { hasEarlierLine, reportDuplicate } from './duplicates.js';
import { type InputPass, lineReporter, type Reading, type ReadLine, type RunContext } from './input-pass.js';
import { storeLastReading } from './last-reading.js';
import { CORRECTED, readRecord } from './process-line.js';

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
  const correctedLines = await correctedLinesIn(run);
  const reading = { ...emptyReading(), correctedLines, corrections, isNew: await isEmpty(run) };
  return newPass(run, reading, true);
}

export function emptyReading(): Reading {
  const [seenKeys, correctedLines] = [createHashSet(), new Map()];
  return { isNew: true, seenKeys, corrections: [], correctedLines, met: 0, reported: 0, kept: 0 };
}

export function newPass(options: RunContext, reading: Reading, isFirst: boolean): InputPass {
  const run = { ...options, isWholeInputKnown: !isFirst && options.isPartOfInput !== true };
  const [items, businesses, waitedFor] = [new Map<string, InputLine>(), new Map(), new Set<string>()];
  const of = { run, reading, isFirst, items, businesses, waitedFor };
  return { ...of, over: [], unfinished: 0, waiting: 0, failure: undefined };
}

/** Reads the input. `take`: called with the first line of each record; the next line is read when it resolves. */
async function readInput(
  pass: InputPass,
  take: (line: ReadLine) => Promise<void>,
): Promise<{ lines: number; isWhole: boolean }> {
  const { run, reading } = pass;
  let lines = 0;
  for await (const item of run.input) {
    if (!run.isAccepting() || pass.failure !== undefined) return { lines, isWhole: false };
    lines++;
    run.onRead?.(item);
    const corrected = reading.correctedLines.get(item.hash);
    if (corrected !== undefined && corrected.met < corrected.records) {
      corrected.met++;
      reading.met++;
      lineReporter(item, pass)(CORRECTED);
      continue;
    }
    const found = readRecord(item, pass);
    if (found === undefined) continue;
    const isSame = hasEarlierLine(found, reading);
    if (isSame !== undefined) await reportDuplicate(found, isSame, pass);
    else {
      reading.met++;
      await take(found);
    }
  }
  return { lines, isWhole: true };
}

/** Lines that are stored together, and the number of characters from which fewer are. */
const STORED_AT_ONCE = { lines: 200, characters: 4_000_000 };

/** Stores lines in groups, because each write waits for the disk; but for those of records that are over. */
function storeInGroups({ run, items, reading }: InputPass, number: number) {
  let group: ReadLine[] = [];
  let characters = 0;
  const isNeeded = async (line: ReadLine) => {
    // Each corrected line has to be reported.
    if (run.correctedLines !== undefined) return true;
    const known = await run.ledger.find(line.key);
    return known === undefined || !isOver(known) || !isLineAsSent(known, line);
  };
  const end = async () => {
    const lines = group;
    [group, characters] = [[], 0];
    const areNeeded = reading.isNew ? undefined : await Promise.all(lines.map(isNeeded));
    const stored = lines.filter((_, index) => areNeeded?.[index] !== false).map(toStore);
    if (stored.length > 0) await run.ledger.addLines(number, stored);
    items.clear();
  };
  return {
    async add(line: ReadLine): Promise<void> {
      group.push(line);
      // A second line of the record names the place of this one.
      items.set(idOf(line.key), line.item);
      characters += line.item.text.length;
      if (group.length === STORED_AT_ONCE.lines || characters > STORED_AT_ONCE.characters) await end();
    },
    end,
  };
}

/** Whether the line has the bytes that were sent, and no corrected line replaced it. */
function isLineAsSent({ hash, correctedFrom, difference }: LedgerRecord, { item }: ReadLine): boolean {
  return hash === item.hash && correctedFrom === null && difference === null;
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
 * Yields the records: one has its line if the reading has seen its key, or the unreadable line that `retry` has corrected to it. Usually all
 * have, and then the ledger need not be read.
 */
export async function* compareLines(run: RunContext, reading: Reading): AsyncGenerator<ComparedLine> {
  if ((await run.ledger.counts()).total === reading.met) return;
  for await (const record of run.ledger.list()) {
    yield { record, isMet: isUnreadableLineMet(record, reading) || isSeen(record, reading) };
  }
}

function isSeen(key: RecordKey, { seenKeys }: Reading): boolean {
  return seenKeys.has(digest('sha256', idOf(key)));
}

function isUnreadableLineMet(record: LedgerRecord, { correctedLines }: Reading): boolean {
  const unreadable = unreadableLineOf(record);
  return unreadable !== undefined && (correctedLines.get(unreadable)?.met ?? 0) > 0;
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
  for (const record of reading.corrections) {
    const isLeft = run.correctedLines === undefined ? isUnreadableLineMet(record, reading) : !isSeen(record, reading);
    const stored = isLeft && record.kind === kind ? await run.ledger.line(record, record.hash) : undefined;
    if (stored !== undefined) yield fromStore(stored);
  }
}

async function isEmpty({ ledger }: RunContext): Promise<boolean> {
  for await (const _ of ledger.list()) return false;
  return true;
}

/** Returns the lines without a readable record that `retry` has corrected; for a retry none, because each of its lines has to be reported. */
async function correctedLinesIn(run: RunContext): Promise<Reading['correctedLines']> {
  const found = new Map<string, { records: number; met: number }>();
  if (run.correctedLines !== undefined) return found;
  for await (const record of run.ledger.list({ isCorrected: true })) {
    const unreadable = unreadableLineOf(record);
    if (unreadable === undefined || (record.outcome === null && isRemoved(record))) continue;
    const { records } = found.get(unreadable) ?? { records: 0 };
    found.set(unreadable, { records: records + 1, met: 0 });
  }
  return found;
}
