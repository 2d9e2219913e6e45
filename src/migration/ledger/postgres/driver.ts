/** The client of PostgreSQL, `pg`: an optional peer, loaded when a ledger there is opened and by nothing else. */
import type pg from 'pg';
import { LedgerDatabaseError } from './database-error.js';

export type Pg = Pick<typeof pg, 'Client' | 'Pool' | 'types'>;

/** Rejects with a `LedgerDatabaseError` that says what to install. */
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
