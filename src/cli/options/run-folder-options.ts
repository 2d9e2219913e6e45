/** Which run a command is for: its folder, and the target that it must have. */
import type { Command } from 'commander';
import { parseServiceUrl } from '../../http/address.js';
import { SANDBOX_TARGET, targetOf } from '../../migration/run/target.js';
import { UsageError } from '../shared/errors.js';
import { expectBeside, setting } from './settings.js';

export interface TargetFlags {
  run: string;
  sandbox?: true;
  baseUrl?: string;
  retarget?: string;
}

const RUN_FOLDER = 'data-import-run';
const REHEARSAL_FOLDER = 'data-import-rehearsal';

/** The default folder of a rehearsal is another one, so that its ledger is never taken for the migration's. */
export function withRunFolder(command: Command, description = 'the run folder'): Command {
  command.hook('preAction', (_, action) => {
    const isGiven = action.getOptionValueSource('run') !== 'default';
    if (isGiven || action.getOptionValue('sandbox') === undefined) return;
    action.setOptionValueWithSource('run', REHEARSAL_FOLDER, 'default');
  });
  return command.addOption(
    setting('--run <folder>', description).default(RUN_FOLDER, `"${RUN_FOLDER}"; with --sandbox "${REHEARSAL_FOLDER}"`),
  );
}

/** Of commands that reach no service, and only look at a run or steer it. */
export function withRehearsal(command: Command): Command {
  return command.addOption(setting('--sandbox', 'the run of the rehearsal, in place of the migration'));
}

/** Of commands that reach the service of a run. `plan` and `verify` only compare the address; the others store the new one. */
export function withRetarget(command: Command): Command {
  return command.addOption(
    setting('--retarget <old url>', 'former address of a service that has moved; must equal the address in the ledger'),
  );
}

/** undefined where the flags name no target: the command takes any run in the folder. Throws a UsageError for an invalid address. */
export function targetIn({ sandbox, baseUrl }: Pick<TargetFlags, 'sandbox' | 'baseUrl'>): string | undefined {
  if (sandbox) return SANDBOX_TARGET;
  if (baseUrl === undefined) return undefined;
  try {
    const { origin, path } = parseServiceUrl(baseUrl);
    return targetOf(origin + path);
  } catch (error) {
    throw new UsageError((error as Error).message.replace(/^baseUrl/, '--base-url'), { cause: error });
  }
}

export interface LedgerFlags extends TargetFlags {
  database?: string;
  databaseSchema?: string;
}

export function withLedger(command: Command): Command {
  expectBeside(command, 'database', 'databaseSchema');
  return command
    .addOption(setting('--database <url>', 'keep the ledger on PostgreSQL: postgres://user@host:5432/database'))
    .addOption(setting('--database-schema <name>', 'the schema there that holds it (default: data_import)'));
}
