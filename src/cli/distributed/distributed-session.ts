/** Exports `distributedSessionOf`: opens the distributed run of `data-import-sdk run --distributed` together with its ledger. */
import type { DistributedRun } from '../../migration/distributed/coordinator.js';
import type { Ledger } from '../../migration/ledger/ledger.js';
import type { Connection } from '../open/connection.js';
import { openOnServer } from '../open/ledger.js';
import type { DistributedFlags } from '../options/distributed-options.js';
import type { MonitoringFlags } from '../options/output-options.js';
import type { RunFlags } from '../options/run-options.js';
import type { CommandContext } from '../shared/command-context.js';
import { UsageError } from '../shared/errors.js';

/** Returns a session that is not open yet. Throws a `UsageError` for flags that a distributed run cannot have. */
export function distributedSessionOf(
  flags: DistributedFlags & MonitoringFlags & RunFlags,
  { rehearsal, address }: Connection,
  { err }: Pick<CommandContext, 'err'>,
) {
  const { database, name } = flags;
  if (database === undefined) {
    throw new UsageError(
      '--distributed needs a ledger that all its workers reach: give --database (or DATA_IMPORT_DATABASE).',
    );
  }
  if (rehearsal !== undefined) {
    throw new UsageError(
      'no worker reaches a sandbox inside this command: start "data-import-sdk sandbox", and give its address with --base-url.',
    );
  }
  let distributed: DistributedRun | undefined;
  return {
    /** Returns the distributed run; undefined before `open`. */
    opened: () => distributed,
    async open(): Promise<Ledger> {
      const { openDistributedRun } = await import('../../migration/distributed/coordinator.js');
      const onNote = (note: string) => err(`data-import-sdk: ${note}\n`);
      return openOnServer({ ...flags, database }, false, async ({ connectionString, schema }) => {
        const opened = await openDistributedRun({ database: connectionString, schema, name, address, onNote });
        distributed = opened;
        return { ...opened.ledger, close: opened.close };
      });
    },
  };
}
