/** Exports `Deadline`: the total time limit of a call, and the signal of the caller. */
import { onAbort } from './abort.js';
import { Cancellation } from './cancellation.js';
import { startTimeout } from './delay.js';

export class Deadline {
  /** Ended when the deadline passes or the caller aborts. */
  readonly cancellation = new Cancellation();
  /** Why `cancellation` was cancelled. */
  ended: 'aborted' | 'deadline' | undefined;
  readonly #end: number;
  readonly #stopTimer: () => void;
  readonly #stopListening: (() => void) | undefined;

  constructor(deadlineMs: number, signal: AbortSignal | undefined) {
    this.#end = performance.now() + deadlineMs;
    this.#stopTimer = startTimeout(deadlineMs, () => this.#stop('deadline', new Error('deadline')));
    if (signal === undefined) return;
    const abort = () => this.#stop('aborted', signal.reason);
    this.#stopListening = onAbort(signal, abort);
    if (signal.aborted) abort();
  }

  remainingMs(): number {
    return Math.max(0, this.#end - performance.now());
  }

  /** Removes timer and listener. */
  dispose(): void {
    this.#stopTimer();
    this.#stopListening?.();
  }

  #stop(why: 'aborted' | 'deadline', reason: unknown): void {
    this.ended ??= why;
    this.cancellation.cancel(reason);
  }
}
