/** `startRun` and `startRetry`: what the commands `run` and `retry` do, from their flags to the printed result. */
import { join } from 'node:path';
import type { DistributedRun } from '../../migration/distributed/coordinator.js';
import { emptyFilesInWords } from '../../migration/input/expect-records.js';
import type { OpenInput } from '../../migration/input/open-input.js';
import type { Ledger } from '../../migration/ledger/ledger.js';
import type { Migration } from '../../migration/migrate.js';
import { type Control, listenForControl } from '../../migration/operations/control/control.js';
import { ControlError } from '../../migration/operations/control/control-command.js';
import type { NotAccepted } from '../../migration/record/events/record-event.js';
import type { AuditLog } from '../../migration/report/folder/audit-log.js';
import { openExistingRunFolder, openRunFolder, type RunFolder } from '../../migration/report/folder/run-folder.js';
import { readRunFacts } from '../../migration/report/folder/stored-facts.js';
import { unreadColumnsInWords } from '../../migration/report/summary/input-report.js';
import { targetLine } from '../../migration/run/expect-target.js';
import type { MigrationResult } from '../../migration/run/session/end-session.js';
import type { ThrottleOptions } from '../../migration/throttle/settings.js';
import { type DistributedSession, distributedSessionOf, expectNoServing } from '../distributed/distributed-session.js';
import type { Health } from '../monitoring/health-server.js';
import { type Connection, openConnection } from '../open/connection.js';
import { expectRecordsIn, openInputOf } from '../open/input.js';
import { inRunFolder } from '../open/run-folder.js';
import type { InputFlags } from '../options/input-options.js';
import { addToExistingOf } from '../options/record-options.js';
import { throttleOf } from '../options/throttle-options.js';
import { openState, teamOf, withSuppliers } from '../sandbox/rehearsal.js';
import type { CommandContext } from '../shared/command-context.js';
import { withoutFlag, withoutPasswords } from '../shared/command-text.js';
import { UsageError } from '../shared/errors.js';
import { EXIT, exitCodeOfRun } from '../shared/exit-codes.js';
import { type CurrentMigration, createControlHandlers } from './control-handlers.js';
import { mayBeginFirstRun } from './first-run.js';
import { nextCommands } from './next-commands.js';
import { forgetPreflight, passesPreflight } from './preflight.js';
import { ignoredLinesInWords, summaryInWords } from './result-text.js';
import type { RunCommandFlags } from './run-flags.js';
import { runSession, type SessionResult } from './session.js';

type RunOnly = 'inputIn' | 'changedSources';
/** The flags of both commands: `retry` does not have those of a canary, a distributed run and `--retry-rejected`. */
type Flags = InputFlags & Omit<RunCommandFlags, RunOnly> & Partial<Pick<RunCommandFlags, RunOnly>>;

/** What the sessions of one command share. */
interface RunContext {
  flags: Flags;
  context: CommandContext;
  isRetry: boolean;
  throttle: ThrottleOptions;
  input: OpenInput;
  connection: Connection;
  audit: AuditLog;
  ledger: Ledger;
  distributed: DistributedRun | undefined;
  health: Health | undefined;
}

/** The part of the context that exists before the run folder is open. */
type Opened = Pick<RunContext, 'flags' | 'context' | 'isRetry' | 'throttle' | 'input' | 'connection'> & {
  distributedSession: DistributedSession | undefined;
};

/** Runs `data-import run` to its end. Rejects with a `UsageError` for invalid flags, input or folder. */
export async function startRun(paths: string[], flags: RunCommandFlags, context: CommandContext): Promise<void> {
  if (flags.distributed === undefined) expectNoServing(flags);
  await start(paths, flags, context, false);
}

/** Runs `data-import retry` to its end: the paths are corrected lines, and the run folder must exist. Rejects as `startRun`. */
export async function startRetry(paths: string[], flags: Flags, context: CommandContext): Promise<void> {
  await start(paths, flags, context, true);
}

async function start(paths: string[], flags: Flags, context: CommandContext, isRetry: boolean): Promise<void> {
  const throttle = throttleOf(flags);
  if (flags.setAside && !flags.checkPreviouslyAdded) {
    throw new UsageError(
      '--set-aside and --no-check-previously-added contradict each other: the other transactions of a rejected request are sent again, and the service would add those twice that it kept. Leave out one of them.',
    );
  }
  const input = await openInputOf(paths, flags);
  try {
    // Checked before anything is connected or written.
    await expectRecordsIn(input);
    const connection = await openConnection(flags);
    try {
      const distributedSession =
        flags.distributed === undefined
          ? undefined
          : distributedSessionOf(flags as RunCommandFlags, connection, context);
      const opened: Opened = { flags, context, isRetry, throttle, input, connection, distributedSession };
      if (distributedSession === undefined) await runInFolder(opened);
      else await distributedSession.whileServing(connection.client, (health) => runInFolder(opened, health));
    } finally {
      await connection.close();
    }
    const empty = emptyFilesInWords(input);
    if (empty !== '') context.err(`data-import: ${empty}\n`);
  } finally {
    await input.close();
  }
}

