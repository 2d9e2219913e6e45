/** Exports functions of `Reading`: which records and lines a reading of the input has met. */
import {
  type Ledger,
  type LedgerRecord,
  type ReadStoredLine,
  type RecordKey,
  unreadableLineOf,
} from '../ledger/ledger.js';
import { isRemoved } from '../record/changed-and-removed.js';
import { hashOfKey } from '../record/record-key.js';
import { noteOfDigests } from '../shared/content-digests.js';
import { createHashSet } from '../shared/hash-set.js';
import type { Reading, ReadLine, RunContext } from './run-context.js';

export function emptyReading(): Reading {
  const [seenKeys, differing, stored] = [createHashSet(), createHashSet(), createHashSet()];
  const noCorrections = { corrections: [], correctedLines: new Map() };
  return { isNew: true, seenKeys, differing, stored, ...noCorrections, missing: 0, toBegin: 0, reported: 0, kept: 0 };
}

/** Returns whether an earlier line of this reading with the number has the same content; undefined if there is none. */
export function hasEarlierLine({ key, contentHash }: ReadLine, { seenKeys }: Reading): boolean | undefined {
  const id = hashOfKey(key);
  const note = noteOfDigests(contentHash);
  return seenKeys.add(id, note) ? undefined : seenKeys.noteOf(id) === note;
}

export interface ComparedLine {
  record: LedgerRecord;
  isMet: boolean;
}

/** Yields the records. Usually all have their lines, and then the ledger need not be read. */
export async function* compareLines(run: RunContext, reading: Reading): AsyncGenerator<ComparedLine> {
  if (reading.missing === 0) return;
  for await (const record of run.ledger.list()) {
    yield { record, isMet: isMet(record, reading) };
  }
}

/** Whether the record has its line, or the unreadable line that `retry` has corrected to it. */
export function isMet(record: LedgerRecord, reading: Reading): boolean {
  return isUnreadableLineMet(record, reading) || isSeen(record, reading);
}

/** Yields the lines of a reading whose records the ledger does not have. `isNew`: it has no records. */
export async function* newLines(ledger: Ledger, number: number, isNew = false): AsyncGenerator<ReadStoredLine> {
  for await (const { line, known } of storedLines(ledger, number, isNew)) if (known === undefined) yield line;
}

/** Yields the stored lines of a reading, each with the record that the ledger has of it. Those that need nothing are not stored. */
export async function* storedLines(ledger: Ledger, number: number, isNew = false) {
  for (const kind of ['populate', 'business', 'account'] as const) {
    for await (const line of ledger.lines(number, kind))
      yield { line, known: isNew ? undefined : await ledger.find(line) };
  }
}

/** Adds a record whose line has other content. */
export function setDiffering(key: RecordKey, { differing }: Reading): void {
  differing.add(hashOfKey(key));
}

export function isDiffering(key: RecordKey, { differing }: Reading): boolean {
  return differing.has(hashOfKey(key));
}

export function isSeen(key: RecordKey, { seenKeys }: Reading): boolean {
  return seenKeys.has(hashOfKey(key));
}

export function isUnreadableLineMet(record: LedgerRecord, { correctedLines }: Reading): boolean {
  const unreadable = unreadableLineOf(record);
  return unreadable !== undefined && (correctedLines.get(unreadable)?.met ?? 0) > 0;
}

/** Returns the lines without a readable record that `retry` has corrected; for a retry none, because each of its lines has to be reported. */
export async function correctedLinesIn(run: RunContext): Promise<Reading['correctedLines']> {
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
