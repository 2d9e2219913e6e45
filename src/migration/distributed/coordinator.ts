/**
 * Exports `openDistributedRun` for the process that reads the input (the coordinator). Pass its result to `runMigration` instead of a
 * ledger. The coordinator registers records for the workers, and with `works` is a worker too.
 */
import { setTimeout as after } from 'node:timers/promises';
import { Callbacks } from '../../callbacks.js';
import { checkOptionKinds, machineNow, type OptionKinds } from '../../validation/option-kinds.js';
import type { Profile } from '../../validation/profile.js';
import type { Ledger } from '../ledger/ledger.js';
import type { NotAccepted } from '../record/events/record-event.js';
import { isAcceptedTeam } from '../record/preconditions/first-account.js';
import { contractsOf } from '../record/record-key.js';
import type { RunWorkers } from '../run/run-context.js';
import type { CompactEvent } from '../throttle/compact-event.js';
import { DEFAULT_HALT } from '../throttle/halt-rules.js';
import { firstLimit, withBounds } from '../throttle/limits/adaptive-limit.js';
import { draining } from '../throttle/pace.js';
import { type ThrottleOptions, throttleSettings } from '../throttle/settings.js';
import type { Throttle } from '../throttle/throttle.js';
import { type Joined, joinRun } from './ledger/distributed-ledger.js';
import type { Worker } from './ledger/worker-rows.js';
import { liveWorkers, type RunSettings, type RunState } from './state/run-state.js';
import { takePart, type Work, type WorkOptions } from './worker/record-worker.js';
import { statusOf, type WorkerStatus } from './worker/worker-status.js';

/** Options of `openDistributedRun`. */
export interface DistributedRunOptions {
  /** Address of the ledger's database: `postgres://user@host:5432/database`. */
  database: string;
  /**
   * Schema of the ledger.
   * @default 'data_import'
   */
  schema?: string | undefined;
  /** Address of the service. A worker for another address cannot join. */
  address: string;
  /**
   * Whether this process also works on records.
   * @default true
   */
  works?: boolean | undefined;
  /**
   * Name of this process in status and report.
   * @default the host name and the process id
   */
  name?: string | undefined;
  /** Called with a line of text if the ledger is unavailable, and when it is available again. */
  onNote?: ((note: string) => void) | undefined;
}

const KINDS: OptionKinds<DistributedRunOptions> = {
  database: 'string',
  schema: 'string?',
  address: 'string',
  works: 'boolean?',
  name: 'string?',
  onNote: 'function?',
};

/** Option `distributed` of `runMigration`. The caller that opens it must close it after the run. */
export interface DistributedRun {
  /** The states of all records. */
  ledger: Ledger;
  /** Returns the current state of this process. */
  status(): WorkerStatus;
  /** Leaves the run. Workers continue with the records that the ledger has. */
  close(): Promise<void>;
  /**
   * Begins or continues the run.
   * @internal
   */
  begin(options: BeginOptions): Promise<BegunRun>;
}

/**
 * Joins as the process that reads the input. Rejects with a `LedgerLockedError` if another process does that or a run on one machine
 * uses the ledger, and with a `LedgerDatabaseError` if the database cannot be used.
 */
export async function openDistributedRun(options: DistributedRunOptions): Promise<DistributedRun> {
  checkOptionKinds('openDistributedRun', options, KINDS);
  const { database, schema, name } = options;
  const callbacks = new Callbacks();
  const onNote = callbacks.watched(options.onNote) ?? (() => {});
  const joined = await joinRun({ connectionString: database, schema, name, isCoordinator: true, onNote });
  return distributedRunOf(joined, { ...options, onNote }, callbacks);
}

/** Returns the `DistributedRun` of a process that has joined. */
export function distributedRunOf(
  joined: Joined,
  options: DistributedRunOptions,
  callbacks = new Callbacks(),
): DistributedRun {
  let begun: Work | undefined;
  let hasLeft = false;
  return {
    ledger: joined.ledger,
    status: () => statusOf(begun, { isDraining: begun?.throttle.status().state === 'draining', hasLeft }),
    async close() {
      hasLeft = true;
      await joined.ledger.close();
    },
    async begin(run) {
      const started = await begin(joined, options, run);
      begun = started;
      const end = async () => {
        await started.end();
        await callbacks.settled();
      };
      return { ...started, end };
    },
  };
}

interface BeginOptions extends Pick<WorkOptions, 'client' | 'now' | 'onEvent'> {
  throttle: ThrottleOptions | undefined;
  settings: Omit<RunSettings, 'address' | 'window' | 'halt' | 'profile'>;
  profile: Profile | undefined;
  /** Aborts the calls in flight in this process. */
  signal: AbortSignal | undefined;
}

