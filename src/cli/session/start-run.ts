/** What `data-import run` does: a book, a connection and a run folder put together, for one life of the run or two. */
import { join } from 'node:path';
import type { Fleet } from '../../migration/distributed/coordinator.js';
import { emptyFilesInWords } from '../../migration/input/expect-records.js';
import type { OpenInput } from '../../migration/input/open-input.js';
import type { Ledger } from '../../migration/ledger/ledger.js';
import type { Migration, MigrationResult } from '../../migration/migrate.js';
import { type Control, listenForControl } from '../../migration/operations/control/control.js';
import { ControlError } from '../../migration/operations/control/control-command.js';
import type { NotAccepted } from '../../migration/record/apply-event.js';
import type { AuditLog } from '../../migration/report/folder/audit-log.js';
import { openExistingRunFolder, openRunFolder, type RunFolder } from '../../migration/report/folder/run-folder.js';
import { readRunFacts } from '../../migration/report/folder/stored-facts.js';
import { unreadColumnsInWords } from '../../migration/report/summary/input-report.js';
import { targetLine } from '../../migration/run/target.js';
import type { ThrottleOptions } from '../../migration/throttle/settings.js';
import type { RunFlags } from '../commands/run.js';
import { expectNoServing, fleetOf } from '../distributed/fleet.js';
import type { Health } from '../monitoring/health-server.js';
import { type Connection, openConnection } from '../open/connection.js';
import { expectRecordsIn, openBookOf } from '../open/input.js';
import { inRunFolder } from '../open/run-folder.js';
import { addToExistingOf } from '../options/record-options.js';
import { paceOf } from '../options/throttle-options.js';
import { keepState, teamOf, withSuppliers } from '../sandbox/rehearsal.js';
import type { CommandContext } from '../shared/command-context.js';
import { withoutFlag, withoutPasswords } from '../shared/command-text.js';
import { UsageError } from '../shared/errors.js';
import { EXIT } from '../shared/exit-codes.js';
import { handlersOf } from './control-handlers.js';
import { mayBeginFirstRun } from './first-run.js';
import { nextCommands } from './next-commands.js';
import { forgetPreflight, passesPreflight } from './preflight.js';
import { exitCodeOf, inWords, leftAloneInWords } from './result-text.js';
import { type LifeOptions, type Lived, live } from './session.js';

/** `isRetry`: the paths are of corrected lines, and the run is one that there was. */
export async function run(paths: string[], flags: RunFlags, context: CommandContext, isRetry = false): Promise<void> {
  const pace = paceOf(flags);
  if (flags.setAside && !flags.checkPreviouslyAdded) {
    throw new UsageError(
      '--set-aside and --no-check-previously-added: give one of them. The others of a refused request are sent again, and the service would not skip those that it has kept.',
    );
  }
  if (flags.fleet === undefined) expectNoServing(flags);
  const book = await openBookOf(paths, flags);
  try {
    // Before anything is connected or written.
    await expectRecordsIn(book);
    const connection = await openConnection(flags);
    try {
      const opening = isRetry ? openExistingRunFolder(flags.run) : openRunFolder(flags.run);
      const fleet = flags.fleet === undefined ? undefined : fleetOf(flags, connection, context);
      const work = async ({ audit }: RunFolder, ledger: Ledger, health?: Health) => {
        const { rehearsal } = connection;
        const opened = fleet?.opened();
        const carried = () =>
          carry({ book, connection, pace, flags, context, audit, ledger, fleet: opened, health, isRetry });
        if (rehearsal === undefined) return carried();
        const hasRecords = (await ledger.counts()).total > 0;
        await keepState(rehearsal, { folder: flags.run, hasRecords }, carried);
      };
      const inFolder = (health?: Health) =>
        inRunFolder(opening, flags, context, (folder, ledger) => work(folder, ledger, health), fleet?.open);
      await (fleet === undefined ? inFolder() : fleet.whileServing(connection.client, inFolder));
      const empty = emptyFilesInWords(book);
      if (empty !== '') context.err(`data-import: ${empty}\n`);
    } finally {
      await connection.close();
    }
  } finally {
    await book.close();
  }
}

