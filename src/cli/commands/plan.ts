/** `data-import-sdk plan`: counts what a run with the same flags would send, and estimates its time. */
import { emptyFilesInWords } from '../../migration/input/expect-records.js';
import type { OpenInput } from '../../migration/input/open-input.js';
import { type Forecast, type ForecastOptions, forecast } from '../../migration/operations/forecast.js';
import { type Duration, durationOf } from '../../migration/operations/forecast-duration.js';
import { type Probe, probe } from '../../migration/operations/preflight/probe.js';
import { needsDryRun } from '../../migration/record/preconditions/dry-run.js';
import { foreseenFirst } from '../../migration/record/preconditions/first-account.js';
import { settingsOf } from '../../migration/record/steps/call-settings.js';
import { unreadInWords } from '../../migration/report/summary/input-report.js';
import { expectSharedSupplier } from '../../migration/run/known-suppliers.js';
import { counted, itemsInWords, number, duration as words } from '../../migration/shared/format.js';
import type { Profile } from '../../validation/profile.js';
import { openConnection, readProfile } from '../open/connection.js';
import { openInputOf } from '../open/input.js';
import { withLedgerIfAny } from '../open/run-folder.js';
import { defineCommand } from '../options/command.js';
import { connectionOptions } from '../options/connection-options.js';
import { wrapped } from '../options/help.js';
import { INPUT, inputOptions } from '../options/input-options.js';
import type { OptionTable, OptionValues } from '../options/option.js';
import { jsonOptions } from '../options/output-options.js';
import { ofRecords, recordOptions } from '../options/record-options.js';
import { folderOptions, ledgerOptions, retargetOptions } from '../options/run-options.js';
import { throttleOf, throttleOptions } from '../options/throttle-options.js';
import { wholeNumber } from '../options/values.js';
import { withSuppliers } from '../sandbox/rehearsal.js';
import { EXIT } from '../shared/exit-codes.js';
import { createFindingsText, type FindingsText } from './input/findings-text.js';

const options = {
  ...inputOptions,
  ...connectionOptions,
  ...retargetOptions,
  ...throttleOptions,
  ...recordOptions,
  probe: {
    flags: '--probe <number>',
    group: 'Speed',
    help: 'measure the service with n validate calls',
    parse: wholeNumber,
  },
  ...folderOptions,
  ...ledgerOptions,
  ...jsonOptions,
} as const satisfies OptionTable;

type Flags = OptionValues<typeof options>;

export const command = defineCommand({
  operands: [INPUT],
  options,
  async action(paths, flags, { out, err, exit }) {
    const throttle = throttleOf(flags);
    const profile = await readProfile(flags.profile);
    const input = await openInputOf(paths, flags);
    try {
      const text = createFindingsText(out, 0);
      const planned = await forecastOf(input, flags, { profile, onFinding: text.add });
      const probed = flags.probe === undefined ? undefined : await probeOf(input, flags.probe, flags, profile);
      const duration = durationOf(planned.requests, throttle, probed);
      const files = input.files();
      if (flags.json) {
        out(`${JSON.stringify({ ...planned, input: { files }, probe: probed ?? null, duration: duration ?? null })}\n`);
      } else {
        const facts = [
          ...inWords(planned, flags),
          ...(probed === undefined ? [] : [probeInWords(probed)]),
          durationInWords(duration, probed, flags),
        ].map((line) => wrapped(line));
        out(`${[...unreadInWords(files), ...facts, ...answerInWords(planned, text, flags)].join('\n')}\n`);
      }
      const empty = emptyFilesInWords(input);
      if (empty !== '') err(`data-import-sdk: ${empty}\n`);
      exit(planned.rejected > 0 || planned.lines === 0 ? EXIT.rejected : EXIT.ok);
    } finally {
      await input.close();
    }
  },
});

