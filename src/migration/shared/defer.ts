/**
 * What can wait until the answers that have come were looked at. An answer lets the next call leave; what follows from
 * the answer itself takes longer, and whatever comes in meanwhile would wait for it.
 */

/** So many at a time, with a look at the network between. */
const AT_A_TIME = 8;

const waiting: (() => void)[] = [];
let isAwake = false;

/**
 * Carries out the task at the end of this turn of the event loop or of one of the next, in the order in which they came.
 * It must not throw.
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
