/** Exports `drainOnSignal`: the first signal drains a worker; a second one, or the end of the time limit, aborts its calls. */
import type { StartedWorker } from '../../migration/distributed/worker/worker.js';
import type { ThrottleClock } from '../../migration/throttle/clock.js';
import type { CommandContext, EndingSignal } from '../shared/command-context.js';
import { EXIT_OF_SIGNAL, type ExitCode } from '../shared/exit-codes.js';

export interface SignalHandling {
  /** Returns the exit code of the signal that aborted the calls; undefined if none did. */
  abortedBy(): ExitCode | undefined;
  /** Stops the timer and the handling of signals. */
  close(): void;
}

/** Handles signals until the returned object is closed. */
export function drainOnSignal(
  worker: Pick<StartedWorker, 'drain' | 'stop'>,
  drainWithinSeconds: number,
  { onSignal, err }: Pick<CommandContext, 'onSignal' | 'err'>,
  clock: ThrottleClock,
): SignalHandling {
  let isDraining = false;
  let abortedBy: ExitCode | undefined;
  let stopTimer = () => {};
  const abort = (signal: EndingSignal, why: string) => {
    if (abortedBy !== undefined) return;
    abortedBy = EXIT_OF_SIGNAL[signal];
    err(`Aborting calls in flight: ${why}.\n`);
    worker.stop();
  };
  const stopListening = onSignal((signal) => {
    if (isDraining) return abort(signal, 'a second signal');
    isDraining = true;
    err(
      `Draining: starts nothing new, and waits up to ${drainWithinSeconds} s for calls in flight. Another signal aborts them.\n`,
    );
    stopTimer = clock.after(drainWithinSeconds * 1000, () =>
      abort(signal, `it has not ended within ${drainWithinSeconds} s`),
    );
    worker.drain();
  });
  return {
    abortedBy: () => abortedBy,
    close() {
      stopTimer();
      stopListening();
    },
  };
}
