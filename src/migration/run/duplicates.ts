/**
 * Lines of one number: the first one is taken, each further one is reported with the line that was taken. `duplicate_record`
 * is the same record again, however it is written, `contradicting_record` another one.
 */
import { hash as digest } from 'node:crypto';
import { basename } from 'node:path';
import type { InputLine } from '../input/source.js';
import type { LedgerRecord, RecordKey } from '../ledger/ledger.js';
import { idOf } from '../ledger/record-id.js';
import { keyOf } from '../record/record-key.js';
import { isLineOf } from '../record/resume-record.js';
import { type InputPass, lineReporter, type ReadLine } from './input-pass.js';

/** Note of an ended record's line: it was read in this pass, and passed over. */
export const LINE_SEEN = 1;
/** Note of an ended record's line: another line stands for the record, so that this one is a duplicate. */
export const REPLACED = 2;
/** The same where the other line has the same content, written otherwise. */
export const REWRITTEN = 3;

/** Tells two lines of one number apart: the first 32 bits of the hash of their content. 0 agrees with none. */
const noteOfContent = (contentHash: string | null): number =>
  contentHash === null ? 0 : Number.parseInt(contentHash.slice(0, 8), 16) || 1;

/** Whether an earlier line of this pass has the number, and then whether it has the same content. undefined for none. */
export function findEarlierLine(
  { key, contentHash }: ReadLine,
  { seenKeys }: InputPass,
): { isSame: boolean } | undefined {
  const id = digest('sha256', idOf(key));
  const note = noteOfContent(contentHash);
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
  if (!pass.isFirst) return;
  const { supplier, kind, number } = key;
  // undefined where nothing could be begun.
  const taken = known ?? pass.items.get(idOf(key)) ?? (await pass.run.ledger.find(key));
  const tell = lineReporter(item, pass);
  tell({
    as: 'skipped',
    code: isSame ? 'duplicate_record' : 'contradicting_record',
    attr: '',
    key: { supplier, kind, number },
    ...(taken !== undefined && {
      taken: { source: taken.source, line: taken.line },
      detail: `${basename(taken.source)}:${taken.line} was taken.`,
    }),
  });
}

/** The same of a line that reads as an ended record did, `note` being that of the hash. */
export async function reportKnownDuplicate(item: InputLine, note: number, pass: InputPass): Promise<void> {
  const read = item.read();
  const key = 'record' in read ? keyOf(read.record) : undefined;
  if (key === undefined) return;
  const taken = note === LINE_SEEN ? await pass.run.ledger.find(key) : undefined;
  await reportDuplicate(item, { key, isSame: note !== REPLACED, taken }, pass);
}

/** The same for a second line with the record's number that was ignored. A third line is compared with that one. */
export async function reportBesidePassedOver(line: ReadLine, known: LedgerRecord, pass: InputPass): Promise<void> {
  pass.seenKeys.setNote(digest('sha256', idOf(known)), noteOfContent(known.contentHash));
  await reportDuplicate(line.item, { key: known, isSame: isLineOf(known, line), taken: known }, pass);
}
