/**
 * Exports `latencyFinding`: whether answers have become slow because of this run. They are slow if the median of at least a hundred
 * is more than twice the best median. If a lower limit does not make them faster, this run is not the cause, and the new latency
 * becomes the normal one.
 */

/** Least number of answers: the median of fewer is random. */
const LEAST_ANSWERS = 100;
const SLOW = 2;
/** Factor by which the best median grows with every evaluation, so that an old best is forgotten. */
const FORGETTING = 1.01;
/** After this many cuts, answers must be faster by at least this factor; otherwise this run is not the cause. */
const CUTS = 2;
const FASTER = 0.85;

/** The state of the detector, as plain JSON. */
export interface LatencyState {
  /** Latencies in milliseconds since the last evaluation. */
  latenciesMs: readonly number[];
  /** The best median; null before the first evaluation. */
  bestMs: number | null;
  /** While answers are slow: the first slow median, and the number of cuts since. */
  spell: { medianMs: number; cuts: number } | null;
}

export const NO_LATENCIES: LatencyState = { latenciesMs: [], bestMs: null, spell: null };

/** Returns the state with one more latency. Ignores those beyond a hundred between two evaluations. */
export function withLatency(state: LatencyState, latencyMs: number): LatencyState {
  const { latenciesMs, bestMs, spell } = state;
  return { latenciesMs: latenciesMs.slice(1 - MOST_KEPT).concat(latencyMs), bestMs, spell };
}

const MOST_KEPT = 2 * LEAST_ANSWERS;

/** Evaluates the latencies; does nothing with too few. `slowdown`: description, if answers are slow and a lower limit may help. */
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
      slowdown: `latency ${Math.round(bestMs)} to ${Math.round(medianMs)} ms`,
    };
  }
  const best = isSlow || bestMs === null ? medianMs : Math.min(medianMs, bestMs * FORGETTING);
  return { state: { latenciesMs: [], bestMs: best, spell: null } };
}
