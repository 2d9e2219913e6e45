/** CPU of other processes in microseconds, as Linux tells it. */
import { readdirSync, readFileSync } from 'node:fs';

/** Linux counts in hundredths of a second towards programs, whatever it does inside. */
const TICK_US = 10_000;

interface Spent {
  parent: number;
  own: number;
  /** Of children that have ended. */
  ofChildren: number;
}

/** undefined where there is no such process any more. */
function spentBy(pid: number): Spent | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name, which stands in parentheses, may hold anything.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const at = (nth: number) => Number(fields[nth]);
    return { parent: at(1), own: (at(11) + at(12)) * TICK_US, ofChildren: (at(13) + at(14)) * TICK_US };
  } catch {
    return undefined;
  }
}

export function cpuUsOf(pid: number): number | undefined {
  return spentBy(pid)?.own;
}

export function parentOf(pid: number): number {
  const spent = spentBy(pid);
  if (spent === undefined) throw new Error(`bench: there is no process ${pid}.`);
  return spent.parent;
}

/** With all children, those that have ended too. */
export function cpuUsOfFamily(pid: number): number {
  const all = readdirSync('/proc').flatMap((name) => (/^\d+$/.test(name) ? (spentBy(Number(name)) ?? []) : []));
  const { own = 0, ofChildren = 0 } = spentBy(pid) ?? {};
  return all.reduce((sum, one) => sum + (one.parent === pid ? one.own + one.ofChildren : 0), own + ofChildren);
}
