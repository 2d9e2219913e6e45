/** What a group is given to measure by, and to write its figures on. */
import type { GroupName, RowId } from '../plan.js';
import { type Contest, type Contestants, contest } from './contest.js';
import type { Figure } from './figures.js';
import { reasonOf } from './reason.js';

export type Entry = Figure | { failed: string };

export interface Sheet<Name extends GroupName> {
  /** The first; with `--quick` the second, which only shows that it works. */
  size<T>(full: T, quick: T): T;
  /** Holds a contest of so many rounds after two warm-ups, or as many as told, and says what every contestant took. */
  contest(heading: string, contestants: Contestants, rounds: number, warmUps?: number): Promise<Contest>;
  /** Of the sample books. */
  seed: number;
  /** Fills in a row. What it throws becomes the reason why there is no figure. */
  fill(row: RowId<Name>, figure: () => Figure): void;
  /** Something beside the table. */
  say(line: string): void;
}

/** What the process of a group tells the one that started it. */
export type Told = { row: string; entry: Entry } | { rounds: number } | { line: string } | { failed: string };

const WARM_UPS = 2;
/** Of a contest. On a quiet machine none takes as long. */
const MOST_MS = 180_000;

export function sheetFor<Name extends GroupName>(
  { isQuick, seed }: { isQuick: boolean; seed: number },
  tell: (told: Told) => void,
): Sheet<Name> {
  return {
    size: (full, quick) => (isQuick ? quick : full),
    async contest(heading, contestants, rounds, warmUps = WARM_UPS) {
      const asked = isQuick ? { rounds: 1, warmUps: 0 } : { rounds, warmUps };
      const held = await contest(contestants, { ...asked, mostMs: MOST_MS });
      for (const line of [heading, ...held.lines()]) tell({ line });
      tell({ rounds: held.rounds });
      return held;
    },
    seed,
    fill: (row, figure) => tell({ row, entry: entryOf(figure) }),
    say: (line) => tell({ line }),
  };
}

function entryOf(figure: () => Figure): Entry {
  try {
    const entry = figure();
    return Number.isFinite(entry.value) ? entry : { failed: `it came to ${entry.value}` };
  } catch (error) {
    return { failed: reasonOf(error) };
  }
}
