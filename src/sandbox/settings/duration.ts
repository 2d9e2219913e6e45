/** A duration as a setting gives it: a number of milliseconds, or a range from which one is drawn. */
import type { Ids } from '../state/generated-ids.js';

/** Milliseconds from 0, or a range of them. */
export type SandboxDuration =
  | number
  | readonly [min: number, max: number]
  | { readonly min: number; readonly max: number };

/** The longest delay of a timer. */
export const MAX_TIMER_MS = 2 ** 31 - 1;

export function isDuration(value: unknown): value is SandboxDuration {
  const range = rangeOf(value);
  return range?.every(isMilliseconds) === true && Number(range[0]) <= Number(range[1]);
}

/** Follows from the seed and the key, so that the order in which calls arrive does not matter. */
export function drawDuration(duration: SandboxDuration, ids: Ids, key: string): number {
  const [min = 0, max = 0] = rangeOf(duration) as number[];
  return min === max ? min : min + ids.draw('duration', key) * (max - min);
}

/** undefined for what has not the form of a duration. */
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
