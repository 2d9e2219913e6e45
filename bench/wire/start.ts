/** Starts a file as a separate process, which sends its port and ends with its parent. */
import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';

export interface Started {
  origin: string;
  /** CPU time of the process since its start in microseconds, if it reports it. */
  cpuUs(): Promise<number>;
  stop(): void;
}

export async function start(file: URL, args: readonly string[] = []): Promise<Started> {
  const child = fork(fileURLToPath(file), args);
  const ended = new Promise<never>((_, reject) => {
    child.once('exit', (code) => reject(new Error(`the server ended with ${code}`)));
  });
  // Ending after `stop` is not a failure.
  ended.catch(() => {});
  const next = () =>
    Promise.race([
      ended,
      new Promise<number>((resolve) => child.once('message', (message) => resolve(Number(message)))),
    ]);
  const origin = `http://127.0.0.1:${await next()}`;
  return {
    origin,
    async cpuUs() {
      const message = next();
      child.send('cpu');
      return message;
    },
    stop: () => void child.kill(),
  };
}
