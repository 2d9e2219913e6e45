/** `listenForInterruption`: ends a command by a signal that arrives while no session runs. A session handles signals itself. */
import type { CommandContext } from './command-context.js';
import { InterruptedError } from './errors.js';

export interface Interruption {
  /** Aborts at the first signal, with an `InterruptedError`. */
  signal: AbortSignal;
  /** Settles as the work does, or rejects at the first signal. The work should then end by itself: it has the signal. */
  race<Result>(work: Promise<Result>): Promise<Result>;
  close(): void;
}

/** Until it is closed, no signal ends the process. */
export function listenForInterruption({ onSignal }: Pick<CommandContext, 'onSignal'>): Interruption {
  const ending = new AbortController();
  const { signal } = ending;
  const interrupted = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason));
  });
  // A signal during a session rejects it, and no work waits for it then.
  interrupted.catch(() => {});
  return {
    signal,
    race: (work) => Promise.race([interrupted, work]),
    close: onSignal((given) => ending.abort(new InterruptedError(given))),
  };
}
