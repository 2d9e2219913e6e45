/** `data-import resolve`: what nobody can tell of, listed, asked about, and settled by whoever looked. */
import { setTimeout as sleep } from 'node:timers/promises';
import { Command, Option } from 'commander';
import { type RecordKind, STEPS, type Step } from '../../migration/ledger/ledger.js';
import {
  type Asked,
  type Choice,
  isChosen,
  queryService,
  ResolveError,
  settle,
  type Unknown,
  unknownsOf,
} from '../../migration/operations/resolve.js';
import { InFlightRecords, rememberInFlight } from '../../migration/record/preconditions/in-flight-records.js';
import { masked } from '../../migration/report/summary/error-groups.js';
import { howToResolveStep } from '../../migration/report/summary/remedies.js';
import { counted } from '../../migration/shared/format.js';
import { type ConnectionFlags, connectionRule, openConnection, withConnection } from '../open/connection.js';
import { type LedgerFlags, withLedger, withRetarget, withRunFolder } from '../options/run-folder-options.js';
import { setting, withConfigFile } from '../options/settings.js';
import { loadState } from '../sandbox/rehearsal.js';
import { nextCommands } from '../session/next-commands.js';
import type { CommandContext } from '../shared/command-context.js';
import { shellWord } from '../shared/command-text.js';
import { isNotAccepted, UsageError } from '../shared/errors.js';
import { EXIT } from '../shared/exit-codes.js';

interface Flags extends ConnectionFlags, LedgerFlags {
  account?: string;
  business?: string;
  populate?: string;
  supplier?: string;
  all?: true;
  step?: Step;
  as?: 'done' | 'not-done';
  serviceId?: string;
  json?: true;
}

const HELP = `
  data-import resolve                                                what is unknown, and how to find out
  data-import resolve --account A-1 --step statements --as not-done  the next run sends them
  data-import resolve --all --step statements --as done              they count as done
  data-import resolve --business B-1 --step create --as done --service-id 4711

Accounts whose creation was never answered are looked up on the platform, where --base-url says how to reach it.
Every decision is noted in audit.log. Exit code 0 where nothing is unknown any more, 4 where something is, 2 for a
record or a step that is not unknown, 8 where the platform does not accept the token, 1 where it cannot be reached.
`;

export function resolveCommand(context: CommandContext): Command {
  const command = new Command('resolve')
    .description('List what may have been done and nobody can tell, and settle it.')
    .option('--account <number>', 'the account with this external account number')
    .option('--business <identifier>', 'the business with this external business identifier')
    .option('--populate <number>', 'the supply points that unknown.jsonl has under this number')
    .option('--supplier <code>', 'its import supplier, where several have that number')
    .option('--all', 'every record that is unknown at the step')
    .addOption(new Option('--step <name>', 'the step that is settled').choices(STEPS))
    .addOption(new Option('--as <what>', 'what you found out').choices(['done', 'not-done']))
    .option(
      '--service-id <id>',
      'with --as done at create, process or populate: the service_business_id, service_account_number or batch_id, for ok.csv',
    )
    .addOption(setting('--json', 'as one line of JSON'))
    .addHelpText('after', HELP)
    .action((flags: Flags) => resolve(flags, context));
  return withConfigFile(withConnection(withLedger(withRetarget(withRunFolder(command)))));
}

interface Decision {
  choice: Choice;
  as: 'done' | 'notDone';
  serviceId: string | undefined;
}

interface Settled extends Unknown {
  as: 'done' | 'notDone';
  by: 'platform' | 'operator';
}

