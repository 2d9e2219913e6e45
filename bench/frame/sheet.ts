/** The sheet that a group receives: it runs contests and collects the figures of the rows. */
import type { GroupName, RowId } from '../plan.js';
import { type Contest, type Contestants, contest } from './contest.js';
import type { Figure } from './figures.js';
import { reasonOf } from './reason.js';

export type Entry = Figure | { failed: string };

export interface Sheet<Name extends GroupName> {
  /** Returns `full`, or `quick` with `--quick`, which only shows that the benchmark works. */
  size<T>(full: T, quick: T): T;
  /** Runs a contest after `warmUps` rounds (default 2) and prints the medians of every contestant. */
  contest(heading: string, contestants: Contestants, rounds: number, warmUps?: number): Promise<Contest>;
  /** The seed of the sample records. */
  seed: number;
  /** Sets the figure of a row. If `figure` throws, the row shows the reason. */
  fill(row: RowId<Name>, figure: () => Figure): void;
  /** Prints a line that is not part of the table. */
  say(line: string): void;
}

/** A message from the process of a group to its parent process. */
export type SheetMessage = { row: string; entry: Entry } | { rounds: number } | { line: string } | { failed: string };

const WARM_UPS = 2;
/** Time limit of one contest, longer than any contest takes on an idle machine. */
const MOST_MS = 180_000;

export function sheetFor<Name extends GroupName>(
  { isQuick, seed }: { isQuick: boolean; seed: number },
  send: (message: SheetMessage) => void,
): Sheet<Name> {
  return {
    size: (full, quick) => (isQuick ? quick : full),
    async contest(heading, contestants, rounds, warmUps = WARM_UPS) {
      const asked = isQuick ? { rounds: 1, warmUps: 0 } : { rounds, warmUps };
      const held = await contest(contestants, { ...asked, mostMs: MOST_MS });
      for (const line of [heading, ...held.lines()]) send({ line });
      send({ rounds: held.rounds });
      return held;
    },
    seed,
    fill: (row, figure) => send({ row, entry: entryOf(figure) }),
    say: (line) => send({ line }),
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
