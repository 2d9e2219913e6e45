/** How a run is told of when it has ended: in words or as JSON, and by the exit code. */
import type { MigrationResult } from '../../migration/migrate.js';
import type { Summary } from '../../migration/report/summary/summary.js';
import type { IgnoredLineCounts } from '../../migration/run/ignored-lines.js';
import type { IgnoredReason } from '../../migration/run/run-input.js';
import { counted } from '../../migration/shared/format.js';
import { EXIT, type ExitCode } from '../shared/exit-codes.js';

/** Kinds of error that are told of; the report has them all. */
const MOST_ERRORS = 10;
const MOST_PLACES = 3;

/** The balance, and what is to be done. */
export function inWords(summary: Summary, folder: string): string[] {
  const { balance, batches, incomplete, waiting, changed, corrected, errors, unknowns } = summary;
  return [
    balance.text,
    ...(batches === undefined ? [] : [batchesInWords(batches)]),
    ...outcomesOfItems(summary),
    ...(incomplete > 0
      ? [`${counted(incomplete, 'account that exists lacks', 'accounts that exist lack')} items: see incomplete.jsonl.`]
      : []),
    ...(waiting > 0 ? [`${waiting} of the skipped wait for a business that failed.`] : []),
    ...(changed.count > 0 ? [changedInWords(changed)] : []),
    ...(corrected.count > 0 ? [correctedInWords(corrected)] : []),
    ...errors
      .slice(0, MOST_ERRORS)
      .flatMap(({ step, code, attr, count, samples: [sample], remedy, detail }) => [
        `${String(count).padStart(7)}  ${step} ${code}${attr === '' ? '' : ` at ${attr}`}`,
        `         ${[remedy, ...(detail === undefined ? [] : [`The first one${sample === undefined ? '' : ` (${sample})`}: ${detail}`])].join(' ')}`,
      ]),
    ...(errors.length > MOST_ERRORS ? [`         … and ${errors.length - MOST_ERRORS} more kinds of error`] : []),
    ...unknowns.map(
      ({ step, count, howToResolve }) => `${String(count).padStart(7)}  unknown at ${step}: ${howToResolve}`,
    ),
    `Report: ${folder}/report.html`,
  ];
}

/** `2 batches of supply points queued (BATCH-1, BATCH-2).` */
export function batchesInWords({ count, ids }: NonNullable<Summary['batches']>): string {
  const shown = ids.slice(0, MOST_PLACES).join(', ') + (count > MOST_PLACES ? ', …' : '');
  return `${counted(count, 'batch', 'batches')} of supply points queued (${shown}).`;
}

/** A line for each kind of item; where they do not add up, what is wrong. */
function outcomesOfItems({ itemBalance, moved, uncounted }: Summary): string[] {
  const { isBalanced, text } = itemBalance;
  const places = moved.places.slice(0, MOST_PLACES).join(', ') + (moved.count > MOST_PLACES ? ', …' : '');
  return [
    ...(isBalanced ? text.split('; ').filter((line) => line !== '') : [text]),
    ...(uncounted > 0
      ? [`The items of ${counted(uncounted, 'line')} are not counted: the line could not be read.`]
      : []),
    ...(moved.count > 0
      ? [`${counted(moved.count, 'transaction was', 'transactions were')} moved to the current statement (${places}).`]
      : []),
  ];
}

function changedInWords({ count, samples, unsent }: Summary['changed']): string {
  const where = `${samples.join(', ')}${count > samples.length ? ', …' : ''}; see changed.jsonl`;
  if (unsent > 0) {
    return `${counted(count, 'line differs', 'lines differ')} from what exists (${where}). ${unsent} of them ${unsent === 1 ? 'has' : 'have'} items that were not sent: run again with --add-to-existing, or ask the operator.`;
  }
  return `${counted(count, 'line differs', 'lines differ')} from what exists (${where}), and nothing of that was sent: an import cannot change it.`;
}

function correctedInWords({ count, samples }: Summary['corrected']): string {
  const where = samples.join(', ') + (count > samples.length ? ', …' : '');
  const [differs, line] = count === 1 ? ['differs', 'line in its place'] : ['differ', 'lines in their place'];
  return `${counted(count, 'line')} ${differs} from the one that was sent (${where}); not sent again. retry has ${count === 1 ? 'its corrected line' : 'their corrected lines'}: keep the input as it is, or put the corrected ${line}.`;
}

export function exitCodeOf(
  { state, notAccepted, summary, ignoredLines }: MigrationResult,
  isCanary: boolean,
): ExitCode {
  if (state === 'halted') return notAccepted === undefined ? EXIT.halted : EXIT.notAccepted;
  if (state === 'unfinished') return notAccepted === undefined ? EXIT.unfinished : EXIT.notAccepted;
  if (state === 'stopped') return EXIT.paused;
  if (summary.unknown > 0) return EXIT.unknown;
  if (isCanary) return EXIT.paused;
  const { rejected, skipped, incomplete, changed, notInInput } = summary;
  const isLeftAlone = Object.keys(ignoredLines).length > 0;
  return rejected + skipped + incomplete + changed.count + notInInput > 0 || isLeftAlone ? EXIT.rejected : EXIT.ok;
}

const WHY: Readonly<Record<IgnoredReason, string | ((folder: string) => string)>> = {
  created: 'their record is created and lacks nothing',
  alreadyImported: 'the platform had their account before',
  rejected: 'their record is rejected',
  skipped: 'their record was skipped',
  unknown: 'nobody can tell of their record whether it was done; data-import resolve settles it',
  notInRun: (folder) =>
    `this run does not know their record. A line of rejected.jsonl that has no number is known by its entry: correct \`original\` in ${folder}/rejected.jsonl, and give that file to retry. New records are sent with data-import run`,
  noRecord: 'they hold no record; data-import check says why',
  twice: 'an earlier line has their record',
};

/** `folder`: of the run. */
export function leftAloneInWords(counts: IgnoredLineCounts, folder: string): string[] {
  return Object.entries(counts).map(([why, { count, samples }]) => {
    const some = samples.join(', ') + (count > samples.length ? ', …' : '');
    const reason = WHY[why as IgnoredReason];
    return `Left alone: ${count} ${count === 1 ? 'line' : 'lines'} (${some}): ${typeof reason === 'string' ? reason : reason(folder)}.`;
  });
}
