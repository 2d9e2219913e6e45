/** What is said of mended lines of which nothing was done: a line for each reason. */
import type { LeftAloneCounts } from '../../migration/run/ignored-lines.js';
import type { LeftAlone } from '../../migration/run/run-input.js';

const WHY: Readonly<Record<LeftAlone, string | ((folder: string) => string)>> = {
  created: 'their record is created and lacks nothing',
  alreadyThere: 'the platform had their account before',
  rejected: 'their record is rejected',
  skipped: 'their record was skipped',
  unknown: 'nobody can tell of their record whether it was done; data-import resolve settles it',
  notInRun: (folder) =>
    `this run does not know their record. A line of rejected.jsonl that has no number is known by its entry: correct \`original\` in ${folder}/rejected.jsonl, and give that file to retry. New records are sent with data-import run`,
  noRecord: 'they hold no record; data-import check says why',
  twice: 'an earlier line has their record',
};

/** `folder`: of the run. */
export function leftAloneInWords(counts: LeftAloneCounts, folder: string): string[] {
  return Object.entries(counts).map(([why, { count, samples }]) => {
    const some = samples.join(', ') + (count > samples.length ? ', …' : '');
    const reason = WHY[why as LeftAlone];
    return `Left alone: ${count} ${count === 1 ? 'line' : 'lines'} (${some}): ${typeof reason === 'string' ? reason : reason(folder)}.`;
  });
}
