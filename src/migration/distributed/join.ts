/** Exports `joinRun`, which opens ledger and state for a process of a distributed run. */
import { hostname } from 'node:os';
import { setTimeout as after } from 'node:timers/promises';
import { hasNoFreeConnection } from '../ledger/postgres/database-error.js';
import { type DistributedLedger, openDistributedLedger } from './ledger/distributed-ledger.js';
import { openSharedState, type SharedState } from './state/shared-state.js';

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
