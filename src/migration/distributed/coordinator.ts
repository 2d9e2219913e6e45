/**
 * `openDistributedRun`: a distributed run as the process has it that reads the input; given to the migration in place of a ledger. It hands
 * records to the workers, and is one of them unless it only reads.
 */
import { setTimeout as after } from 'node:timers/promises';
import type { DataImportClient } from '../../client.js';
import type { Profile } from '../../validation/profile.js';
import type { Ledger, LedgerRecord } from '../ledger/ledger.js';
import type { NotAccepted, RecordEvent } from '../record/events/record-event.js';
import { isAcceptedTeam } from '../record/preconditions/first-account.js';
import { contractsOf } from '../record/record-key.js';
import type { Summary } from '../report/summary/summary.js';
import type { RecordQueue } from '../run/input-pass.js';
import type { CompactEvent } from '../throttle/compact-event.js';
import { DEFAULT_HALT } from '../throttle/halt-rules.js';
import { firstLimit, withBounds } from '../throttle/limits/adaptive-limit.js';
import { type ThrottleOptions, throttleSettings } from '../throttle/settings.js';
import { type Joined, joinRun, outsideStatus, statusOf, takePart, type Work, type WorkerStatus } from './join.js';
import type { Worker } from './ledger/worker-rows.js';
import { liveWorkers, type RunSettings, type RunState } from './state/run-state.js';
import { placeOf } from './worker/line-reader.js';
import type { WorkerThrottle } from './worker/worker-throttle.js';

/** Of `openDistributedRun`. */
export interface DistributedRunOptions {
  /** `postgres://user@host:5432/database`: where the ledger is. */
  database: string;
  /**
   * Schema that holds it.
   * @default 'data_import'
   */
  schema?: string | undefined;
  /**
   * Engine of the work queue: `redis://…` or `postgres://…`. Nothing is lost with its data.
   * @default the database of the ledger
   */
  queue?: string | undefined;
  /** Address of the service, as its workers call it: a worker for another one does not join. */
  address: string;
  /**
   * Whether the lines of the input are copied into the database until the run is over, or every worker reads them where they
   * are: files of JSON Lines that are not compressed, on a path or at an address that all can read.
   * @default 'database'
   */
  inputIn?: 'database' | 'place' | undefined;
  /**
   * Whether this process advances records as well.
   * @default true
   */
  works?: boolean | undefined;
  /**
   * Shown in status and report.
   * @default the machine's name and the process
   */
  name?: string | undefined;
  /** Called with one line for people: the engine is away, the ledger is out of reach. */
  onNote?: ((note: string) => void) | undefined;
}

/** For `runMigration({ distributed })`. The caller that opens it closes it after the run. */
export interface DistributedRun {
  /** What the run remembers. */
  ledger: Ledger;
  /** How this process stands now. */
  status(): WorkerStatus;
  /** Leaves the run. Workers continue with the records in the ledger. */
  close(): Promise<void>;
}

interface Opened {
  joined: Joined;
  options: DistributedRunOptions;
  /** Given by the run while it works. */
  work: Work | undefined;
}

const opened = new WeakMap<DistributedRun, Opened>();

/**
 * Joins, as the process that reads the input. Rejects with a `LedgerLockedError` where another one does, or a run on one
 * machine has the ledger; with a `LedgerDatabaseError` where the database, and a `QueueError` where the engine cannot be used.
 */
export async function openDistributedRun(options: DistributedRunOptions): Promise<DistributedRun> {
  const { database, schema, queue, name, onNote = () => {} } = options;
  return distributedRunOf(await joinRun({ database, schema, queue, name, isCoordinator: true, onNote }), options);
}

/** Of what was joined. */
export function distributedRunOf(joined: Joined, options: DistributedRunOptions): DistributedRun {
  const parts: Opened = { joined, options, work: undefined };
  let hasLeft = false;
  const distributed: DistributedRun = {
    ledger: joined.ledger,
    status() {
      const { work } = parts;
      if (hasLeft) return outsideStatus('left', work?.done());
      return statusOf(joined, work, work?.throttle.status().state === 'draining');
    },
    async close() {
      hasLeft = true;
      await joined.close();
    },
  };
  opened.set(distributed, parts);
  return distributed;
}

export interface BeginOptions {
  distributed: DistributedRun;
  client: DataImportClient;
  throttle: ThrottleOptions | undefined;
  settings: Omit<RunSettings, 'address' | 'queue' | 'window' | 'halt' | 'profile'>;
  profile: Profile | undefined;
  now: () => Date;
  onEvent: (record: LedgerRecord, event: RecordEvent) => void;
}

