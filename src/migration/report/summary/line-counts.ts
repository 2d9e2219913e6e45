/** Counts the input lines that did not become separate records, by reason. */
import { basename } from 'node:path';
import type { InputLine } from '../../input/source.js';
import type { ItemStep } from '../../ledger/ledger.js';
import { itemsIn } from '../../record/items/item-counts.js';
import type { LineFinding } from '../../run/input-pass.js';
import { createGroups, type ErrorGroup } from './error-groups.js';
import { addChange, addUnsent, type ItemSummary, noItemTotals } from './item-totals.js';

export interface LineCounts {
  /** They hold no record. */
  rejected: number;
  /** Another record has their number. */
  skipped: number;
  /** Their record exists, and was made of another payload. */
  changed: number;
  /** `retry` sent a corrected line in their place. */
  corrected: number;
  /** Up to three of these, as `file:line`. */
  correctedSamples: string[];
  groups: ErrorGroup[];
  /** Up to three of the changed ones, as `file:line`. */
  changedSamples: string[];
  /** Their items. */
  items: LineItems;
}

/** The items of lines that did not become separate records. */
export interface LineItems {
  /** Of the changed ones, those that have items which were not sent. */
  unsent: number;
  /** Of these, the ones whose record has everything that its own line had. */
  newlyIncomplete: number;
  /** Unreadable lines, whose items cannot be counted. */
  uncounted: number;
  /** Items of the rejected and the skipped lines. */
  ofLines: ItemSummary;
  /** What changed lines have in place of the items of their records: negative for what they have no more. */
  changed: ItemSummary;
}

export interface LineTally {
  add(item: InputLine, finding: LineFinding): void;
  counts(): LineCounts;
}

const MOST_SAMPLES = 3;

export function noLineItems(): LineItems {
  return { unsent: 0, newlyIncomplete: 0, uncounted: 0, ofLines: noItemTotals(), changed: noItemTotals() };
}

/** Steps that would send the items of a changed line that were not sent. */
export function unsentSteps({ items }: NonNullable<LineFinding['change']>): ItemStep[] {
  return items.filter(({ total }) => total > 0).map(({ step }) => step);
}

export function createLineTally(): LineTally {
  const counts = { rejected: 0, skipped: 0, changed: 0, corrected: 0 };
  const items = noLineItems();
  const groups = createGroups();
  const changedSamples: string[] = [];
  const correctedSamples: string[] = [];
  return {
    add(item, { as, code, attr, detail, change }) {
      const { source, line } = item;
      counts[as]++;
      const place = `${basename(source)}:${line}`;
      if (as === 'corrected') {
        if (correctedSamples.length < MOST_SAMPLES) correctedSamples.push(place);
        return;
      }
      if (as !== 'changed') {
        groups.add(place, [{ step: 'read', code, attr, detail }]);
        const found = item.read();
        if ('record' in found) addUnsent(items.ofLines, itemsIn(found.record));
        else items.uncounted++;
        return;
      }
      if (changedSamples.length < MOST_SAMPLES) changedSamples.push(place);
      if (change === undefined) return;
      const { record } = change;
      for (const one of change.items) addChange(items.changed, one, record.outcome !== null);
      if (unsentSteps(change).length === 0) return;
      items.unsent++;
      if (record.errors.length === 0) items.newlyIncomplete++;
    },
    counts: () => ({
      ...counts,
      groups: groups.list(),
      changedSamples: [...changedSamples],
      correctedSamples: [...correctedSamples],
      items: structuredClone(items),
    }),
  };
}
