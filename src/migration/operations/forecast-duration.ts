/** Estimates the duration of a run as a range, because the capacity of the service is unknown. */
import type { ThrottleOptions } from '../throttle/settings.js';
import { throttleSettings } from '../throttle/settings.js';

/** Latencies of sequential calls. */
export interface Latency {
  /** Median and 90th percentile in milliseconds. */
  medianMs: number;
  mostMs: number;
}

export type Duration = NonNullable<ReturnType<typeof durationOf>>;

/** Operations whose simultaneous calls the service limits. */
const PROCESSING: ReadonlySet<string> = new Set(['accounts.process', 'accounts.dryRun']);

/**
 * Returns the best and the worst case. Best: the concurrency is fully used all the time. Worst: the adaptive limit of `process` stays at
 * its start value. A limit of requests per second applies to both. undefined if there is neither a latency nor such a limit.
 */
export function durationOf(
  requests: Readonly<Record<string, number>>,
  options: ThrottleOptions,
  latency: Latency | undefined,
): { fromMs: number; toMs: number } | undefined {
  const { concurrency, rps, start, bounds } = throttleSettings(options);
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
