/** Keeps `inFlight` calls running over a list of accounts, and returns rate, CPU and latency. */
import type { Account } from 'data-import-sdk';
import type { Sample } from '../frame/contest.js';
import { cpuUs, quantile, seconds } from '../frame/figures.js';
import type { Stage } from './accounts.js';

export interface Load {
  accounts: readonly Account[];
  inFlight: number;
  calls: number;
}

/** `rate` in calls a second, `cpu` in microseconds a call, `p50` and `p99` in milliseconds. */
export async function load(stage: Stage, { accounts, inFlight, calls }: Load): Promise<Sample> {
  const latencies = new Float64Array(calls);
  const [cpuBefore, startedAt] = [cpuUs(), performance.now()];
  const callers: Promise<void>[] = [];
  const line = { next: 0 };
  for (let nth = 0; nth < inFlight; nth++) callers.push(call(stage, accounts, latencies, line));
  await Promise.all(callers);
  const [rate, cpu] = [calls / seconds(startedAt), (cpuUs() - cpuBefore) / calls];
  const all = [...latencies];
  return { rate, cpu, p50: quantile(all, 0.5), p99: quantile(all, 0.99) };
}

async function call(
  stage: Stage,
  accounts: readonly Account[],
  latencies: Float64Array,
  line: { next: number },
): Promise<void> {
  while (line.next < latencies.length) {
    const nth = line.next++;
    const account = accounts[nth % accounts.length];
    if (account === undefined) throw new Error('there are no accounts to send');
    const startedAt = performance.now();
    await stage(account);
    latencies[nth] = performance.now() - startedAt;
  }
}
