/** What `data-import run` does: a book, a connection and a run folder put together, shown while it goes, told at its end. */
import { listenForControl } from '../migration/control.js';
import { LedgerFileError } from '../migration/ledger/file-error.js';
import { LedgerLockedError } from '../migration/ledger/lock.js';
import { type Migration, type MigrationOptions, type MigrationResult, startMigration } from '../migration/migration.js';
import { parseHalt } from '../migration/pace/breaker.js';
import type { PaceOptions } from '../migration/pace/settings.js';
import { parseWindow } from '../migration/pace/window.js';
import { createProgress } from '../migration/progress.js';
import { RunFolderError } from '../migration/report/folder.js';
import type { OpenBook } from '../migration/source/open-book.js';
import { createTerminal } from '../migration/terminal.js';
import { openBookOf } from './book.js';
import { type Connection, meant, openConnection } from './connection.js';
import { EXIT, type ExitCode } from './exit-codes.js';
import type { RunFlags } from './run.js';
import { type Surroundings, UsageError } from './surroundings.js';

export async function run(paths: string[], flags: RunFlags, around: Surroundings): Promise<void> {
  const pace = paceOf(flags);
  const book = await openBookOf(paths, flags);
  try {
    const connection = await openConnection(flags);
    try {
      await carry(book, connection, pace, flags, around);
    } finally {
      await connection.close();
    }
  } finally {
    await book.close();
  }
}

async function carry(
  book: OpenBook,
  { client, profile, sandbox, address }: Connection,
  pace: PaceOptions,
  flags: RunFlags,
  around: Surroundings,
): Promise<void> {
  const team = flags.team ?? sandbox?.state.teams[0];
  if (team === undefined)
    throw new UsageError('no team: give --team, the operations team that processes the accounts.');
  const hard = new AbortController();
  const continueWith = withoutCanary(around.commandLine).join(' ');
  const isWatched = process.stderr.isTTY === true && !flags.json;
  const color = flags.color ? {} : { color: false };
  const terminal = createTerminal({ stream: process.stderr, isTTY: isWatched, ...color });
  let progress = createProgress({ total: 0, open: 0, intents: 0, ended: noEnds() }, Date.now());
  const options: MigrationOptions = {
    client,
    book,
    folder: flags.run,
    team,
    profile,
    pace,
    dryRun: flags.dryRun,
    validateRemotely: flags.validate,
    setAside: flags.setAside,
    resendAfter500: flags.resendAfter500,
    transactionsAtOnce: flags.transactionsAtOnce,
    retryRejected: flags.retryRejected,
    canary: flags.canary,
    signal: hard.signal,
    continueWith,
    configuration: configurationOf(flags, address, team),
    onEvent: (record, event) => progress.event(record, event),
    onLine: (_, finding) => progress.line(finding),
  };
  const migration = await startMigration(options).catch((error: unknown) => {
    if (error instanceof RunFolderError || error instanceof LedgerFileError) {
      throw new UsageError(error.message, { cause: error });
    }
    if (!(error instanceof LedgerLockedError)) throw error;
    around.err(`data-import: ${error.message}\n`);
    around.exit(EXIT.inUse);
  });
  if (migration === undefined) return;
  progress = createProgress(await migration.ledger.counts(), Date.now());
  const control = await listenForControl(flags.run, handlersOf(migration));
  const show = () => terminal.show(progress.status(migration.pace.status(), Date.now()));
  const ticking = setInterval(show, 200);
  const stopCounting = isWatched ? countLines(book, (lines) => progress.count(lines)) : () => {};
  let interrupted: ExitCode | undefined;
  const stopListening = around.onSignal((signal) => {
    if (interrupted !== undefined) hard.abort();
    else {
      migration.pace.drain();
      terminal.line('Draining: what is under way ends, nothing new begins. Ctrl-C again breaks it off.');
    }
    interrupted = signal === 'SIGINT' ? EXIT.interrupted : EXIT.terminated;
  });
  try {
    const result = await migration.finished;
    show();
    terminal.end();
    tell(result, flags, continueWith, around);
    around.exit(interrupted ?? exitCodeOf(result, flags));
  } finally {
    clearInterval(ticking);
    stopCounting();
    stopListening();
    await control.close();
  }
}

