/** Exports `EXIT`, the exit codes of all commands. docs/reference/cli/README.md explains each code for users. */
import { RUN_EXIT } from '../../migration/shared/run-exit-codes.js';

export const EXIT = {
  ok: 0,
  /** The command was aborted or could not start: the disk, the network, or a bug. */
  internal: 1,
  usage: 2,
  ...RUN_EXIT,
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
