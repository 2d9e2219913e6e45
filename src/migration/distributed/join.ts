/** `joinRun`: what a process of a distributed run has of it, opened one after the other and closed together. */
import { hostname } from 'node:os';
import type { DataImportClient } from '../../client.js';
import { defineProfile, type Profile } from '../../validation/profile.js';
import type { LedgerRecord } from '../ledger/ledger.js';
import type { RecordEvent } from '../record/apply-event.js';
import { triedBeforehand } from '../record/preconditions/dry-run.js';
import { InFlightRecords, rememberInFlight } from '../record/preconditions/in-flight-records.js';
import { machineClock } from '../throttle/clock.js';
import { type DistributedLedger, openDistributedLedger } from './distributed-ledger.js';
import { isStopped, startFeeder } from './feeder.js';
import { createFence, type Fence, fenceTimeMs, machineClocks } from './fence.js';
import { firstAccountOfRun } from './first-account-of-run.js';
import { createLineReader } from './line-reader.js';
import { type RecordWorker, startRecordWorker } from './record-worker.js';
import { endedIn, type RunSettings, type RunState, slotsOf } from './run-state.js';
import { openSharedState, type SharedState } from './shared-state.js';
import { openWorkQueue, type WorkQueue } from './work-queue.js';
import type { WorkerWork } from './worker-rows.js';
import { createWorkerThrottle, type WorkerThrottle } from './worker-throttle.js';

export interface JoinOptions {
  database: string;
  schema?: string | undefined;
  queue?: string | undefined;
  name?: string | undefined;
  /** Of the process that reads the input; there is one at most. */
  isCoordinator: boolean;
  onNote: (note: string) => void;
}

export interface Joined {
  ledger: DistributedLedger;
  state: SharedState;
  queue: WorkQueue;
  engine: 'postgres' | 'redis';
  close(): Promise<void>;
}

/** While the row of the state is held, nothing may take long. */
const WHILE_HELD_MS = 1000;

/** Rejects as ledgers on PostgreSQL do, and where the engine of the work queue cannot be used. */
export async function joinRun(options: JoinOptions): Promise<Joined> {
  const { database, schema, queue: address = database, isCoordinator, onNote } = options;
  const { name = `${hostname()}-${process.pid}` } = options;
  const opened: { close(): Promise<void> }[] = [];
  const close = async () => {
    for (const one of opened.splice(0).reverse()) await one.close();
  };
  const keep = <One extends { close(): Promise<void> }>(one: One): One => {
    opened.push(one);
    return one;
  };
  try {
    const ledger = keep(
      await openDistributedLedger({
        ...{ connectionString: database, name, isCoordinator },
        ...(schema !== undefined && { schema }),
      }),
    );
    const { ledgerId } = ledger;
    const queue = keep(await openWorkQueue({ queue: address, ledgerId, schema: ledger.schema, name, onNote }));
    /** In the order of the changes; where the engine is away, the next tick sets both. */
    const whileHeld = async (before: RunState | undefined, after: RunState): Promise<void> => {
      const set: Promise<void>[] = [];
      if (before?.limit.limit !== after.limit.limit) set.push(queue.setLimit(after.limit.limit));
      if (before === undefined || isStopped(before) !== isStopped(after)) set.push(queue.setPaused(isStopped(after)));
      if (set.length === 0) return;
      const late = new Promise<void>((resolve) => setTimeout(resolve, WHILE_HELD_MS).unref());
      await Promise.race([Promise.allSettled(set), late]);
    };
    const state = keep(await openSharedState({ row: ledger.state, whileHeld, onNote }));
    return { ledger, state, queue, engine: address.startsWith('redis') ? 'redis' : 'postgres', close };
  } catch (error) {
    await close();
    throw error;
  }
}

export interface Work extends Omit<RecordWorker, 'setSlots'> {
  throttle: WorkerThrottle;
  fence: Fence;
  /** What this process has done. */
  done(): WorkerWork;
}

export interface WorkOptions {
  client: DataImportClient;
  settings: RunSettings;
  concurrency: number;
  bookAt?: string | undefined;
  isCoordinator: boolean;
  /** Whether this process advances records; otherwise it reads the input and feeds the work queue. */
  works: boolean;
  now: () => Date;
  onEvent: (record: LedgerRecord, event: RecordEvent) => void;
  onNote: (note: string) => void;
}

const BEAT_EVERY_MS = 1000;

/** Takes part in the run: throttle, feeder, heartbeats, and records. */
export function takePart({ ledger, state, queue }: Joined, options: WorkOptions): Work {
  const { client, settings, concurrency, bookAt, isCoordinator, works, now, onEvent, onNote } = options;
  const { workerId } = ledger;
  const fence = createFence(
    () => fenceTimeMs(client.inFlight),
    machineClocks,
    () =>
      onNote(
        'no contact to the ledger for too long: calls in flight are broken off, and others may take the records over.',
      ),
  );
  let worker: RecordWorker | undefined;
  const throttle = createWorkerThrottle({
    ...{ state, workerId, client, concurrency, fence, isCoordinator, onNote, clock: machineClock },
    records: () => worker?.records() ?? 0,
    canProcess: () => worker !== undefined && queue.isReachable(),
  });
  const done = (): WorkerWork => {
    const { requests, throttled } = throttle.totals;
    return { ended: endedIn(throttle.totals), requests, throttled, takenOver: worker?.takenOver() ?? 0 };
  };
  const remembering = rememberInFlight(ledger, client.inFlight);
  // The first call that needs it rejects.
  remembering.catch(() => {});
  const stopWatching = client.observe({
    // A machine that was suspended finds out here: what was about to be sent is broken off.
    onSend: () => void fence.isOpen(),
    onResponse({ operation, status, durationMs }) {
      if (operation === 'accounts.process' && status !== undefined) void remembering.then((learned) => learned());
      if (fence.isOpen()) throttle.answered({ operation, status, latencyMs: durationMs });
    },
  });
  const lines = createLineReader({ bookAt });
  const first = firstAccountOfRun({
    ...{ ledger, workerId, state, mayBegin: throttle.mayBegin, after: machineClock.after },
  });
  const inFlight = new InFlightRecords(client.inFlight, now);
  if (works) {
    worker = startRecordWorker({
      ...{
        client,
        ledger,
        queue,
        lines,
        throttle,
        fence,
        inFlight,
        first,
        concurrency,
        isCoordinator,
        now,
        onEvent,
        onNote,
      },
      ready: remembering,
      settings: {
        ...settings,
        dryRun: triedBeforehand(settings.dryRun, first.firstAccount),
        profile: settings.profile === null ? undefined : defineProfile(settings.profile as Profile),
      },
    });
  }
  const stopSharing = state.onChange((now) => worker?.setSlots(slotsOf(now, workerId, state.now())));
  const feeder = startFeeder({ ledger, state, queue, onNote });
  const beating = setInterval(() => void ledger.workers.beat(done()).catch(() => {}), BEAT_EVERY_MS);
  let ending: Promise<void> | undefined;
  async function end(): Promise<void> {
    first.close();
    await worker?.end();
    await feeder.stop();
    stopWatching();
    stopSharing();
    await throttle.close();
    clearInterval(beating);
    await ledger.workers.beat(done()).catch(() => {});
    await lines.close();
  }
  return {
    throttle,
    fence,
    done,
    records: () => worker?.records() ?? 0,
    takenOver: () => worker?.takenOver() ?? 0,
    failed: worker?.failed ?? new Promise<never>(() => {}),
    breakOff: () => worker?.breakOff(),
    end() {
      ending ??= end();
      return ending;
    },
  };
}
