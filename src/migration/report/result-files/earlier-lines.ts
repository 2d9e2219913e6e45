/**
 * Exports `keepEarlierLines`. A session that does not read the whole input, or reads only corrected lines, does not see all lines
 * without a record, or all lines that changed after their record was created. The ledger has no such lines either, so they are copied
 * from the files of the session before.
 */

import { parseRecord } from '../../input/text/parse-record.js';
import type { Difference, Ledger } from '../../ledger/ledger.js';
import { NOT_SENT } from '../../record/events/apply-to-existing.js';
import { itemsIn, matched } from '../../record/items/item-states.js';
import { isLineOf } from '../../record/items-to-send-again.js';
import { digestsOf } from '../../shared/content-digests.js';
import { CHANGED, type RunFolder } from '../folder/run-folder.js';
import { createLineTally, type LineCounts } from '../summary/line-counts.js';
import { type EarlierLine, earlierChanges, earlierLines, reportedIn } from './rejected-and-missing-lines.js';

/** Resolves with the numbers of the lines of this session, and of those of the session before that `keepEarlierLines` copies. */
export async function withEarlierLines(
  { at, lines }: RunFolder,
  isGone: Parameters<typeof keepEarlierLines>[2],
): Promise<LineCounts> {
  const tally = createLineTally(lines.counts());
  for await (const { as, former } of linesLeft(at, isGone)) tally.add(...reportedIn(as, former));
  return tally.counts();
}

/** Yields the lines without a separate record of the session before. */
async function* linesLeft(at: RunFolder['at'], isGone: Parameters<typeof keepEarlierLines>[2]) {
  for (const as of ['rejected', 'skipped'] as const) {
    for await (const former of earlierLines(at(`${as}.jsonl`))) if (!isGone(former)) yield { as, former };
  }
}

/**
 * Copies the lines of the session before. `isGone`: returns whether this session has reported the line again, or the line is a record
 * now. `onKept`: called with the file of each copied line.
 */
export async function keepEarlierLines(
  { at, lines }: RunFolder,
  ledger: Ledger,
  isGone: (line: Pick<EarlierLine, 'source' | 'line' | 'hash'> & Partial<Pick<EarlierLine, 'errors'>>) => boolean,
  onKept: (source: string) => void = () => {},
): Promise<void> {
  for await (const { as, former } of linesLeft(at, isGone)) {
    if (former.original === null && former.further === undefined) continue;
    lines.add(...reportedIn(as, former));
    onKept(former.source);
  }
  for await (const former of earlierChanges(at(CHANGED))) {
    const { source, line, hash, original: text } = former;
    if (isGone(former) || lines.hasChanged(former)) continue;
    const record = await ledger.find(former);
    const read = parseRecord(text);
    if (record === undefined || !('record' in read)) continue;
    const digests = digestsOf(read.record, record.number);
    // It may be the line of the record now.
    if (isLineOf(record, { item: { hash }, contentHash: digests })) continue;
    // The line of the record is another one by now, unless `retry` has replaced it.
    if (record.difference === null && record.correctedFrom === null) continue;
    const difference: Difference = record.difference ?? { is: 'changed' };
    if (difference.isAccepted && difference.contentHash === digests) continue;
    const items = matched(record.items, itemsIn(read.record));
    onKept(source);
    lines.add(
      { source, line, hash, text, read: () => read },
      {
        as: 'changed',
        code: NOT_SENT.changed,
        attr: '',
        key: former,
        change: { record, items, difference },
      },
    );
  }
}
