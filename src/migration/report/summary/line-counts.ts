/** Exports `createLineTally`, which counts the lines without a separate record, by reason. */
import type { InputLine } from '../../input/source.js';
import type { ItemStep } from '../../ledger/ledger.js';
import { hasOtherCustomer } from '../../record/changed-and-removed.js';
import { itemsIn, unsentSteps } from '../../record/items/item-states.js';
import { keyOf } from '../../record/record-key.js';
import type { LineFinding } from '../../run/run-context.js';
import { placeInWords } from '../../shared/place.js';
import { AmountTally, type SupplierAmounts } from './amount-totals.js';
import { createGroups, type ErrorGroup } from './error-groups.js';
import { addChange, addUnsent, type ItemSummary, lacksOf, noItemTotals } from './item-totals.js';

export interface LineCounts {
  /** Lines without a record. */
  rejected: number;
  /** Lines whose number another record has. */
  skipped: number;
  /** Those of `skipped` with the content of the line that was taken: their content is not missing. */
  duplicates: number;
  /** Lines given to `retry` that differ from the record that exists. For those of the input, the ledger has the difference. */
  changed: number;
  /** Lines that `retry` replaced by a corrected line. */
  corrected: number;
  /** Up to three places of corrected lines, as `file:line`. */
  correctedSamples: string[];
  groups: ErrorGroup[];
  /** Up to three places of them, as `file:line`. */
  changedSamples: string[];
  /** The items of these lines. */
  items: LineItems;
}

/** The items of lines without a separate record. */
export interface LineItems {
  /** Changed lines with items that were not sent. */
  unsent: number;
  /** Those of `unsent` whose record has all items of the line that it was imported from. */
  newlyIncomplete: number;
  /** Those of `unsent` whose record lacks no item that `addToExisting` sends. */
  newlyUnsent: number;
  /** Unreadable lines, whose items cannot be counted. */
  uncounted: number;
  /** Items of the rejected and the skipped lines. */
  ofLines: ItemSummary;
  /** Difference between the items of changed lines and those of their records; negative for removed items. */
  changed: ItemSummary;
  /** The amounts of both. */
  amounts: { ofLines: SupplierAmounts[]; changed: SupplierAmounts[] };
}

const MOST_SAMPLES = 3;
/** Code of a line with the number and the content of an earlier line. */
export const DUPLICATE_RECORD = 'duplicate_record';

function noLineItems(): LineItems {
  const amounts = { ofLines: [], changed: [] };
  return {
    ...{ unsent: 0, newlyIncomplete: 0, newlyUnsent: 0, uncounted: 0 },
    ...{ ofLines: noItemTotals(), changed: noItemTotals(), amounts },
  };
}

/** Returns the steps that would send the unsent items of a changed line: none, if these are of another customer. */
export function unsentOf({ record, items, difference }: NonNullable<LineFinding['change']>): ItemStep[] {
  if (hasOtherCustomer({ contentHash: record.contentHash, difference })) return [];
  return unsentSteps(record.items, items);
}

export function createLineTally() {
  const counts = { rejected: 0, skipped: 0, duplicates: 0, changed: 0, corrected: 0 };
  const items = noLineItems();
  const amounts = { ofLines: new AmountTally(), changed: new AmountTally() };
  const groups = createGroups();
  const changedSamples: string[] = [];
  const correctedSamples: string[] = [];
  return {
    add(item: InputLine, { as, code, attr, detail, change, count = 1 }: LineFinding): void {
      if (as !== 'accepted' && change === undefined) counts[as] += count;
      if (code === DUPLICATE_RECORD) counts.duplicates++;
      const place = placeInWords(item);
      if (as === 'corrected') {
        if (correctedSamples.length < MOST_SAMPLES) correctedSamples.push(place);
        return;
      }
      if (as === 'rejected' || as === 'skipped') {
        groups.add(place, [{ step: 'read', code, attr, detail }], count);
        const found = item.read();
        if ('record' in found) {
          const ofLine = itemsIn(found.record);
          addUnsent(items.ofLines, ofLine);
          amounts.ofLines.addLine(keyOf(found.record)?.supplier ?? '', ofLine, as);
        } else items.uncounted += count;
        return;
      }
      if (change === undefined) {
        if (changedSamples.length < MOST_SAMPLES) changedSamples.push(place);
        return;
      }
      const { record } = change;
      addChange(items.changed, record, change.items);
      amounts.changed.addChange(record, change.items);
      if (as === 'accepted' || unsentOf(change).length === 0) return;
      items.unsent++;
      if (record.errors.length === 0) items.newlyIncomplete++;
      if (!lacksOf(record.errors).has('unsent')) items.newlyUnsent++;
    },
    counts: (): LineCounts => ({
      ...counts,
      groups: groups.list(),
      changedSamples: [...changedSamples],
      correctedSamples: [...correctedSamples],
      items: {
        ...structuredClone(items),
        amounts: { ofLines: amounts.ofLines.suppliers(), changed: amounts.changed.suppliers() },
      },
    }),
  };
}
