/** Repeatable random numbers: the same seed and record give the same numbers, independent of earlier calls. */

export interface SeededRandom {
  /** From 0 to 1. */
  next(): number;
  /** A whole number from `least` to `most`. */
  whole(least: number, most: number): number;
  pick<const Items extends readonly [unknown, ...unknown[]]>(items: Items): Items[number];
}

/** Mulberry32, begun anew for every record. */
export function seededRandom(seed: number, record: number): SeededRandom {
  let state = (Math.imul(seed, 0x9e3779b1) ^ Math.imul(record + 1, 0x85ebca6b)) >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const whole = (least: number, most: number) => least + Math.floor(next() * (most - least + 1));
  return { next, whole, pick: (items) => items[whole(0, items.length - 1)] };
}

/** A number with leading zeros. */
export function padded(number: number, digits: number): string {
  return String(number).padStart(digits, '0');
}