/** Beside the run, so that somebody who watches learns how much is left. What is wrong with the book, the run tells. */
function countLines(book: OpenBook, tell: (lines: number) => void): () => void {
  let isWanted = true;
  const count = async () => {
    let lines = 0;
    for await (const _ of book) {
      if (!isWanted) return;
      lines++;
    }
    tell(lines);
  };
  count().catch(() => {});
  return () => {
    isWanted = false;
  };
}

/** With its value, whichever way that was given. */
function withoutCanary(words: readonly string[]): string[] {
  return words.filter((word, index) => !word.startsWith('--canary') && words[index - 1] !== '--canary');
}

function noEnds() {
  return { created: 0, alreadyThere: 0, rejected: 0, skipped: 0, unknown: 0 };
}

function handlersOf({ pace, runFolder }: Migration) {
  const note = (what: string) => void runFolder.audit.append({ at: new Date().toISOString(), by: 'operator', what });
  return {
    pause() {
      pace.pause('by the operator');
      note('pause');
    },
    resume() {
      pace.resume();
      note('resume');
    },
    drain() {
      pace.drain();
      note('drain');
    },
    set(settings: Parameters<typeof pace.set>[0]) {
      pace.set(settings);
      note(`set ${JSON.stringify(settings)}`);
    },
    status: () => pace.status(),
  };
}

function tell(
  { state, reason, summary }: MigrationResult,
  flags: RunFlags,
  continueWith: string,
  { out }: Surroundings,
): void {
  if (flags.json) {
    out(`${JSON.stringify({ state, reason, ...summary, folder: flags.run, continueWith })}\n`);
    return;
  }
  const lines = [`${summary.balance.text}`];
  if (summary.incomplete > 0) lines.push(`${summary.incomplete} of the created lack something that was refused.`);
  if (summary.waiting > 0) lines.push(`${summary.waiting} of the skipped wait for a business that failed.`);
  for (const { step, code, attr, count, remedy } of summary.errors.slice(0, 10)) {
    lines.push(`  ${String(count).padStart(7)}  ${step} ${code}${attr === '' ? '' : ` at ${attr}`}: ${remedy}`);
  }
  if (summary.errors.length > 10) lines.push(`  … and ${summary.errors.length - 10} more kinds of error`);
  for (const { step, count, howToSettle } of summary.unknowns)
    lines.push(`  ${count} unknown at ${step}: ${howToSettle}`);
  lines.push(`Report: ${flags.run}/report.html`);
  if (state === 'halted') lines.push(`Halted: ${reason}.`);
  if (state !== 'finished' || flags.canary !== undefined) lines.push(`To go on: ${continueWith}`);
  out(`${lines.join('\n')}\n`);
}

function exitCodeOf({ state, notAccepted, summary }: MigrationResult, flags: RunFlags): ExitCode {
  if (state === 'halted') return notAccepted === undefined ? EXIT.halted : EXIT.notAccepted;
  if (state === 'stopped') return EXIT.paused;
  if (summary.unknown > 0) return EXIT.unknown;
  if (flags.canary !== undefined) return EXIT.paused;
  return summary.rejected + summary.skipped + summary.incomplete > 0 ? EXIT.rejected : EXIT.ok;
}

function paceOf({ concurrency, processConcurrency, rps, window, timeZone, halt }: RunFlags): PaceOptions {
  return meant(() => ({
    concurrency,
    ...(processConcurrency && { process: { least: processConcurrency[0], most: processConcurrency[1] } }),
    ...(rps !== undefined && { rps }),
    ...(window !== undefined && { window: parseWindow(window, timeZone) }),
    ...(halt !== undefined && { halt: parseHalt(halt) }),
  }));
}

/** What the report shows of the flags; none of them is a secret. */
function configurationOf(flags: RunFlags, address: string, team: string): Record<string, string | number | boolean> {
  const { run: _, json: __, color: ___, ...told } = flags;
  const shown = Object.entries({ ...told, address, team }).filter(([, value]) => value !== undefined);
  return Object.fromEntries(
    shown.map(([name, value]) => [name, Array.isArray(value) ? value.join('-') : (value as string)]),
  );
}
