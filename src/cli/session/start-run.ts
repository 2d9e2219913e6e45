/** Runs the sessions of `run` and `retry`: opens folder, ledger, service and input, and asks the user. */
import { emptyFilesInWords, expectRecords } from '../../migration/input/expect-records.js';
import type { Ledger } from '../../migration/ledger/ledger.js';
import { type Control, listenForControl } from '../../migration/operations/control/control.js';
import { ControlError } from '../../migration/operations/control/control-command.js';
import { openExistingRunFolder, openRunFolder, type RunFolder } from '../../migration/report/folder/run-folder.js';
import { CopiedLedgerError } from '../../migration/run/copied-ledger.js';
import { RenumberedError, renumberedByRisk, renumberedInWords } from '../../migration/run/renumbered-error.js';
import type { MigrationResult } from '../../migration/run/session/end-session.js';
import { distributedSessionOf } from '../distributed/distributed-session.js';
import { servedBy, whileServing } from '../monitoring/health.js';
import { type Connection, openConnection } from '../open/connection.js';
import { openInputOf } from '../open/input.js';
import { openLedger } from '../open/ledger.js';
import { inRunFolder } from '../open/run-folder.js';
import { throttleOf } from '../options/throttle-options.js';
import { openState, teamOf } from '../sandbox/rehearsal.js';
import type { CommandContext } from '../shared/command-context.js';
import { commandText } from '../shared/command-data.js';
import { UsageError } from '../shared/errors.js';
import { EXIT } from '../shared/exit-codes.js';
import { type Interruption, listenForInterruption } from '../shared/interruption.js';
import { ChangedLimits } from './command-again.js';
import { type CurrentMigration, createControlHandlers } from './control-handlers.js';
import { nextInWords, rehearsalInWords, resolveText } from './next-commands.js';
import { passesPreflight } from './preflight.js';
import { isYes, mayBeginFirstRun } from './questions.js';
import type { RunCommandFlags } from './run-flags.js';
import { type Flags, type RunOfCommand, runSession } from './session.js';

/**
 * Runs `data-import-sdk run` to its end; with `isRetry`, `data-import-sdk retry`: the paths are corrected lines, and the run folder must
 * exist. Rejects with a `UsageError` for invalid flags, input or folder.
 */
export async function startRun(paths: string[], flags: Flags, context: CommandContext, isRetry = false): Promise<void> {
  const interruption = listenForInterruption(context);
  try {
    await startUnless(interruption, paths, flags, context, isRetry);
  } catch (error) {
    if (error instanceof RenumberedError) printRenumbered(error, flags, context);
    else if (error instanceof CopiedLedgerError && error.copied.unsent > 0) printToAccept(context);
    else if (error instanceof CopiedLedgerError) printStopped('continue', context, '--yes');
    else throw error;
  } finally {
    interruption.close();
  }
}

/** After the answer "no" to a question whose text was printed. */
function printStopped(doing: string, { program, command, err, exit }: CommandContext, ...flags: string[]): void {
  const parts = [...command.parts, ...flags.map((flag) => ({ flag }))];
  err(`Nothing was sent. To ${doing}: ${commandText(program, { ...command, parts })}\n`);
  exit(EXIT.paused);
}

/** A person accepts the copy once, with a command that no script repeats. */
function printToAccept(context: CommandContext): void {
  const accept = resolveText([{ flag: '--accept', value: 'copy' }], context);
  context.err(`Nothing was sent. If no other copy was continued, repeat the command after: ${accept}\n`);
  context.exit(EXIT.paused);
}

function printRenumbered({ records }: RenumberedError, flags: Flags, context: CommandContext): void {
  const { verb, parts } = context.command;
  const command = commandText(context.program, { verb, parts: [...parts, { flag: '--changed-sources' }] });
  const { twice, others, moved } = renumberedByRisk(records);
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
    {
      count: moved.length,
      state: 'with items of another record',
      text: 'the service has them at the former records. Put them back there; or take them out of these lines, and ask the operator to move them. If they are other ones, or the operator has removed them from the former records:',
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
      const distributed =
        flags.distributed === undefined
          ? undefined
          : distributedSessionOf(flags as RunCommandFlags, connection, context);
      const isDistributed = distributed !== undefined;
      await whileServing(served, { client: connection.client, isDistributed, err: context.err }, async (health) => {
        const opening = isRetry ? openExistingRunFolder(flags.run) : openRunFolder(flags.run);
        const open = distributed?.open ?? (() => openLedger(flags, false));
        const work = (runFolder: RunFolder, ledger: Ledger) =>
          runSessions({
            ...{ flags, context, isRetry, throttle, input, connection, interruption, runFolder, ledger, health },
            distributed: distributed?.opened(),
          });
        await inRunFolder(opening, flags, context, work, () => interruption.race(open(), (late) => late.close()));
      });
    } finally {
      await connection.close();
    }
    const empty = emptyFilesInWords(input);
    if (empty !== '') context.err(`data-import-sdk: ${empty}\n`);
  } finally {
    await input.close();
  }
}

/** One session; after a canary a second one, if the user agrees. The sandbox of a rehearsal continues with the state that the run folder has. */
async function runSessions(opened: Omit<RunOfCommand, 'team' | 'current'>): Promise<void> {
  const { flags, context, interruption, connection, ledger } = opened;
  const { rehearsal } = connection;
  const { run: folder } = flags;
  const state = rehearsal && (await openState(rehearsal, { folder, hasRecords: (await ledger.counts()).total > 0 }));
  // 0 means all: it overrides a number of the environment or the config file.
  const canary = flags.canary || undefined;
  let control: Control | undefined;
  try {
    const current: CurrentMigration = { migration: undefined, changed: new ChangedLimits() };
    const run: RunOfCommand = { ...opened, team: expectTeam(flags, connection), current };
    control = await listen(folder, current, context);
    if (!(await interruption.race(mayBegin(run, canary)))) return;
    const result = await runSession(run, canary, false);
    if (canary === undefined || result === undefined) return;
    if (await interruption.race(isToContinue(result, run))) await runSession(run, undefined, true);
  } finally {
    await control?.close();
    state?.close();
  }
}

/** Returns the team. Throws a `UsageError` if there is none. */
function expectTeam({ team: given }: Flags, { rehearsal }: Connection): string {
  const team = rehearsal === undefined ? given : teamOf(rehearsal, given);
  if (team !== undefined) return team;
  throw new UsageError('no team: give --team, the operations team that processes the accounts.');
}

/** Whether the user agrees to the first run, and the preflight checks succeed. Otherwise it has set the exit code. */
async function mayBegin(run: RunOfCommand, canary: number | undefined): Promise<boolean> {
  const { flags, context, connection, input, ledger, runFolder, interruption, team } = run;
  const { client, profile, target, rehearsal } = connection;
  const { signal } = interruption;
  const first = { target, team, input, ledger, canary, isAgreed: flags.yes === true, signal };
  if (!(await mayBeginFirstRun(first, context))) {
    printStopped('begin', context);
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
