/** Exports `runPhase`, with which a worker waits for a run: without a lock, so that commands on the ledger work meanwhile. */
import { postgresBase } from '../../ledger/postgres/base.js';
import { DEFAULT_SCHEMA } from '../../ledger/postgres/schema.js';
import { isOpen, type RunState } from '../state/run-state.js';
import { createStateRow } from '../state/state-row.js';

/** `open`: workers may take part. `none`: no run has begun, or it is drained or halted. */
export type RunPhase = 'none' | 'open' | 'over';

export function phaseOf(state: RunState | undefined): RunPhase {
  if (state?.phase === 'over') return 'over';
  return isOpen(state) ? 'open' : 'none';
}

/**
 * Returns the phase of the run in a ledger. Rejects with a `LedgerDatabaseError` if the server cannot be reached within `patienceMs`.
 */
export async function runPhase(
  { database, schema = DEFAULT_SCHEMA }: { database: string; schema?: string | undefined },
  patienceMs: number,
): Promise<RunPhase> {
  const base = await postgresBase({ connectionString: database, schema }, patienceMs);
  try {
    const { state } = await base.patient('open', async () => {
      await base.expectSessions();
      return createStateRow(base.finders, schema).read();
    });
    return phaseOf(state);
  } finally {
    await base.leave();
  }
}