/** A distributed run that `runMigration` has begun. Not the inferred type: the public types would then have all that it names. */
export interface BegunRun {
  throttle: Throttle & { onOthers(listener: (event: CompactEvent) => void): () => void };
  /** Rejects if the ledger cannot be used, or the worker must leave; otherwise it never settles. */
  failed: Promise<never>;
  /** Takes no more records. Resolves when the records of this process have ended or are free for other workers. */
  end(): Promise<void>;
  /** The workers as the run sees them. */
  workers: RunWorkers;
  rows(): Promise<Worker[]>;
  /** Returns what the service does not accept, if that halted the run. */
  notAccepted(): NotAccepted | undefined;
  /** Ends the run, so that workers leave. `unfinished`: why records are left, so that the workers wait for the next session. */
  over(unfinished?: string): Promise<void>;
}

async function begin(joined: Joined, distributed: DistributedRunOptions, run: BeginOptions): Promise<Work & BegunRun> {
  const { address, works = true, onNote = () => {} } = distributed;
  const { throttle = {}, profile, client, now, onEvent, signal } = run;
  const { ledger, state } = joined;
  const isAccepted = await isAcceptedTeam(ledger, run.settings.team);
  const settings: RunSettings = {
    ...{ ...run.settings, address, profile: profile ?? null },
    ...{ window: throttle.window?.text ?? null, halt: throttle.halt ?? DEFAULT_HALT },
  };
  await ledger.patiently(() => state.begin((former) => stateFor(former, settings, throttle, isAccepted)));
  await ledger.makeAllDue();
  const { concurrency } = throttleSettings(throttle);
  const work = takePart(joined, {
    ...{ client, settings, concurrency, works, onEvent, onNote, isCoordinator: true },
    now: now === machineNow ? undefined : now,
  });
  signal?.addEventListener('abort', work.breakOff, { once: true });
  return {
    ...work,
    workers: workersOf(joined, work, signal),
    rows: ledger.workers,
    notAccepted: () => state.current()?.ended?.notAccepted ?? undefined,
    over: (unfinished) =>
      ledger.patiently(() =>
        state.store((current, at) =>
          unfinished === undefined ? { ...current, phase: 'over' } : draining(unfinished)(current, at),
        ),
      ),
  };
}

/** Highest limit of simultaneous `process` calls of all workers. Each worker also has its own limit, its concurrency. */
const MOST_AT_ONCE = 10_000;

/** Returns the state at the start of a run. A run that continues keeps its adaptive limit. */
function stateFor(
  former: RunState | undefined,
  settings: RunSettings,
  options: ThrottleOptions,
  isAccepted: boolean,
): RunState {
  const { start, bounds, rps } = throttleSettings({ ...options, process: { most: MOST_AT_ONCE, ...options.process } });
  return {
    ...{ phase: 'open', settings, isWholeInputKnown: false, paused: null, ended: null, rps },
    limit: former === undefined ? firstLimit(start, bounds) : withBounds(former.limit, bounds),
    heldUntil: former?.heldUntil ?? { all: 0, process: 0 },
    ...{ halt: null, failedInRow: 0, workers: former?.workers ?? {} },
    isTeamAccepted: isAccepted,
  };
}

const BETWEEN_LOOKS_MS = 250;
const BETWEEN_LOOKS_AT_FIRST_MS = 50;
/** The run stops when each unfinished record has failed three times for reasons outside the records, and none ended in between. */
const TRIES = 3;
const STUCK = `all calls of the remaining records failed, ${TRIES} times each`;
/** Unfinished records are counted up to this number: three times as many failures in a row stop any run. */
const MOST_COUNTED = 1000;

/** Each write is a compare-and-set, so if a worker and this process change the same record, only one of the writes succeeds. */
function workersOf({ ledger, state }: Joined, { throttle }: Work, signal: AbortSignal | undefined): RunWorkers {
  const failed = () => state.current()?.failedInRow ?? 0;
  const isStuck = async (): Promise<boolean> => {
    if (failed() < TRIES) return false;
    const left = await ledger.countWork(MOST_COUNTED);
    return left > 0 && failed() >= TRIES * left;
  };
  const isBusy = (): boolean => {
    const now = state.current();
    return now !== undefined && liveWorkers(now, state.now()).some(([, { records }]) => records > 0);
  };
  return {
    async register(record, payload, isWholeInputKnown) {
      if (isWholeInputKnown && !state.current()?.isWholeInputKnown) {
        await ledger.patiently(() => state.store((now) => ({ ...now, isWholeInputKnown })));
      }
      return ledger.register(record, contractsOf(payload));
    },
    async isFirstAccepted(account) {
      const before = failed();
      while (!state.current()?.isTeamAccepted && throttle.isAccepting() && !signal?.aborted) {
        // A failed call says nothing about the team.
        if (failed() > before || (await ledger.find(account))?.outcome != null) return false;
        await after(BETWEEN_LOOKS_AT_FIRST_MS);
      }
      return true;
    },
    async whenIdle(kinds) {
      while ((await ledger.countWork(1)) > 0) {
        // An aborted run does not wait for other workers.
        if (signal?.aborted || (!throttle.isAccepting() && !isBusy())) return 0;
        // When the command is repeated, it tries again.
        if (throttle.isAccepting() && (await isStuck())) throttle.drain(STUCK);
        await after(BETWEEN_LOOKS_MS);
      }
      return ledger.countSetAside(kinds);
    },
  };
}
