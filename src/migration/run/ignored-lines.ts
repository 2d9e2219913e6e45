/** Exports `countIgnoredLines`, which counts corrected lines that `retry` ignores, by reason, with the places of some of them. */
import { basename } from 'node:path';
import type { InputLine } from '../input/source.js';
import type { IgnoredReason } from './input-pass.js';

/** Ignored corrected lines by reason; up to three places of each as `file:line`. */
export type IgnoredLineCounts = Partial<Record<IgnoredReason, { count: number; samples: string[] }>>;

const MOST_SAMPLES = 3;

export function countIgnoredLines(): { add(item: InputLine, why: IgnoredReason): void; counts: IgnoredLineCounts } {
  const counts: IgnoredLineCounts = {};
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
