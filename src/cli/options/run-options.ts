/** Options that name a run: its folder, its ledger, and the target that it must have. */
import { parseServiceUrl } from '../../http/transport/address.js';
import { SANDBOX_TARGET, targetOf } from '../../migration/run/expect-target.js';
import { UsageError } from '../shared/errors.js';
import { inGroup, type OptionTable, type OptionValues } from './option.js';

const RUN_FOLDER = 'data-import-run';
const REHEARSAL_FOLDER = 'data-import-rehearsal';

export const folderOptions = {
  run: {
    flags: '--run <folder>',
    group: 'Output',
    help: 'files of the run',
    details: `With --sandbox the default is "${REHEARSAL_FOLDER}", so that a rehearsal never uses the ledger of the migration.`,
    default: RUN_FOLDER,
    defaultWith: { option: 'sandbox', value: REHEARSAL_FOLDER },
  },
} as const satisfies OptionTable;

export const ledgerOptions = inGroup('Output', {
  database: {
    flags: '--database <url>',
    help: 'ledger on PostgreSQL',
    details: 'As postgres://user@host:5432/database. Without it the ledger is a file in the run folder.',
  },
  databaseSchema: {
    flags: '--database-schema <name>',
    help: 'schema of the ledger',
    shownDefault: 'data_import',
    needs: 'database',
  },
});

/** For commands that read or control a run, and reach no service. */
export const rehearsalOptions = {
  sandbox: {
    flags: '--sandbox',
    group: 'Service',
    help: 'use the run of the rehearsal',
    details: 'The default of --run is then the folder of the rehearsal.',
  },
} as const satisfies OptionTable;

/** For commands that reach the service of a run. `plan` and `verify` compare the address; the others ask the new service for accounts, and store it. */
export const retargetOptions = {
  retarget: {
    flags: '--retarget <old url>',
    group: 'Service',
    help: 'former address, if the service has moved',
    details:
      'Must equal the address in the ledger. The new service is asked for up to five accounts of the ledger; if it has none of them, the command ends with exit code 2.',
    notKept: 'Done once: the ledger has the new address.',
  },
} as const satisfies OptionTable;

/** What opening the ledger of a run needs of the flags of any command. */
export type RunFlags = OptionValues<typeof folderOptions> &
  OptionValues<typeof ledgerOptions> &
  OptionValues<typeof retargetOptions> & { sandbox?: true; baseUrl?: string };

/** The target that the flags name; undefined if they name none: then any run in the folder fits. Throws a `UsageError`. */
export function targetIn({ sandbox, baseUrl }: Pick<RunFlags, 'sandbox' | 'baseUrl'>): string | undefined {
  if (sandbox) return SANDBOX_TARGET;
  if (baseUrl === undefined) return undefined;
  try {
    const { origin, path } = parseServiceUrl(baseUrl);
    return targetOf(origin + path);
  } catch (error) {
    throw new UsageError((error as Error).message.replace(/^baseUrl/, '--base-url'), { cause: error });
  }
}