async function resolve(flags: Flags, context: CommandContext): Promise<void> {
  const decision = decisionOf(flags);
  // The ledger's libraries are loaded by whoever needs a ledger, and by nobody else.
  const { claimTargetOf, inRunFolder } = await import('../open/run-folder.js');
  const { openExistingRunFolder } = await import('../../migration/report/folder/run-folder.js');
  const { rewriteReport } = await import('../../migration/report/folder/write-report.js');
  await inRunFolder(openExistingRunFolder(flags.run), flags, context, async (folder, ledger) => {
    await claimTargetOf(flags, folder, ledger);
    const now = () => new Date();
    const settled: Settled[] = [];
    const rule = connectionRule(flags);
    await rememberInFlight(ledger, rule);
    // The sandbox of a rehearsal ended with the command that ran it, and no other command has the lock.
    const inFlight = new InFlightRecords(rule, now, flags.sandbox ? now() : undefined);
    let asked: Asked | undefined;
    const isAsked = canAsk(flags) && (await unknownsOf(ledger)).some((one) => isLeftToAsk(one, decision));
    // Before anything is settled: without a token, nothing is.
    const connection = isAsked ? await openConnection(flags) : undefined;
    try {
      if (connection?.rehearsal !== undefined) loadState(connection.rehearsal, flags.run);
      if (decision !== undefined) {
        const { choice, as, serviceId } = decision;
        const found = await settle(ledger, choice, as, now, inFlight, serviceId).catch((error: unknown) => {
          throw error instanceof ResolveError ? new UsageError(error.message, { cause: error }) : error;
        });
        settled.push(...found.map((one): Settled => ({ ...one, as: decision.as, by: 'operator' })));
      }
      if (connection !== undefined) {
        asked = await queryService(
          { ledger, inFlight, now },
          connection.client,
          (ms) => sleep(ms),
          (one) => settled.push({ ...one, by: 'platform' }),
        );
      }
    } finally {
      const at = now().toISOString();
      for (const what of notesOf(settled)) await folder.audit.append({ at, by: 'operator', what });
      await connection?.close();
    }
    // A run that was killed before its first record has written no facts of itself.
    const report = (await folder.readRun()) === undefined ? undefined : await rewriteReport(folder, ledger);
    const left = await unknownsOf(ledger);
    tell(settled, left, flags, context);
    if (!flags.json) {
      const [first] = left;
      const afterAll =
        report === undefined ? [] : nextCommands({ ...report.run, summary: report.summary, folder: flags.run });
      const lines = first === undefined ? afterAll : howToResolve(first, context.commandLine);
      for (const one of lines) context.out(`${one}\n`);
    }
    context.exit(left.length > 0 ? EXIT.unknown : EXIT.ok);
    if (asked !== undefined) tellOfAsking(asked, context);
  });
}

/** The command for one of those that are unknown, with the flags of this one. */
function howToResolve({ record: { kind, number }, step }: Unknown, commandLine: readonly string[]): string[] {
  const isOfDecision = (word: string | undefined) => OF_DECISION.has(word?.split('=')[0] ?? '');
  const kept = commandLine.filter((word, index) => {
    const isValue = isOfDecision(commandLine[index - 1]) && !commandLine[index - 1]?.includes('=');
    return !isOfDecision(word) && !isValue && word !== '--all' && word !== '--json';
  });
  const whose = `--${kind} ${shellWord(number)}`;
  return [
    `Next: find out about each, then: ${[...kept, whose, '--step', step, '--as done'].join(' ')}`,
    `With --as not-done the next run sends it; --all in place of ${whose} settles all at that step.`,
  ];
}

const OF_DECISION: ReadonlySet<string> = new Set([
  ...['--account', '--business', '--populate', '--supplier', '--step', '--as', '--service-id'],
]);

function isLeftToAsk(one: Unknown, decision: Decision | undefined): boolean {
  return one.step === 'process' && (decision === undefined || !isChosen(one, decision.choice));
}

function tellOfAsking({ strange, running, failure }: Asked, { err, exit }: CommandContext): void {
  const [first] = strange;
  if (first !== undefined) {
    err(
      `data-import: the platform answers 404 for ${strange.length} accounts that were staged there, such as ${first.record.number}. Check that --base-url is that of the run; else ask the operator, and settle them with --as.\n`,
    );
  }
  if (running.length > 0) {
    err(
      `data-import: ${counted(running.length, 'request')} may still be running on the service: it has no account yet. Give the command again later (--in-flight-grace), or run: that waits by itself.\n`,
    );
  }
  if (failure === undefined) return;
  err(`data-import: the platform cannot be asked: ${failure.message}\n`);
  exit(isNotAccepted(failure) ? EXIT.notAccepted : EXIT.internal);
}

function canAsk({ baseUrl, sandbox }: Flags): boolean {
  return baseUrl !== undefined || sandbox === true;
}