async function forecastOf(
  input: OpenInput,
  flags: Flags,
  options: Pick<ForecastOptions, 'profile' | 'onFinding'>,
): Promise<Forecast> {
  // Without a ledger every record counts.
  return withLedgerIfAny(flags, async (ledger) => {
    // A run with the same flags makes this check too.
    if (ledger !== undefined) await expectSharedSupplier(ledger, input, flags.run);
    return forecast(input, {
      ledger,
      ...options,
      showPersonalData: flags.showPersonalData,
      ...settingsOf(ofRecords(flags)),
      retryRejected: flags.retryRejected ?? false,
      dryRun: needsDryRun(flags.dryRun, await foreseenFirst(ledger, flags.team)),
    });
  });
}

async function probeOf(input: OpenInput, count: number, flags: Flags, profile: Profile | undefined) {
  const { client, rehearsal, close } = await openConnection(flags);
  const asked = rehearsal === undefined ? input : withSuppliers(input, rehearsal.sandbox);
  try {
    return await probe({ client, input: asked, count, profile, now: () => performance.now() });
  } finally {
    await close();
  }
}

/** What is in the input, and what of it is not sent. */
function inWords(planned: Forecast, flags: Flags): string[] {
  const {
    lines,
    populates = 0,
    businesses,
    accounts,
    items,
    itemsNotSent,
    skipped,
    waiting,
    ended,
    requests,
  } = planned;
  return [
    `${counted(lines, 'line')}: ${populates > 0 ? `${counted(populates, 'pre-population')}, ` : ''}${counted(businesses, 'business', 'businesses')}, ${counted(accounts, 'account')} with ${itemsInWords(items)}`,
    ...(skipped > 0 ? [`${counted(skipped, 'line')} skipped: an earlier line has the same number`] : []),
    ...(waiting > 0 ? [`${counted(waiting, 'account')} skipped: the business is invalid`] : []),
    ...(Object.values(itemsNotSent).some((count) => count > 0)
      ? [`Not sent with these records: ${itemsInWords(itemsNotSent)}`]
      : []),
    ...(ended > 0 ? [`${counted(ended, 'record')} done in ${flags.run}; the numbers below are for the others`] : []),
    ...Object.entries(requests).map(([operation, count]) => `${number(count).padStart(9)}  ${operation}`),
  ];
}

/** The form of the end of `check`. */
function answerInWords(planned: Forecast, findings: FindingsText, flags: Flags): string[] {
  const { lines, rejected, skipped, waiting, ended, requests } = planned;
  const all = Object.values(requests).reduce((sum, count) => sum + count, 0);
  const sent = lines - rejected - skipped - waiting - ended;
  const answer = `${number(sent)} of ${counted(lines, 'line')} to send, in ${counted(all, 'request')}`;
  return findings.end(answer, { ...flags, all: 'data-import-sdk check' });
}

function probeInWords({ calls, refused, medianMs, mostMs }: Probe): string {
  const times = `${Math.round(medianMs)} ms median, ${Math.round(mostMs)} ms for the 90th percentile`;
  return `${counted(calls, 'call')} of accounts.validate: ${times}${refused > 0 ? `; the service rejects ${refused} of these accounts` : ''}`;
}

function durationInWords(duration: Duration | undefined, probed: Probe | undefined, { rps, window }: Flags): string {
  if (duration === undefined) return 'Time: unknown. Give --rps 20 or --probe 20 for an estimate';
  const [from, to] = [words(duration.fromMs), words(duration.toMs)];
  const how = [
    ...(rps === undefined ? [] : [`at most ${rps} requests per second`]),
    ...(probed === undefined ? [] : ['by the latency of validate; process may take longer']),
    ...(window === undefined ? [] : [`counted while the window ${window} is open`]),
  ];
  const span = duration.toMs < 1000 ? 'less than a second' : from === to ? `about ${from}` : `${from} to ${to}`;
  return `Time: ${span} (${how.join('; ')})`;
}
