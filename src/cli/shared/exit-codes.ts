/** `EXIT`: the exit codes of all commands. docs/reference/cli/README.md explains each one for users. */
export const EXIT = {
  ok: 0,
  /** The command was aborted or could not start: the disk, the network, or a bug. */
  internal: 1,
  usage: 2,
  /** The command finished, and records were rejected. */
  rejected: 3,
  /** The outcome of some records is unknown. */
  unknown: 4,
  /** The ledger and the service differ. */
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
