/**
 * Exports `defer`, for work after an answer that can wait. An answer first lets the next call start; the remaining work takes longer, and
 * answers that arrive meanwhile would wait for it.
 */

/** Tasks per turn; the event loop handles network events between turns. */
const AT_A_TIME = 8;

const waiting: (() => void)[] = [];
let isAwake = false;

/**
 * Runs the task at the end of this turn of the event loop or of a later one, in the order of the calls. The task must
 * not throw.
 */
export function defer(task: () => void): void {
  waiting.push(task);
  if (isAwake) return;
  isAwake = true;
  setImmediate(some);
}

function some(): void {
  const now = waiting.splice(0, AT_A_TIME);
  isAwake = waiting.length > 0;
  if (isAwake) setImmediate(some);
  for (const task of now) task();
}
