/** Options of what a run does with each record: the team, additional steps, and how its items are sent. */
import { InvalidArgumentError } from 'commander';
import type { RecordKind } from '../../migration/ledger/ledger.js';
import type { DryRunOption } from '../../migration/record/preconditions/dry-run.js';
import { flagsInGroup, inGroup, type OptionTable, type OptionValues } from './option.js';
import { atLeastOne } from './values.js';

/** For `retry`, which sends rejected records again in any case. */
export const retryRecordOptions = {
  team: {
    flags: '--team <name>',
    group: 'Service',
    help: 'operations team that processes the accounts',
  },
  ...inGroup('Speed', {
    transactionsAtOnce: {
      flags: '--transactions-at-once <number>',
      help: 'transactions in one request',
      parse: atLeastOne,
      default: 100,
    },
    statementsAtOnce: {
      flags: '--statements-at-once <number>',
      help: 'statements in one request',
      parse: atLeastOne,
      default: 100,
    },
    notesAtOnce: {
      flags: '--notes-at-once <number>',
      help: 'notes in one request',
      parse: atLeastOne,
      default: 100,
    },
  }),
  ...inGroup('Safety', {
    dryRun: {
      flags: '--dry-run <which>',
      help: 'first, all, none or each nth',
      details: 'Which accounts to dry-run before processing. A number n: every nth account.',
      parse: whichAccounts,
      default: 'first',
    },
    validate: {
      flags: '--validate',
      help: 'the service validates each account first',
      details: 'One more request for each account, before it is staged.',
    },
    setAside: { flags: '--set-aside', help: 'if a transaction is refused, send the others' },
    resendAfter500: {
      flags: '--resend-after-500',
      help: 'repeat also unsafe requests after a 500',
      details:
        'After an answer 500 without a body: businesses, payment instructions, statements and notes. If the first request took effect nevertheless, they exist twice.',
    },
    forceCurrentStatement: {
      flags: '--no-force-current-statement',
      help: 'reject transactions outside the open period',
      details: 'Otherwise the service moves the date of such a transaction into the open statement period.',
    },
    checkPreviouslyAdded: {
      flags: '--no-check-previously-added',
      help: 'do not skip transactions that exist',
      details:
        'The service adds a transaction that it already has a second time. The runner never repeats a transactions request without an answer.',
    },
    addToExisting: {
      flags: '--add-to-existing',
      help: 'send items of accounts that existed before',
      details:
        'Notes and transactions, which the service skips if it has them, of accounts that existed before or whose line changed; new statements and payment instructions only of accounts that this run created. Nothing new while the line lacks items that were sent.',
    },
    addAllToExisting: {
      flags: '--add-all-to-existing',
      help: 'also items that may then exist twice',
      details:
        'As --add-to-existing, and statements and payment instructions of accounts that existed before. The service does not skip these: they exist twice if another run, another folder or a person has sent them.',
    },
  }),
} as const satisfies OptionTable;

export const recordOptions = {
  ...retryRecordOptions,
  retryRejected: {
    flags: '--retry-rejected',
    group: 'Safety',
    help: 'send unchanged rejected records again',
  },
} as const satisfies OptionTable;

export type RecordFlags = OptionValues<typeof recordOptions>;

/** For commands that choose records by their numbers. */
export const recordSelectionOptions = flagsInGroup('Records', {
  account: { flags: '--account <number>', help: 'by external account number' },
  business: { flags: '--business <identifier>', help: 'by external business identifier' },
  populate: {
    flags: '--populate <number>',
    help: 'supply points, by their number in the files',
    details: 'The number that rejected.jsonl or unknown.jsonl has for them.',
  },
  supplier: { flags: '--supplier <code>', help: 'import supplier, if several have the number' },
});

/** Returns the options of a run that these flags set. Those with another name in `StepOptions` are renamed here. */
export function ofRecords(flags: RecordFlags) {
  const own = Object.fromEntries(
    Object.keys(recordOptions).map((name) => [name, flags[name as keyof RecordFlags]]),
  ) as RecordFlags;
  const { validate, forceCurrentStatement, checkPreviouslyAdded, addAllToExisting, ...same } = own;
  return {
    ...same,
    validateRemotely: validate,
    force_add_to_current_statement: forceCurrentStatement,
    check_previously_added: checkPreviouslyAdded,
    addToExisting: addAllToExisting ? ('all' as const) : same.addToExisting,
  };
}

function whichAccounts(value: string): DryRunOption {
  if (value === 'none' || value === 'first' || value === 'all') return value;
  if (/^[1-9]\d*$/.test(value)) return Number(value);
  throw new InvalidArgumentError('Expected none, first, all, or a whole number n for every nth account.');
}

/** The record that these options choose; undefined fields for any. */
export function chosenBy({ account, business, populate, supplier }: OptionValues<typeof recordSelectionOptions>): {
  kind: RecordKind | undefined;
  number: string | undefined;
  supplier: string | undefined;
} {
  const kinds = { account, business, populate };
  const [kind] = (Object.keys(kinds) as RecordKind[]).filter((one) => kinds[one] !== undefined);
  return { kind, number: kind && kinds[kind], supplier };
}
