/** What is done with each record: the steps beyond those that every record takes, and how its items are sent. */
import { type Command, InvalidArgumentError } from 'commander';
import type { DryRunOption } from '../../migration/record/preconditions/dry-run.js';
import { atLeastOne, setting } from './settings.js';

export interface WorkFlags {
  team?: string;
  dryRun: DryRunOption;
  validate?: true;
  transactionsAtOnce: number;
  statementsAtOnce: number;
  notesAtOnce: number;
  retryRejected?: true;
  setAside?: true;
  resendAfter500?: true;
  /** false with `--no-force-current-statement`. */
  forceCurrentStatement: boolean;
  /** false with `--no-check-previously-added`. */
  checkPreviouslyAdded: boolean;
  addToExisting?: true;
  addAllToExisting?: true;
}

/** As `MigrationOptions.addToExisting` has it. */
export function addToExistingOf({ addToExisting, addAllToExisting }: WorkFlags): boolean | 'all' {
  return addAllToExisting ? 'all' : (addToExisting ?? false);
}

export function withWork(command: Command): Command {
  return withWorkOfRecords(command).addOption(
    setting('--retry-rejected', 'try again what was refused, also where the book is the same'),
  );
}

/** The same, where what was refused is tried again without being asked for. */
export function withWorkOfRecords(command: Command): Command {
  return command
    .addOption(setting('--team <name>', 'operations team that processes the accounts'))
    .addOption(
      setting('--dry-run <which>', 'accounts to try before processing: none, first, all, or every so many')
        .argParser(whichAccounts)
        .default('first'),
    )
    .addOption(setting('--validate', 'have the service validate each account before it is staged'))
    .addOption(setting('--transactions-at-once <number>', 'in one request').argParser(atLeastOne).default(100))
    .addOption(setting('--statements-at-once <number>', 'in one request').argParser(atLeastOne).default(100))
    .addOption(setting('--notes-at-once <number>', 'in one request').argParser(atLeastOne).default(100))
    .addOption(setting('--set-aside', 'a transaction that is refused does not keep the others back'))
    .addOption(
      setting(
        '--resend-after-500',
        'send businesses, payment instructions, statements and notes without a body again after a 500',
      ),
    )
    .addOption(
      setting(
        '--no-force-current-statement',
        'the service rejects a transaction that is dated outside the open statement period, and moves none into it',
      ),
    )
    .addOption(
      setting(
        '--no-check-previously-added',
        'the service does not skip transactions that it has; so a request without an answer is never sent again unasked',
      ),
    )
    .addOption(
      setting(
        '--add-to-existing',
        'send notes and transactions, which the service skips where it has them, to accounts that existed before or whose line changed; statements and payment instructions only to accounts that this run created and sent none',
      ),
    )
    .addOption(
      setting(
        '--add-all-to-existing',
        'the same, and statements and payment instructions to accounts that existed before: the service does not skip these, so they are there twice where another run, another folder or a person has sent them',
      ),
    );
}

function whichAccounts(value: string): WorkFlags['dryRun'] {
  if (value === 'none' || value === 'first' || value === 'all') return value;
  if (/^[1-9]\d*$/.test(value)) return Number(value);
  throw new InvalidArgumentError('Expected none, first, all, or a whole number for every so many.');
}
