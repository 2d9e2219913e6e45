/** Exports `exitCodeOfSession`, which decides the exit code of a session. */
import { isCanary } from '../run/canary.js';
import { RUN_EXIT, type RunExitCode } from '../shared/run-exit-codes.js';
import { LEFT } from './left-to-do.js';
import type { RunFacts } from './report.js';
import type { Summary } from './summary/summary.js';

/**
 * Returns the exit code of a session that no signal ended; null if it is running, or an error or a kill of the process ended it.
 * `hasIgnoredLines`: whether `retry` ignored lines that no earlier retry had sent.
 */
export function exitCodeOfSession(
  run: Pick<RunFacts, 'state' | 'notAccepted' | 'configuration'>,
  summary: Summary,
  hasIgnoredLines = false,
): RunExitCode | null {
  const { state, notAccepted } = run;
  if (state === 'running' || state === 'brokenOff') return null;
  if (state === 'halted') return notAccepted === undefined ? RUN_EXIT.halted : RUN_EXIT.notAccepted;
  // A decision of resolve can make records of a finished session unfinished again.
  if (state === 'unfinished' || (state === 'finished' && summary.unfinished > 0)) {
    return notAccepted === undefined ? RUN_EXIT.unfinished : RUN_EXIT.notAccepted;
  }
  if (state === 'stopped') return RUN_EXIT.paused;
  if (!summary.amounts.isExplained) return RUN_EXIT.mismatch;
  const left = LEFT.find(({ count, all = count }) => all(summary) > 0);
  const code = left === undefined && !hasIgnoredLines ? 0 : RUN_EXIT[left?.exit ?? 'rejected'];
  return isCanary(run) && code !== RUN_EXIT.unknown ? RUN_EXIT.paused : code;
}
