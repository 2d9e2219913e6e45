/** Numbers as they are taken, and a folder that is gone afterwards. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A median, with the quartiles on both sides of it where there were several rounds. */
export interface Figure {
  value: number;
  middle?: readonly [low: number, high: number];
}

/** The value below which `share` of all lie, between two of them where it falls there; NaN of none. */
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

/** CPU of this process in microseconds, all threads. */
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
