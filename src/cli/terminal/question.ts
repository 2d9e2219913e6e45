/** `openQuestions`: asks the user at a terminal. `placeOfQuestions` decides where, also if the output of the command is redirected. */
import { closeSync, fstatSync, openSync } from 'node:fs';
import { createInterface } from 'node:readline/promises';
import { WriteStream } from 'node:tty';
import { printable } from '../../migration/shared/printable.js';
import type { CommandContext } from '../shared/command-context.js';
import { InterruptedError } from '../shared/errors.js';

/** `tty` is the terminal of the process (/dev/tty). */
export type QuestionPlace = 'stderr' | 'stdout' | 'tty';

/** Which streams are a terminal, and what else decides; the functions are called only if the streams do not. */
export interface QuestionStreams {
  stdin: boolean;
  stdout: boolean;
  stderr: boolean;
  /** Whether stdout or stderr is a pipe, as with `tee`. */
  hasPipe(): boolean;
  /** Whether the process has a terminal that can be opened. */
  opensTerminal(): boolean;
}

/**
 * Returns where a question is seen; undefined if no user would see it or could answer. stderr is preferred: stdout is for results. A job
 * in the background, whose output goes to files, is not asked.
 */
export function placeOfQuestions(streams: QuestionStreams): QuestionPlace | undefined {
  if (!streams.stdin) return undefined;
  if (streams.stderr) return 'stderr';
  if (streams.stdout) return 'stdout';
  return streams.hasPipe() && streams.opensTerminal() ? 'tty' : undefined;
}

/** Returns the function that asks; undefined without a terminal. `onHangUp` is called if the terminal was closed during a question. */
export function openQuestions(onHangUp: () => void): CommandContext['ask'] {
  const { stdin, stdout, stderr } = process;
  const place = placeOfQuestions({
    ...{ stdin: stdin.isTTY, stdout: stdout.isTTY, stderr: stderr.isTTY },
    hasPipe: () => [1, 2].some((descriptor) => isPipe(descriptor)),
    opensTerminal,
  });
  if (place === undefined) return undefined;
  // On stderr the user has seen what was printed there before.
  return (question, { before = '', signal } = {}) =>
    askAt(place, place === 'stderr' ? question : before + question, { signal, onHangUp });
}

/** Node.js gives its child processes sockets as pipes. */
function isPipe(descriptor: number): boolean {
  const stats = fstatSync(descriptor);
  return stats.isFIFO() || stats.isSocket();
}

const TERMINAL = '/dev/tty';

function opensTerminal(): boolean {
  try {
    closeSync(openSync(TERMINAL, 'w'));
    return true;
  } catch {
    return false;
  }
}

/** Resolves with '' after Ctrl-C and Ctrl-D. Rejects by the signal, and if the terminal was closed. */
async function askAt(
  place: QuestionPlace,
  question: string,
  { signal, onHangUp }: { signal: AbortSignal | undefined; onHangUp: () => void },
): Promise<string> {
  const output = place === 'tty' ? new WriteStream(openSync(TERMINAL, 'w')) : process[place];
  const terminal = createInterface({ input: process.stdin, output });
  // A closed terminal cannot be switched back to its first mode.
  terminal.on('error', () => {});
  const left = new Promise<undefined>((resolve) => terminal.once('close', () => resolve(undefined)));
  try {
    const answer = await Promise.race([terminal.question(printable(question), { ...(signal && { signal }) }), left]);
    // What was typed until then is no answer.
    if (process.stdin.readableEnded) {
      onHangUp();
      throw new InterruptedError('SIGHUP');
    }
    if (answer === undefined) output.write('\n');
    return answer ?? '';
  } finally {
    terminal.close();
    if (place === 'tty') output.destroy();
  }
}
