/** `openFleet`: a distributed run as the process has it that reads the input; given to the migration in place of a ledger. */
import type { DataImportClient } from '../../client.js';
import type { Profile } from '../../validation/profile.js';
import type { Ledger, LedgerRecord } from '../ledger/ledger.js';
import type { NotAccepted, RecordEvent } from '../record/apply-event.js';
import { isAcceptedTeam } from '../record/preconditions/first-account.js';
import type { Summary } from '../report/summary/summary.js';
import type { Carriers } from '../run/run-input.js';
import { firstLimit, withBounds } from '../throttle/adaptive-limit.js';
import type { CompactEvent } from '../throttle/compact-event.js';
import { DEFAULT_HALT } from '../throttle/halt-rules.js';
import { type PaceOptions, paceSettings } from '../throttle/settings.js';
import { createCoordinator } from './coordinator.js';
import { type Joined, joinRun, takePart, type Work } from './join.js';
import type { RunSettings, RunState } from './run-state.js';
import type { Worker } from './worker-rows.js';
import { outsideStatus, type WorkerStatus, workerStatus } from './worker-status.js';
import type { WorkerThrottle } from './worker-throttle.js';

/** Of `openFleet`. */
export interface FleetOptions {
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
  bookIn?: 'database' | 'place' | undefined;
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

/** For `runMigration({ fleet })`. Whoever opens it closes it, after the run. */
export interface Fleet {
  /** What the run remembers. */
  ledger: Ledger;
  /** How this process stands now. */
  status(): WorkerStatus;
  /** Leaves. Workers go on with the records that are in the ledger. */
  close(): Promise<void>;
}

interface Opened {
  joined: Joined;
  options: FleetOptions;
  /** Given by the run while it works. */
  work: Work | undefined;
}

const opened = new WeakMap<Fleet, Opened>();

/**
 * Joins, as the process that reads the input. Rejects with a `LedgerLockedError` where another one does, or a run of one
 * machine has the ledger; with a `LedgerDatabaseError` where the database, and a `QueueError` where the engine cannot be used.
 */
export async function openFleet(options: FleetOptions): Promise<Fleet> {
  const { database, schema, queue, name, onNote = () => {} } = options;
  return fleetOf(await joinRun({ database, schema, queue, name, isCoordinator: true, onNote }), options);
}

/** Of what was joined. */
export function fleetOf(joined: Joined, options: FleetOptions): Fleet {
  const parts: Opened = { joined, options, work: undefined };
  let hasLeft = false;
  const fleet: Fleet = {
    ledger: joined.ledger,
    status() {
      const { work } = parts;
      if (hasLeft) return outsideStatus('left', work?.done());
      return workerStatus(joined, work, work?.throttle.status().state === 'draining');
    },
    async close() {
      hasLeft = true;
      await joined.close();
    },
  };
  opened.set(fleet, parts);
  return fleet;
}

export interface FleetRunOptions {
  fleet: Fleet;
  client: DataImportClient;
  pace: PaceOptions | undefined;
  settings: Omit<RunSettings, 'address' | 'queue' | 'window' | 'halt' | 'profile'>;
  profile: Profile | undefined;
  now: () => Date;
  onEvent: (record: LedgerRecord, event: RecordEvent) => void;
}

/** A distributed run, as the migration has it that began it. */
export interface FleetRun {
  pace: WorkerThrottle;
  /** Takes records from the process that reads the input. `signal` breaks off what is in flight here. */
  carriers(signal: AbortSignal): Carriers;
  /** Rejects where the ledger cannot be used. */
  failed: Promise<never>;
  members(): Promise<Worker[]>;
  onOthers(listener: (event: CompactEvent) => void): () => void;
  /** What the service does not accept, where that halted the run. */
  notAccepted(): NotAccepted | undefined;
  /** Workers may leave. The lines of the input are taken out of the database, unless accounts wait for a business. */
  over(summary: Pick<Summary, 'waiting'>): Promise<void>;
  /** Resolves when nothing is in hand here any more. */
  end(): Promise<void>;
}

/** Begins the run, or goes on with it. Throws a `TypeError` for what `openFleet` did not give. */
export async function beginFleetRun(options: FleetRunOptions): Promise<FleetRun> {
  const found = opened.get(options.fleet);
  if (found === undefined) throw new TypeError('fleet: expected what openFleet gives.');
  const { client, pace: paceOptions = {}, profile, now, onEvent } = options;
  const { joined, options: fleetOptions } = found;
  const { address, bookIn = 'database', works = true, onNote = () => {} } = fleetOptions;
  const { ledger, state } = joined;
  const { concurrency } = paceSettings(paceOptions);
  const isAccepted = await isAcceptedTeam(ledger, options.settings.team);
  const { fail = null, ...halt } = paceOptions.halt ?? DEFAULT_HALT;
  const settings: RunSettings = {
    ...options.settings,
    ...{ address, queue: joined.engine, window: paceOptions.window?.text ?? null },
    ...{ halt: { ...halt, fail }, profile: profile ?? null },
  };
  await state.begin((former) => stateFor(former, settings, paceOptions, isAccepted));
  await ledger.makeAllDue();
  const work = takePart(joined, {
    ...{ client, settings, concurrency, works, now, onEvent, onNote, isCoordinator: true },
  });
  found.work = work;
  const { throttle } = work;
  return {
    pace: throttle,
    failed: work.failed,
    carriers(signal) {
      signal.addEventListener('abort', () => work.breakOff(), { once: true });
      return createCoordinator({ ledger, state, throttle, bookIn, signal });
    },
    members: () => ledger.workers.all(),
    onOthers: throttle.onOthers,
    notAccepted: () => state.current()?.ended?.notAccepted ?? undefined,
    async over({ waiting }) {
      await state.change((current) => ({ ...current, phase: 'over' }));
      if (waiting === 0) await ledger.forgetLines();
    },
    end: () => work.end(),
  };
}

/** Calls that process, of all workers: each has a bound of its own by its concurrency. */
const MOST_AT_ONCE = 10_000;

/** A run that goes on keeps the limit that it had found. */
function stateFor(
  former: RunState | undefined,
  settings: RunSettings,
  options: PaceOptions,
  isAccepted: boolean,
): RunState {
  const { start, bounds, rps } = paceSettings({ ...options, process: { most: MOST_AT_ONCE, ...options.process } });
  return {
    ...{ phase: 'open', settings, paused: null, ended: null, rps },
    limit: former === undefined ? firstLimit(start, bounds) : withBounds(former.limit, bounds),
    heldUntil: former?.heldUntil ?? { all: 0, process: 0 },
    ...{ halt: null, failedInRow: 0, workers: former?.workers ?? {} },
    firstAccount: isAccepted ? null : { worker: null },
    pace: { at: 0, ended: 0, perSecond: 0 },
  };
}
