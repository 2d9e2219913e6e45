/** What a command says by its exit code. */
export const EXIT = {
  ok: 0,
  /** It broke off, or could not begin: the disk, the network, or a bug. */
  internal: 1,
  usage: 2,
  /** It came to its end, and something was rejected. */
  rejected: 3,
  /** Nobody can tell of some records whether they were done. */
  unknown: 4,
  /** Ledger and platform differ. */
  mismatch: 5,
  /** The halt rules ended it. */
  halted: 6,
  /** Not at its end because somebody asked for that: paused, drained, a canary, or "no" to a question. */
  paused: 7,
  /** The token or the team is not accepted, or the import supplier is not Ongoing. */
  notAccepted: 8,
  /** Not at its end: something else than the records kept some of them from going on. */
  unfinished: 9,
  /** Another run has the ledger. */
  inUse: 11,
  /** 128 and the number of the signal. */
  hungUp: 129,
  interrupted: 130,
  terminated: 143,
} as const;

/** Of what a signal ended. */
export const EXIT_OF_SIGNAL = {
  SIGHUP: EXIT.hungUp,
  SIGINT: EXIT.interrupted,
  SIGTERM: EXIT.terminated,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];
