/** `data-import plan`: what a run with the same flags would do, without doing it. */
import { Command } from 'commander';
import { emptyFilesInWords } from '../../migration/input/expect-records.js';
import type { OpenInput } from '../../migration/input/open-input.js';
import type { Forecast } from '../../migration/operations/forecast.js';
import type { Duration } from '../../migration/operations/preflight/duration.js';
import type { Probe } from '../../migration/operations/preflight/probe.js';
import { fieldsInWords, inputReport, unreadColumnsInWords } from '../../migration/report/summary/input-report.js';
import { counted, itemsInWords, duration as words } from '../../migration/shared/format.js';
import type { Profile } from '../../validation/profile.js';
import { type ConnectionFlags, openConnection, readProfile, withConnection } from '../open/connection.js';
import { type BookFlags, openBookOf, withBook } from '../open/input.js';
import { addToExistingOf, type WorkFlags, withWork } from '../options/record-options.js';
import { type LedgerFlags, withLedger, withRetarget, withRunFolder } from '../options/run-folder-options.js';
import { setting, wholeNumber, withConfigFile } from '../options/settings.js';
import { type PaceFlags, paceOf, withPace } from '../options/throttle-options.js';
import { withSuppliers } from '../sandbox/rehearsal.js';
import type { CommandContext } from '../shared/command-context.js';
import { EXIT } from '../shared/exit-codes.js';

interface Flags extends ConnectionFlags, BookFlags, PaceFlags, WorkFlags, LedgerFlags {
  probe?: number;
  json?: true;
}

const HELP = `
Examples:
  data-import plan book/                                   records, items, and the requests that they need
  data-import plan book/ --rps 20                          and how long they take at 20 a second
  data-import plan book/ --probe 20 --base-url https://…   and how long by the answers to 20 calls of validate

It takes the flags of run. Where the run folder (--run) has a ledger, what is left is counted. Nothing is sent but the
calls of a probe, and these change nothing.

Exit code 3 where the local check rejects anything, or the input has no record.
`;

export function planCommand(context: CommandContext): Command {
  const command = new Command('plan').description(
    'Count what a run with the same flags would send, and tell how long it would take. Changes nothing.',
  );
  withRunFolder(command, 'the run folder; what it holds already is not counted');
  withPace(withWork(withRetarget(command)))
    .addOption(
      setting('--probe <number>', 'so many calls of validate, to learn how fast the service answers').argParser(
        wholeNumber,
      ),
    )
    .addOption(setting('--json', 'as one line of JSON'))
    .addHelpText('after', HELP)
    .action(async (paths: string[], flags: Flags) => {
      const pace = paceOf(flags);
      const profile = flags.profile === undefined ? undefined : await readProfile(flags.profile);
      const book = await openBookOf(paths, flags);
      try {
        const planned = await forecastOf(book, flags, profile);
        const probed = flags.probe === undefined ? undefined : await probeOf(book, flags.probe, flags, profile);
        const { durationOf } = await import('../../migration/operations/preflight/duration.js');
        const duration = durationOf(planned.requests, pace, probed);
        const { fields, ...counts } = planned;
        const input = inputReport(book, fields);
        if (flags.json) {
          context.out(`${JSON.stringify({ ...counts, input, probe: probed ?? null, duration: duration ?? null })}\n`);
        } else {
          const ofInput = [...fieldsInWords(input), ...unreadColumnsInWords(input.files)];
          context.out(`${[...ofInput, ...inWords(planned, probed, duration, flags)].join('\n')}\n`);
        }
        const empty = emptyFilesInWords(book);
        if (empty !== '') context.err(`data-import: ${empty}\n`);
        context.exit(planned.rejected > 0 || planned.lines === 0 ? EXIT.rejected : EXIT.ok);
      } finally {
        await book.close();
      }
    });
  return withConfigFile(withConnection(withBook(withLedger(command))));
}

