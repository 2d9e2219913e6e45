/** `distributedRunIn` and its texts: the processes of a distributed run, for `status` and `report`; `sendToRow`, the commands to it. */
import type { SeenRun } from '../../migration/distributed/ledger/read-run.js';
import { noWork, sum, type Worker, type WorkerWork } from '../../migration/distributed/ledger/worker-rows.js';
import type { Ledger } from '../../migration/ledger/ledger.js';
import { inWords as holderInWords } from '../../migration/ledger/locked-error.js';
import { type ControlCommand, ControlError } from '../../migration/operations/control/control-command.js';
import { type CommandData, keepCommand } from '../../migration/report/folder/stored-command.js';
import { counted, moment, number, untilWhen } from '../../migration/shared/format.js';
import { oneLine } from '../../migration/shared/printable.js';
import { draining, type PaceChange, paused, withSettings } from '../../migration/throttle/pace.js';
import type { RunFlags } from '../options/run-options.js';

/** Returns the processes of the distributed run of the ledger; undefined if it has never had one. */
export async function distributedRunIn({ database, databaseSchema: schema }: RunFlags): Promise<SeenRun | undefined> {
  if (database === undefined) return undefined;
  // Loaded here, so that a run with a local ledger does not load it.
  const { distributedRunOf } = await import('../../migration/distributed/ledger/read-run.js');
  return distributedRunOf({ database, schema });
}

export function isActive({ workers, coordinator }: SeenRun): boolean {
  return coordinator?.isThere === true || workers.some(({ isThere }) => isThere);
}

/**
 * Changes the pace of the distributed run of the ledger, whose coordinator does not listen in the folder. Resolves with what the command
 * has done; undefined if the run is not open. Rejects with a `ControlError` for a setting that each process has for itself. `last`: the command of
 * the run with the limits of `set`, which is kept; undefined if it stays as it is.
 */
export async function sendToRow(
  flags: RunFlags,
  command: ControlCommand,
  last: CommandData | undefined,
): Promise<string | undefined> {
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
  const keep = last && ((ledger: Pick<Ledger, 'setFact'>) => keepCommand(ledger, last));
  return (await changePace({ database, schema }, change, keep)) ? `The distributed run is ${done}.` : undefined;
}

const UNTIL_RESUME = 'its processes start no call until "data-import-sdk resume"';

/** Returns the line about a distributed run that is active, and whose coordinator does not answer in the folder. */
export function activeInWords({ coordinator, paused: reason }: SeenRun): string {
  const is = reason === null ? 'active' : `paused (${oneLine(reason)}): ${UNTIL_RESUME}`;
  const begins = `No run answers in this folder; its distributed run is ${is}`;
  if (coordinator === undefined) return `${begins}.`;
  const { isThere, holder } = coordinator;
  const named = holder === null ? '' : `, ${holderInWords(holder)},`;
  if (isThere) return `${begins}. Its coordinator${named} answers in another folder or on another machine.`;
  return `The coordinator of the distributed run${named} has ended. ${reason === null ? 'Its workers send the records that it has loaded, and then wait.' : `The run is ${is}.`}`;
}

/** Returns the number of workers, a line for each that is there or was lost in this session of the run, and one for all that ended before. */
export function workersInWords({ workers, coordinator }: SeenRun): string {
  const since = coordinator?.holder?.since;
  const isShown = ({ isThere, leftAt, joinedAt }: Worker) =>
    isThere || (leftAt === null && since !== undefined && joinedAt >= since);
  const ended = workers.filter((worker) => !isShown(worker));
  const lines = workers.filter(isShown).map((worker) => {
    const { name, host, joinedAt, work } = worker;
    return `  ${oneLine(name)} on ${oneLine(host)}, from ${moment(joinedAt)}, ${untilWhen(worker)}: ${workInWords(work)}\n`;
  });
  const work = ended.map((worker) => worker.work).reduce(sum, noWork());
  if (ended.length > 0) lines.push(`  ${number(ended.length)} that ended before: ${workInWords(work)}\n`);
  const there = workers.filter(({ isThere }) => isThere).length;
  return `${counted(workers.length, 'worker')}, ${number(there)} there:\n${lines.join('')}`;
}

export function workInWords({ ended, requests, throttled, takenOver }: WorkerWork): string {
  return `${counted(ended, 'record')} ended, ${counted(requests, 'request')}, ${number(throttled)} answered 429, ${number(takenOver)} taken over`;
}
