/** What every command has: `CommandContext`, its input and output, of which tests replace parts; its exit codes, and its errors. */
import type { CommandData } from '../../migration/report/folder/stored-command.js';
import { RUN_EXIT } from '../../migration/shared/run-exit-codes.js';
import type { RunEvent } from '../monitoring/events/run-events.js';

export interface CommandContext {
  /** Sets the exit code of the program. The last call counts. */
  exit(code: ExitCode): void;
  /** Writes to standard output. Returns false if the reader is slower than the writer, or has closed the stream. */
  out(text: string): unknown;
  /** Writes to standard error. */
  err(text: string): void;
  /** Asks the user a question. undefined without a terminal. Resolves with '' if the user gives no answer; rejects by the signal. */
  ask: ((question: string, options?: QuestionOptions) => Promise<string>) | undefined;
  /** Reports what a run does, to the log and the notifications that the flags ask for. */
  report(event: RunEvent): void;
  /** How the user can start this program: for the commands that are printed. */
  program: string;
  /** The command as it was typed, without passwords; set before its action. */
  command: CommandData;
  /** Calls the listener for each signal that asks the command to end. Returns a function that removes the listener. */
  onSignal(listener: (signal: EndingSignal) => void): () => void;
}

interface QuestionOptions {
  /** What was printed on standard error for this question, printed again if the user does not see standard error. */
  before?: string;
  signal?: AbortSignal;
}

/** Ctrl-C, the stop request of a service manager, and a closed terminal. */
export type EndingSignal = 'SIGINT' | 'SIGTERM' | 'SIGHUP';

/** The exit codes of all commands. docs/reference/cli/README.md explains each code for users. */
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

/** An invalid option, environment variable, file or folder. The user has to change it. Exit code 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** A signal ended the command, or its terminal was closed during a question. The exit code is that of the signal. */
export class InterruptedError extends Error {
  override readonly name = 'InterruptedError';
  readonly exitCode: ExitCode;

  constructor(readonly signal: EndingSignal) {
    super(`${signal} ended the command. It can be repeated.`);
    this.exitCode = EXIT_OF_SIGNAL[signal];
  }
}
