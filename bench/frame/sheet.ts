/** What a group is given to measure by, and to write its figures on. */
import type { GroupName, RowId } from '../plan.js';
import type { Contest, Rounds } from './contest.js';
import type { Figure } from './figures.js';
import { reasonOf } from './reason.js';

export type Entry = Figure | { failed: string };

export interface Sheet<Name extends GroupName> {
  /** The first; with `--quick` the second, which only shows that it works. */
  size<T>(full: T, quick: T): T;
  /** How often each contestant has its turn; the table says so. Who starts a process for each needs no warm-ups. */
  rounds(full: number, warmUps?: number): Rounds;
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

export function sheetFor<Name extends GroupName>(
  { isQuick, seed }: { isQuick: boolean; seed: number },
  tell: (told: Told) => void,
): Sheet<Name> {
  return {
    size: (full, quick) => (isQuick ? quick : full),
    rounds(full, warmUps = WARM_UPS) {
      const counted = isQuick ? { rounds: 1, warmUps: 0 } : { rounds: full, warmUps };
      tell({ rounds: counted.rounds });
      return counted;
    },
    seed,
    fill: (row, figure) => tell({ row, entry: entryOf(figure) }),
    say: (line) => tell({ line }),
  };
}

/** What every contestant took, under a heading. */
export function sayAll({ say }: { say(line: string): void }, heading: string, held: Contest): void {
  for (const line of [heading, ...held.lines()]) say(line);
}

function entryOf(figure: () => Figure): Entry {
  try {
    const entry = figure();
    return Number.isFinite(entry.value) ? entry : { failed: `it came to ${entry.value}` };
  } catch (error) {
    return { failed: reasonOf(error) };
  }
}
