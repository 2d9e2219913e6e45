/** `CommandContext`: the input and output of a command. Tests replace parts of it. */
import type { CommandData } from '../../migration/report/folder/stored-command.js';
import type { RunEvent } from '../monitoring/events/run-events.js';
import type { ExitCode } from './exit-codes.js';

export interface CommandContext {
  /** Sets the exit code of the program. The last call counts. */
  exit(code: ExitCode): void;
  /** A session has sent a request: an error no longer ends the command with code 2. `next` returns the command to give after such an error. */
  sent(next: () => string): void;
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
