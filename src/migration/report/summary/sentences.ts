/** Exports what the terminal and the report page say about a summary: each function returns a sentence, or none if there is nothing to say. */
import { placesInWords } from '../../shared/counted-places.js';
import { counted, number } from '../../shared/format.js';
import type { PopulatedBatches, Summary } from './summary.js';

/** Fields that are named; report.json has all of them. */
const MOST_FIELDS = 10;

const OF_ITEMS = { added: 'new and not sent', removed: 'no longer in the line' } as const;

function said(count: number, text: string): string[] {
  return count === 0 ? [] : [text];
}

/** `2 batches of supply points queued (BATCH-1, BATCH-2).` */
export function batchesInWords({ count, ids }: PopulatedBatches): string {
  return `${counted(count, 'batch', 'batches')} of supply points queued (${placesInWords({ count, samples: ids })}).`;
}

/** Printed after the balance. */
export function notBegunInWords({ notBegun }: Pick<Summary, 'notBegun'>): string[] {
  if (notBegun === null)
    return [
      'The last session did not read its input to the end: lines that no session has read are in none of these numbers.',
    ];
  const lines = counted(notBegun, 'line of the input has', 'lines of the input have');
  return said(notBegun, `${lines} not been begun, and ${notBegun === 1 ? 'is' : 'are'} in none of these numbers.`);
}

export function incompleteInWords({ incomplete: count }: Summary): string[] {
  return said(count, `${counted(count, 'account exists', 'accounts exist')} without all items: see incomplete.jsonl.`);
}

export function waitingInWords({ waiting }: Summary): string[] {
  return said(waiting, `${counted(waiting, 'account')} skipped because the business was not created.`);
}

/** Transactions that the service gave another date. */
export function movedInWords({ moved: { count, places } }: Summary): string[] {
  const moved = counted(count, 'transaction was', 'transactions were');
  return said(count, `${moved} moved to the current statement (${placesInWords({ count, samples: places })}).`);
}

export function otherAmountsInWords({ otherAmounts: found }: Summary): string[] {
  const confirmed = counted(found.count, 'transaction was', 'transactions were');
  const places = placesInWords({ count: found.count, samples: found.places });
  return said(found.count, `${confirmed} confirmed with another amount than was sent (${places}; see ok.csv).`);
}

export function changedInWords({ changed }: Summary): string[] {
  const { count, unsent, others } = changed;
  const lines = counted(count, 'line differs', 'lines differ');
  const rest =
    unsent === 0
      ? 'The differences were not sent: an import cannot change existing records.'
      : `${unsent} of them ${unsent === 1 ? 'has' : 'have'} items that were not sent: run again with --add-to-existing, or ask the operator.`;
  const ofOthers =
    others === 0
      ? ''
      : ` ${others} of them ${others === 1 ? 'is' : 'are'} of another customer than the record with the number: no item is sent without --changed-sources and --add-to-existing.`;
  return said(count, `${lines} from what exists (${placesInWords(changed)}; see changed.jsonl). ${rest}${ofOthers}`);
}

/** Returns `12  account.billing_postcode (in.jsonl:3, in.jsonl:7, …)` for each field that differs. */
export function changedFieldsInWords({ changed: { fields } }: Summary): string[] {
  const lines = fields.slice(0, MOST_FIELDS).map((field) => {
    const { path, items, count } = field;
    const what = items === undefined ? path : `${path}, ${OF_ITEMS[items]}`;
    return `${String(count).padStart(7)}  ${what} (${placesInWords(field)})`;
  });
  const more = fields.length - lines.length;
  return more > 0 ? [...lines, `         … and ${counted(more, 'more field')}; changed.jsonl names all`] : lines;
}

/** Records without a line, and differences that a person has accepted. */
export function removedInWords({ removed, accepted }: Summary): string[] {
  const { count } = removed;
  const exist = count === 1 ? 'record exists on the service and is' : 'records exist on the service and are';
  const places = `${placesInWords(removed)} of an earlier session; see not-in-input.jsonl`;
  const parts = [
    ...said(accepted.changed, counted(accepted.changed, 'changed line')),
    ...said(accepted.removed, `${counted(accepted.removed, 'record')} no longer in the input`),
  ];
  return [
    ...said(count, `${number(count)} ${exist} no longer in the input (${places}).`),
    ...said(parts.length, `Accepted with resolve: ${parts.join(', ')}.`),
  ];
}

/** Lines that `retry` replaced. */
export function correctedInWords({ corrected }: Summary): string[] {
  const { count } = corrected;
  const lines = `${counted(count, 'line was', 'lines were')} corrected with retry and not sent again`;
  const rest = count === 1 ? 'its corrected line counts' : 'their corrected lines count';
  return said(
    count,
    `${lines} (${placesInWords(corrected)}): ${rest} instead. The input may stay as it is, unless ${count === 1 ? 'it was' : 'one was'} rejected, too.`,
  );
}
