/** Exports `runWorker`, which runs `data-import-sdk worker` from its flags to its exit code: signals, texts, status lines. */
import type { DataImportClient } from '../../client.js';
import { type StartedWorker, startWorker } from '../../migration/distributed/worker/worker.js';
import type { WorkerStatus } from '../../migration/distributed/worker/worker-status.js';
import { createFailureNotes, failureOfResponse } from '../../migration/shared/connection-failure.js';
import { machineClock, type ThrottleClock } from '../../migration/throttle/clock.js';
import { createThrottleEvents } from '../monitoring/events/throttle-events.js';
import { servedBy, whileServing } from '../monitoring/health.js';
import { openConnection } from '../open/connection.js';
import type { WorkerFlags } from '../options/distributed-options.js';
import { expectWorkerReady } from '../session/preflight.js';
import type { CommandContext } from '../shared/command-context.js';
import { commandText } from '../shared/command-data.js';
import { drainOnSignal } from '../shared/drain-on-signal.js';
import { UsageError } from '../shared/errors.js';
import { EXIT } from '../shared/exit-codes.js';
import { workInWords } from './workers.js';

/** The parts that tests replace. */
const MEANS = { start: startWorker, clock: machineClock as ThrottleClock };

const BETWEEN_LINES_MS = 30_000;

/** Works at the run until it is over or a signal ends the worker. Rejects with a `UsageError` for invalid flags. */
export async function runWorker(flags: WorkerFlags, context: CommandContext, { start, clock } = MEANS): Promise<void> {
  const { database, databaseSchema: schema, baseUrl, name, concurrency } = flags;
  if (database === undefined) {
    throw new UsageError('no database: give --database (or DATA_IMPORT_DATABASE), where the ledger of the run is.');
  }
  if (baseUrl === undefined) {
    throw new UsageError('no service: give --base-url (or DATA_IMPORT_BASE_URL), the address of the run.');
  }
  const served = servedBy(flags);
  const connection = await openConnection(flags);
  const { client, address } = connection;
  const onNote = noteOf(context);
  const beforeWork = () => expectWorkerReady(client, context);
  try {
    await whileServing(served, { client, isDistributed: true, err: context.err }, async (health) => {
      const worker = await start({
        ...{ client, address, database, schema, name, concurrency },
        ...{ beforeWork, onNote, onEvent: health?.onEvent },
      });
      health?.watch(worker);
      await untilEnd(worker, client, flags, context, clock);
    });
  } finally {
    await connection.close();
  }
}

const noteOf =
  ({ err }: CommandContext) =>
  (note: string) =>
    err(`data-import-sdk: ${note}\n`);

/** Drains the worker on a signal, and prints what happens until it has ended. */
async function untilEnd(
  worker: StartedWorker,
  client: DataImportClient,
  flags: WorkerFlags,
  context: CommandContext,
  clock: ThrottleClock,
): Promise<void> {
  const { drain, stop: abort } = worker;
  const signals = drainOnSignal(context, { drain, abort, within: flags.drainWithin, clock });
  const onNote = noteOf(context);
  const failures = createFailureNotes(client.host, (text) => onNote(`${text}.`));
  const stopWatching = client.on({
    onRequest() {
      // Until it works, it only checks the service.
      if (worker.status().state !== 'waiting') context.sent(() => commandText(context.program, context.command));
    },
    onResponse(response) {
      const failure = failureOfResponse(response);
      // A call that a signal aborted is no failure of the service.
      if (failure !== undefined && signals.abortedBy() === undefined) failures.failed(failure);
    },
  });
  const stopLines = printStatusRegularly(worker, flags.logFormat, context, clock);
  try {
    const { state, work } = await worker.finished;
    const code = state === 'over' ? undefined : signals.abortedBy();
    const end = code === undefined ? state : 'brokenOff';
    context.exit(code ?? EXIT.ok);
    context.report({ event: 'worker.ended', state: end, work });
    const isJson = flags.json === true || flags.logFormat === 'json';
    const [begins, ends] = ENDS[end];
    context.out(`${isJson ? JSON.stringify({ state: end, ...work }) : `${begins}: ${workInWords(work)}.${ends}`}\n`);
  } finally {
    stopLines();
    stopWatching();
    signals.close();
  }
}

const ENDS: Readonly<Record<'over' | 'drained' | 'brokenOff', [begins: string, ends: string]>> = {
  over: ['The run is over', ''],
  drained: ['Drained', ' Other workers continue with the records that it had not begun to send.'],
  brokenOff: [
    'Aborted',
    ' Other workers take over its records, and first ask the service whether its last requests took effect.',
  ],
};

/** Prints the status every 30 seconds, for container logs, except while the worker waits for a run: it has printed that. */
function printStatusRegularly(
  worker: StartedWorker,
  logFormat: WorkerFlags['logFormat'],
  { err, report }: CommandContext,
  clock: ThrottleClock,
): () => void {
  let stop = () => {};
  const throttleEvents = createThrottleEvents(report);
  const print = (status: WorkerStatus) => {
    const { state, work, records: recordsInProgress, pace } = status;
    if (state === 'waiting') return;
    if (pace !== undefined) throttleEvents(pace, clock.now());
    if (logFormat === 'json') report({ event: 'worker.progress', state, recordsInProgress, work });
    else err(`${statusInWords(status)}\n`);
  };
  const next = () => {
    stop = clock.after(BETWEEN_LINES_MS, () => {
      print(worker.status());
      next();
    });
  };
  next();
  return () => stop();
}

/** Returns the status of a working worker as one line. */
function statusInWords({ state, work, records, pace, hasLease, lacks }: WorkerStatus): string {
  const isHeld = pace !== undefined && pace.state !== 'running';
  const why = pace?.reason === undefined ? '' : ` (${pace.reason})`;
  const how = isHeld ? ` The run: ${pace.state}${why}.` : '';
  const lost = hasLease ? '' : ` It sends nothing: ${lacks.join(', ')}.`;
  return `${state}: ${workInWords(work)}, ${records} in progress.${how}${lost}`;
}
