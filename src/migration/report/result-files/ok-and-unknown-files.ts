/**
 * Exports `writeRecordFiles`, which writes ok.csv, unknown.jsonl, unfinished.jsonl and unknown.csv: each record in the file of its outcome. A
 * person fills in the column `answer` of unknown.csv and gives it to `resolve --from`, which finds the outcome of a row by its hash.
 */

import { UNREAD_AMOUNT } from '../../ledger/items.js';
import { isImported, type LedgerRecord, type Step } from '../../ledger/ledger.js';
import { unknownSteps } from '../../record/events/record-state.js';
import { positionsWhere } from '../../record/items/item-states.js';
import { isItemStep } from '../../record/items/items.js';
import { hasOtherAmount } from '../../record/items/tally.js';
import { firstInWords } from '../../shared/format.js';
import { hintOf } from '../summary/error-groups.js';
import { howToContinue, howToResolveStep } from '../summary/remedies.js';
import { csvHeader, csvRow } from './csv-cell.js';
import { unknownRows } from './rows-of-unknown-csv.js';
import { HASH } from './write-rejected-csv.js';

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

/** The columns of unknown.csv. */
export const UNKNOWN_CSV = {
  key: 'key',
  kind: 'kind',
  supplier: 'supplier',
  serviceNumber: 'service account',
  step: 'step',
  items: 'items',
  amounts: 'amounts',
  lookUp: 'what to look up',
  file: 'file',
  line: 'line',
  answer: 'answer (done or not-done)',
  serviceId: 'service id (if it was created)',
  mark: HASH,
} as const;

export const UNKNOWN_HEADER = csvHeader(Object.values(UNKNOWN_CSV));

type Write = (text: string) => Promise<void>;

/** Writes the files. Omits rejected records and records that wait for their business: other files have these. */
export async function writeRecordFiles(
  record: LedgerRecord,
  waits: boolean,
  [ok, unknown, open, unknownCsv]: readonly [Write, Write, Write, Write],
): Promise<void> {
  const { supplier, kind, number, serviceNumber, outcome, done, intent, errors, source, line } = record;
  const of = { supplier, kind, number, serviceNumber };
  for (const step of outcome === 'unknown' || outcome === null ? unknownSteps(record) : []) {
    const place = [howToResolveStep(step), source, String(line)];
    for (const { name, amount, mark } of unknownRows(record, step)) {
      await unknownCsv(csvRow([number, kind, supplier, serviceNumber, step, name, amount, ...place, null, null, mark]));
    }
  }
  if (isImported(record)) {
    const later = [refusedLater(record), movedOf(record), otherAmountsOf(record)];
    await ok(csvRow([number, serviceNumber, kind, supplier, outcome, ...later]));
  } else if (outcome === 'unknown') {
    const howToResolve = record.unknown.map(howToResolveStep);
    const items = record.unknown.map((step) => ({ step, positions: unknownAt(record, step) }));
    const entry = { ...of, steps: record.unknown, items, howToResolve, errors, source, line };
    await unknown(`${JSON.stringify(entry)}\n`);
  } else if (outcome === null && !waits) {
    const entry = { ...of, done, intent, howToContinue: howToContinue(intent), errors, source, line };
    await open(`${JSON.stringify(entry)}\n`);
  }
}

const MOST_ITEMS = 20;

/** Returns the names and the amounts of the items that may have been added at a step; empty for another step. */
export function unknownItems(record: LedgerRecord, step: Step): { items: string; amounts: string } {
  const rows = unknownRows(record, step);
  return { items: listed(rows.map(({ name }) => name)), amounts: listed(rows.map(({ amount }) => amount)) };
}

function listed(all: readonly string[]): string {
  return firstInWords(all.filter(Boolean), MOST_ITEMS, '; ');
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

/** Returns the transactions that the service confirmed with another amount, or one that cannot be read: `transactions.0 12.51 in place of 12.5; …`. */
function otherAmountsOf({ items }: LedgerRecord): string {
  return items.transactions
    .flatMap((item, position) => {
      if (item.isGone || !hasOtherAmount(item)) return [];
      const confirmed = item.confirmed === UNREAD_AMOUNT ? 'an amount that cannot be read' : item.confirmed;
      return `transactions.${position} ${confirmed} in place of ${item.key.amount ?? 'none'}`;
    })
    .join('; ');
}

/** Returns the items that could not be added to an existing account: `notes empty_note notes.0.body; …`. */
function refusedLater({ errors }: LedgerRecord): string {
  return errors
    .map(({ step, code, attr, didYouMean }) => `${[step, code, attr].filter(Boolean).join(' ')}${hintOf(didYouMean)}`)
    .join('; ');
}
