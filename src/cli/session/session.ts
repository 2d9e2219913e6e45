/** `runSession`: starts the migration of a command, shows its progress, ends it when it is done or a signal asks for it, and prints the result. */
import type { DistributedRun } from '../../migration/distributed/coordinator.js';
import type { OpenInput } from '../../migration/input/open-input.js';
import type { Ledger } from '../../migration/ledger/ledger.js';
import { startMigration } from '../../migration/migrate.js';
import { exitCodeOfSession } from '../../migration/report/exit-code.js';
import type { KeptFile } from '../../migration/report/folder/edited-files.js';
import type { RunFolder } from '../../migration/report/folder/run-folder.js';
import { keepCommand } from '../../migration/report/folder/stored-command.js';
import { targetLine } from '../../migration/run/expect-target.js';
import { withCopies } from '../../migration/run/retried-files.js';
import type { MigrationResult } from '../../migration/run/session/end-session.js';
import { createFailureNotes, failureOfEvent, failureOfResponse } from '../../migration/shared/connection-failure.js';
import type { LimitBounds } from '../../migration/throttle/limits/adaptive-limit.js';
import type { ThrottleOptions } from '../../migration/throttle/settings.js';
import { createProgressEvents } from '../monitoring/events/progress-events.js';
import { finalCounts } from '../monitoring/events/run-events.js';
import { createThrottleEvents } from '../monitoring/events/throttle-events.js';
import { type Health, type HealthStatus, readinessOfRun } from '../monitoring/health.js';
import type { Connection } from '../open/connection.js';
import { keptInWords } from '../open/run-folder.js';
import type { InputFlags } from '../options/input-options.js';
import { ofRecords } from '../options/record-options.js';
import { withSuppliers } from '../sandbox/rehearsal.js';
import type { CommandContext } from '../shared/command-context.js';
import { withoutPasswords } from '../shared/command-text.js';
import { drainOnSignal } from '../shared/drain-on-signal.js';
import type { InterruptedError } from '../shared/errors.js';
import { EXIT, type ExitCode } from '../shared/exit-codes.js';
import type { Interruption } from '../shared/interruption.js';
import { createProgress } from '../terminal/progress.js';
import { createTerminal } from '../terminal/terminal.js';
import { commandAgain, continueWith } from './command-again.js';
import type { CurrentMigration } from './control-handlers.js';
import { endingBy, nextInWords } from './next-commands.js';
import { forgetPreflight } from './preflight.js';
import { hostWithProxy, reasonWithProxy } from './proxy-failure.js';
import { isToContinueCopied, isToSendRenumbered } from './questions.js';
import { ignoredLinesInWords, summaryInWords } from './result-text.js';
import type { RunCommandFlags } from './run-flags.js';

type RunOnly = 'changedSources';
/** The flags of both commands: `retry` does not have those of a canary, a distributed run and `--retry-rejected`. */
export type Flags = InputFlags & Omit<RunCommandFlags, RunOnly> & Partial<Pick<RunCommandFlags, RunOnly>>;

/** What the sessions of one command share. */
export interface RunOfCommand {
  flags: Flags;
  context: CommandContext;
  isRetry: boolean;
  throttle: ThrottleOptions;
  input: OpenInput;
  connection: Connection;
  /** The caller closes it: its lock outlasts a session. */
  ledger: Ledger;
  runFolder: RunFolder;
  distributed: DistributedRun | undefined;
  health: Health | undefined;
  interruption: Interruption;
  team: string;
  current: CurrentMigration;
}

const BETWEEN_PICTURES_MS = 200;

/**
 * Runs one session and prints its result. `isAfterCanary`: whether it is the session that the user agreed to after a canary. Resolves with
 * undefined if a signal ended it. Rejects as `startMigration` does.
 */
