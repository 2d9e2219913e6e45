/** Exports how the input differs from records that exist: `differenceOf`, `isRemoved` and `isNotInInput` tell it, `storeDifferences` stores it. */
import type { ImportRecord } from '../../validation/records/import-record.js';
import type { InputLine } from '../input/source.js';
import type { RecordItems } from '../ledger/items.js';
import {
  type Difference,
  ITEM_STEPS,
  type ItemStep,
  type Ledger,
  type LedgerRecord,
  type RecordKey,
} from '../ledger/ledger.js';
import { areOtherCustomers, changedPaths } from '../shared/content-digests.js';
import { canStartOver, existsOnService, unknownSteps } from './events/record-state.js';
import { itemDifferences } from './items/item-states.js';
import { partIn, partOf, withItemsWhere } from './items/items.js';
import { store } from './store.js';

/** Returns whether the last session that read the whole input found no line of the record. */
export function isRemoved({ difference }: LedgerRecord): boolean {
  return difference?.is === 'removed';
}

/** Returns whether it is, besides, not on the service: because its number was wrong, or because the user removed the line in time. */
export function isNotInInput(record: LedgerRecord): boolean {
  return canStartOver(record) && isRemoved(record);
}

/** Returns whether the record exists and is not finished, and has no unknown step: only its line, which is removed, has what was not sent. */
export function isLeftUnfinished(record: LedgerRecord): boolean {
  return record.outcome === null && isRemoved(record) && existsOnService(record) && unknownSteps(record).size === 0;
}

/** Returns whether a person has, besides, accepted that: what was not sent is given up. */
export function isGivenUp(record: LedgerRecord): boolean {
  return isLeftUnfinished(record) && record.difference?.isAccepted === true;
}

/**
 * Returns how the line of the input differs from the record. `items`: those of the line, with their states. A person may have accepted
 * that.
 */
export function differenceOf(
  { number, contentHash: sent, difference: known, items: before }: LedgerRecord,
  { item: { source, line }, payload, contentHash }: DifferingLine,
  items: RecordItems,
): Difference {
  const found = ITEM_STEPS.map((step) => ({ step, ...itemDifferences(step, before, items) }));
  const partsOf = (list: typeof found) => list.map(({ step }) => partIn(payload, step));
  const added = partsOf(found.filter((one) => one.added.length > 0));
  const removed = partsOf(found.filter((one) => one.isRemoved));
  const isNew = (step: ItemStep, index: number) =>
    items[step][index]?.status === 'givenUp' || found.some((one) => one.step === step && one.added.includes(index));
  const compared = withItemsWhere(payload, (step, index) => !isNew(step, index));
  const givenUp = ITEM_STEPS.filter((step) => before[step].some((item) => item.status === 'givenUp' && !item.isGone));
  const left = withSingle([...removed, ...givenUp.map((step) => partIn(payload, step))]);
  const isAccepted = known?.is === 'changed' && known.contentHash === contentHash && known.isAccepted === true;
  return {
    ...{ is: 'changed', contentHash, paths: changedPaths(compared, number, sent, left) },
    ...(added.length > 0 && { added }),
    ...(removed.length > 0 && { removed }),
    ...{ source, line },
    ...(isAccepted && { isAccepted }),
  };
}

/** Both names: an earlier line can have a single payment instruction in place of the list. */
function withSingle(parts: readonly string[]): readonly string[] {
  return parts.includes('payment_instructions') ? [...parts, partOf('paymentInstruction')] : parts;
}

/** Returns what differs, as the files and reports name it. */
export function pathsOf({ paths = [], added = [], removed = [] }: Difference) {
  return { paths, added, removed };
}

/** Returns whether the line that differs from the record is of another customer. */
export function hasOtherCustomer({
  contentHash,
  difference,
}: Pick<LedgerRecord, 'contentHash' | 'difference'>): boolean {
  return difference?.contentHash !== undefined && areOtherCustomers(contentHash, difference.contentHash);
}

interface DifferingLine {
  item: InputLine;
  payload: ImportRecord;
  contentHash: string;
}

/** The ledger writes them in one group. */
const WRITTEN_AT_ONCE = 1000;

/** Stores a difference, and the new place if there is one, for each of the records. Resolves when all are on disk. */
export async function storeDifferences(
  keys: readonly (RecordKey & { place?: { source: string; line: number } })[],
  differenceOf: (record: LedgerRecord) => Difference | null,
  context: { ledger: Ledger; now: () => Date },
): Promise<void> {
  for (let at = 0; at < keys.length; at += WRITTEN_AT_ONCE) {
    await Promise.all(
      keys.slice(at, at + WRITTEN_AT_ONCE).map(async ({ place, ...key }) => {
        const record = await context.ledger.find(key);
        if (record === undefined) return;
        await store(record, { type: 'lineDiffers', difference: differenceOf(record), place }, context);
      }),
    );
  }
}
