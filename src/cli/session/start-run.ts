/** Runs the sessions of `run` and `retry`: opens folder, ledger, service and input, asks the user, and prints what the session did. */
import { emptyFilesInWords, expectRecords } from '../../migration/input/expect-records.js';
import type { Ledger } from '../../migration/ledger/ledger.js';
import { type Control, listenForControl } from '../../migration/operations/control/control.js';
import { ControlError } from '../../migration/operations/control/control-command.js';
import { exitCodeOfSession } from '../../migration/report/exit-code.js';
import { openExistingRunFolder, openRunFolder, type RunFolder } from '../../migration/report/folder/run-folder.js';
import { keepCommand } from '../../migration/report/folder/stored-command.js';
import type { RunEnding, RunFacts } from '../../migration/report/report.js';
import { unreadInWords, warningsInWords } from '../../migration/report/summary/input-report.js';
import { isCanary } from '../../migration/run/canary.js';
import { targetLine } from '../../migration/run/expect-target.js';
import { RenumberedError, renumberedByRisk, renumberedInWords } from '../../migration/run/renumbered-error.js';
import type { MigrationResult } from '../../migration/run/session/end-session.js';
import { type DistributedSession, distributedSessionOf } from '../distributed/distributed-session.js';
import { finalCounts } from '../monitoring/events/run-events.js';
import { type Health, type HealthStatus, readinessOfRun, servedBy, whileServing } from '../monitoring/health.js';
import { type Connection, openConnection } from '../open/connection.js';
import { openInputOf } from '../open/input.js';
import { openLedger } from '../open/ledger.js';
import { inRunFolder } from '../open/run-folder.js';
import { throttleOf } from '../options/throttle-options.js';
import { openState, teamOf } from '../sandbox/rehearsal.js';
import type { CommandContext } from '../shared/command-context.js';
import { commandText } from '../shared/command-data.js';
import { UsageError } from '../shared/errors.js';
import { EXIT, type ExitCode } from '../shared/exit-codes.js';
import { type Interruption, listenForInterruption } from '../shared/interruption.js';
import { commandAgain } from './command-again.js';
import { type CurrentMigration, createControlHandlers } from './control-handlers.js';
import { type Flags, migrationOptions, type RunOfCommand, type SessionSetup } from './migration-options.js';
import { endingBy, nextInWords, rehearsalInWords } from './next-commands.js';
import { forgetPreflight, passesPreflight } from './preflight.js';
import { reasonWithProxy } from './proxy-failure.js';
import { isYes, mayBeginFirstRun } from './questions.js';
import { ignoredLinesInWords, summaryInWords } from './result-text.js';
import type { RunCommandFlags } from './run-flags.js';
import { runSession } from './session.js';

/** The part of the context that exists before the run folder is open. */
type Opened = Pick<
  RunOfCommand,
  'flags' | 'context' | 'isRetry' | 'throttle' | 'input' | 'connection' | 'interruption'
> & {
  distributedSession: DistributedSession | undefined;
};

/**
 * Runs `data-import-sdk run` to its end; with `isRetry`, `data-import-sdk retry`: the paths are corrected lines, and the run folder must
 * exist. Rejects with a `UsageError` for invalid flags, input or folder.
 */
export async function startRun(paths: string[], flags: Flags, context: CommandContext, isRetry = false): Promise<void> {
  const interruption = listenForInterruption(context);
  try {
    await startUnless(interruption, paths, flags, context, isRetry);
  } catch (error) {
    if (!(error instanceof RenumberedError)) throw error;
    printRenumbered(error, flags, context);
  } finally {
    interruption.close();
  }
}

function printRenumbered({ records }: RenumberedError, flags: Flags, context: CommandContext): void {
  const { verb, parts } = context.command;
  const command = commandText(context.program, { verb, parts: [...parts, { flag: '--changed-sources' }] });
  const { twice, others } = renumberedByRisk(records);
  const rows = [
    {
      count: twice.length,
      state: 'under another number',
      text: 'they exist under their former numbers. Put these back into the input, and ask the operator if the new ones are right. If they are other customers:',
    },
    {
      count: others.length,
      state: 'with the number of another customer',
      text: 'give each customer the former number, as where an export counts its rows. If they are the same customers, with a corrected name, or their accounts now belong to the new customers:',
    },
  ];
  const next = [
    ...rows.filter(({ count }) => count > 0).map((row) => nextInWords({ ...row, command })),
    ...(flags.sandbox ? [rehearsalInWords(flags.run)] : []),
  ];
  context.err(`data-import-sdk: ${renumberedInWords(records)} Nothing was sent.\n`);
  for (const line of next) (flags.json ? context.err : context.out)(`${line}\n`);
  context.exit(EXIT.paused);
}

