/** The fleet of `data-import run --fleet`: opened in place of a ledger, and closed with it. */
import type { DataImportClient } from '../../client.js';
import type { Fleet } from '../../migration/distributed/coordinator.js';
import type { Ledger } from '../../migration/ledger/ledger.js';
import type { Health } from '../monitoring/health-server.js';
import { type ServingFlags, servedBy, whileServing } from '../monitoring/serve-monitoring.js';
import type { Connection } from '../open/connection.js';
import { openOnServer } from '../open/ledger.js';
import type { FleetFlags } from '../options/fleet-flags.js';
import type { RunFlags } from '../options/run-options.js';
import type { CommandContext } from '../shared/command-context.js';
import { UsageError } from '../shared/errors.js';

export interface FleetOfRun {
  open(): Promise<Ledger>;
  /** Once it is open. */
  opened(): Fleet | undefined;
  /** What this member serves, as long as `work` goes on. */
  whileServing(client: DataImportClient, work: (health: Health | undefined) => Promise<void>): Promise<void>;
}

/** Throws a UsageError where only a member of a fleet can do what the flags say. */
export function expectNoServing({ health, dashboard }: ServingFlags): void {
  for (const [flag, given] of Object.entries({ '--health': health, '--dashboard': dashboard })) {
    if (given !== undefined) throw new UsageError(`${flag} is for members of a fleet: give --fleet as well.`);
  }
}

/** Throws a UsageError where the flags cannot be those of a fleet. */
export function fleetOf(
  flags: FleetFlags & RunFlags,
  { rehearsal, address }: Connection,
  { err }: Pick<CommandContext, 'err'>,
): FleetOfRun {
  const { run, database, databaseSchema, queue, bookIn, name } = flags;
  if (database === undefined) {
    throw new UsageError(
      '--fleet needs a ledger that all its members reach: give --database (or DATA_IMPORT_DATABASE).',
    );
  }
  if (rehearsal !== undefined) {
    throw new UsageError(
      'no worker reaches a sandbox inside this command: start "data-import sandbox", and give its address with --base-url.',
    );
  }
  const served = servedBy(flags);
  let fleet: Fleet | undefined;
  return {
    opened: () => fleet,
    whileServing: (client, work) => whileServing(served, { client, fleet: { ...flags, database }, err }, work),
    async open() {
      const { openFleet } = await import('../../migration/distributed/coordinator.js');
      const onNote = (note: string) => err(`data-import: ${note}\n`);
      return openOnServer(run, { database, databaseSchema, readOnly: false }, async ({ connectionString, schema }) => {
        const opened = await openFleet({ database: connectionString, schema, queue, bookIn, name, address, onNote });
        fleet = opened;
        const close = async () => {
          await opened.close();
        };
        return { ...opened.ledger, close };
      });
    },
  };
}
