/** What `data-import worker` does, from its flags to its end. */
import { checkBookAt } from '../migration/fleet/line-address.js';
import { queuePlace } from '../migration/fleet/queue-place.js';
import type { Worker, WorkerOptions } from '../migration/fleet/worker.js';
import { machineClock, type PaceClock } from '../migration/pace/clock.js';
import { checkSettings } from '../migration/pace/settings.js';
import { type Connection, meant, openConnection } from './connection.js';
import { EXIT } from './exit-codes.js';
import { type ListenAddress, type Listening, listenAddress } from './health-address.js';
import { type Health, openHealth } from './health-server.js';
import { type Surroundings, UsageError } from './surroundings.js';
import type { WorkerFlags } from './worker.js';
import { serveDashboard } from './worker-dashboard.js';
import { endAsJson, endInWords, exitCodeOfError, statusInWords, type WorkerEnd } from './worker-end.js';
import { endOnSignal } from './worker-ending.js';

/** What tests put their own in place of. */
interface WorkerMeans {
  start: (options: WorkerOptions) => Promise<Worker>;
  clock: PaceClock;
}

const MEANS: WorkerMeans = {
  async start(options) {
    const { startWorker } = await import('../migration/fleet/start-worker.js');
    return startWorker(options);
  },
  clock: machineClock,
};

const BETWEEN_LINES_MS = 30_000;

export async function workAtRun(flags: WorkerFlags, around: Surroundings, means = MEANS): Promise<void> {
  const { database, baseUrl, concurrency, queue, bookAt } = flags;
  if (database === undefined) {
    throw new UsageError('no database: give --database (or DATA_IMPORT_DATABASE), where the ledger of the run is.');
  }
  if (baseUrl === undefined) {
    throw new UsageError('no service: give --base-url (or DATA_IMPORT_BASE_URL), the address that the run has.');
  }
  // Before it waits for a run, perhaps for long.
  meant(() => {
    checkSettings({ concurrency });
    if (queue !== undefined) queuePlace(queue);
    if (bookAt !== undefined) checkBookAt(bookAt);
  });
  const health = addressOf('--health', flags.health);
  const dashboard = addressOf('--dashboard', flags.dashboard);
  const connection = await openConnection(flags);
  try {
    await live({ flags, database, health, dashboard, connection, around, means });
  } catch (error) {
    const code = exitCodeOfError(error);
    if (code === undefined) throw error;
    around.err(`data-import: ${(error as Error).message}\n`);
    around.exit(code);
  } finally {
    await connection.close();
  }
}

interface Life {
  flags: WorkerFlags;
  database: string;
  health: ListenAddress | undefined;
  dashboard: ListenAddress | undefined;
  connection: Connection;
  around: Surroundings;
  means: WorkerMeans;
}

async function live(life: Life): Promise<void> {
  const { flags, database, connection, around } = life;
  const serving: Pick<Listening, 'close'>[] = [];
  try {
    const health = life.health && (await openHealth(life.health, connection.client));
    if (health !== undefined) {
      serving.push(health);
      around.err(`Health and metrics: ${health.url}\n`);
    }
    if (life.dashboard !== undefined) {
      const { databaseSchema: schema, queue } = flags;
      const dashboard = await serveDashboard({ address: life.dashboard, database, schema, queue });
      serving.push(dashboard);
      around.err(`Dashboard of the queue: ${dashboard.url}\n`);
    }
    await work(life, health);
  } finally {
    for (const served of serving.reverse()) await served.close();
  }
}

async function work({ flags, database, connection, around, means }: Life, health: Health | undefined): Promise<void> {
  const { databaseSchema: schema, queue, bookAt, name, concurrency, drainWithin } = flags;
  const onNote = (note: string) => around.err(`data-import: ${note}\n`);
  const worker = await means.start({
    ...{ database, schema, queue, bookAt, name, concurrency, onNote, onEvent: health?.onEvent },
    client: connection.client,
    address: connection.address,
  });
  health?.watch(worker);
  const ending = endOnSignal(worker, drainWithin, around, means.clock);
  const stopLines = tellNowAndThen(worker, around, means.clock);
  try {
    const { state, work } = await worker.finished;
    const code = state === 'over' ? undefined : ending.brokenOff();
    const end: WorkerEnd = code === undefined ? state : 'brokenOff';
    around.exit(code ?? EXIT.ok);
    around.out(`${flags.json ? endAsJson(end, work) : endInWords(end, work)}\n`);
  } finally {
    stopLines();
    ending.close();
  }
}

function addressOf(flag: string, given: string | number | undefined): ListenAddress | undefined {
  return given === undefined ? undefined : listenAddress(flag, given);
}

/** For whoever reads the log of a container; a worker that waits has said so. */
function tellNowAndThen(worker: Pick<Worker, 'status'>, { err }: Surroundings, clock: PaceClock): () => void {
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
