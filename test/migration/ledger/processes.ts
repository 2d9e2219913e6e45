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
  /** Every whole line that it has said. */
  lines: () => string[];
  /** Kills it as a crash would; resolves when it is gone. */
  kill: () => Promise<void>;
}

/** `within`: a shell's command that sets the bounds of the process. */
export function startWriter(args: readonly (string | number)[], within = ''): Writer {
  const command = `${within}${within && '; '}exec "$0" "$@"`;
  const node = [process.execPath, '--import', 'tsx', WRITER, ...args.map(String)];
  const child = spawn('bash', ['-c', command, ...node], { stdio: ['ignore', 'pipe', 'inherit'] });
  let output = '';
  let look = () => {};
  child.stdout.setEncoding('utf8').on('data', (text) => {
    output += text;
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
  const lines = () => output.split('\n').slice(0, -1);
  return {
    pid: child.pid ?? 0,
    lines,
    kill,
    said: (beginning) =>
      new Promise((resolve, reject) => {
        look = () => {
          const line = lines().find((said) => said.startsWith(beginning));
          if (line !== undefined) resolve(line);
        };
        look();
        closed.then(() => reject(new Error(`It ended and said ${JSON.stringify(output)}, not "${beginning}".`)));
      }),
  };
}
