/** `listenForInterruption`: ends a command by a signal that arrives while no session runs. A session handles signals itself. */
import type { CommandContext } from './command-context.js';
import { InterruptedError } from './errors.js';

export type Interruption = ReturnType<typeof listenForInterruption>;

/** Until it is closed, no signal ends the process. */
export function listenForInterruption({ onSignal }: Pick<CommandContext, 'onSignal'>) {
  const ending = new AbortController();
  const { signal } = ending;
  const interrupted = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason));
  });
  // A signal during a session rejects it, and no work waits for it then.
  interrupted.catch(() => {});
  return {
    /** Aborts at the first signal, with an `InterruptedError`. */
    signal,
    /**
     * Settles as the work does, or rejects at the first signal. The work should then end by itself: it has the signal. `close`: called with a
     * result that comes after the signal, such as a ledger with its lock.
     */
    async race<Result>(work: Promise<Result>, close: (result: Result) => Promise<unknown> = async () => {}) {
      try {
        return await Promise.race([interrupted, work]);
      } catch (error) {
        // The command ends with the first error, whatever comes of the work.
        work.then(close).catch(() => {});
        throw error;
      }
    },
    close: onSignal((given) => ending.abort(new InterruptedError(given))),
  };
}
