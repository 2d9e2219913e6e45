/**
 * Exports functions for several lines with one number: the first one is sent, each further one is reported with the place of the
 * first. `duplicate_record`: the same content. `contradicting_record`: other content.
 */
import { hash as digest } from 'node:crypto';
import type { InputLine } from '../input/source.js';
import { idOf, type LedgerRecord, type RecordKey } from '../ledger/ledger.js';
import { isLineOf } from '../record/resume-record.js';
import { DUPLICATE_RECORD } from '../report/summary/line-counts.js';
import { noteOfDigests } from '../shared/digests.js';
import { placeInWords } from '../shared/place.js';
import { type InputPass, lineReporter, type ReadLine } from './input-pass.js';

/** Note on the line of an ended record: this pass has read and skipped it. */
export const LINE_SEEN = 1;
/** Note on the line of an ended record: another line is now the record's line, so this one is a duplicate. */
const REPLACED = 2;
/** As `REPLACED`; the other line has the same content in other bytes. */
const REWRITTEN = 3;

/** Returns whether an earlier line of this pass with the number has the same content; undefined if there is none. */
export function findEarlierLine(
  { key, contentHash }: ReadLine,
  { reading: { seenKeys } }: InputPass,
): { isSame: boolean } | undefined {
  const id = digest('sha256', idOf(key));
  const note = noteOfDigests(contentHash);
  return seenKeys.add(id, note) ? undefined : { isSame: seenKeys.noteOf(id) === note };
}

/**
 * Reports a line whose number another line has: `taken` if the caller knows it, otherwise the line in progress or the
 * line in the ledger.
 */
export async function reportDuplicate(
  item: InputLine,
  { key, isSame, taken: known }: { key: RecordKey; isSame: boolean; taken?: LedgerRecord | InputLine | undefined },
  pass: InputPass,
): Promise<void> {
  const { supplier, kind, number } = key;
  // undefined if the record was not started.
  const { ledger } = pass.run;
  const taken = known ?? pass.items.get(idOf(key)) ?? (await ledger.line(key)) ?? (await ledger.find(key));
  const report = lineReporter(item, pass);
  report({
    as: 'skipped',
    code: isSame ? DUPLICATE_RECORD : 'contradicting_record',
    attr: '',
    key: { supplier, kind, number },
    ...(taken !== undefined && {
      taken: { source: taken.source, line: taken.line },
      detail: `${placeInWords(taken)} was taken.`,
    }),
  });
}

/**
 * Reports a line with the bytes of an ended record, or of a line that `retry` has corrected to a record with another number. `note`: the note
 * on its hash.
 */
export async function reportKnownDuplicate(line: ReadLine, note: number, pass: InputPass): Promise<void> {
  const { item, key } = line;
  const taken = note === LINE_SEEN ? await pass.run.ledger.find(key) : undefined;
  const isSame = taken === undefined ? note !== REPLACED : isLineOf(taken, line);
  await reportDuplicate(item, { key, isSame, taken }, pass);
}

/**
 * Returns whether this is now the line of a record that the ledger has: not if the line with the bytes of the record was read before. Otherwise
 * that one is a duplicate, should it be read later. Decided before the first await.
 */
export async function isLineOfRecord(known: LedgerRecord, line: ReadLine, pass: InputPass): Promise<boolean> {
  const { endedHashes, seenKeys } = pass.reading;
  if (endedHashes.noteOf(known.hash) !== LINE_SEEN) {
    endedHashes.setNote(known.hash, isLineOf(known, line) ? REWRITTEN : REPLACED);
    return true;
  }
  // The line of the record was counted, too.
  pass.reading.met--;
  // A third line is compared with that one.
  seenKeys.setNote(digest('sha256', idOf(known)), noteOfDigests(known.contentHash));
  await reportDuplicate(line.item, { key: known, isSame: isLineOf(known, line), taken: known }, pass);
  return false;
}