interface Work {
  book: OpenInput;
  connection: Connection;
  pace: ThrottleOptions;
  flags: RunFlags;
  context: CommandContext;
  audit: AuditLog;
  ledger: Ledger;
  fleet: Fleet | undefined;
  health: Health | undefined;
  isRetry: boolean;
}

async function carry(work: Work): Promise<void> {
  const { book, connection, pace, flags, context, ledger, fleet, health, isRetry } = work;
  const { rehearsal } = connection;
  const team = rehearsal === undefined ? flags.team : teamOf(rehearsal, flags.team);
  if (team === undefined)
    throw new UsageError('no team: give --team, the operations team that processes the accounts.');
  // 0 is for all, where the environment or the config file have another number.
  const only = flags.canary === 0 ? undefined : flags.canary;
  const first = { target: connection.target, team, input: book, ledger, canary: only, isAgreed: flags.yes === true };
  // A misspelt column is seen in the first rows, before anything is sent.
  for (const line of unreadColumnsInWords(book.files())) context.err(`${line} so far\n`);
  if (!(await mayBeginFirstRun(first, context))) {
    context.err(`Nothing was sent. To begin: ${context.commandLine.join(' ')}\n`);
    context.exit(EXIT.paused);
    return;
  }
  if (!(await isReady(work))) return;
  const { commandLine } = context;
  const continueWith = (only === undefined ? commandLine : withoutCanary(commandLine)).join(' ');
  const options: LifeOptions = {
    client: connection.client,
    input: rehearsal === undefined ? book : withSuppliers(book, rehearsal.sandbox),
    folder: flags.run,
    ledger,
    fleet,
    target: connection.target,
    retarget: flags.retarget,
    serviceStartedAt: rehearsal?.startedAt,
    team,
    profile: connection.profile,
    showPersonalData: flags.showPersonalData,
    throttle: pace,
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
    continueWith,
    configuration: {},
    ...(health !== undefined && { onEvent: health.onEvent }),
  };
  let current: Migration | undefined;
  const control = await listen(flags.run, () => current, context);
  const oneLife = (canary: number | undefined) => {
    const again = canary === undefined && only !== undefined ? withoutCanary(commandLine) : commandLine;
    const continueUnfinishedWith = (notAccepted: NotAccepted | undefined) =>
      notAccepted === 'team' ? withOtherTeam(again) : again.join(' ');
    const configuration = configurationOf({ ...flags, canary: canary ?? 0 }, connection.address, team);
    return live({ ...options, canary, configuration, continueUnfinishedWith }, flags, context, (begun) => {
      current = begun;
      if (fleet !== undefined) health?.watch({ status: fleet.status, finished: begun.finished });
    });
  };
  try {
    const canary = await oneLife(only);
    current = undefined;
    if (isStopped(canary.result)) await forgetPreflight(ledger);
    await tell(canary, { book, flags, target: connection.target, isCanary: only !== undefined, continueWith }, context);
    if (only === undefined || canary.interrupted !== undefined || !(await isToGoOn(canary.result, flags, context)))
      return;
    const whole = await oneLife(undefined);
    if (isStopped(whole.result)) await forgetPreflight(ledger);
    await tell(whole, { book, flags, target: connection.target, isCanary: false, continueWith }, context);
  } finally {
    await control?.close();
  }
}

/** What stopped it may be found by the checks before the next session. */
function isStopped({ state }: MigrationResult): boolean {
  return state === 'halted' || state === 'unfinished';
}

async function isReady({ book, connection, flags, context, ledger, audit }: Work): Promise<boolean> {
  const { client, profile, target, rehearsal } = connection;
  const checked = {
    client: rehearsal === undefined ? client : undefined,
    ...{ profile, input: book, folder: flags.run, hasLedger: flags.database === undefined },
  };
  return passesPreflight({ ...checked, target, ledger, audit, now: () => new Date() }, context);
}

