/**
 * Whether answers have become slow by what we do: the median of at least a hundred is over twice the best one. Where
 * fewer calls at a time do not make them faster, it is not us, and what is slow now is the usual from then on.
 */

/** The median of fewer answers is a matter of chance. */
const LEAST_ANSWERS = 100;
const SLOW = 2;
/** A best that is long ago counts for less. */
const FORGETTING = 1.01;
/** After so many cuts they must have become faster by at least this, or it is not us. */
const CUTS = 2;
const FASTER = 0.85;

export interface Slowness {
  /** Milliseconds that one answer took. */
  add(latencyMs: number): void;
  /** Whether the last median was slow, and the next one is awaited. */
  readonly lasts: boolean;
  /** In words, when enough answers have come since it was last asked and they are slow: time to cut. */
  finding(): string | undefined;
}

export function createSlowness(): Slowness {
  let latencies: number[] = [];
  let best = Number.POSITIVE_INFINITY;
  let spell: { median: number; cuts: number } | undefined;
  return {
    add: (latencyMs) => void latencies.push(latencyMs),
    get lasts() {
      return spell !== undefined;
    },
    finding() {
      if (latencies.length < LEAST_ANSWERS) return undefined;
      const median = latencies.sort((one, other) => one - other)[latencies.length >> 1] ?? 0;
      latencies = [];
      const isSlow = median > SLOW * best;
      const isOurs = spell === undefined || spell.cuts < CUTS || median < FASTER * spell.median;
      if (isSlow && isOurs) {
        spell = { median: spell?.median ?? median, cuts: (spell?.cuts ?? 0) + 1 };
        return `${Math.round(median)} ms after ${Math.round(best)} ms`;
      }
      best = isSlow ? median : Math.min(median, best * FORGETTING);
      spell = undefined;
      return undefined;
    },
  };
}
