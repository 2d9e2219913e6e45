/**
 * Exports `EXIT`, the exit codes of all commands, and `exitCodeOfRun`, which decides how a run ends. docs/reference/cli/README.md explains
 * each code for users.
 */
import type { MigrationResult } from '../../migration/run/session/end-session.js';

export const EXIT = {
  ok: 0,
  /** The command was aborted or could not start: the disk, the network, or a bug. */
  internal: 1,
  usage: 2,
  /** The command finished, and records were rejected. */
  rejected: 3,
  /** The outcome of some records is unknown. */
  unknown: 4,
  /** The ledger and the service differ, or amounts that the service confirmed do not add up. */
  mismatch: 5,
  /** The halt rules stopped the run. */
  halted: 6,
  /** The user stopped it before the end: drained, a canary, or "no" to a question. */
  paused: 7,
  /** The service rejects the token or the team, or the import supplier is not Ongoing. */
  notAccepted: 8,
  /** Some records are unfinished for a reason outside them, such as failed calls. */
  unfinished: 9,
  /** Another run has the lock of the ledger. */
  inUse: 11,
  /** 128 and the number of the signal. */
  hungUp: 129,
  interrupted: 130,
  terminated: 143,
} as const;

export const EXIT_OF_SIGNAL = {
  SIGHUP: EXIT.hungUp,
  SIGINT: EXIT.interrupted,
  SIGTERM: EXIT.terminated,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** Returns the exit code of a session of a run that no signal ended. `isCanary`: it was asked for a part of the input only. */
export function exitCodeOfRun(
  { state, notAccepted, summary, ignoredLines }: MigrationResult,
  isCanary: boolean,
): ExitCode {
  if (state === 'halted') return notAccepted === undefined ? EXIT.halted : EXIT.notAccepted;
  if (state === 'unfinished') return notAccepted === undefined ? EXIT.unfinished : EXIT.notAccepted;
  if (state === 'stopped') return EXIT.paused;
  if (!summary.amounts.isExplained) return EXIT.mismatch;
  if (summary.unknown > 0) return EXIT.unknown;
  if (isCanary) return EXIT.paused;
  const { rejected, skipped, duplicates, incomplete, changed, removed, notInInput, otherAmounts } = summary;
  const ofInput = changed.count + removed.count + notInInput;
  const left = rejected + (skipped - duplicates) + incomplete + ofInput + otherAmounts.count;
  const { sent: _, ...others } = ignoredLines;
  return left > 0 || Object.keys(others).length > 0 ? EXIT.rejected : EXIT.ok;
}
