/** Returns the peak resident memory of a process that only reads an input, after each of several numbers of lines. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const READER = fileURLToPath(new URL('./reader.mjs', import.meta.url));

/** Maps the number of lines to bytes. */
export async function peakOf(inputFile: string, marks: readonly number[]): Promise<Map<number, number>> {
  const peaks = new Map<number, number>();
  const child = fork(READER, [inputFile, ...marks.map(String)], { execArgv: [] });
  child.on('message', (message: { lines: number; bytes: number }) => peaks.set(message.lines, message.bytes));
  await once(child, 'exit');
  return peaks;
}
