/** The processes of a distributed run as processes: `data-import-sdk run --distributed` and `data-import-sdk worker`, as an operator starts them. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const COMMAND = fileURLToPath(new URL('../../dist/cli.js', import.meta.url));

/** Settings that all processes of a distributed run share. */
export interface RunPlaces {
  /** Holds the input, `input.jsonl`, and the run folder. */
  folder: string;
  /** Name of the run folder, and schema of the ledger. */
  name: string;
  /** Base URL of the service. */
  service: string;
  /** Of a worker. */
  tokenOf: (worker: string) => string;
  /** PostgreSQL of the ledger. */
  database: string;
  /** Limit of calls in flight, of each worker. */
  concurrency: number;
  /**
   * The program.
   * @default the command, as it was built
   */
  command?: string | undefined;
  /** Further flags of the run. */
  flags?: readonly string[];
  /**
   * Of every worker: `--timeout` and `--in-flight-grace`, in seconds. Requests run for no longer than the grace.
   * @default 5 and 1: the sandbox answers at once
   */
  waits?: { timeout: number; grace: number };
  /** Further environment variables. */
  env?: Readonly<Record<string, string>>;
}

/** How a worker ended by itself, or by what it was killed. */
export interface ProcessEnd {
  code: number | null;
  signal: NodeJS.Signals | null;
}

export interface RunProcess {
  readonly name: string;
  kill(signal: NodeJS.Signals): void;
  /** undefined while it is there. */
  end(): ProcessEnd | undefined;
  ended: Promise<ProcessEnd>;
  /** What it said on standard error, the newest part of it. */
  said(): string;
}

/** A part of what was said is enough to see why. */
const MOST_SAID = 4000;

/** `database`: its own way there. */
export function startProcess(
  name: string,
  is: 'coordinator' | 'worker',
  places: RunPlaces,
  { database = places.database }: { database?: string } = {},
): RunProcess {
  const { folder, name: run, service, tokenOf, concurrency, command = COMMAND, flags = [] } = places;
  const { timeout, grace } = places.waits ?? { timeout: 5, grace: 1 };
  const args =
    is === 'coordinator'
      ? ['run', 'input.jsonl', '--distributed', '--run', run, '--team', 'SANDBOX_TEAM', '--no-color', ...flags]
      : ['worker', '--name', name];
  args.push('--database', database, '--database-schema', run, '--concurrency', String(concurrency));
  args.push('--timeout', String(timeout), '--in-flight-grace', String(grace));
  const child = spawn(process.execPath, [command, ...args], {
    cwd: folder,
    env: { ...process.env, ...places.env, DATA_IMPORT_TOKEN: tokenOf(name), DATA_IMPORT_BASE_URL: service },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let said = '';
  let end: ProcessEnd | undefined;
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said = (said + text).slice(-MOST_SAID);
  });
  const ended = once(child, 'close').then((): ProcessEnd => {
    end = { code: child.exitCode, signal: child.signalCode };
    return end;
  });
  return { name, kill: (signal) => void child.kill(signal), end: () => end, ended, said: () => said };
}
