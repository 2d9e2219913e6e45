/** Exports `joinRun`, which opens ledger and state for a process of a distributed run. */
import { hostname } from 'node:os';
import { type DistributedLedger, openDistributedLedger } from './ledger/distributed-ledger.js';
import { openSharedState, type SharedState } from './state/shared-state.js';

export interface JoinOptions {
  database: string;
  schema?: string | undefined;
  name?: string | undefined;
  /** Whether this process reads the input. At most one does. */
  isCoordinator: boolean;
  onNote: (note: string) => void;
}

export interface Joined {
  ledger: DistributedLedger;
  state: SharedState;
}

/** Opens ledger and state. Rejects as `postgresLedger`. */
export async function joinRun(options: JoinOptions): Promise<Joined> {
  const { database, schema, isCoordinator, onNote, name = `${hostname()}-${process.pid}` } = options;
  const place = { connectionString: database, ...(schema !== undefined && { schema }) };
  const ledger = await openDistributedLedger({ ...place, name, isCoordinator });
  try {
    return { ledger, state: await openSharedState({ row: ledger.state, patiently: ledger.patiently, onNote }) };
  } catch (error) {
    await ledger.close();
    throw error;
  }
}