/** A distributed run, as the migration has it that began it. */
export interface BegunRun {
  throttle: WorkerThrottle;
  /** Takes records from the process that reads the input. `signal` aborts the calls in flight in this process. */
  recordQueue(signal: AbortSignal): RecordQueue;
  /** Rejects where the ledger cannot be used. */
  failed: Promise<never>;
  workers(): Promise<Worker[]>;
  onOthers(listener: (event: CompactEvent) => void): () => void;
  /** What the service does not accept, where that halted the run. */
  notAccepted(): NotAccepted | undefined;
  /** Workers may leave. The lines of the input are taken out of the database, unless accounts wait for a business. */
  over(summary: Pick<Summary, 'waiting'>): Promise<void>;
  /** Resolves when this process works on no record any more. */
  end(): Promise<void>;
}

/** Begins the run, or continues it. Throws a `TypeError` for what `openDistributedRun` did not give. */
export async function beginDistributedRun(options: BeginOptions): Promise<BegunRun> {
  const found = opened.get(options.distributed);
  if (found === undefined) throw new TypeError('distributed: expected what openDistributedRun gives.');
  const { client, throttle = {}, profile, now, onEvent } = options;
  const { joined } = found;
  const { address, works = true, onNote = () => {} } = found.options;
  const { ledger, state } = joined;
  const isAccepted = await isAcceptedTeam(ledger, options.settings.team);
  const { fail = null, ...halt } = throttle.halt ?? DEFAULT_HALT;
  const settings: RunSettings = {
    ...{ ...options.settings, address, queue: joined.engine, profile: profile ?? null },
    ...{ window: throttle.window?.text ?? null, halt: { ...halt, fail } },
  };
  await ledger.patiently(() => state.begin((former) => stateFor(former, settings, throttle, isAccepted)));
  await ledger.makeAllDue();
  const { concurrency } = throttleSettings(throttle);
  const parts = { client, settings, concurrency, works, now, onEvent, onNote };
  const work = takePart(joined, { ...parts, isCoordinator: true });
  found.work = work;
  return {
    ...{ throttle: work.throttle, failed: work.failed, end: work.end },
    onOthers: (listener) => work.throttle.onOthers(listener),
    recordQueue(signal) {
      signal.addEventListener('abort', () => work.breakOff(), { once: true });
      return carriersOf(found, work, signal);
    },
    workers: () => ledger.workers.all(),
    notAccepted: () => state.current()?.ended?.notAccepted ?? undefined,
    async over({ waiting }) {
      await ledger.patiently(() => state.change((current) => ({ ...current, phase: 'over' })));
      if (waiting === 0) await ledger.forgetLines();
    },
  };
}

/** The limit of calls that process, of all workers together. Each worker also has its own limit, its concurrency. */
const MOST_AT_ONCE = 10_000;

/** A run that continues keeps the limit that it had found. */
function stateFor(
  former: RunState | undefined,
  settings: RunSettings,
  options: ThrottleOptions,
  isAccepted: boolean,
): RunState {
  const { start, bounds, rps } = throttleSettings({ ...options, process: { most: MOST_AT_ONCE, ...options.process } });
  return {
    ...{ phase: 'open', settings, paused: null, ended: null, rps },
    limit: former === undefined ? firstLimit(start, bounds) : withBounds(former.limit, bounds),
    heldUntil: former?.heldUntil ?? { all: 0, process: 0 },
    ...{ halt: null, failedInRow: 0, workers: former?.workers ?? {} },
    firstAccount: isAccepted ? null : { worker: null },
    pace: { at: 0, ended: 0, perSecond: 0 },
  };
}

const BETWEEN_LOOKS_MS = 250;
/**
 * The run stops once each unfinished record has failed this often for a reason outside the record, with none ended in
 * between.
 */
const TRIES = 3;
/** The count stops here: this many failures in a row halt any run. */
const MOST_COUNTED = 1000;

/** Every write is a compare-and-set: a worker that works on the record meanwhile writes nothing more, or this process does not. */
function carriersOf({ joined, options }: Opened, { throttle }: Work, signal: AbortSignal): RecordQueue {
  const { ledger, state } = joined;
  const { inputIn = 'database' } = options;
  const isStuck = async (): Promise<boolean> => {
    const failed = state.current()?.failedInRow ?? 0;
    if (failed < TRIES) return false;
    const left = await ledger.countWork(MOST_COUNTED);
    return left > 0 && failed >= TRIES * left;
  };
  const isBusy = (): boolean => {
    const now = state.current();
    return now !== undefined && liveWorkers(now, state.now()).some(([, { records }]) => records > 0);
  };
  return {
    enqueue: (record, payload, item) =>
      ledger.register(record, contractsOf(payload), inputIn === 'database' ? { text: item.text } : placeOf(item)),
    async whenIdle() {
      while (await ledger.hasWork()) {
        // A run that is broken off waits for no other worker.
        if (signal.aborted || (!throttle.isAccepting() && !isBusy())) return;
        // The command given again looks once more.
        if (throttle.isAccepting() && (await isStuck())) throttle.drain();
        await after(BETWEEN_LOOKS_MS);
      }
    },
  };
}
