/**
 * What can wait until the answers that have come were looked at. An answer lets the next call leave; what follows from
 * the answer itself takes longer, and whatever comes in meanwhile would wait for it.
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
