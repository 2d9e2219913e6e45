/** Starts one run as a separate process: see runner.mjs. */
import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { TOKEN } from '../wire/accounts.js';

const RUNNER = fileURLToPath(new URL('./runner.mjs', import.meta.url));

interface RunnerPlaces {
  inputFile: string;
  folder: string;
  origin: string;
  inFlight: number;
}

/** Starts the process without the TypeScript loader of this one (empty `execArgv`). */
export function startRunner({ inputFile, folder, origin, inFlight }: RunnerPlaces): ChildProcess {
  return fork(RUNNER, [inputFile, folder, origin, TOKEN, String(inFlight)], { execArgv: [] });
}
