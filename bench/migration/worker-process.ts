/** Starts a worker of a distributed run as a separate process with the built command. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { ROOT } from '../frame/installed.js';
import { TOKEN } from '../wire/accounts.js';
import { cpuUsOf } from './process-cpu.js';

export interface WorkerPlaces {
  origin: string;
  database: string;
  schema: string;
  concurrency: number;
}

export interface WorkerProcess {
  /** Resolves when the worker has joined the run. */
  joined: Promise<void>;
  /** CPU time until now, or until the worker ended, in microseconds; accurate to a few hundredths of a second. */
  cpuUs(): number;
  /** Resolves when the process has ended. */
  ended: Promise<void>;
  kill(): void;
}

const JOINED = 'joined the run';
const LOOK_MS = 50;

export function startWorkerProcess({ origin, database, schema, concurrency }: WorkerPlaces): WorkerProcess {
  const args = ['--database', database, '--database-schema', schema];
  const child = spawn(
    process.execPath,
    [`${ROOT}/dist/cli.js`, 'worker', ...args, '--concurrency', String(concurrency)],
    {
      env: { ...process.env, DATA_IMPORT_TOKEN: TOKEN, DATA_IMPORT_BASE_URL: origin },
      stdio: ['ignore', 'ignore', 'pipe'],
    },
  );
  let cpu = 0;
  const look = () => {
    cpu = (child.pid === undefined ? undefined : cpuUsOf(child.pid)) ?? cpu;
    return cpu;
  };
  const looking = setInterval(look, LOOK_MS);
  let said = '';
  const joined = new Promise<void>((resolve, reject) => {
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      said += text;
      if (said.includes(JOINED)) resolve();
    });
    child.once('close', (code) => reject(new Error(`bench: a worker ended with ${code}: ${said}`)));
  });
  // A caller that awaits `joined` gets the error; without one it must not end this process.
  joined.catch(() => {});
  const ended = once(child, 'close').then(() => clearInterval(looking));
  return { joined, cpuUs: look, ended, kill: () => void child.kill('SIGKILL') };
}
