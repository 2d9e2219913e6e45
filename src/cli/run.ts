/** `data-import run`: carries a book through the service; the same command goes on after any end. */
import { Command, InvalidArgumentError } from 'commander';
import { listenForControl } from '../migration/control.js';
import { LedgerLockedError } from '../migration/ledger/lock.js';
import { type Migration, type MigrationOptions, type MigrationResult, startMigration } from '../migration/migration.js';
import { parseHalt } from '../migration/pace/breaker.js';
import type { PaceOptions } from '../migration/pace/settings.js';
import { parseWindow } from '../migration/pace/window.js';
import { createProgress } from '../migration/progress.js';
import type { OpenBook } from '../migration/source/open-book.js';
import { createTerminal } from '../migration/terminal.js';
import { type BookFlags, openBookOf, withBook } from './book.js';
import { type Connection, type ConnectionFlags, meant, openConnection, withConnection } from './connection.js';
import { EXIT, type ExitCode } from './exit-codes.js';
import { positiveNumber, setting, wholeNumber, withConfigFile } from './settings.js';
import { type Surroundings, UsageError } from './surroundings.js';

interface Flags extends ConnectionFlags, BookFlags {
  run: string;
  team?: string;
  dryRun: 'none' | 'all' | number;
  validate?: true;
  setAside?: true;
  resendAfter500?: true;
  transactionsAtOnce: number;
  concurrency: number;
  processConcurrency?: [least: number, most: number];
  rps?: number;
  window?: string;
  timeZone?: string;
  halt?: string;
  canary?: number;
  json?: true;
}

const EXAMPLES = `
Examples:
  data-import sample --accounts 1000 > book.jsonl
  data-import run book.jsonl --sandbox                     a rehearsal, from end to end
  data-import run book/ --team EAST --canary 100           the first hundred; then the same without --canary
  data-import run book/ --team EAST --window "Mon-Fri 20:00-06:00" --rps 20 --halt fail=2%,min=1000
  data-import run export.csv.gz --map map.js --team EAST

What a run leaves behind is in its folder (--run): report.html, rejected.jsonl to be mended and fed in again, ok.csv,
unknown.jsonl, audit.log. Ctrl-C lets what is under way end; a second one breaks it off. The same command goes on.
`;

export function runCommand(around: Surroundings): Command {
  const command = new Command('run')
    .description('Carry a book through the service: checked, staged, processed, and what belongs to it added.')
    .addOption(setting('--run <folder>', 'the run folder; the same one continues the run').default('data-import-run'))
    .addOption(setting('--team <name>', 'operations team that processes the accounts'))
    .addOption(
      setting('--dry-run <which>', 'accounts to try before processing: none, all, or every so manieth')
        .argParser(whichAccounts)
        .default('none'),
    )
    .addOption(setting('--validate', 'have the service validate each account before it is staged'))
    .addOption(setting('--set-aside', 'a transaction that is refused does not keep the others back'))
    .addOption(setting('--resend-after-500', 'send businesses, payment instructions and statements again after a 500'))
    .addOption(setting('--transactions-at-once <number>', 'in one request').argParser(wholeNumber).default(100))
    .addOption(setting('--concurrency <number>', 'calls under way').argParser(wholeNumber).default(32))
    .addOption(setting('--process-concurrency <range>', 'bounds of calls that process, such as 2-24').argParser(range))
    .addOption(setting('--rps <number>', 'requests a second at most').argParser(positiveNumber))
    .addOption(setting('--window <times>', 'when calls may leave, such as "Mon-Fri 20:00-06:00"'))
    .addOption(setting('--time-zone <name>', "of the window (default: the machine's)"))
    .addOption(setting('--halt <rules>', 'what stops the run, such as fail=2%,min=1000,same=50'))
    .addOption(
      setting('--canary <number>', 'only the first so many records, to look at what comes of them').argParser(
        wholeNumber,
      ),
    )
    .addOption(setting('--json', 'the outcome as one line of JSON'))
    .addHelpText('after', EXAMPLES)
    .action((paths: string[], flags: Flags) => run(paths, flags, around));
  return withConfigFile(withConnection(withBook(command)));
}

async function run(paths: string[], flags: Flags, around: Surroundings): Promise<void> {
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
  flags: Flags,
  around: Surroundings,
): Promise<void> {
  const team = flags.team ?? sandbox?.state.teams[0];
  if (team === undefined)
    throw new UsageError('no team: give --team, the operations team that processes the accounts.');
  const hard = new AbortController();
  const continueWith = around.commandLine.filter((word) => !word.startsWith('--canary')).join(' ');
  const terminal = createTerminal({ stream: process.stderr, isTTY: process.stderr.isTTY === true && !flags.json });
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
    canary: flags.canary,
    signal: hard.signal,
    continueWith,
    configuration: configurationOf(flags, address, team),
    onEvent: (record, event) => progress.event(record, event),
    onLine: (_, finding) => progress.line(finding),
  };
  const migration = await startMigration(options).catch((error: unknown) => {
    if (!(error instanceof LedgerLockedError)) throw error;
    around.err(`data-import: ${error.message}\n`);
    around.exit(EXIT.inUse);
  });
  if (migration === undefined) return;
  progress = createProgress(await migration.ledger.counts(), Date.now());
  const control = await listenForControl(flags.run, handlersOf(migration));
  const show = () => terminal.show(progress.status(migration.pace.status(), Date.now()));
  const ticking = setInterval(show, 200);
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
    stopListening();
    await control.close();
  }
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
  flags: Flags,
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

function exitCodeOf({ state, notAccepted, summary }: MigrationResult, flags: Flags): ExitCode {
  if (state === 'halted') return notAccepted === undefined ? EXIT.halted : EXIT.notAccepted;
  if (state === 'stopped') return EXIT.paused;
  if (summary.unknown > 0) return EXIT.unknown;
  if (flags.canary !== undefined) return EXIT.paused;
  return summary.rejected + summary.skipped + summary.incomplete > 0 ? EXIT.rejected : EXIT.ok;
}

function paceOf({ concurrency, processConcurrency, rps, window, timeZone, halt }: Flags): PaceOptions {
  return meant(() => ({
    concurrency,
    ...(processConcurrency && { process: { least: processConcurrency[0], most: processConcurrency[1] } }),
    ...(rps !== undefined && { rps }),
    ...(window !== undefined && { window: parseWindow(window, timeZone) }),
    ...(halt !== undefined && { halt: parseHalt(halt) }),
  }));
}

/** What the report shows of the flags; none of them is a secret. */
function configurationOf(flags: Flags, address: string, team: string): Record<string, string | number | boolean> {
  const { run: _, json: __, ...told } = flags;
  const shown = Object.entries({ ...told, address, team }).filter(([, value]) => value !== undefined);
  return Object.fromEntries(
    shown.map(([name, value]) => [name, Array.isArray(value) ? value.join('-') : (value as string)]),
  );
}

function whichAccounts(value: string): Flags['dryRun'] {
  if (value === 'none' || value === 'all') return value;
  if (/^[1-9]\d*$/.test(value)) return Number(value);
  throw new InvalidArgumentError('Expected none, all, or a whole number for every so manieth.');
}

function range(value: string): [number, number] {
  const [, least = '', most = least] = /^(\d+)(?:-(\d+))?$/.exec(value) ?? [];
  const [from, to] = [Number(least), Number(most)];
  if (from >= 1 && from <= to) return [from, to];
  throw new InvalidArgumentError('Expected bounds such as 2-24, or one number.');
}
