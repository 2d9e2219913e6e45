/**
 * Exports the parts of a process of a distributed run. `joinRun` opens ledger and state. `takePart` starts the throttle and the
 * work on records. `statusOf` returns the process's state.
 */
import { hostname } from 'node:os';
import { setTimeout as after } from 'node:timers/promises';
import { type DataImportClient, internalsOf } from '../../client.js';
import { defineProfile, type Profile } from '../../validation/profile.js';
import type { LedgerRecord } from '../ledger/ledger.js';
import { hasNoFreeConnection } from '../ledger/postgres/database-error.js';
import type { RecordEvent } from '../record/events/record-event.js';
import { needsDryRun } from '../record/preconditions/dry-run.js';
import { InFlightRecords, rememberInFlight } from '../record/preconditions/in-flight-records.js';
import { machineClock } from '../throttle/clock.js';
import type { ThrottleStatus } from '../throttle/throttle.js';
import { type DistributedLedger, openDistributedLedger } from './ledger/distributed-ledger.js';
import { noWork, type WorkerWork } from './ledger/worker-rows.js';
import { firstAccountOfRun } from './state/first-account-of-run.js';
import type { RunSettings } from './state/run-state.js';
import { openSharedState, type SharedState } from './state/shared-state.js';
import { fenceOf, watchSending } from './worker/fence.js';
import { type RecordWorker, recordWorker } from './worker/record-worker.js';
import { workerThrottle } from './worker/worker-throttle.js';

export interface JoinOptions {
  database: string;
  schema?: string | undefined;
  name?: string | undefined;
  /** Whether this process reads the input. At most one does. */
  isCoordinator: boolean;
  onNote: (note: string) => void;
  /** Aborts the wait for a free connection. */
  signal?: AbortSignal | undefined;
}

export interface Joined {
  ledger: DistributedLedger;
  state: SharedState;
  close(): Promise<void>;
}

const MOST_TRIES = 60;
const BETWEEN_TRIES_MS = 1000;

/** Opens ledger and state. Waits up to a minute if the server restarts or has no free connection. Rejects as `postgresLedger`. */
export async function joinRun(options: JoinOptions): Promise<Joined> {
  const { onNote, signal } = options;
  for (let tries = 1; ; tries++) {
    try {
      return await openAll(options);
    } catch (error) {
      if (!hasNoFreeConnection(error) || tries === MOST_TRIES || signal?.aborted) throw error;
      if (tries === 1) onNote(`${(error as Error).message} Retrying for a minute.`);
      await after(BETWEEN_TRIES_MS, undefined, { ...(signal && { signal }) }).catch(() => {});
    }
  }
}

async function openAll(options: JoinOptions): Promise<Joined> {
  const { database, schema, isCoordinator, onNote, name = `${hostname()}-${process.pid}` } = options;
  const place = { connectionString: database, ...(schema !== undefined && { schema }) };
  const ledger = await openDistributedLedger({ ...place, name, isCoordinator });
  try {
    const state = await openSharedState({ row: ledger.state, patiently: ledger.patiently, onNote });
    const close = async () => {
      await state.close();
      await ledger.close();
    };
    return { ledger, state, close };
  } catch (error) {
    await ledger.close();
    throw error;
  }
}

export type Work = ReturnType<typeof takePart>;

export interface WorkOptions {
  client: DataImportClient;
  settings: RunSettings;
  concurrency: number;
  isCoordinator: boolean;
  /** Whether this process works on records; otherwise it only reads the input. */
  works: boolean;
  now: () => Date;
  onEvent: (record: LedgerRecord, event: RecordEvent) => void;
  onNote: (note: string) => void;
}

const CUT_OFF =
  'no contact to the ledger for too long: calls in flight are aborted, and other workers may take over the records.';

