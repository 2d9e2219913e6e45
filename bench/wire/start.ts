/** Starts a file as a process of its own that tells its port and ends with the one that started it. */
import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';

export interface Started {
  origin: string;
  /** The process's CPU since it began, in microseconds, where it tells it. */
  cpuUs(): Promise<number>;
  stop(): void;
}

export async function start(file: URL, args: readonly string[] = []): Promise<Started> {
  const child = fork(fileURLToPath(file), args);
  const ended = new Promise<never>((_, reject) => {
    child.once('exit', (code) => reject(new Error(`the server ended with ${code}`)));
  });
  // That it ends when it is stopped is no failure.
  ended.catch(() => {});
  const next = () =>
    Promise.race([ended, new Promise<number>((resolve) => child.once('message', (told) => resolve(Number(told))))]);
  const origin = `http://127.0.0.1:${await next()}`;
  return {
    origin,
    async cpuUs() {
      const told = next();
      child.send('cpu');
      return told;
    },
    stop: () => void child.kill(),
  };
}
