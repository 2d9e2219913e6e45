/** `workersOfRun` and `inWords`: the workers of a distributed run, for `status` and `report`. */
import type { Worker, WorkerWork } from '../../migration/distributed/ledger/worker-rows.js';
import { counted, moment, number, untilWhen } from '../../migration/shared/format.js';
import { oneLine } from '../../migration/shared/printable.js';
import type { RunFlags } from '../options/run-options.js';

/** Returns undefined if the ledger has never had a distributed run. */
export async function workersOfRun({
  database,
  databaseSchema,
}: Pick<RunFlags, 'database' | 'databaseSchema'>): Promise<Worker[] | undefined> {
  if (database === undefined) return undefined;
  const { workersOf } = await import('../../migration/distributed/ledger/worker-rows.js');
  const { DEFAULT_SCHEMA } = await import('../../migration/ledger/postgres/schema.js');
  const workers = await workersOf(database, databaseSchema ?? DEFAULT_SCHEMA);
  return workers.length > 0 ? workers : undefined;
}

/** Returns the number of workers, and a line for each. */
export function inWords(workers: readonly Worker[]): string {
  const there = workers.filter(({ isThere }) => isThere).length;
  const lines = workers.map((worker) => {
    const { name, host, joinedAt, work } = worker;
    return `  ${oneLine(name)} on ${oneLine(host)}, from ${moment(joinedAt)}, ${whereabouts(worker)}: ${workInWords(work)}\n`;
  });
  return `${counted(workers.length, 'worker')}, ${number(there)} there:\n${lines.join('')}`;
}

export function workInWords({ ended, requests, throttled, takenOver }: WorkerWork): string {
  return `${counted(ended, 'record')} ended, ${counted(requests, 'request')}, ${number(throttled)} answered 429, ${number(takenOver)} taken over`;
}

function whereabouts(worker: Worker): string {
  return worker.leftAt === null ? untilWhen(worker) : `to ${untilWhen(worker)}`;
}
