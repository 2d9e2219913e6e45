/** What a rule did, in the few words that the log shows; nothing of what was sent stands in them. */
import type { Outcome } from '../call.js';

/** `2 notes added`; nothing at all where there were none. */
export function countedChange(...changes: readonly (readonly [count: number, noun: string, done: string])[]) {
  const change = changes
    .filter(([count]) => count > 0)
    .map(([count, noun, done]) => `${count} ${count === 1 ? noun : `${noun}s`} ${done}`)
    .join(', ');
  return (change === '' ? {} : { change }) satisfies Pick<Outcome, 'change'>;
}
