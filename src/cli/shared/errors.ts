/** The errors of the command line. */
import type { EndingSignal } from './command-context.js';
import { EXIT_OF_SIGNAL, type ExitCode } from './exit-codes.js';

/** An invalid option, environment variable, file or folder. The user has to change it. Exit code 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** Returns the message of an error; if the process has reached its limit of open files or of address space, with the remedy. */
export function messageOf(error: unknown): string {
  const { code, message, path = 'a file or a connection' } = error as NodeJS.ErrnoException;
  if (error instanceof RangeError && message.startsWith('WebAssembly.'))
    return 'memory: the process may use too little address space: WebAssembly, which reads HTTP, reserves up to 24 GB of it. Raise or remove the limit (ulimit -v), and repeat the command.';
  if (code !== 'EMFILE') return message;
  return `${path} cannot be opened (EMFILE). Raise the limit of open files (ulimit -n), and repeat the command.`;
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
