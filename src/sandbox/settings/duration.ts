/** Exports `SandboxDuration`: the duration of a setting, in milliseconds or as a range from which `drawDuration` draws. */

/** Milliseconds from 0, or a range. */
export type SandboxDuration =
  | number
  | readonly [min: number, max: number]
  | { readonly min: number; readonly max: number };

/** The longest delay of a timer. */
export const MAX_TIMER_MS = 2 ** 31 - 1;

/** Returns whether the value is a duration within the limits of a timer. */
export function isDuration(value: unknown): value is SandboxDuration {
  const range = rangeOf(value);
  return range?.every(isMilliseconds) === true && Number(range[0]) <= Number(range[1]);
}

/** Source of pseudo-random numbers: the generated ids of a sandbox. */
interface Randomness {
  draw(kind: string, key: string): number;
}

/** Returns milliseconds. They depend only on seed and key, not on the order of the calls. */
export function drawDuration(duration: SandboxDuration, ids: Randomness, key: string): number {
  const [min = 0, max = 0] = rangeOf(duration) as number[];
  return min === max ? min : min + ids.draw('duration', key) * (max - min);
}

/** Returns minimum and maximum; undefined if the value does not have the form of a duration. */
function rangeOf(value: unknown): unknown[] | undefined {
  if (typeof value === 'number') return [value, value];
  if (Array.isArray(value)) return value.length === 2 ? value : undefined;
  if (typeof value !== 'object' || value === null) return undefined;
  const { min, max, ...others } = value as Record<string, unknown>;
  return Object.keys(others).length === 0 ? [min, max] : undefined;
}

function isMilliseconds(value: unknown): boolean {
  return typeof value === 'number' && value >= 0 && value <= MAX_TIMER_MS;
}