/** Runs with the lock of the ledger held. */
async function runInFolder({ distributedSession, ...opened }: Opened, health?: Health): Promise<void> {
  const { flags, context, isRetry } = opened;
  const folder = isRetry ? openExistingRunFolder(flags.run) : openRunFolder(flags.run);
  const work = ({ audit }: RunFolder, ledger: Ledger) =>
    runWithState({ ...opened, audit, ledger, distributed: distributedSession?.opened(), health });
  await inRunFolder(folder, flags, context, work, distributedSession?.open);
}

/** The sandbox of a rehearsal continues with the state that the run folder has. */
async function runWithState(run: RunContext): Promise<void> {
  const { rehearsal } = run.connection;
  if (rehearsal === undefined) return runSessions(run);
  const hasRecords = (await run.ledger.counts()).total > 0;
  const state = await openState(rehearsal, { folder: run.flags.run, hasRecords });
  try {
    await runSessions(run);
  } finally {
    state.close();
  }
}

/** One session; after a canary a second one, if the user agrees. */
async function runSessions(run: RunContext): Promise<void> {
  const { flags, context, connection } = run;
  const { rehearsal } = connection;
  const team = rehearsal === undefined ? flags.team : teamOf(rehearsal, flags.team);
  if (team === undefined) {
    throw new UsageError('no team: give --team, the operations team that processes the accounts.');
  }
  // 0 means all: it overrides a number of the environment or the config file.
  const canary = flags.canary === 0 ? undefined : flags.canary;
  if (!(await mayBegin(run, team, canary))) return;
  const current: CurrentMigration = { migration: undefined };
  const control = await listen(flags.run, current, context);
  try {
    const { result, interrupted } = await runOne(run, { team, canary, isAfterCanary: false, current });
    if (canary === undefined || interrupted !== undefined) return;
    if (!(await isToContinue(result, flags, context))) return;
    await runOne(run, { team, canary: undefined, isAfterCanary: true, current });
  } finally {
    await control?.close();
  }
}

/** Whether the user agrees to the first run, and the preflight checks succeed. Otherwise it has set the exit code. */
async function mayBegin(run: RunContext, team: string, canary: number | undefined): Promise<boolean> {
  const { flags, context, connection, input, ledger, audit } = run;
  const { client, profile, target, rehearsal } = connection;
  // A misspelt column shows in the first rows, before anything is sent.
  for (const line of unreadColumnsInWords(input.files())) context.err(`${line} so far\n`);
  const first = { target, team, input, ledger, canary, isAgreed: flags.yes === true };
  if (!(await mayBeginFirstRun(first, context))) {
    context.err(`Nothing was sent. To begin: ${context.commandLine.join(' ')}\n`);
    context.exit(EXIT.paused);
    return false;
  }
  const preflight = {
    ...{ profile, input, folder: flags.run, hasLedger: flags.database === undefined },
    ...{ target, ledger, audit, now: () => new Date() },
    client: rehearsal === undefined ? client : undefined,
  };
  return passesPreflight(preflight, context);
}

interface SessionSetup {
  team: string;
  canary: number | undefined;
  /** Whether it is the session that the user agreed to after a canary. */
  isAfterCanary: boolean;
  current: CurrentMigration;
}

/** Runs one session and prints its result. */
async function runOne(run: RunContext, setup: SessionSetup): Promise<SessionResult> {
  const { flags, context, ledger, health, distributed } = run;
  const began = (migration: Migration) => {
    setup.current.migration = migration;
    if (distributed !== undefined) health?.watch({ status: distributed.status, finished: migration.finished });
  };
  const session = await runSession(migrationOptions(run, setup), flags, context, began);
  setup.current.migration = undefined;
  const { state } = session.result;
  // The checks before the next session may find what stopped this one.
  if (state === 'halted' || state === 'unfinished') await forgetPreflight(ledger);
  await printResult(session, run, setup);
  return session;
}

function migrationOptions(run: RunContext, { team, canary, isAfterCanary }: SessionSetup) {
  const { flags, context, connection, input, ledger, distributed, health, isRetry, throttle } = run;
  const { rehearsal } = connection;
  const command = isAfterCanary ? withoutCanary(context.commandLine) : context.commandLine;
  return {
    client: connection.client,
    input: rehearsal === undefined ? input : withSuppliers(input, rehearsal.sandbox),
    folder: flags.run,
    ledger,
    distributed,
    target: connection.target,
    retarget: flags.retarget,
    serviceStartedAt: rehearsal?.startedAt,
    team,
    canary,
    profile: connection.profile,
    showPersonalData: flags.showPersonalData,
    throttle,
    dryRun: flags.dryRun,
    validateRemotely: flags.validate,
    setAside: flags.setAside,
    resendAfter500: flags.resendAfter500,
    forceAddToCurrentStatement: flags.forceCurrentStatement,
    checkPreviouslyAdded: flags.checkPreviouslyAdded,
    addToExisting: addToExistingOf(flags),
    transactionsAtOnce: flags.transactionsAtOnce,
    statementsAtOnce: flags.statementsAtOnce,
    notesAtOnce: flags.notesAtOnce,
    retryRejected: flags.retryRejected,
    retry: isRetry,
    changedSources: flags.changedSources,
    continueWith: continueCommand(run),
    continueUnfinishedWith: (notAccepted: NotAccepted | undefined) =>
      notAccepted === 'team' ? withOtherTeam(command) : command.join(' '),
    configuration: configurationOf({ ...flags, canary: canary ?? 0 }, connection.address, team),
    ...(health !== undefined && { onEvent: health.onEvent }),
  };
}

