/** `workersOfRun`, `coordinatorOfRun` and their texts: the processes of a distributed run, for `status` and `report`. */
import type { Worker, WorkerWork } from '../../migration/distributed/ledger/worker-rows.js';
import { inWords as holderInWords } from '../../migration/ledger/locked-error.js';
import type { Coordinator } from '../../migration/ledger/postgres/run-lock.js';
import { type ControlCommand, ControlError } from '../../migration/operations/control/control-command.js';
import { counted, moment, number, untilWhen } from '../../migration/shared/format.js';
import { oneLine } from '../../migration/shared/printable.js';
import { draining, type PaceChange, paused, withSettings } from '../../migration/throttle/pace.js';
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

/** Returns the coordinator of a run that has had workers, as `coordinatorOf`. */
export async function coordinatorOfRun({
  database,
  databaseSchema: schema,
}: RunFlags): Promise<Coordinator | undefined> {
  if (database === undefined) return undefined;
  const { coordinatorOf } = await import('../../migration/distributed/ledger/read-run.js');
  return coordinatorOf({ database, schema });
}

/** Returns why the distributed run is paused; null if it is not, or has ended. */
export async function pausedRun({ database, databaseSchema: schema }: RunFlags): Promise<string | null> {
  if (database === undefined) return null;
  const { pausedOf } = await import('../../migration/distributed/ledger/read-run.js');
  return pausedOf({ database, schema });
}

/**
 * Changes the pace of the distributed run of the ledger, whose coordinator does not listen in the folder. Resolves with what the command
 * has done; undefined if the run is not open. Rejects with a `ControlError` for a setting that each process has for itself.
 */
export async function sendToRow(flags: RunFlags, command: ControlCommand): Promise<string | undefined> {
  const { database = '', databaseSchema: schema } = flags;
  const settings = command.name === 'set' ? command.settings : {};
  if (settings.concurrency !== undefined) {
    throw new ControlError(
      'concurrency is the limit of one process, and no coordinator answers in the run folder. Set process-concurrency or rps, or start the worker with another --concurrency.',
    );
  }
  const { changePace } = await import('../../migration/distributed/ledger/read-run.js');
  const changes: Record<Exclude<ControlCommand['name'], 'status'>, [change: PaceChange, done: string]> = {
    pause: [paused('by the operator'), `paused: ${UNTIL_RESUME}`],
    resume: [paused(null), 'resumed'],
    drain: [
      draining(),
      'draining: its processes end their calls in flight, and its workers wait for the command of the run',
    ],
    set: [withSettings(settings), 'changed until the command of the run is given again'],
  };
  const [change, done] = changes[command.name as keyof typeof changes];
  return (await changePace({ database, schema }, change)) ? `The distributed run is ${done}.` : undefined;
}

const UNTIL_RESUME = 'its processes start no call until "data-import-sdk resume"';

/** Returns the line about a distributed run of which workers are there, and whose coordinator does not answer in the folder. */
export function activeInWords(coordinator: Coordinator | undefined, reason: string | null): string {
  const is = reason === null ? 'active' : `paused (${oneLine(reason)}): ${UNTIL_RESUME}`;
  const begins = `No run answers in this folder; its distributed run is ${is}`;
  if (coordinator === undefined) return `${begins}.`;
  const { isThere, holder } = coordinator;
  const named = holder === null ? '' : `, ${holderInWords(holder)},`;
  if (isThere) return `${begins}. Its coordinator${named} answers in another folder or on another machine.`;
  return `The coordinator of the distributed run${named} has ended. ${reason === null ? 'Its workers send the records that it has loaded, and then wait.' : `The run is ${is}.`}`;
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
