/** `data-import forget`: takes records that left the input on purpose out of the ledger, and never one that exists. */
import { Command } from 'commander';
import type { Ledger, LedgerRecord, RecordKind } from '../../migration/ledger/ledger.js';
import { canStartOver } from '../../migration/record/apply-event.js';
import { mayRunUntil } from '../../migration/record/preconditions/in-flight-records.js';
import { masked } from '../../migration/report/summary/error-groups.js';
import { counted } from '../../migration/shared/format.js';
import { type LedgerFlags, withLedger, withRehearsal, withRunFolder } from '../options/run-folder-options.js';
import { setting, withConfigFile } from '../options/settings.js';
import { nextCommands } from '../session/next-commands.js';
import type { CommandContext } from '../shared/command-context.js';
import { UsageError } from '../shared/errors.js';
import { EXIT } from '../shared/exit-codes.js';

interface Flags extends LedgerFlags {
  account?: string;
  business?: string;
  populate?: string;
  supplier?: string;
  notInInput?: true;
  json?: true;
}

const HELP = `
  data-import forget --account A-1      a number that was a mistake, or an account that is not migrated
  data-import forget --not-in-input     all records of not-in-input.jsonl

Only records that are not on the service are forgotten: rejected and skipped ones, and open ones of which nothing was
processed. Each is noted in audit.log. A line with the number is a new record afterwards. Sends nothing.

Exit code 2 for a record that exists, or may exist, on the service, and for one that the run does not have.
`;

export function forgetCommand(context: CommandContext): Command {
  const command = new Command('forget')
    .description('Take records that left the input on purpose out of the run. Sends nothing.')
    .option('--account <number>', 'the account with this external account number')
    .option('--business <identifier>', 'the business with this external business identifier')
    .option('--populate <number>', 'the supply points that rejected.jsonl has under this number')
    .option('--supplier <code>', 'its import supplier, where several have that number')
    .option('--not-in-input', 'every record that the last session found to be no longer in the input')
    .addOption(setting('--json', 'as one line of JSON'))
    .addHelpText('after', HELP)
    .action((flags: Flags) => forget(flags, context));
  return withConfigFile(withLedger(withRehearsal(withRunFolder(command))));
}

async function forget(flags: Flags, context: CommandContext): Promise<void> {
  const { account, business, populate, notInInput, run, json } = flags;
  if ([account, business, populate, notInInput].filter((one) => one !== undefined).length !== 1) {
    throw new UsageError(
      'expected one of --account <number>, --business <identifier>, --populate <number> and --not-in-input.',
    );
  }
  // The ledger's libraries are loaded only where a ledger is opened.
  const { inRunFolder } = await import('../open/run-folder.js');
  const { openExistingRunFolder } = await import('../../migration/report/folder/run-folder.js');
  const { rewriteReport } = await import('../../migration/report/folder/write-report.js');
  await inRunFolder(openExistingRunFolder(run), flags, context, async (folder, ledger) => {
    const records = notInInput === undefined ? [await recordOf(ledger, flags)] : await folder.recordsNotInInput(ledger);
    for (const record of records) await expectNoRequestInFlight(record, ledger);
    for (const record of records) {
      await ledger.remove(record);
      const { kind, number, outcome, source, line } = record;
      const what = `forget: ${kind} ${masked(number)} (${source}:${line}), ${outcome ?? 'unfinished'}`;
      await folder.audit.append({ at: new Date().toISOString(), by: 'operator', what });
    }
    await folder.dropForgotten(ledger);
    const { run: facts, summary } = await rewriteReport(folder, ledger);
    context.exit(EXIT.ok);
    if (json) {
      const forgotten = records.map(({ supplier, kind, number }) => ({ supplier, kind, number }));
      context.out(`${JSON.stringify({ forgotten, balance: summary.balance.text })}\n`);
      return;
    }
    const forgotten = records.map(({ kind, number }) => `Forgot ${kind} ${number}`);
    const lines = [...forgotten, `${counted(records.length, 'record')} forgotten.`, summary.balance.text];
    context.out(`${[...lines, ...nextCommands({ ...facts, summary, folder: run })].join('\n')}\n`);
  });
}

async function recordOf(ledger: Ledger, { account, business, populate, supplier, run }: Flags): Promise<LedgerRecord> {
  const ofOther: RecordKind = business === undefined ? 'populate' : 'business';
  const kind: RecordKind = account === undefined ? ofOther : 'account';
  const number = account ?? business ?? populate;
  const found: LedgerRecord[] = [];
  const filter = { kind, ...(supplier !== undefined && { supplier }) };
  for await (const record of ledger.list(filter)) if (record.number === number) found.push(record);
  const [record, other] = found;
  if (record === undefined)
    throw new UsageError(
      `the run in ${run} has no ${kind} ${number}. unfinished.jsonl, rejected.jsonl, skipped.jsonl and not-in-input.jsonl name those that it can forget.`,
    );
  if (other !== undefined) {
    const suppliers = found.map((one) => one.supplier).join(', ');
    throw new UsageError(`${kind} ${number} is of several suppliers (${suppliers}): give --supplier.`);
  }
  expectAbsent(record);
  return record;
}

/** Of what is on the service, or may be, the ledger is the only trace. */
function expectAbsent(record: LedgerRecord): void {
  const { kind, number, outcome, intent, unknown } = record;
  if (canStartOver(record)) return;
  const name = `${kind} ${number}`;
  if (outcome === 'created' || outcome === 'alreadyImported') {
    throw new UsageError(
      `${name} exists on the service, so it is not forgotten. A line that the input has no more changes nothing there.`,
    );
  }
  const step = unknown[0] ?? intent;
  throw new UsageError(
    step === null
      ? `${name} exists on the service, and not all of its items were sent: put its line back into the input, and run again.`
      : `${name} may exist on the service (${step} is not settled), so it is not forgotten. Settle it with data-import resolve, and then give the same command again.`,
  );
}

/** A staging request that ends later would replace what a new record with the same number stages. */
async function expectNoRequestInFlight(record: LedgerRecord, ledger: Ledger): Promise<void> {
  const until = await mayRunUntil(record, ledger);
  if (until === undefined || until <= Date.now()) return;
  const { kind, number, intent } = record;
  throw new UsageError(
    `the last request of ${kind} ${number} (${intent}) got no answer and may still be running on the service until ${new Date(until).toISOString()}. Nothing was forgotten. Give the same command again after that time.`,
  );
}
