/** Estimates the duration of a run as a range, because the capacity of the service is unknown. */
import type { ThrottleOptions } from '../../throttle/settings.js';
import { throttleSettings } from '../../throttle/settings.js';

/** How fast the service answered one call after another. */
export interface Latency {
  /** Milliseconds: half of the calls took no longer; nine of ten. */
  medianMs: number;
  mostMs: number;
}

export interface Duration {
  fromMs: number;
  toMs: number;
}

/** Of the service's calls those that it limits by how many run at the same time. */
const PROCESSING: ReadonlySet<string> = new Set(['accounts.process', 'accounts.dryRun']);

/**
 * The best case: every place that the pace allows is used all the time. The worst: calls that process never get beyond
 * the limit that a run starts with. A cap on requests a second holds in both. undefined where there is neither a latency
 * nor a cap to go by.
 */
export function durationOf(
  requests: Readonly<Record<string, number>>,
  pace: ThrottleOptions,
  latency: Latency | undefined,
): Duration | undefined {
  const { concurrency, rps, start, bounds } = throttleSettings(pace);
  const entries = Object.entries(requests);
  const sum = (counts: typeof entries) => counts.reduce((total, [, count]) => total + count, 0);
  const all = sum(entries);
  const processing = sum(entries.filter(([operation]) => PROCESSING.has(operation)));
  const cappedMs = rps === 0 ? 0 : (all / rps) * 1000;
  if (latency === undefined) return rps === 0 ? undefined : { fromMs: cappedMs, toMs: cappedMs };
  const { medianMs, mostMs } = latency;
  const best = Math.max((all * medianMs) / concurrency, (processing * medianMs) / Math.min(bounds.most, concurrency));
  const worst = ((all - processing) * mostMs) / concurrency + (processing * mostMs) / Math.min(start, concurrency);
  return { fromMs: Math.max(cappedMs, best), toMs: Math.max(cappedMs, worst) };
}
