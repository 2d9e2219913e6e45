/**
 * Exports `movedItemsIn`: items that a record was sent with, that its line no longer has, and that the run would send for another record: the
 * service would have them twice. Sends no request.
 */
import { hash as digest } from 'node:crypto';
import { pathOf } from '../input/text/input-files.js';
import type { Item, RecordItems } from '../ledger/items.js';
import { ITEM_STEPS, type ItemStep, type LedgerRecord, type ReadStoredLine } from '../ledger/ledger.js';
import { canStartOver } from '../record/events/record-state.js';
import { isTouched, itemsIn } from '../record/items/item-states.js';
import { partIn } from '../record/items/items.js';
import { itemsEventOf } from '../record/items-to-send-again.js';
import { hashOfKey } from '../record/record-key.js';
import { areOtherCustomers, identityIn } from '../shared/content-digests.js';
import { createHashSet, type HashSet } from '../shared/hash-set.js';
import { compareLines, isDiffering, isMet, storedLines } from './input-against-ledger.js';
import type { RenumberedRecord } from './renumbered-error.js';
import type { Reading, RunContext } from './run-context.js';

/** An item that a record was sent with is in a line that the run would send. */
interface Moved {
  to: Pick<ReadStoredLine, 'supplier' | 'kind' | 'number' | 'source' | 'line'>;
  /** The path of the item in that line. */
  attr: string;
  from?: Pick<ReadStoredLine, 'supplier' | 'kind' | 'number' | 'source' | 'line'>;
  /** A third record has it as well, as a standing charge: it tells nothing. */
  isOfMany: boolean;
}

/** Call it when the lines of the reading are stored. Returns one for each record and former record. */
export async function movedItemsIn(run: RunContext, reading: Reading, number: number): Promise<RenumberedRecord[]> {
  const gone = createHashSet();
  const isReadFile = await addGone(run, reading, number, gone);
  if (gone.isEmpty()) return [];
  const moved = await sentAgain(run, reading, number, gone);
  if (moved.size === 0) return [];
  await findFormer(run, reading, moved, isReadFile);
  return byRecord(moved.values());
}

/** Adds the items that lines no longer have. Returns whether a file was read, under any name: the records of others may still have theirs. */
async function addGone(run: RunContext, reading: Reading, number: number, gone: HashSet) {
  const files = new Set<string>();
  const isReadFile = (source: string) =>
    (reading.fileNames?.metIn(source) ?? 0) > 0 || files.has(pathOf(reading.fileNames?.last(source) ?? source));
  let maySend = false;
  for await (const { line, known } of storedLines(run.ledger, number)) {
    files.add(pathOf(line.source));
    maySend ||= known === undefined || known.outcome === null || canStartOver(known) || Boolean(run.addToExisting);
    if (known === undefined || canStartOver(known) || !isDiffering(known, reading)) continue;
    const left = idsIn(line);
    for (const id of sentWith(known, line)) if (!left.has(id)) gone.add(id);
  }
  if (!maySend) return isReadFile;
  for await (const { record, isMet } of compareLines(run, reading)) {
    if (isMet || canStartOver(record) || !isReadFile(record.source)) continue;
    for (const id of sentWith(record)) gone.add(id);
  }
  return isReadFile;
}

/** Returns, by item, the lines to be sent that have one of these. */
async function sentAgain(run: RunContext, reading: Reading, number: number, gone: HashSet) {
  const moved = new Map<string, Moved>();
  for await (const { line, known } of storedLines(run.ledger, number)) {
    const { supplier, kind, number: of, source, line: at, record } = line;
    const isCreated = known === undefined || (canStartOver(known) && isDiffering(known, reading));
    const items = isCreated ? itemsIn(record) : itemsToAdd(known, line, run);
    for (const { id, attr } of items === undefined ? [] : placedIds(line, items, isCreated)) {
      if (!gone.has(id)) continue;
      const other = moved.get(id);
      if (other === undefined) {
        moved.set(id, { to: { supplier, kind, number: of, source, line: at }, attr, isOfMany: false });
      } else if (hashOfKey(other.to) !== hashOfKey(line)) other.isOfMany = true;
    }
  }
  return moved;
}

function itemsToAdd(known: LedgerRecord, line: ReadStoredLine, run: RunContext): RecordItems | undefined {
  if (canStartOver(known)) return undefined;
  const { source, line: at, text, hash, record: payload, contentHash } = line;
  const item = { source, line: at, text, hash, read: () => ({ record: payload }) };
  const { retryRejected: isRetried } = run;
  return itemsEventOf(known, { item, payload, contentHash, isRetried, isOtherAccepted: true }, run)?.items;
}

