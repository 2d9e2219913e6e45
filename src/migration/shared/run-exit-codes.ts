/** Exports `RUN_EXIT`: the exit codes of a session that needs a person; 0 if it does not. `--help` loads this file, so it imports nothing. */

export const RUN_EXIT = {
  /** The session finished, and records need a person. */
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
} as const;

export type RunExitCode = 0 | (typeof RUN_EXIT)[keyof typeof RUN_EXIT];
