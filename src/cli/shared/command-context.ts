import type { ExitCode } from './exit-codes.js';

/** What a command works in: where it writes, and what ends it. Tests put their own in its place. */
export interface Surroundings {
  /** With which code the program ends when the command has; the last word counts. */
  exit(code: ExitCode): void;
  /** false where the reader is slower than the writer, or has left. */
  out(text: string): unknown;
  err(text: string): void;
  /** Puts a question to the user; undefined where nobody can answer. Empty where the user would not. */
  ask: ((question: string) => Promise<string>) | undefined;
  /** As it was typed, for the command that continues it. */
  commandLine: readonly string[];
  /** Tells of every wish of the user, or of a service manager, that the command ends; gives how to listen no more. */
  onSignal(listener: (signal: EndingSignal) => void): () => void;
}

/** Ctrl-C, the end that a service manager asks for, and a terminal that was closed. */
export type EndingSignal = 'SIGINT' | 'SIGTERM' | 'SIGHUP';

/** The disk or the server of the ledger stood in the way: nothing on the command line is to be mended. */
export class BrokenOffError extends Error {
  override readonly name = 'BrokenOffError';
}

/** Something on the command line, in the environment or in a file that cannot be meant. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}
