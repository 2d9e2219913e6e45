/**
 * Exports `writeRecordFiles`, which writes ok.csv, unknown.jsonl and unfinished.jsonl: each record in the file of its outcome.
 */

import type { LedgerRecord, Step } from '../../ledger/ledger.js';
import { positionsWhere } from '../../record/items/item-states.js';
import { isItemStep } from '../../record/items/items.js';
import { hasOtherAmount } from '../../record/items/tally.js';
import { hintOf } from '../summary/error-groups.js';
import { howToContinue, howToResolveStep } from '../summary/remedies.js';
import { csvHeader, csvRow } from './csv-cell.js';

export const OK_HEADER = csvHeader([
  'external_number',
  'service_number',
  'kind',
  'import_supplier',
  'outcome',
  'refused_later',
  'moved_to_current_statement',
  'confirmed_with_another_amount',
]);

type Write = (text: string) => Promise<void>;

/** Writes the files. Omits rejected records and records that wait for their business: other files have these. */
export async function writeRecordFiles(
  record: LedgerRecord,
  waits: boolean,
  [ok, unknown, open]: readonly [Write, Write, Write],
): Promise<void> {
  const { supplier, kind, number, serviceNumber, outcome, done, intent, errors, source, line } = record;
  if (outcome === 'created' || outcome === 'alreadyImported') {
    const later = [refusedLater(record), movedOf(record), otherAmountsOf(record)];
    await ok(csvRow([number, serviceNumber, kind, supplier, outcome, ...later]));
  } else if (outcome === 'unknown') {
    const howToResolve = record.unknown.map(howToResolveStep);
    const items = record.unknown.map((step) => ({ step, positions: unknownAt(record, step) }));
    const of = { supplier, kind, number, serviceNumber, steps: record.unknown };
    const entry = { ...of, items, howToResolve, errors, source, line };
    await unknown(`${JSON.stringify(entry)}\n`);
  } else if (outcome === null && !waits) {
    const entry = {
      supplier,
      kind,
      number,
      serviceNumber,
      done,
      intent,
      howToContinue: howToContinue(intent),
      errors,
      source,
      line,
    };
    await open(`${JSON.stringify(entry)}\n`);
  }
}

/** Returns the positions of the items that may have been added; null for all of the step. */
function unknownAt({ items }: LedgerRecord, step: Step): number[] | null {
  if (!isItemStep(step)) return null;
  const unknown = positionsWhere(items[step], ({ status }) => status === 'unknown');
  return unknown.length === positionsWhere(items[step], () => true).length ? null : unknown;
}

/** Returns the transactions that the service gave another date: `transactions.0; …`. */
function movedOf({ items }: LedgerRecord): string {
  return positionsWhere(items.transactions, ({ isMoved }) => isMoved)
    .map((position) => `transactions.${position}`)
    .join('; ');
}

/** Returns the transactions that the service confirmed with another amount: `transactions.0 12.51 in place of 12.5; …`. */
function otherAmountsOf({ items }: LedgerRecord): string {
  return items.transactions
    .flatMap((item, position) => {
      if (item.isGone || !hasOtherAmount(item)) return [];
      return `transactions.${position} ${item.confirmed} in place of ${item.key.amount}`;
    })
    .join('; ');
}

/** Returns the items that could not be added to an existing account: `notes empty_note notes.0.body; …`. */
function refusedLater({ errors }: LedgerRecord): string {
  return errors
    .map(({ step, code, attr, didYouMean }) => `${[step, code, attr].filter(Boolean).join(' ')}${hintOf(didYouMean)}`)
    .join('; ');
}
