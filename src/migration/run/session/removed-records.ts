/** Exports `storeRemoved`, which finds the records whose line has left the input: of a file that was read, or that has another name now. */
import { idOf, isImported, type LedgerRecord, type RecordKey } from '../../ledger/ledger.js';
import { isRemoved, storeDifferences } from '../../record/changed-and-removed.js';
import type { FileNames } from '../file-names.js';
import type { ComparedLine } from '../input-against-ledger.js';
import type { OpenSession } from './open-session.js';

/**
 * Stores which records have no line any more: of files that this session read, and of files of whose records it met at least half, because
 * they have another name now. The lines of other records may be in files that another session reads. `withoutLine`: the keys of the records
 * without a line that are not on the service. `isEachMet`: whether each record has its line or needs none, because it is on the service.
 * `isRenamed`: whether a file that this session did not read is one of those with another name.
 */
export async function storeRemoved(
  { ledger, now }: OpenSession,
  comparedLines: AsyncIterable<ComparedLine>,
  fileNames: FileNames,
  isInFiles: (line: { source: string }) => boolean,
): Promise<{ withoutLine: ReadonlySet<string>; isEachMet: boolean; isRenamed: (source: string) => boolean }> {
  const withoutLine = new Set<string>();
  let isEachMet = true;
  const removed: (RecordKey & { source: string; isOpenCorrection: boolean })[] = [];
  const missing = new Map<string, number>();
  for await (const { record, isMet } of comparedLines) {
    if (isMet) continue;
    const { supplier, kind, number, source, outcome, correctedFrom } = record;
    const file = fileNames.last(source);
    missing.set(file, (missing.get(file) ?? 0) + 1);
    if (mayHaveNoLine(record)) withoutLine.add(idOf(record));
    if (!isImported(record)) isEachMet = false;
    if (isRemoved(record)) continue;
    const isOpenCorrection = outcome === null && correctedFrom !== null;
    removed.push({ supplier, kind, number, source: file, isOpenCorrection });
  }
  const isRenamed = (source: string) =>
    fileNames.metIn(source) >= Math.max(1, missing.get(fileNames.last(source)) ?? 0);
  const found = removed.filter(
    ({ isOpenCorrection, ...record }) => isOpenCorrection || isInFiles(record) || isRenamed(record.source),
  );
  await storeDifferences(found, () => ({ is: 'removed' }), { ledger, now });
  const placeNow = await fileNames.store(isRenamed, (source) => isInFiles({ source }));
  if (placeNow !== undefined) await storeMoved({ ledger, now }, placeNow);
  return { withoutLine, isEachMet, isRenamed };
}

const MOST_AT_ONCE = 1000;

/** Stores the new places of records that another file has now: if that file is read without them, they have left the input. */
async function storeMoved(
  context: Pick<OpenSession, 'ledger' | 'now'>,
  placeNow: (record: LedgerRecord) => { source: string; line: number } | undefined,
): Promise<void> {
  const moved: (RecordKey & { place: { source: string; line: number } })[] = [];
  const end = () => storeDifferences(moved.splice(0), ({ difference }) => difference, context);
  for await (const record of context.ledger.list()) {
    const place = placeNow(record);
    if (place === undefined) continue;
    const { supplier, kind, number } = record;
    moved.push({ supplier, kind, number, place });
    if (moved.length === MOST_AT_ONCE) await end();
  }
  await end();
}

/** Returns whether `RunEnd.hasNoLine` counts the record: not if it exists or may exist on the service. */
export function mayHaveNoLine({ outcome }: LedgerRecord): boolean {
  return outcome === null || outcome === 'rejected';
}
