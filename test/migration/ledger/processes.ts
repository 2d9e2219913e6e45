/** Another process with a ledger, and what it said. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';

const WRITER = fileURLToPath(new URL('./writer.ts', import.meta.url));

export interface Writer {
  pid: number;
  /** Resolves with the line that begins so, once it was said. */
  said: (beginning: string) => Promise<string>;
  /** Resolves once it has written `count` lines. */
  saidLines: (count: number) => Promise<void>;
  /** Every whole line that it has said. */
  lines: () => readonly string[];
  /** Kills it as a crash would; resolves when it is gone. */
  kill: () => Promise<void>;
}

/** `within`: a shell's command that sets the bounds of the process. */
export function startWriter(args: readonly (string | number)[], within = ''): Writer {
  const node = [process.execPath, '--import', 'tsx', WRITER, ...args.map(String)];
  const [command = '', ...rest] = within === '' ? node : ['bash', '-c', `${within}; exec "$0" "$@"`, ...node];
  const child = spawn(command, rest, { stdio: ['ignore', 'pipe', 'inherit'] });
  const lines: string[] = [];
  let begun = '';
  let look = () => {};
  child.stdout.setEncoding('utf8').on('data', (text) => {
    const parts = `${begun}${text}`.split('\n');
    begun = parts.pop() ?? '';
    lines.push(...parts);
    look();
  });
  const gone = once(child, 'exit');
  // The end of its output comes after its end.
  const closed = once(child.stdout, 'close');
  const kill = async () => {
    child.kill('SIGKILL');
    await Promise.all([gone, closed]);
  };
  onTestFinished(kill);
  const seen = (find: () => string | undefined, what: string) =>
    new Promise<string>((resolve, reject) => {
      look = () => {
        const found = find();
        if (found !== undefined) resolve(found);
      };
      look();
      closed.then(() => reject(new Error(`It ended, at last said "${lines.at(-1)}", and not ${what}.`)));
    });
  return {
    pid: child.pid ?? 0,
    lines: () => lines,
    kill,
    said: (beginning) => seen(() => lines.find((line) => line.startsWith(beginning)), beginning),
    saidLines: async (count) => void (await seen(() => lines[count - 1], `${count} lines`)),
  };
}
