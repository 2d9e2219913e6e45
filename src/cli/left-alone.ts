/** What is said of mended lines of which nothing was done: a line for each reason. */
import type { LeftAloneCounts } from '../migration/left-alone.js';
import type { LeftAlone } from '../migration/run.js';

const WHY: Readonly<Record<LeftAlone, string>> = {
  created: 'their record is created and lacks nothing',
  alreadyThere: 'the platform had their account before',
  rejected: 'their record is rejected',
  skipped: 'their record was skipped',
  unknown: 'nobody can tell of their record whether it was done; data-import resolve settles it',
  notInRun: 'this run does not know their record; data-import run takes new ones',
  noRecord: 'they hold no record; data-import check says why',
  twice: 'an earlier line has their record',
};

export function leftAloneInWords(counts: LeftAloneCounts): string[] {
  return Object.entries(counts).map(([why, { count, samples }]) => {
    const some = samples.join(', ') + (count > samples.length ? ', …' : '');
    return `Left alone: ${count} ${count === 1 ? 'line' : 'lines'} (${some}): ${WHY[why as LeftAlone]}.`;
  });
}