export async function runSession(
  run: RunOfCommand,
  canary: number | undefined,
  isAfterCanary: boolean,
): Promise<MigrationResult | undefined> {
  const { flags, context, input, ledger, distributed, health, interruption, team, current } = run;
  const { json, logFormat, color, run: folder } = flags;
  const { client, target, rehearsal, profile, address } = run.connection;
  interruption.signal.throwIfAborted();
  const hard = new AbortController();
  // A terminal without a size, as on some build machines, gets plain lines.
  const isWatched = process.stderr.isTTY === true && process.stderr.columns > 0 && !json && logFormat === 'text';
  const terminal =
    logFormat === 'json'
      ? createProgressEvents(context.report, (text) => context.err(`${text}\n`))
      : createTerminal({ stream: process.stderr, isTTY: isWatched, ...(color ? {} : { color: false }) });
  const throttleEvents = createThrottleEvents(context.report);
  const ofRecord = ofRecords(flags);
  const progress = await createProgress(ledger, Date.now(), { ...ofRecord, retry: run.isRetry });
  const failures = createFailureNotes(hostWithProxy(client.host, target), (text) =>
    logFormat === 'json'
      ? context.err(`data-import-sdk: ${text}.\n`)
      : terminal.line(`${text[0]?.toUpperCase()}${text.slice(1)}.`),
  );
  // The rows of the display would overwrite the question.
  let isAsking = false;
  const changed = () => current.changed.now(current.migration?.throttle.status());
  const again = continueWith({ context, changed, canary: flags.canary, isAfterCanary });
  let keptFiles: readonly KeptFile[] = [];
  const sent = () => context.sent(() => withCopies(again({ state: 'running', notAccepted: undefined }), keptFiles));
  const migration = await startMigration({
    ...ofRecord,
    ...{ client, folder, ledger, distributed, target, team, canary, profile, signal: hard.signal },
    input: rehearsal === undefined ? input : withSuppliers(input, rehearsal.sandbox),
    retarget: flags.retarget,
    serviceStartedAt: rehearsal?.startedAt,
    showPersonalData: flags.showPersonalData,
    throttle: run.throttle,
    retry: run.isRetry,
    changedSources: flags.changedSources,
    continueWith: again,
    configuration: configurationOf({ ...flags, canary: canary ?? 0 }, address, team),
    onEvent(record, event, before) {
      progress.event(record, event, before);
      health?.onEvent(record, event);
    },
    onOthers(event) {
      sent();
      progress.other(event);
      const failure = failureOfEvent(event);
      if (failure !== undefined) failures.failed(failure);
    },
    onLine: (_, finding) => progress.line(finding),
    async endingOf(facts, summary, { sent: _, ...ignored }) {
      const interrupted = signals.abortedBy() ?? signals.drainedBy();
      await kept;
      await keepCommand(ledger, commandAgain(context, changed()));
      const { next } = await endingBy(ledger, folder, context)(facts, summary);
      return { exitCode: interrupted ?? exitCodeOfSession(facts, summary, Object.keys(ignored).length > 0), next };
    },
    onCopied: (copied) =>
      isToContinueCopied(copied, context, { isAgreed: flags.yes === true, signal: interruption.signal }),
    async onRenumbered(records) {
      terminal.end();
      isAsking = true;
      const isToSend = await isToSendRenumbered(records, context, interruption.signal);
      isAsking = false;
      return isToSend;
    },
  });
  if (logFormat === 'text') terminal.line(targetLine(target));
  context.report({ event: 'session.started', target, folder, canary });
  keptFiles = migration.keptFiles;
  for (const one of keptFiles) context.err(keptInWords(one, 'given'));
  current.migration = migration;
  current.changed.begin(migration.throttle.status());
  const kept = keepCommand(ledger, commandAgain(context, changed()));
  // Awaited at the end of the session, whose errors come first.
  kept.catch(() => {});
  const { throttle, finished } = migration;
  health?.watch({ status: distributed?.status ?? (() => statusOf(current)), finished });
  const stopWatching = client.on({
    onRequest: sent,
    onResponse(response) {
      const failure = failureOfResponse(response);
      if (failure !== undefined && !hard.signal.aborted) failures.failed(failure);
    },
  });
  const show = () => {
    if (isAsking) return;
    const status = throttle.status();
    throttleEvents(status, Date.now());
    const { inFlight, readProgress } = migration;
    if (readProgress.isOver) progress.count(readProgress.lines);
    const linesSoFar = readProgress.isOver || distributed !== undefined ? undefined : readProgress.lines;
    terminal.show(progress.status(status, Date.now(), inFlight.waiting(), linesSoFar));
  };
  const ticking = setInterval(show, BETWEEN_PICTURES_MS);
  const signals = drainOnSignal(
    { onSignal: context.onSignal, err: (text) => terminal.line(text.trimEnd()) },
    { drain: () => throttle.drain(), abort: () => hard.abort() },
  );
  // While the migration was started.
  if (interruption.signal.aborted) signals.onEnding((interruption.signal.reason as InterruptedError).signal);
  let result: MigrationResult;
  try {
    result = await finished;
    progress.end(result.summary);
    show();
  } finally {
    clearInterval(ticking);
    stopWatching();
    signals.close();
    terminal.end();
    for (const one of migration.runFolder.edited) context.err(keptInWords(one));
  }
  current.migration = undefined;
  const { state, reason, summary, report } = result;
  // The checks before the next session may find what stopped this one.
  if (state === 'halted' || state === 'unfinished') await forgetPreflight(ledger);
  const { exitCode } = report.ending;
  context.exit((exitCode as ExitCode | null) ?? EXIT.internal);
  const next = report.ending.next.map(nextInWords);
  printResult(result, next, run);
  context.report({ event: 'session.ended', state, reason, records: finalCounts(summary), next });
  // A signal ended the session.
  return exitCode !== null && exitCode >= EXIT.hungUp ? undefined : result;
}

