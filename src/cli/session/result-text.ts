/** Exports `summaryInWords` and `ignoredLinesInWords`: the printed result of a session. */

import type { InputFile } from '../../migration/input/input-file.js';
import { amountsInWords, uncountedInWords, unreadAmountsInWords } from '../../migration/report/summary/amount-words.js';
import type { ErrorGroup } from '../../migration/report/summary/error-groups.js';
import { unreadInWords, warningsInWords } from '../../migration/report/summary/input-report.js';
import * as sentences from '../../migration/report/summary/sentences.js';
import type { Summary } from '../../migration/report/summary/summary.js';
import type { IgnoredReason } from '../../migration/run/run-context.js';
import type { IgnoredLineCounts } from '../../migration/run/session/read-progress.js';
import { placesInWords } from '../../migration/shared/counted-places.js';
import { counted, spaced } from '../../migration/shared/format.js';

/** Printed groups of errors; the report has all of them. */
const MOST_ERRORS = 10;

/** The balance of the records, what to do about the errors, the warnings, and what was not read of `files`. `folder`: that has the report page, if there is one. */
export function summaryInWords(
  summary: Summary,
  folder: string | undefined,
  files: readonly InputFile[] = [],
): string[] {
  const { balance, batches, errors, unknowns } = summary;
  return [
    balance.text,
    ...sentences.notBegunInWords(summary),
    ...(summary.ofOtherFiles > 0 ? [otherFilesInWords(summary)] : []),
    ...(batches === undefined ? [] : [sentences.batchesInWords(batches)]),
    ...outcomesOfItems(summary),
    ...amountsInWords(summary.amounts, summary.uncounted > 0),
    ...unreadAmountsInWords(errors),
    ...sentences.otherAmountsInWords(summary),
    ...sentences.incompleteInWords(summary),
    ...sentences.waitingInWords(summary),
    ...sentences.changedInWords(summary),
    ...sentences.changedFieldsInWords(summary),
    ...sentences.removedInWords(summary),
    ...sentences.correctedInWords(summary),
    ...errors.slice(0, MOST_ERRORS).flatMap((group, index, shown) => errorInWords(group, shown[index + 1])),
    ...(errors.length > MOST_ERRORS
      ? [`         … and ${counted(errors.length - MOST_ERRORS, 'more kind', 'more kinds')} of errors`]
      : []),
    ...unknowns.map(
      ({ step, count, howToResolve }) => `${String(count).padStart(7)}  unknown at ${spaced(step)}: ${howToResolve}`,
    ),
    ...(folder === undefined ? [] : [`Report: ${folder}/report.html`]),
    ...[...warningsInWords(summary.warnings), ...unreadInWords(files)],
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

/** A line for each kind of item, and a warning if their numbers do not add up. */
function outcomesOfItems(summary: Summary): string[] {
  const { isBalanced, text } = summary.itemBalance;
  return [
    ...(isBalanced ? text.split('; ').filter((line) => line !== '') : [text]),
    ...(summary.uncounted > 0 ? [uncountedInWords(summary.uncounted)] : []),
    ...sentences.movedInWords(summary),
  ];
}

const REASONS: Readonly<Record<IgnoredReason, string | ((folder: string) => string)>> = {
  created: 'the record is created and complete',
  alreadyImported: 'the account existed before the run',
  otherLine:
    'the record with its number was created from a line with other content, and this line was not sent. If it is of another customer, correct its number; an import cannot change what exists',
  sent: 'an earlier retry has sent it, and the record is complete',
  rejected: 'the record is rejected',
  unknown: 'the outcome of the record is unknown: resolve it with data-import-sdk resolve',
  notInRun: (folder) =>
    `the run has no such record. Correct an entry without a number inside ${folder}/rejected.jsonl (\`original\`), and give that file to retry. Send new records, and rows of a CSV file that had no record, with data-import-sdk run`,
  noRecord:
    'the line has no record. Correct the row of a CSV file in that file, and give it to data-import-sdk run; data-import-sdk check shows the errors of other lines',
  twice: 'an earlier line has the same record',
};

/** Lines that `retry` ignored, one text for each reason. `folder`: the run folder. */
export function ignoredLinesInWords(counts: IgnoredLineCounts, folder: string): string[] {
  return Object.entries(counts).map(([why, lines]) => {
    const reason = REASONS[why as IgnoredReason];
    return `Ignored ${counted(lines.count, 'line')} (${placesInWords(lines)}): ${typeof reason === 'string' ? reason : reason(folder)}.`;
  });
}
