/** Exports `workAtRun`, which runs `data-import worker` from its flags to its exit code. */
import type { DataImportClient } from '../../client.js';
import { queuePlace } from '../../migration/distributed/queue/queue-address.js';
import { checkInputAt } from '../../migration/distributed/worker/line-reader.js';
import type { StartedWorker, WorkerOptions } from '../../migration/distributed/worker/worker.js';
import { createFailureNotes, failureOfResponse } from '../../migration/shared/connection-failure.js';
import { machineClock, type ThrottleClock } from '../../migration/throttle/clock.js';
import type { Health } from '../monitoring/health-server.js';
import { servedBy, whileServing } from '../monitoring/serve-monitoring.js';
import { type Connection, openConnection } from '../open/connection.js';
import { asUsageError } from '../options/values.js';
import { expectWorkerReady } from '../session/preflight.js';
import type { CommandContext } from '../shared/command-context.js';
import { UsageError } from '../shared/errors.js';
import { EXIT } from '../shared/exit-codes.js';
import type { WorkerFlags } from './worker-command.js';
import { endAsJson, endInWords, exitCodeOfError, statusInWords, type WorkerEnd } from './worker-end.js';
import { endOnSignal } from './worker-ending.js';

/** The parts that tests replace. */
interface WorkerMeans {
  start: (options: WorkerOptions) => Promise<StartedWorker>;
  clock: ThrottleClock;
  /** Called before the worker joins a run. Rejects if a preflight check fails. */
  beforeWork?: (client: DataImportClient, context: CommandContext) => Promise<void>;
}

const MEANS: WorkerMeans = {
  async start(options) {
    const { startWorker } = await import('../../migration/distributed/worker/worker.js');
    return startWorker(options);
  },
  clock: machineClock,
  beforeWork: expectWorkerReady,
};

const BETWEEN_LINES_MS = 30_000;

/** Works at the run until it is over or a signal ends the worker. Rejects with a `UsageError` for invalid flags. */
export async function workAtRun(flags: WorkerFlags, context: CommandContext, means = MEANS): Promise<void> {
  const { database, baseUrl, queue, inputAt } = flags;
  if (database === undefined) {
    throw new UsageError('no database: give --database (or DATA_IMPORT_DATABASE), where the ledger of the run is.');
  }
  if (baseUrl === undefined) {
    throw new UsageError('no service: give --base-url (or DATA_IMPORT_BASE_URL), the address of the run.');
  }
  // Checked before the wait for a run, which may take long.
  asUsageError(() => {
    if (queue !== undefined) queuePlace(queue);
    if (inputAt !== undefined) checkInputAt(inputAt);
  });
  const served = servedBy(flags);
  const connection = await openConnection(flags);
  try {
    const { databaseSchema } = flags;
    const distributed = {
      database,
      ...(databaseSchema !== undefined && { databaseSchema }),
      ...(queue !== undefined && { queue }),
    };
    await whileServing(served, { client: connection.client, distributed, err: context.err }, (health) =>
      work({ flags, database, connection, context, means }, health),
    );
  } catch (error) {
    const code = exitCodeOfError(error);
    if (code === undefined) throw error;
    context.err(`data-import: ${(error as Error).message}\n`);
    context.exit(code);
  } finally {
    await connection.close();
  }
}

interface WorkContext {
  flags: WorkerFlags;
  database: string;
  connection: Connection;
  context: CommandContext;
  means: WorkerMeans;
}

async function work(
  { flags, database, connection, context, means }: WorkContext,
  health: Health | undefined,
): Promise<void> {
  const { databaseSchema: schema, queue, inputAt, name, concurrency, drainWithin } = flags;
  const onNote = (note: string) => context.err(`data-import: ${note}\n`);
  const worker = await means.start({
    ...{ database, schema, queue, inputAt, name, concurrency, onNote, onEvent: health?.onEvent },
    client: connection.client,
    beforeWork: () => means.beforeWork?.(connection.client, context) ?? Promise.resolve(),
    address: connection.address,
  });
  health?.watch(worker);
  const ending = endOnSignal(worker, drainWithin, context, means.clock);
  const failures = createFailureNotes(connection.client.host, (text) => onNote(`${text}.`));
  const stopWatching = connection.client.on({
    onResponse(response) {
      const failure = failureOfResponse(response);
      // A call that a signal aborted is no failure of the service.
      if (failure !== undefined && ending.brokenOff() === undefined) failures.failed(failure);
    },
  });
  const stopLines = printStatusRegularly(worker, context, means.clock);
  try {
    const { state, work } = await worker.finished;
    const code = state === 'over' ? undefined : ending.brokenOff();
    const end: WorkerEnd = code === undefined ? state : 'brokenOff';
    context.exit(code ?? EXIT.ok);
    context.out(`${flags.json ? endAsJson(end, work) : endInWords(end, work)}\n`);
  } finally {
    stopLines();
    stopWatching();
    ending.close();
  }
}

/** Prints the status every 30 seconds, for container logs, except while the worker waits for a run: it has printed that. */
function printStatusRegularly(
  worker: Pick<StartedWorker, 'status'>,
  { err }: CommandContext,
  clock: ThrottleClock,
): () => void {
  let stop = () => {};
  const next = () => {
    stop = clock.after(BETWEEN_LINES_MS, () => {
      const status = worker.status();
      if (status.state !== 'waiting') err(`${statusInWords(status)}\n`);
      next();
    });
  };
  next();
  return () => stop();
}
