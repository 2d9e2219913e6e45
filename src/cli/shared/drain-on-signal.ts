/** `drainOnSignal`: the first signal drains a run or a worker, a second one aborts its calls in flight. */
import { machineClock, type ThrottleClock } from '../../migration/throttle/clock.js';
import type { CommandContext, EndingSignal } from './command-context.js';
import { EXIT_OF_SIGNAL, type ExitCode } from './exit-codes.js';

interface DrainOptions {
  drain(): void;
  abort(): void;
  /** Seconds after which the calls are aborted; undefined for no limit. */
  within?: number | undefined;
  clock?: ThrottleClock;
}

/** Handles signals until `close`. `drainedBy` and `abortedBy` return the exit codes of the first signal and of the one that aborted the calls. */
export function drainOnSignal(
  { onSignal, err }: Pick<CommandContext, 'onSignal' | 'err'>,
  { drain, abort, within, clock = machineClock }: DrainOptions,
) {
  let drainedBy: ExitCode | undefined;
  let abortedBy: ExitCode | undefined;
  let stopTimer = () => {};
  const abortFor = (signal: EndingSignal, why: string) => {
    if (abortedBy !== undefined) return;
    abortedBy = EXIT_OF_SIGNAL[signal];
    err(`Aborting calls in flight: ${why}.\n`);
    abort();
  };
  const onEnding = (signal: EndingSignal) => {
    if (drainedBy !== undefined) return abortFor(signal, 'a second signal');
    drainedBy = EXIT_OF_SIGNAL[signal];
    const limit = within === undefined ? '' : `, for up to ${within} s`;
    err(
      `Draining: no new call starts. Waits for the calls in flight${limit}; Ctrl-C again, or another signal, aborts them.\n`,
    );
    if (within !== undefined) {
      stopTimer = clock.after(within * 1000, () => abortFor(signal, `they have not ended within ${within} s`));
    }
    drain();
  };
  const stopListening = onSignal(onEnding);
  return {
    onEnding,
    drainedBy: () => drainedBy,
    abortedBy: () => abortedBy,
    close() {
      stopTimer();
      stopListening();
    },
  };
}