async function forecastOf(book: OpenInput, flags: Flags, profile: Profile | undefined): Promise<Forecast> {
  const { forecast } = await import('../../migration/operations/forecast.js');
  const { needsDryRun } = await import('../../migration/record/preconditions/dry-run.js');
  const { foreseenFirst } = await import('../../migration/record/preconditions/first-account.js');
  const { expectSharedSupplier } = await import('../../migration/run/target.js');
  const { withLedgerIfAny } = await import('../open/run-folder.js');
  // Where there is none yet, the whole book is left.
  return withLedgerIfAny(flags, async (ledger) => {
    // As a run with the same flags would.
    if (ledger !== undefined) await expectSharedSupplier(ledger, book, flags.run);
    return forecast(book, {
      ledger,
      profile,
      validateRemotely: flags.validate ?? false,
      dryRun: needsDryRun(flags.dryRun, await foreseenFirst(ledger, flags.team)),
      transactionsAtOnce: flags.transactionsAtOnce,
      statementsAtOnce: flags.statementsAtOnce,
      notesAtOnce: flags.notesAtOnce,
      checkPreviouslyAdded: flags.checkPreviouslyAdded,
      retryRejected: flags.retryRejected ?? false,
      addToExisting: addToExistingOf(flags),
    });
  });
}

async function probeOf(book: OpenInput, count: number, flags: Flags, profile: Profile | undefined) {
  const { probe } = await import('../../migration/operations/preflight/probe.js');
  const { client, rehearsal, close } = await openConnection(flags);
  const asked = rehearsal === undefined ? book : withSuppliers(book, rehearsal.sandbox);
  try {
    return await probe({ client, book: asked, count, profile, now: () => performance.now() });
  } finally {
    await close();
  }
}

function inWords(planned: Forecast, probed: Probe | undefined, duration: Duration | undefined, flags: Flags): string[] {
  const { lines, populates = 0, businesses, accounts, items, rejected, skipped, waiting, ended, requests } = planned;
  const { transactionsBeforeOpenPeriod: moved } = planned;
  const all = Object.values(requests).reduce((sum, count) => sum + count, 0);
  return [
    `${counted(lines, 'line')}: ${populates > 0 ? `${counted(populates, 'pre-population')}, ` : ''}${counted(businesses, 'business', 'businesses')}, ${counted(accounts, 'account')} with ${itemsInWords(items)}`,
    ...(moved > 0 ? [movedInWords(moved, flags)] : []),
    ...(rejected > 0 ? [`${counted(rejected, 'line')} the local check rejects; data-import check says why`] : []),
    ...(skipped > 0 ? [`${counted(skipped, 'line')} skipped: another one has the number`] : []),
    ...(waiting > 0 ? [`${counted(waiting, 'account')} would wait for a business that is rejected`] : []),
    ...(ended > 0 ? [`${counted(ended, 'record')} ended before, by ${flags.run}; what follows is left`] : []),
    `${counted(all, 'request')}`,
    ...Object.entries(requests).map(([operation, count]) => `${String(count).padStart(9)}  ${operation}`),
    ...(probed === undefined ? [] : [probeInWords(probed)]),
    durationInWords(duration, probed, flags),
  ];
}

function movedInWords(count: number, { forceCurrentStatement }: Flags): string {
  const what = `${counted(count, 'transaction')} dated before the open statement period`;
  return forceCurrentStatement
    ? `${what}: the service moves the date into it and pins a note; data-import check says where`
    : `${what}: the service rejects these (--no-force-current-statement); data-import check says where`;
}

function probeInWords({ calls, refused, medianMs, mostMs }: Probe): string {
  const times = `${Math.round(medianMs)} ms in the middle, nine of ten within ${Math.round(mostMs)} ms`;
  return `${counted(calls, 'call')} of accounts.validate: ${times}${refused > 0 ? `; the platform refuses ${refused} of these accounts` : ''}`;
}

function durationInWords(duration: Duration | undefined, probed: Probe | undefined, { rps, window }: Flags): string {
  if (duration === undefined) return 'How long it takes: --rps 20 or --probe 20 would tell';
  const [from, to] = [words(duration.fromMs), words(duration.toMs)];
  const how = [
    ...(rps === undefined ? [] : [`at most ${rps} requests a second`]),
    ...(probed === undefined ? [] : ['by the answers to validate; process may take longer']),
    ...(window === undefined ? [] : [`counted while the window ${window} is open`]),
  ];
  const span = duration.toMs < 1000 ? 'less than a second' : from === to ? `about ${from}` : `${from} to ${to}`;
  return `Takes ${span} (${how.join('; ')})`;
}
