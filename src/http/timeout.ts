/**
 * `startTimeout`: a timeout for answers. After a process was stopped (SIGSTOP, a suspended virtual machine, a long garbage
 * collection), its timers fire before it reads the answers that have arrived meanwhile. Each would be reported as lost.
 */

/** A timer that fires this much too late was delayed by the process itself. */
const DELAYED_MS = 1000;
/** Time to read the answers that arrived while the process was stopped. */
const READING_MS = 1000;

/** Calls `onTimeout` after `ms`, and `READING_MS` later if the process was stopped. Returns a function that cancels it. */
export function startTimeout(ms: number, onTimeout: () => void): () => void {
  const startedAt = performance.now();
  let timer = setTimeout(() => {
    if (performance.now() - startedAt < ms + DELAYED_MS) return onTimeout();
    timer = setTimeout(onTimeout, READING_MS);
  }, ms);
  return () => clearTimeout(timer);
}