async function startUnless(
  interruption: Interruption,
  paths: string[],
  flags: Flags,
  context: CommandContext,
  isRetry: boolean,
): Promise<void> {
  const throttle = throttleOf(flags);
  const served = servedBy(flags);
  if (flags.setAside && !flags.checkPreviouslyAdded) {
    throw new UsageError(
      '--set-aside and --no-check-previously-added contradict each other: the other transactions of a rejected request are sent again, and the service would add those twice that it kept. Leave out one of them.',
    );
  }
  const input = await interruption.race(openInputOf(paths, flags, !isRetry), (late) => late.close());
  try {
    // Checked before anything is connected or written.
    await interruption.race(expectRecords(input));
    const connection = await interruption.race(openConnection(flags), (late) => late.close());
    try {
      // A refused command leaves no folder.
      if (!isRetry) expectTeam(flags, connection);
      const distributedSession =
        flags.distributed === undefined
          ? undefined
          : distributedSessionOf(flags as RunCommandFlags, connection, context);
      const opened: Opened = {
        ...{ flags, context, isRetry, throttle, input, connection, interruption, distributedSession },
      };
      const work = (health: Health | undefined) => runInFolder(opened, health);
      const isDistributed = distributedSession !== undefined;
      await whileServing(served, { client: connection.client, isDistributed, err: context.err }, work);
    } finally {
      await connection.close();
    }
    const empty = emptyFilesInWords(input);
    if (empty !== '') context.err(`data-import-sdk: ${empty}\n`);
  } finally {
    await input.close();
  }
}

/** Runs with the lock of the ledger held. */
async function runInFolder({ distributedSession, ...opened }: Opened, health?: Health): Promise<void> {
  const { flags, context, isRetry, interruption } = opened;
  const folder = isRetry ? openExistingRunFolder(flags.run) : openRunFolder(flags.run);
  const work = (runFolder: RunFolder, ledger: Ledger) =>
    runWithState({ ...opened, runFolder, ledger, distributed: distributedSession?.opened(), health });
  const open = distributedSession?.open ?? (() => openLedger(flags, false));
  await inRunFolder(folder, flags, context, work, () => interruption.race(open(), (late) => late.close()));
}

