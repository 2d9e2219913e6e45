/** Runs a group in a separate process and collects its messages. Every row gets an entry, even if the process fails. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { type GroupName, planOf } from '../plan.js';
import type { Command } from './command.js';
import type { Entry, SheetMessage } from './sheet.js';

/** Time limits: several times the usual duration. */
const MOST_MS = 10 * 60_000;
const MOST_MS_OF_LONG = 60 * 60_000;

export interface Ran {
  entries: ReadonlyMap<string, Entry>;
  /** Rounds of the contest that had the fewest; 0 without a contest. */
  rounds: number;
}

export async function runGroup(
  name: GroupName,
  { seed, isQuick }: Pick<Command, 'seed' | 'isQuick'>,
  say: (line: string) => void,
): Promise<Ran> {
  const { rows, isLong } = planOf(name);
  const entries = new Map<string, Entry>();
  let rounds = 0;
  let failed = '';
  const child = fork(
    fileURLToPath(new URL('../run-group.ts', import.meta.url)),
    [name, String(seed), ...(isQuick ? ['quick'] : [])],
    { execArgv: [...process.execArgv, '--expose-gc'] },
  );
  child.on('message', (message: SheetMessage) => {
    if ('row' in message) entries.set(message.row, message.entry);
    else if ('rounds' in message) rounds = rounds === 0 ? message.rounds : Math.min(rounds, message.rounds);
    else if ('failed' in message) failed = message.failed;
    else if (message.line !== '') say(message.line);
  });
  const mostMs = isLong ? MOST_MS_OF_LONG : MOST_MS;
  const hung = setTimeout(() => {
    failed ||= `it took longer than ${mostMs / 60_000} minutes`;
    child.kill('SIGKILL');
  }, mostMs);
  const [code, signal] = await once(child, 'exit');
  clearTimeout(hung);
  failed ||= code === 0 ? 'not measured' : `its process ended with ${signal ?? code}`;
  for (const id of Object.keys(rows)) if (!entries.has(id)) entries.set(id, { failed });
  return { entries, rounds };
}
