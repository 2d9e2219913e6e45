/** One run in a process of its own: see runner.mjs. */
import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { TOKEN } from '../wire/accounts.js';

const RUNNER = fileURLToPath(new URL('./runner.mjs', import.meta.url));

interface RunnerPlaces {
  book: string;
  folder: string;
  origin: string;
  inFlight: number;
}

/** Without the loader of the process that starts it. */
export function startRunner({ book, folder, origin, inFlight }: RunnerPlaces): ChildProcess {
  return fork(RUNNER, [book, folder, origin, TOKEN, String(inFlight)], { execArgv: [] });
}
