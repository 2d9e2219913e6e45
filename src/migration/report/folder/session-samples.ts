/** How the pace of a run went, over all its lives: few enough points for one page, however long and often it runs. */
import type { PaceSample } from '../report.js';

/** The samples of each life, in the order of the lives. */
export type Lives = readonly (readonly PaceSample[])[];

const MOST_POINTS = 1000;

/** The lives with one more, and its samples. Where that is too much, the life with the most points becomes coarser. */
export function withLife(before: Lives, samples: readonly PaceSample[]): Lives {
  const lives = [...before, samples].filter((life) => life.length > 0);
  let points = lives.reduce((sum, life) => sum + life.length, 0);
  while (points > MOST_POINTS) {
    const longest = lives.reduce((most, life, index) => (life.length > (lives[most]?.length ?? 0) ? index : most), 0);
    const life = lives[longest] ?? [];
    // Of lives that are a point each the first ones are given up.
    const left = life.length > 1 ? halved(life) : [];
    lives.splice(longest, 1, ...(left.length > 0 ? [left] : []));
    points += left.length - life.length;
  }
  return lives;
}

/** Two points become one. */
function halved(life: readonly PaceSample[]): PaceSample[] {
  return life.flatMap((sample, index) => {
    if (index % 2 === 1) return [];
    const next = life[index + 1];
    if (next === undefined) return [sample];
    const { at, rate, throttled } = sample;
    return [{ at, rate: (rate + next.rate) / 2, concurrency: next.concurrency, throttled: throttled + next.throttled }];
  });
}