/** undefined where nothing is decided. Throws a UsageError where half of a decision is given. */
function decisionOf(flags: Flags): Decision | undefined {
  const { account, business, populate, supplier, all, step, as, serviceId } = flags;
  const whose = [account, business, populate, all].filter((one) => one !== undefined);
  if (serviceId !== undefined) expectServiceId(serviceId, flags);
  if (whose.length === 0 && step === undefined && as === undefined) return undefined;
  if (whose.length !== 1 || step === undefined || as === undefined) {
    throw new UsageError(
      'a decision is one of --account, --business, --populate and --all, with --step and --as: such as --account A-1 --step statements --as done.',
    );
  }
  const number = account ?? business ?? populate;
  const kind = kindOf(flags);
  return { choice: { step, kind, number, supplier }, as: as === 'done' ? 'done' : 'notDone', serviceId };
}

function kindOf({ account, business, populate }: Flags): RecordKind | undefined {
  if (account !== undefined) return 'account';
  if (business !== undefined) return 'business';
  return populate === undefined ? undefined : 'populate';
}

/** Specification: a service_business_id is an integer, a service_account_number is text. */
function expectServiceId(id: string, { account, business, populate, step, as }: Flags): void {
  const isOfBusiness = business !== undefined && step === 'create';
  const isOfBatch = populate !== undefined && step === 'populate';
  if (as !== 'done' || !(isOfBusiness || isOfBatch || (account !== undefined && step === 'process'))) {
    throw new UsageError(
      '--service-id is of one record that was created: give it with --business <identifier> --step create --as done, or --account <number> --step process --as done; a batch id with --populate <number> --step populate --as done.',
    );
  }
  const isValid = isOfBusiness ? /^[1-9]\d*$/.test(id) : /^[\x21-\x7e]+$/.test(id);
  if (isValid) return;
  const ofOther = isOfBatch ? 'a batch_id' : 'a service_account_number';
  const expected = isOfBusiness ? 'a service_business_id, a whole number' : ofOther;
  throw new UsageError(`--service-id: expected ${expected}, found ${JSON.stringify(id)}.`);
}

/** For the audit log, which the report shows: a record by its place in the book, and its number masked. */
function notesOf(settled: readonly Settled[]): string[] {
  const groups = new Map<string, Settled[]>();
  for (const one of settled) {
    const how = `resolve: ${one.step} ${one.as === 'done' ? 'done' : 'not done'}, by the ${one.by}`;
    groups.set(how, [...(groups.get(how) ?? []), one]);
  }
  return [...groups].map(([how, ones]) => {
    const [{ record } = { record: undefined }] = ones;
    const one = record && `${record.kind} ${masked(record.number)} (${record.source}:${record.line})`;
    return `${how}: ${ones.length === 1 ? one : `${ones.length} records`}`;
  });
}

function tell(settled: readonly Settled[], left: readonly Unknown[], flags: Flags, { out }: CommandContext): void {
  if (flags.json) {
    const told = settled.map(({ record, step, as, by }) => ({ ...nameOf(record), step, as, by }));
    const unknown = left.map(({ record, step }) => {
      return { ...nameOf(record), step, since: record.updatedAt, howToResolve: howToResolveStep(step) };
    });
    out(`${JSON.stringify({ settled: told, unknown })}\n`);
    return;
  }
  for (const { record, step, as, by } of settled) {
    const what = as === 'done' ? 'done' : 'not done: the next run, or retry, sends it';
    out(`Settled by the ${by}: ${record.kind} ${record.number} ${step} ${what}\n`);
  }
  for (const { record, step } of left) {
    out(`${record.kind} ${record.number} ${step}, unknown since ${record.updatedAt}: ${howToResolveStep(step)}\n`);
  }
  const isAsked = left.some(({ step }) => step === 'process') && !canAsk(flags);
  if (isAsked) out('Give --base-url and a token, and the platform is asked about those at process.\n');
  out(left.length === 0 ? 'Nothing is unknown.\n' : `${left.length} unknown.\n`);
}

function nameOf({ supplier, kind, number }: Unknown['record']) {
  return { supplier, kind, number };
}
