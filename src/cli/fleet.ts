/** The fleet of `data-import run --fleet`: opened in place of a ledger, and closed with it. */
import type { Fleet } from '../migration/fleet/fleet.js';
import type { Ledger } from '../migration/ledger/ledger.js';
import type { Connection } from './connection.js';
import type { FleetFlags } from './fleet-flags.js';
import type { LedgerFlags } from './ledger-flags.js';
import { openOnServer } from './open-ledger.js';
import { type Surroundings, UsageError } from './surroundings.js';

export interface FleetOfRun {
  open(): Promise<Ledger>;
  /** Once it is open. */
  opened(): Fleet | undefined;
}

/** Throws a UsageError where the flags cannot be those of a fleet. */
export function fleetOf(
  { run, database, databaseSchema, queue, bookIn }: FleetFlags & LedgerFlags,
  { sandbox, address }: Connection,
  { err }: Pick<Surroundings, 'err'>,
): FleetOfRun {
  if (database === undefined) {
    throw new UsageError(
      '--fleet needs a ledger that all its members reach: give --database (or DATA_IMPORT_DATABASE).',
    );
  }
  if (sandbox !== undefined) {
    throw new UsageError(
      'no worker reaches a sandbox inside this command: start "data-import sandbox", and give its address with --base-url.',
    );
  }
  let fleet: Fleet | undefined;
  return {
    opened: () => fleet,
    async open() {
      const { openFleet } = await import('../migration/fleet/fleet.js');
      const onNote = (note: string) => err(`data-import: ${note}\n`);
      return openOnServer(run, { database, databaseSchema, readOnly: false }, async ({ connectionString, schema }) => {
        const opened = await openFleet({ database: connectionString, schema, queue, bookIn, address, onNote });
        fleet = opened;
        const close = async () => {
          await opened.close();
        };
        return { ...opened.ledger, close };
      });
    },
  };
}