/** Called before anything is sent. Some mounted disks do not support sockets; the run works without. */
async function listen(
  folder: string,
  current: CurrentMigration,
  { err }: CommandContext,
): Promise<Control | undefined> {
  try {
    return await listenForControl(folder, createControlHandlers(current));
  } catch (error) {
    if (error instanceof ControlError) throw new UsageError(error.message, { cause: error });
    const { code } = error as NodeJS.ErrnoException;
    err(
      `data-import: ${folder} does not support sockets (${code}): pause, resume, drain, set and status cannot reach this run. Ctrl-C drains it.\n`,
    );
    return undefined;
  }
}

/** Asks after a canary that finished, if there is a terminal. */
async function isToContinue({ state }: MigrationResult, flags: Flags, { ask }: CommandContext): Promise<boolean> {
  if (flags.json || state !== 'finished' || ask === undefined) return false;
  const answer = await ask('Continue with the whole input? [y/N] ');
  return /^y(es)?$/i.test(answer.trim());
}

/** The command that continues after this one: after a canary it sends the rest. */
function continueCommand({ flags, context: { commandLine } }: RunContext): string {
  const hasCanary = flags.canary !== undefined && flags.canary !== 0;
  return (hasCanary ? withoutCanary(commandLine) : commandLine).join(' ');
}

/** `--canary 0` is stated, because the environment or the config file may have a number. */
function withoutCanary(words: readonly string[]): string[] {
  const [program = '', command = '', ...rest] = withoutFlag(words, '--canary');
  return [program, command, '--canary', '0', ...rest];
}

/** The user has to fill in the name: the service refused the one of the command, the environment or the config file. */
function withOtherTeam(words: readonly string[]): string {
  return [...withoutFlag(words, '--team'), '--team <name from the operator>'].join(' ');
}

async function printResult(
  { result, interrupted }: SessionResult,
  run: RunContext,
  setup: SessionSetup,
): Promise<void> {
  const { flags, context, connection, input } = run;
  const { state, reason, summary, ignoredLines } = result;
  const isCanary = setup.canary !== undefined;
  context.exit(interrupted ?? exitCodeOfRun(result, isCanary));
  const facts = await readRunFacts(join(flags.run, 'run.json'));
  const continueWith = continueCommand(run);
  const isKnown = facts !== undefined && facts !== 'damaged' && !(isCanary && state === 'finished');
  const commands = isKnown ? facts : { continueWith, runCommand: continueWith, retryCommand: '', runAgainWith: [] };
  const { target } = connection;
  if (flags.json) {
    const printed = { target, state, reason, ...summary, ignoredLines, folder: flags.run };
    context.out(`${JSON.stringify({ ...printed, continueWith: commands.continueWith })}\n`);
    return;
  }
  const rehearsal = flags.sandbox ? '. Nothing was sent to a service.' : '';
  const lines = [
    ...[targetLine(target) + rehearsal, ...ignoredLinesInWords(ignoredLines, flags.run)],
    ...[...summaryInWords(summary, flags.run), ...unreadColumnsInWords(input.files())],
  ];
  if (reason !== undefined) lines.push(`${state === 'halted' ? 'Halted' : 'Unfinished'}: ${reason}.`);
  if (isCanary && state === 'finished') lines.push(`Next: ${continueWith}`);
  else lines.push(...nextCommands({ ...commands, state, summary, folder: flags.run }));
  context.out(`${lines.join('\n')}\n`);
}

/** The flags as the report shows them, without passwords. */
function configurationOf(flags: Flags, address: string, team: string): Record<string, string | number | boolean> {
  const { run: _, json: __, color: ___, yes: ____, sources: _____, ...shownFlags } = flags;
  const shown = Object.entries({ ...shownFlags, address, team }).filter(
    ([name, value]) => value !== undefined && !(name === 'canary' && value === 0),
  );
  return Object.fromEntries(
    shown.map(([name, value]) => [name, Array.isArray(value) ? value.join('-') : shownAs(value as string | number)]),
  );
}

function shownAs<Value>(value: Value): Value | string {
  return typeof value === 'string' ? withoutPasswords(value) : value;
}
