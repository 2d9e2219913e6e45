/** Where the ledger of a run is: in its folder, or on a PostgreSQL. */
import type { Command } from 'commander';
import type { TargetFlags } from './run-folder-options.js';
import { expectBeside, setting } from './settings.js';

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
