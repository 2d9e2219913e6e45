/**
 * `latencyFinding`: whether answers have become slow because of this run. They are slow where the median of at least a hundred
 * is more than twice the best median. Where fewer calls at a time do not make them faster, this run is not the cause, and
 * what is slow now is the usual latency from then on.
 */

/** The median of fewer answers is a matter of chance. */
const LEAST_ANSWERS = 100;
const SLOW = 2;
/** An old best counts for less with every look. */
const FORGETTING = 1.01;
/** After this many cuts, answers must be faster by at least this factor; otherwise this run is not the cause. */
const CUTS = 2;
const FASTER = 0.85;

/** Plain JSON. */
export interface LatencyState {
  /** Milliseconds, since the last look. */
  latenciesMs: readonly number[];
  /** The best median; null before the first look. */
  bestMs: number | null;
  /** While answers are slow: the median with which that began, and the cuts since. */
  spell: { medianMs: number; cuts: number } | null;
}

export const NO_LATENCIES: LatencyState = { latenciesMs: [], bestMs: null, spell: null };

/** The state with one more answer. More than a hundred between two looks say nothing more. */
export function withLatency(state: LatencyState, latencyMs: number): LatencyState {
  const { latenciesMs, bestMs, spell } = state;
  return { latenciesMs: latenciesMs.slice(1 - MOST_KEPT).concat(latencyMs), bestMs, spell };
}

const MOST_KEPT = 2 * LEAST_ANSWERS;

/** `slowdown`: in words, where answers have become slow and a cut may help. With too few answers nothing changes. */
export function latencyFinding(state: LatencyState): { state: LatencyState; slowdown?: string } {
  const { latenciesMs, bestMs, spell } = state;
  if (latenciesMs.length < LEAST_ANSWERS) return { state };
  const medianMs = latenciesMs.toSorted((one, other) => one - other)[latenciesMs.length >> 1] ?? 0;
  const isSlow = bestMs !== null && medianMs > SLOW * bestMs;
  const isOurs = spell === null || spell.cuts < CUTS || medianMs < FASTER * spell.medianMs;
  if (isSlow && isOurs) {
    return {
      state: {
        latenciesMs: [],
        bestMs,
        spell: { medianMs: spell?.medianMs ?? medianMs, cuts: (spell?.cuts ?? 0) + 1 },
      },
      slowdown: `${Math.round(medianMs)} ms after ${Math.round(bestMs)} ms`,
    };
  }
  const best = isSlow || bestMs === null ? medianMs : Math.min(medianMs, bestMs * FORGETTING);
  return { state: { latenciesMs: [], bestMs: best, spell: null } };
}
