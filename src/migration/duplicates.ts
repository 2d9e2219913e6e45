/**
 * Lines of one number: the first one is taken, each further one is reported with the line that was taken. `duplicate_record`
 * is the same line again, `contradicting_record` one that reads otherwise.
 */
import { hash as digest } from 'node:crypto';
import { basename } from 'node:path';
import { keyOf } from './keys.js';
import type { LedgerRecord, RecordKey } from './ledger/ledger.js';
import { idOf } from './ledger/record-id.js';
import { type Pass, teller } from './pass.js';
import type { SourceItem } from './source/source.js';

/** Note of an ended record's line: it was read in this pass, and passed over. */
export const PASSED_OVER = 1;
/** Note of an ended record's line: another line stands for the record, so that this one is a duplicate. */
export const REPLACED = 2;

/** Tells two lines of one number apart: the first 32 bits of the hash. */
const noteOfLine = ({ hash }: SourceItem | LedgerRecord): number => Number.parseInt(hash.slice(0, 8), 16) || 1;

/** Whether an earlier line of this pass has the number, and then whether it was the same line. undefined for none. */
export function metBefore(item: SourceItem, key: RecordKey, { met }: Pass): { isSame: boolean } | undefined {
  const id = digest('sha256', idOf(key));
  return met.add(id, noteOfLine(item)) ? undefined : { isSame: met.noteOf(id) === noteOfLine(item) };
}

/**
 * Reports a line whose number another line has: `taken`, where it is known, else the one under way or the one that the
 * ledger has.
 */
export async function reportDuplicate(
  item: SourceItem,
  { key, isSame, taken: known }: { key: RecordKey; isSame: boolean; taken?: LedgerRecord | SourceItem | undefined },
  pass: Pass,
): Promise<void> {
  if (!pass.isFirst) return;
  const { supplier, kind, number } = key;
  // undefined where nothing could be begun.
  const taken = known ?? pass.items.get(idOf(key)) ?? (await pass.run.ledger.find(key));
  const tell = teller(item, pass);
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
export async function reportKnownDuplicate(item: SourceItem, note: number, pass: Pass): Promise<void> {
  const read = item.read();
  const key = 'record' in read ? keyOf(read.record) : undefined;
  if (key === undefined) return;
  const isSame = note === PASSED_OVER;
  await reportDuplicate(item, { key, isSame, taken: isSame ? await pass.run.ledger.find(key) : undefined }, pass);
}

/** The same of a line that reads otherwise than the record's, which was passed over. A third one is compared with that. */
export async function reportContradicting(item: SourceItem, known: LedgerRecord, pass: Pass): Promise<void> {
  pass.met.setNote(digest('sha256', idOf(known)), noteOfLine(known));
  await reportDuplicate(item, { key: known, isSame: false, taken: known }, pass);
}
