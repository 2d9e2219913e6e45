/**
 * Exports `runState`, `distributedRunOf` and `changePace`: what a worker that waits for a run, and the commands status, report, pause, resume,
 * drain and set, do with a run that they have not joined. They take no lock, so that other commands on the ledger work meanwhile.
 */
import type { Ledger } from '../../ledger/ledger.js';
import { type PostgresBase, postgresBase } from '../../ledger/postgres/base.js';
import { type Coordinator, coordinatorIn } from '../../ledger/postgres/run-lock.js';
import { DEFAULT_SCHEMA } from '../../ledger/postgres/schema.js';
import { setFact } from '../../ledger/sql/sql-ledger.js';
import type { PaceChange } from '../../throttle/pace.js';
import { isOpen, type RunState } from '../state/run-state.js';
import { begun } from '../state/shared-state.js';
import { createStateRow } from '../state/state-row.js';
import { type Worker, workersIn } from './worker-rows.js';

/** How long a command waits for an unavailable server. */
const PATIENCE_MS = 10_000;

/**
 * Returns the state of the run in a ledger; undefined if none has begun. Rejects with a `LedgerDatabaseError` if the server cannot be
 * reached within `patienceMs`.
 */
export const runState = (place: Place, patienceMs: number): Promise<RunState | undefined> =>
  read(place, 'open', patienceMs, async (base) => {
    await base.expectSessions();
    return (await createStateRow(base.finders, base.schema).read()).state;
  });

/** What other processes see of a distributed run. */
export interface SeenRun {
  /** All workers, also former ones, in the order of joining. */
  workers: Worker[];
  /** undefined if the last run of the ledger was on one machine. */
  coordinator: Coordinator | undefined;
  /** Why the run is paused; null if it is not, or is not open. */
  paused: string | null;
}

/**
 * Returns the processes of the distributed run of a ledger; undefined if it has never had one. Rejects with a `LedgerDatabaseError` if the
 * server does not answer.
 */
export const distributedRunOf = (place: Place): Promise<SeenRun | undefined> =>
  read(place, 'read', PATIENCE_MS, async ({ finders, schema }) => {
    const workers = await workersIn(finders, schema);
    if (workers.length === 0) return undefined;
    const { state } = await createStateRow(finders, schema).read();
    const coordinator = await coordinatorIn(finders, schema);
    return { workers, coordinator, paused: isOpen(state) ? state.paused : null };
  });

/**
 * Changes the pace of an open run for all its processes, also without a coordinator. Resolves with whether the run is open; a run that is
 * over, drained or halted is not changed. `also`: stores facts after that. Rejects as `distributedRunOf`.
 */
export const changePace = (
  place: Place,
  change: PaceChange,
  also?: (ledger: Pick<Ledger, 'setFact'>) => Promise<void>,
): Promise<boolean> =>
  read(place, 'write to', PATIENCE_MS, async ({ finders, schema, db }) => {
    const row = createStateRow(finders, schema);
    if (!isOpen((await row.read()).state)) return false;
    await row.change((state, now) => change(begun(state), now));
    await also?.({ setFact: async (name, value) => void (await setFact(name, value, db)) });
    return true;
  });

export interface Place {
  database: string;
  schema: string | undefined;
}

async function read<Result>(
  { database, schema = DEFAULT_SCHEMA }: Place,
  doing: string,
  patienceMs: number,
  ask: (base: PostgresBase) => Promise<Result>,
): Promise<Result> {
  const base = await postgresBase({ connectionString: database, schema }, patienceMs);
  try {
    return await base.patient(doing, () => ask(base));
  } finally {
    await base.leave();
  }
}
