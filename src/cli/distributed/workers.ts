/** `workersOfRun` and `inWords`: the workers of a distributed run, for `status` and `report`. */
import type { Worker, WorkerWork } from '../../migration/distributed/ledger/worker-rows.js';
import { counted, moment, number, untilWhen } from '../../migration/shared/format.js';
import { oneLine } from '../../migration/shared/printable.js';
import type { RunFlags } from '../options/run-options.js';

/** Returns undefined if the ledger has never had a distributed run. */
export async function workersOfRun(flags: RunFlags): Promise<Worker[] | undefined> {
  const { database, databaseSchema: schema } = flags;
  if (database === undefined) return undefined;
  // Loaded here, so that a run with a local ledger does not load it.
  const { workersOf } = await import('../../migration/distributed/ledger/read-run.js');
  const workers = await workersOf({ database, schema });
  return workers.length > 0 ? workers : undefined;
}

/** Returns the number of workers, and a line for each. */
export function inWords(workers: readonly Worker[]): string {
  const there = workers.filter(({ isThere }) => isThere).length;
  const lines = workers.map((worker) => {
    const { name, host, joinedAt, leftAt, work } = worker;
    const until = leftAt === null ? untilWhen(worker) : `to ${untilWhen(worker)}`;
    return `  ${oneLine(name)} on ${oneLine(host)}, from ${moment(joinedAt)}, ${until}: ${workInWords(work)}\n`;
  });
  return `${counted(workers.length, 'worker')}, ${number(there)} there:\n${lines.join('')}`;
}

export function workInWords({ ended, requests, throttled, takenOver }: WorkerWork): string {
  return `${counted(ended, 'record')} ended, ${counted(requests, 'request')}, ${number(throttled)} answered 429, ${number(takenOver)} taken over`;
}