/** Starts the throttle, with its reports, and the work on records. */
export function takePart({ ledger, state }: Joined, options: WorkOptions) {
  const { client, settings, concurrency, isCoordinator, works, now, onEvent, onNote } = options;
  const { shared } = internalsOf(client);
  const { workerId } = ledger;
  const fence = fenceOf(shared, () => onNote(CUT_OFF));
  let worker: RecordWorker | undefined;
  const records = () => worker?.records() ?? 0;
  const clock = machineClock;
  const throttle = workerThrottle({ state, workerId, client, concurrency, fence, isCoordinator, clock, records });
  const ready = rememberInFlight(ledger, shared.inFlight);
  // The first call that needs it rejects.
  ready.catch(() => {});
  const learn = () => void ready.then((learned) => learned());
  const stopWatching = watchSending(client, fence, learn, ({ operation, status, durationMs }) => {
    if (fence.isOpen()) throttle.onResponse({ operation, status, latencyMs: durationMs });
  });
  const first = firstAccountOfRun(ledger, workerId, state);
  const dryRun = needsDryRun(settings.dryRun, { isAlone: (record) => first.firstAccount().isAlone(record) });
  const profile = settings.profile === null ? undefined : defineProfile(settings.profile as Profile);
  if (works) {
    worker = recordWorker({
      ...{ client, ledger, throttle, fence, first, ready, concurrency, isCoordinator },
      ...{ now, onEvent, onNote, settings: { ...settings, dryRun, profile } },
      isWholeInputKnown: () => state.current()?.isWholeInputKnown === true,
      inFlight: new InFlightRecords(shared.inFlight, now),
    });
  }
  async function endOnce(): Promise<void> {
    first.close();
    await worker?.end();
    stopWatching();
    await throttle.close();
  }
  let ending: Promise<void> | undefined;
  return {
    ...{ throttle, fence },
    /** Returns the number of records that this process works on now. */
    records,
    /** Returns the counts of this process. */
    done: (): WorkerWork => ({ ...throttle.work }),
    /** Rejects if the ledger cannot be used, or the worker must leave; otherwise it never settles. */
    failed: worker?.failed ?? new Promise<never>(() => {}),
    /** Aborts calls in flight. */
    breakOff: () => worker?.breakOff(),
    /** Takes no more records. Resolves when its records have ended or are free for other workers. */
    end(): Promise<void> {
      ending ??= endOnce();
      return ending;
    },
  };
}

/** The state of a worker. */
export interface WorkerStatus {
  /** `waiting`: no run has begun. */
  state: 'waiting' | 'working' | 'draining' | 'left';
  /** Whether it has joined, and the ledger is available. */
  isReady: boolean;
  /** Whether it may send: without contact to the ledger it sends nothing. */
  hasLease: boolean;
  /** Which of these conditions are not met, in words. */
  lacks: string[];
  /** Number of records that it works on now. */
  records: number;
  /** Counts of its work. */
  work: WorkerWork;
  /** State of its throttle; undefined while it waits. */
  pace: ThrottleStatus | undefined;
}

export function statusOf({ state }: Joined, work: Work | undefined, isDraining: boolean): WorkerStatus {
  const hasLease = work?.fence.isOpen() ?? true;
  const lacks: string[] = [];
  if (work === undefined) lacks.push('a run to join');
  if (isDraining) lacks.push('it drains');
  if (!hasLease) lacks.push('it had no contact to the ledger for too long');
  if (!state.isReachable()) lacks.push('the ledger is out of reach');
  return {
    state: work === undefined ? 'waiting' : isDraining ? 'draining' : 'working',
    ...{ isReady: lacks.length === 0, hasLease, lacks, records: work?.records() ?? 0 },
    ...{ work: work?.done() ?? noWork(), pace: work?.throttle.status() },
  };
}

export function outsideStatus(state: 'waiting' | 'draining' | 'left', work: WorkerWork = noWork()): WorkerStatus {
  const lacks = [state === 'left' ? 'it has left' : 'a run to join'];
  return { state, isReady: false, hasLease: false, lacks, records: 0, work, pace: undefined };
}
