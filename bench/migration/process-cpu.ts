/** Reads the CPU time of other processes from Linux, in microseconds. */
import { readdirSync, readFileSync } from 'node:fs';

/** Linux reports CPU time to programs in hundredths of a second. */
const TICK_US = 10_000;

interface Spent {
  parent: number;
  own: number;
  /** CPU time of children that have ended. */
  ofChildren: number;
}

/** Returns undefined if the process no longer exists. */
function spentBy(pid: number): Spent | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The process name in parentheses can contain any character, also a closing parenthesis.
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

/** Returns the CPU time of the process and all its children, including ended ones. */
export function cpuUsOfFamily(pid: number): number {
  const all = readdirSync('/proc').flatMap((name) => (/^\d+$/.test(name) ? (spentBy(Number(name)) ?? []) : []));
  const { own = 0, ofChildren = 0 } = spentBy(pid) ?? {};
  return all.reduce((sum, one) => sum + (one.parent === pid ? one.own + one.ofChildren : 0), own + ofChildren);
}
