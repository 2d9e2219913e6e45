/** `runSession`: starts a migration, shows its progress, and ends it when it is done or a signal asks for it. */
import type { Ledger } from '../../migration/ledger/ledger.js';
import { type Migration, startMigration } from '../../migration/migrate.js';
import type { RunEnding } from '../../migration/report/report.js';
import { targetLine } from '../../migration/run/expect-target.js';
import type { MigrationOptions } from '../../migration/run/options.js';
import type { MigrationResult } from '../../migration/run/session/end-session.js';
import { createFailureNotes, failureOfEvent, failureOfResponse } from '../../migration/shared/connection-failure.js';
import { createProgressEvents } from '../monitoring/events/progress-events.js';
import { createThrottleEvents } from '../monitoring/events/throttle-events.js';
import { keptInWords } from '../open/run-folder.js';
import { drainOnSignal } from '../shared/drain-on-signal.js';
import type { InterruptedError } from '../shared/errors.js';
import type { ExitCode } from '../shared/exit-codes.js';
import { createProgress } from '../terminal/progress.js';
import { createTerminal } from '../terminal/terminal.js';
import type { RunOfCommand } from './migration-options.js';
import { hostWithProxy } from './proxy-failure.js';

/** The caller closes the ledger: its lock outlasts a session. */
type SessionOptions = MigrationOptions & { ledger: Ledger; target: string };

interface SessionHooks {
  /** Called once the migration has started. */
  began(migration: Migration): void;
  /** Called when it has ended. `interrupted`: the exit code of the signal that ended it. */
  endingOf(
    interrupted: ExitCode | undefined,
    ...end: Parameters<NonNullable<MigrationOptions['endingOf']>>
  ): Promise<RunEnding>;
}

const BETWEEN_PICTURES_MS = 200;

/** Runs one session to its end. Rejects as `startMigration` does. */
export async function runSession(
  options: SessionOptions,
  {
    flags: { json, logFormat, color },
    context,
    interruption,
  }: Pick<RunOfCommand, 'flags' | 'context' | 'interruption'>,
  { began, endingOf }: SessionHooks,
): Promise<MigrationResult> {
  interruption.signal.throwIfAborted();
  const hard = new AbortController();
  // A terminal without a size, as on some build machines, gets plain lines.
  const isWatched = process.stderr.isTTY === true && process.stderr.columns > 0 && !json && logFormat === 'text';
  const terminal =
    logFormat === 'json'
      ? createProgressEvents(context.report, (text) => context.err(`${text}\n`))
      : createTerminal({ stream: process.stderr, isTTY: isWatched, ...(color ? {} : { color: false }) });
  const throttleEvents = createThrottleEvents(context.report);
  const progress = await createProgress(options.ledger, Date.now(), options);
  const failures = createFailureNotes(hostWithProxy(options.client.host, options.target), (text) =>
    logFormat === 'json'
      ? context.err(`data-import-sdk: ${text}.\n`)
      : terminal.line(`${text[0]?.toUpperCase()}${text.slice(1)}.`),
  );
  // The rows of the display would overwrite the question.
  let isAsking = false;
  const migration = await startMigration({
    ...options,
    signal: hard.signal,
    onEvent(record, event, before) {
      progress.event(record, event, before);
      options.onEvent?.(record, event, before);
    },
    onOthers(event) {
      progress.other(event);
      const failure = failureOfEvent(event);
      if (failure !== undefined) failures.failed(failure);
    },
    onLine: (_, finding) => progress.line(finding),
    endingOf: (...end) => endingOf(signals.abortedBy() ?? signals.drainedBy(), ...end),
    async onRenumbered(records) {
      terminal.end();
      isAsking = true;
      const isToSend = await options.onRenumbered?.(records);
      isAsking = false;
      return isToSend ?? false;
    },
  });
  if (logFormat === 'text') terminal.line(targetLine(options.target));
  const { target, folder, canary } = options;
  context.report({ event: 'session.started', target, folder, canary });
  for (const kept of migration.keptFiles) context.err(keptInWords(kept, 'given'));
  began(migration);
  const { throttle, finished } = migration;
  const stopWatching = options.client.on({
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
    const linesSoFar = readProgress.isOver || options.distributed !== undefined ? undefined : readProgress.lines;
    terminal.show(progress.status(status, Date.now(), inFlight.waiting(), linesSoFar));
  };
  const ticking = setInterval(show, BETWEEN_PICTURES_MS);
  const signals = drainOnSignal(
    { onSignal: context.onSignal, err: (text) => terminal.line(text.trimEnd()) },
    { drain: () => throttle.drain(), abort: () => hard.abort() },
  );
  // While the migration was started.
  if (interruption.signal.aborted) signals.onEnding((interruption.signal.reason as InterruptedError).signal);
  try {
    const result = await finished;
    progress.end(result.summary);
    show();
    return result;
  } finally {
    clearInterval(ticking);
    stopWatching();
    signals.close();
    terminal.end();
    for (const one of migration.runFolder.edited) context.err(keptInWords(one));
  }
}
