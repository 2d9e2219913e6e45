/** Exports `summaryInWords` and `ignoredLinesInWords`: the printed result of a session. */

import { amountsInWords, uncountedInWords, unreadAmountsInWords } from '../../migration/report/summary/amount-words.js';
import {
  acceptedInWords,
  changedFieldsInWords,
  placesInWords,
  removedInWords,
} from '../../migration/report/summary/difference-words.js';
import type { ErrorGroup } from '../../migration/report/summary/error-groups.js';
import { NOT_ALL_READ, type PlacedTransactions, type Summary } from '../../migration/report/summary/summary.js';
import type { IgnoredReason } from '../../migration/run/input-pass.js';
import type { IgnoredLineCounts } from '../../migration/run/session/read-lines.js';
import { counted, spaced } from '../../migration/shared/format.js';

/** Printed groups of errors; the report has all of them. */
const MOST_ERRORS = 10;
const MOST_PLACES = 3;

/** The balance of the records, and what to do about the errors. `isInputRead`: whether the session reached every line. */
export function summaryInWords(summary: Summary, folder: string, isInputRead: boolean): string[] {
  const { balance, batches, incomplete, waiting, changed, corrected, errors, unknowns } = summary;
  return [
    balance.text,
    ...(isInputRead ? [] : [NOT_ALL_READ]),
    ...(summary.ofOtherFiles > 0 ? [otherFilesInWords(summary)] : []),
    ...(batches === undefined ? [] : [batchesInWords(batches)]),
    ...outcomesOfItems(summary),
    ...amountsInWords(summary.amounts, summary.uncounted > 0),
    ...unreadAmountsInWords(errors),
    ...otherAmountsInWords(summary.otherAmounts),
    ...(incomplete > 0
      ? [`${counted(incomplete, 'account exists', 'accounts exist')} without all items: see incomplete.jsonl.`]
      : []),
    ...(waiting > 0 ? [`${counted(waiting, 'account')} skipped because the business was not created.`] : []),
    ...(changed.count > 0 ? [changedInWords(changed), ...changedFieldsInWords(changed)] : []),
    ...[removedInWords(summary.removed), acceptedInWords(summary.accepted)].filter((text) => text !== undefined),
    ...(corrected.count > 0 ? [correctedInWords(corrected)] : []),
    ...errors.slice(0, MOST_ERRORS).flatMap((group, index, shown) => errorInWords(group, shown[index + 1])),
    ...(errors.length > MOST_ERRORS
      ? [`         … and ${counted(errors.length - MOST_ERRORS, 'more kind', 'more kinds')} of errors`]
      : []),
    ...unknowns.map(
      ({ step, count, howToResolve }) => `${String(count).padStart(7)}  unknown at ${spaced(step)}: ${howToResolve}`,
    ),
    `Report: ${folder}/report.html`,
  ];
}

function otherFilesInWords({ input, ofOtherFiles }: Summary): string {
  return `This session read ${input - ofOtherFiles} of these ${input} lines. The others are not in its files, and count as before. If its files replace earlier ones, give them the same names, or all files in one command: records that are missing are then reported.`;
}

/** The error and what to do about it, unless the next group has the same remedy. */
function errorInWords(group: ErrorGroup, next: ErrorGroup | undefined): string[] {
  const { step, code, attr, count, samples, remedy, detail } = group;
  const [sample] = samples;
  const line = `${String(count).padStart(7)}  ${spaced(step)} ${code}${attr === '' ? '' : ` at ${attr}`}`;
  if (detail === undefined && next?.detail === undefined && next?.remedy === remedy) return [line];
  const example = detail === undefined ? [] : [`Example${sample === undefined ? '' : ` (${sample})`}: ${detail}`];
  return [line, `         ${[remedy, ...example].join(' ')}`];
}

/** `2 batches of supply points queued (BATCH-1, BATCH-2).` */
export function batchesInWords({ count, ids }: NonNullable<Summary['batches']>): string {
  const shown = ids.slice(0, MOST_PLACES).join(', ') + (count > MOST_PLACES ? ', …' : '');
  return `${counted(count, 'batch', 'batches')} of supply points queued (${shown}).`;
}

/** A line for each kind of item, and a warning if their numbers do not add up. */
function outcomesOfItems({ itemBalance, moved, uncounted }: Summary): string[] {
  const { isBalanced, text } = itemBalance;
  return [
    ...(isBalanced ? text.split('; ').filter((line) => line !== '') : [text]),
    ...(uncounted > 0 ? [uncountedInWords(uncounted)] : []),
    ...(moved.count > 0
      ? [
          `${counted(moved.count, 'transaction was', 'transactions were')} moved to the current statement (${firstPlaces(moved)}).`,
        ]
      : []),
  ];
}

function firstPlaces({ count, places }: PlacedTransactions): string {
  return placesInWords(count, places.slice(0, MOST_PLACES));
}

function otherAmountsInWords(found: PlacedTransactions): string[] {
  if (found.count === 0) return [];
  const confirmed = counted(found.count, 'transaction was', 'transactions were');
  return [`${confirmed} confirmed with another amount than was sent (${firstPlaces(found)}; see ok.csv).`];
}

function changedInWords({ count, samples, unsent }: Summary['changed']): string {
  const lines = counted(count, 'line differs', 'lines differ');
  const places = placesInWords(count, samples);
  if (unsent === 0) {
    return `${lines} from what exists (${places}; see changed.jsonl). The differences were not sent: an import cannot change existing records.`;
  }
  return `${lines} from what exists (${places}; see changed.jsonl). ${unsent} of them ${unsent === 1 ? 'has' : 'have'} items that were not sent: run again with --add-to-existing, or ask the operator.`;
}

function correctedInWords({ count, samples }: Summary['corrected']): string {
  const lines = counted(count, 'line was', 'lines were');
  const places = placesInWords(count, samples);
  return `${lines} corrected with retry and not sent again (${places}). Keep the input as it is, or replace ${count === 1 ? 'the line by its corrected line' : 'the lines by their corrected lines'}.`;
}

const REASONS: Readonly<Record<IgnoredReason, string | ((folder: string) => string)>> = {
  created: 'the record is created and complete',
  alreadyImported: 'the account existed before the run',
  otherLine:
    'the record with its number was created from a line with other content, and this line was not sent. If it is of another customer, correct its number; an import cannot change what exists',
  sent: 'an earlier retry has sent it, and the record is complete',
  rejected: 'the record is rejected',
  skipped: 'the record is skipped',
  unknown: 'the outcome of the record is unknown: resolve it with data-import-sdk resolve',
  notInRun: (folder) =>
    `the run has no such record. Correct an entry without a number inside ${folder}/rejected.jsonl (\`original\`), and give that file to retry. Send new records, and rows of a CSV file that had no record, with data-import-sdk run`,
  noRecord:
    'the line has no record. Correct the row of a CSV file in that file, and give it to data-import-sdk run; data-import-sdk check shows the errors of other lines',
  twice: 'an earlier line has the same record',
};

/** Lines that `retry` ignored, one text for each reason. `folder`: the run folder. */
export function ignoredLinesInWords(counts: IgnoredLineCounts, folder: string): string[] {
  return Object.entries(counts).map(([why, { count, samples }]) => {
    const reason = REASONS[why as IgnoredReason];
    return `Ignored ${counted(count, 'line')} (${placesInWords(count, samples)}): ${typeof reason === 'string' ? reason : reason(folder)}.`;
  });
}
