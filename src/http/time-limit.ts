/**
 * `startTimeLimit`: a timer for answers. A process that stood still (SIGSTOP, a suspended virtual machine, a long garbage
 * collection) meets its timers before the answers that came meanwhile, and would take each of them for lost.
 */

/** A timer that fires so much too late was held up by the process itself. */
const HELD_UP_MS = 1000;
/** How long a process that stood still reads what came meanwhile. */
const READING_MS = 1000;

/** Calls back once the time has passed, and `READING_MS` later where the process stood still. Returns what ends it. */
export function startTimeLimit(ms: number, onPassed: () => void): () => void {
  const startedAt = performance.now();
  let timer = setTimeout(() => {
    if (performance.now() - startedAt < ms + HELD_UP_MS) return onPassed();
    timer = setTimeout(onPassed, READING_MS);
  }, ms);
  return () => clearTimeout(timer);
}
