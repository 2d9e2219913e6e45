/** Statistics of samples, CPU and wall time, and a temporary folder. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A median, with its quartiles if there were several rounds. */
export interface Figure {
  value: number;
  middle?: readonly [low: number, high: number];
}

/** Returns the value below which `share` of the values are, interpolated between two of them; NaN for an empty list. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((one, other) => one - other);
  const at = (sorted.length - 1) * share;
  const [below = Number.NaN, above = below] = [sorted[Math.floor(at)], sorted[Math.ceil(at)]];
  return below + (above - below) * (at - Math.floor(at));
}

export function median(values: readonly number[]): number {
  return quantile(values, 0.5);
}

export function figureOf(values: readonly number[]): Figure {
  return { value: median(values), middle: [quantile(values, 0.25), quantile(values, 0.75)] };
}

/** Returns the CPU time of this process in microseconds, all threads. */
export function cpuUs(): number {
  const { user, system } = process.cpuUsage();
  return user + system;
}

export function seconds(since: number): number {
  return (performance.now() - since) / 1000;
}

export function mib(bytes: number): string {
  return `${(bytes / 2 ** 20).toFixed(1)} MiB`;
}

export async function inFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'bench-'));
  try {
    return await work(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