/** Before anything is sent. A disk that takes no socket, as some mounted ones, is no reason not to run. */
async function listen(
  folder: string,
  current: () => Migration | undefined,
  { err }: CommandContext,
): Promise<Control | undefined> {
  try {
    return await listenForControl(folder, handlersOf(current));
  } catch (error) {
    if (error instanceof ControlError) throw new UsageError(error.message, { cause: error });
    const { code } = error as NodeJS.ErrnoException;
    err(
      `data-import: ${folder} takes no socket (${code}), so no other terminal can steer this run. Ctrl-C drains it.\n`,
    );
    return undefined;
  }
}

/** Whoever looked at the canary may let the rest follow; where nobody watches, nobody can be asked. */
async function isToGoOn({ state }: MigrationResult, flags: RunFlags, { ask }: CommandContext): Promise<boolean> {
  if (flags.json || state !== 'finished' || ask === undefined) return false;
  const answer = await ask('Go on with the whole book? [y/N] ');
  return /^y(es)?$/i.test(answer.trim());
}

/** Said, and not left away: the environment or the config file may have one too. */
function withoutCanary(words: readonly string[]): string[] {
  const [program = '', command = '', ...rest] = withoutFlag(words, '--canary');
  return [program, command, '--canary', '0', ...rest];
}

/** The name is left to the user: the service refused the one that the command, the environment or the config file has. */
function withOtherTeam(words: readonly string[]): string {
  return [...withoutFlag(words, '--team'), '--team <name from the operator>'].join(' ');
}

interface Told {
  book: OpenInput;
  flags: RunFlags;
  target: string;
  isCanary: boolean;
  continueWith: string;
}

async function tell(
  { result, interrupted }: Lived,
  { book, flags, target, isCanary, continueWith }: Told,
  { out, exit }: CommandContext,
): Promise<void> {
  const { state, reason, summary, ignoredLines } = result;
  exit(interrupted ?? exitCodeOf(result, isCanary));
  const facts = await readRunFacts(join(flags.run, 'run.json'));
  const isKnown = facts !== undefined && facts !== 'damaged' && !(isCanary && state === 'finished');
  const commands = isKnown ? facts : { continueWith, runCommand: continueWith, retryCommand: '', runAgainWith: [] };
  if (flags.json) {
    const told = { target, state, reason, ...summary, ignoredLines, folder: flags.run };
    out(`${JSON.stringify({ ...told, continueWith: commands.continueWith })}\n`);
    return;
  }
  const rehearsal = flags.sandbox ? '. Nothing was sent to a service.' : '';
  const lines = [
    ...[targetLine(target) + rehearsal, ...leftAloneInWords(ignoredLines, flags.run), ...inWords(summary, flags.run)],
    ...unreadColumnsInWords(book.files()),
  ];
  if (reason !== undefined) lines.push(`${state === 'halted' ? 'Halted' : 'Unfinished'}: ${reason}.`);
  if (isCanary && state === 'finished') lines.push(`Next: ${continueWith}`);
  else lines.push(...nextCommands({ ...commands, state, summary, folder: flags.run }));
  out(`${lines.join('\n')}\n`);
}

/** What the report shows of the flags: no password. */
function configurationOf(flags: RunFlags, address: string, team: string): Record<string, string | number | boolean> {
  const { run: _, json: __, color: ___, yes: ____, ...told } = flags;
  const shown = Object.entries({ ...told, address, team }).filter(
    ([name, value]) => value !== undefined && !(name === 'canary' && value === 0),
  );
  return Object.fromEntries(
    shown.map(([name, value]) => [name, Array.isArray(value) ? value.join('-') : shownAs(value as string | number)]),
  );
}

function shownAs<Value>(value: Value): Value | string {
  return typeof value === 'string' ? withoutPasswords(value) : value;
}