/** Prints what the session did and what the user does next, as text or as JSON. */
function printResult(
  result: MigrationResult,
  next: readonly string[],
  { flags, context, input, connection: { target } }: RunOfCommand,
): void {
  const { state, reason, summary, ignoredLines, report } = result;
  const { run: folder } = flags;
  const { continueWith } = report.run;
  if (flags.json === true || flags.logFormat === 'json') {
    context.out(`${JSON.stringify({ target, state, reason, ...summary, ignoredLines, folder, continueWith })}\n`);
    return;
  }
  const lines = [
    `${targetLine(target)}${flags.sandbox ? '. Nothing was sent to a service.' : ''}`,
    ...ignoredLinesInWords(ignoredLines, folder),
    ...summaryInWords(summary, folder, input.files()),
  ];
  if (reason !== undefined)
    lines.push(`${state === 'halted' ? 'Halted' : 'Unfinished'}: ${reasonWithProxy(reason, target)}.`);
  context.out(`${[...lines, ...next].join('\n')}\n`);
}

/** The status of a run on one machine; undefined between two sessions. */
function statusOf({ migration }: CurrentMigration): HealthStatus | undefined {
  if (migration === undefined) return undefined;
  const pace = migration.throttle.status();
  return { ...readinessOfRun(pace), pace };
}

/** Flags that say nothing about the run. URL and command of a notification may contain a secret. */
const NOT_SHOWN: ReadonlySet<string> = new Set<keyof Flags>([
  'run',
  'json',
  'color',
  'yes',
  'sources',
  'logFormat',
  'notify',
  'notifyCommand',
]);

/** The flags as the report shows them, without passwords. */
function configurationOf(flags: Flags, address: string, team: string): Record<string, string | number | boolean> {
  const shown = Object.entries({ ...flags, address, team }).filter(
    ([name, value]) => value !== undefined && !NOT_SHOWN.has(name) && !(name === 'canary' && value === 0),
  );
  return Object.fromEntries(
    shown.map(([name, value]) => [name, shownAs(value as string | number | LimitBounds | string[])]),
  );
}

function shownAs(value: string | number | LimitBounds | string[]): string | number {
  if (typeof value === 'object') return Object.values(value).join('-');
  return typeof value === 'string' ? withoutPasswords(value) : value;
}
