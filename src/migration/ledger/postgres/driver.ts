/** Exports `loadPg`, which loads `pg`, the client of PostgreSQL: an optional peer dependency, loaded only for such a ledger. */
import type pg from 'pg';
import { LedgerDatabaseError } from './database-error.js';

export type Pg = Pick<typeof pg, 'Client' | 'Pool' | 'types'>;

/** Resolves with the module. Rejects with a `LedgerDatabaseError` that has the command to install it. */
export async function loadPg(load: () => Promise<Pg> = () => import('pg')): Promise<Pg> {
  try {
    return await load();
  } catch (cause) {
    throw new LedgerDatabaseError(
      'ledger: a ledger on PostgreSQL needs the package pg. Install it with "npm install pg@8".',
      { cause },
    );
  }
}