/** Adds the record that was sent with each item, and no longer has it; and which items a third record has as well. */
async function findFormer(
  run: RunContext,
  reading: Reading,
  moved: ReadonlyMap<string, Moved>,
  isReadFile: (source: string) => boolean,
): Promise<void> {
  for await (const record of run.ledger.list()) {
    const shared = [...allIds(record)].filter((id) => {
      const one = moved.get(id);
      return one !== undefined && !one.isOfMany && hashOfKey(one.to) !== hashOfKey(record);
    });
    if (shared.length === 0) continue;
    const hasLine = isMet(record, reading);
    const line = hasLine && isDiffering(record, reading) ? await run.ledger.line(record) : undefined;
    const left = line && idsIn(line);
    const sent = canStartOver(record) ? new Set<string>() : sentWith(record, line);
    for (const id of shared) {
      const one = moved.get(id) as Moved;
      const isLeft = left?.has(id) ?? (hasLine || !isReadFile(record.source));
      if (isLeft) one.isOfMany = true;
      else if (sent.has(id)) one.from ??= line ?? record;
    }
  }
}

function byRecord(moved: Iterable<Moved>): RenumberedRecord[] {
  const found = new Map<string, RenumberedRecord & { moved: { count: number } }>();
  for (const { to, from, attr, isOfMany } of moved) {
    if (isOfMany || from === undefined) continue;
    const id = hashOfKey(to) + hashOfKey(from);
    const other = found.get(id);
    if (other !== undefined) other.moved.count++;
    else {
      const { supplier: formerSupplier, number: formerNumber, kind, source, line } = from;
      const item = { attr, count: 1, kind, source, line };
      found.set(id, { ...to, formerNumber, formerSupplier, by: 'items', moved: item });
    }
  }
  return [...found.values()];
}

/**
 * Returns what the service has or may have of the record. A supply point that is now another customer's has not moved, and those of a record
 * without a line are compared in `renumbered.ts`.
 */
function sentWith(record: LedgerRecord, line?: ReadStoredLine): Set<string> {
  const found = new Set<string>();
  for (const step of ITEM_STEPS) {
    for (const item of record.items[step]) if (isTouched(item)) found.add(idOf(record.supplier, step, item));
  }
  if (line === undefined || areOtherCustomers(record.contentHash, line.contentHash)) return found;
  for (const point of pointsOf(record)) found.add(point);
  return found;
}

/** Returns all that the record has, and its line may have, but for items of a line that was not sent. */
function allIds(record: LedgerRecord): Set<string> {
  const found = new Set(pointsOf(record));
  for (const step of ITEM_STEPS) {
    for (const item of record.items[step]) {
      if (!item.isGone || isTouched(item)) found.add(idOf(record.supplier, step, item));
    }
  }
  return found;
}

function idsIn(line: ReadStoredLine): Set<string> {
  const items = itemsIn(line.record);
  const found = new Set(pointsOf(line));
  for (const step of ITEM_STEPS) for (const item of items[step]) found.add(idOf(line.supplier, step, item));
  return found;
}

/** Yields the items that are to be sent, with their paths, and the supply points of a record that is to be created. */
function* placedIds(line: ReadStoredLine, items: RecordItems, isCreated: boolean) {
  const { supplier, record } = line;
  for (const step of ITEM_STEPS) {
    const part = partIn(record, step);
    for (const [index, item] of items[step].entries()) {
      if (item.status !== 'waiting') continue;
      yield { id: idOf(supplier, step, item), attr: part === 'payment_instruction' ? part : `${part}.${index}` };
    }
  }
  if (isCreated) for (const id of pointsOf(line)) yield { id, attr: 'account.supply_addresses' };
}

/** Returns what tells an item among those of all records: its identifier or, without one, its content. */
function idOf(supplier: string, step: ItemStep, { key: { id, digest: content } }: Item): string {
  return id === '' ? hashOf(supplier, step, 'content', content) : hashOf(supplier, step, 'id', id);
}

function pointsOf({ contentHash }: Pick<LedgerRecord, 'contentHash'>): string[] {
  return identityIn(contentHash).supplyPoints.map((point) => hashOf('supplyPoint', point));
}

function hashOf(...parts: readonly string[]): string {
  return digest('sha256', JSON.stringify(parts));
}