/** The sandbox of a rehearsal continues with the state that the run folder has. */
async function runWithState(run: RunOfCommand): Promise<void> {
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
async function runSessions(run: RunOfCommand): Promise<void> {
  const { flags, context, connection, interruption } = run;
  const team = expectTeam(flags, connection);
  // 0 means all: it overrides a number of the environment or the config file.
  const canary = flags.canary || undefined;
  const current: CurrentMigration = { migration: undefined, changed: new Map() };
  const control = await listen(flags.run, current, context);
  try {
    if (!(await interruption.race(mayBegin(run, team, canary)))) return;
    const result = await runOne(run, { team, canary, isAfterCanary: false, current });
    if (canary === undefined || result === undefined) return;
    if (!(await interruption.race(isToContinue(result, run)))) return;
    await runOne(run, { team, canary: undefined, isAfterCanary: true, current });
  } finally {
    await control?.close();
  }
}

/** Returns the team. Throws a `UsageError` if there is none. */
function expectTeam({ team: given }: Flags, { rehearsal }: Connection): string {
  const team = rehearsal === undefined ? given : teamOf(rehearsal, given);
  if (team !== undefined) return team;
  throw new UsageError('no team: give --team, the operations team that processes the accounts.');
}

/** Whether the user agrees to the first run, and the preflight checks succeed. Otherwise it has set the exit code. */
async function mayBegin(run: RunOfCommand, team: string, canary: number | undefined): Promise<boolean> {
  const { flags, context, connection, input, ledger, runFolder, interruption } = run;
  const { client, profile, target, rehearsal } = connection;
  const { signal } = interruption;
  const first = { target, team, input, ledger, canary, isAgreed: flags.yes === true, signal };
  if (!(await mayBeginFirstRun(first, context))) {
    context.err(`Nothing was sent. To begin: ${commandText(context.program, context.command)}\n`);
    context.exit(EXIT.paused);
    return false;
  }
  signal.throwIfAborted();
  const preflight = {
    ...{ signal, profile, input, folder: flags.run, hasLedger: flags.database === undefined },
    ...{ target, ledger, audit: runFolder.audit, now: () => new Date() },
    client: rehearsal === undefined ? client : undefined,
  };
  return passesPreflight(preflight, context);
}

/** Runs one session and prints its result. Resolves with undefined if a signal ended it. */
async function runOne(run: RunOfCommand, setup: SessionSetup): Promise<MigrationResult | undefined> {
  const { flags, context, ledger, health, distributed } = run;
  const { current, canary } = setup;
  let kept: Promise<void> | undefined;
  const ends: SessionEnd[] = [];
  const result = await runSession(migrationOptions(run, setup), run, {
    began(migration) {
      current.migration = migration;
      kept = keepCommand(ledger, commandAgain(context, current.changed));
      // Awaited at the end of the session, whose errors come first.
      kept.catch(() => {});
      const status = distributed?.status ?? (() => statusOf(current));
      health?.watch({ status, finished: migration.finished });
    },
    async endingOf(interrupted, facts, summary, { sent: _, ...ignored }) {
      await kept;
      await keepCommand(ledger, commandAgain(context, current.changed));
      const hasIgnoredLines = Object.keys(ignored).length > 0;
      const exitCode =
        interrupted ?? exitCodeOfSession({ ...facts, summary, isCanary: canary !== undefined, hasIgnoredLines });
      const { next } = await endingBy(ledger, flags.run, context)(facts, summary);
      ends.push({ facts, exitCode, next, isInterrupted: interrupted !== undefined });
      return { exitCode, next };
    },
  });
  current.migration = undefined;
  const { state, reason, summary } = result;
  // The checks before the next session may find what stopped this one.
  if (state === 'halted' || state === 'unfinished') await forgetPreflight(ledger);
  const [end] = ends as [SessionEnd];
  context.exit(end.exitCode ?? EXIT.internal);
  printResult(result, end, run);
  const next = end.next.map(nextInWords);
  context.report({ event: 'session.ended', state, reason, records: finalCounts(summary), next });
  return end.isInterrupted ? undefined : result;
}

interface SessionEnd {
  facts: RunFacts;
  exitCode: ExitCode | null;
  next: RunEnding['next'];
  isInterrupted: boolean;
}

/** Prints what the session did and what the user does next, as text or as JSON. */
function printResult(
  result: MigrationResult,
  { facts, next }: SessionEnd,
  { flags, context, input, connection }: RunOfCommand,
): void {
  const { state, reason, summary, warnings, ignoredLines } = result;
  const { run: folder } = flags;
  const { target } = connection;
  const { continueWith, isInputRead: isRead } = facts;
  const isInputRead = isRead || (state === 'finished' && isCanary(facts));
  if (flags.json === true || flags.logFormat === 'json') {
    const ofInput = { warnings, ignoredLines, isInputRead };
    context.out(`${JSON.stringify({ target, state, reason, ...summary, ...ofInput, folder, continueWith })}\n`);
    return;
  }
  const lines = [
    `${targetLine(target)}${flags.sandbox ? '. Nothing was sent to a service.' : ''}`,
    ...[...ignoredLinesInWords(ignoredLines, folder), ...summaryInWords(summary, folder, isInputRead)],
    ...[...warningsInWords(warnings), ...unreadInWords(input.files())],
  ];
  if (reason !== undefined)
    lines.push(`${state === 'halted' ? 'Halted' : 'Unfinished'}: ${reasonWithProxy(reason, target)}.`);
  context.out(`${[...lines, ...next.map(nextInWords)].join('\n')}\n`);
}

/** The status of a run on one machine; undefined between two sessions. */
function statusOf({ migration }: CurrentMigration): HealthStatus | undefined {
  if (migration === undefined) return undefined;
  const pace = migration.throttle.status();
  return { ...readinessOfRun(pace), pace };
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
    if (error instanceof ControlError) throw error;
    const { code } = error as NodeJS.ErrnoException;
    err(
      `data-import-sdk: no control socket for ${folder} (${code}): pause, resume, drain, set and status cannot reach this run. Ctrl-C drains it.\n`,
    );
    return undefined;
  }
}

/** Asks after a canary that finished, if there is a terminal. */
async function isToContinue(
  { state }: MigrationResult,
  { flags, context: { ask }, interruption: { signal } }: RunOfCommand,
): Promise<boolean> {
  if (flags.json || state !== 'finished' || ask === undefined) return false;
  return isYes(await ask('Continue with the whole input? [y/N] ', { signal }));
}
