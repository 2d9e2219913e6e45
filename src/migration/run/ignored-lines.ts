/** The mended lines of which nothing was done: how many for which reason, and where some of them stand. */
import { basename } from 'node:path';
import type { SourceItem } from '../input/source.js';
import type { LeftAlone } from './run-input.js';

/** Mended lines of which nothing was done, by the reason; up to three of each as `file:line`. */
export type LeftAloneCounts = Partial<Record<LeftAlone, { count: number; samples: string[] }>>;

const MOST_SAMPLES = 3;

export function countLeftAlone(): { add(item: SourceItem, why: LeftAlone): void; counts: LeftAloneCounts } {
  const counts: LeftAloneCounts = {};
  return {
    counts,
    add({ source, line }, why) {
      counts[why] ??= { count: 0, samples: [] };
      const group = counts[why];
      group.count++;
      if (group.samples.length < MOST_SAMPLES) group.samples.push(`${basename(source)}:${line}`);
    },
  };
}
