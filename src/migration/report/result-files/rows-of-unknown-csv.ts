/**
 * Exports `unknownRows`: the rows of unknown.csv for a step of a record, one for each item whose outcome is unknown. `resolve` finds the
 * outcome of a row again by its mark, whatever a spreadsheet has made of the other cells.
 */
import { hash } from 'node:crypto';
import type { Item } from '../../ledger/items.js';
import type { LedgerRecord, Step } from '../../ledger/ledger.js';
import { contentIn } from '../../record/items/item-keys.js';
import { isInDoubt } from '../../record/items/item-states.js';
import { isItemStep, partOf } from '../../record/items/items.js';
import { contentMark } from './write-rejected-csv.js';

/** What one answer is about: a step, or one item of it. */
export interface UnknownRow {
  /** Index in the list of the record; null for a step without items. */
  position: number | null;
  /** The item as in the paths of errors; empty for a step without items. */
  name: string;
  /** Its type and amount, if it has them. */
  amount: string;
  /** Identifies the outcome within the run. */
  mark: string;
}

/** Returns a row for each item of the step that `isWanted`, or one for the step if there is none. */
export function unknownRows(
  record: LedgerRecord,
  step: Step,
  isWanted: (item: Item) => boolean = isInDoubt,
): readonly [UnknownRow, ...UnknownRow[]] {
  const list = isItemStep(step) ? record.items[step] : [];
  const equal = new Map<string, number>();
  const rows = list.flatMap((item, position): UnknownRow[] => {
    const { type, amount } = item.key;
    const content = contentIn(item.key);
    // Equal items differ by their order only.
    const place = equal.get(content) ?? 0;
    equal.set(content, place + 1);
    if (!isWanted(item)) return [];
    return [
      {
        ...{ position, name: nameOf(list, position, step) },
        amount: type === null || amount === null ? '' : `${type} ${amount}`,
        mark: markOf(record, step, content, place),
      },
    ];
  });
  const [first, ...others] = rows;
  return first === undefined
    ? [{ position: null, name: '', amount: '', mark: markOf(record, step) }]
    : [first, ...others];
}

function markOf({ supplier, kind, number }: LedgerRecord, step: Step, ...item: readonly unknown[]): string {
  return contentMark(hash('sha256', JSON.stringify([supplier, kind, number, step, ...item])));
}

function nameOf(list: readonly Item[], position: number, step: Step): string {
  if (!isItemStep(step)) return '';
  const ofLine = list.filter(({ isGone }) => !isGone).length;
  // The ledger does not have the name of a list of one.
  const part = step === 'paymentInstruction' && ofLine > 1 ? 'payment_instructions' : partOf(step);
  return position < ofLine ? `${part}.${position}` : `${part} no longer in the line`;
}
