/** `data-import-sdk verify`: compares the ledger of a run with the lists of the service, in both directions. */
import { LedgerLockedError } from '../../../migration/ledger/locked-error.js';
import { compareWithService } from '../../../migration/operations/verify/compare-with-service.js';
import {
  type Comparison,
  countsOf,
  missingItems,
  notComparedInWords,
  verificationOf,
} from '../../../migration/operations/verify/comparison.js';
import { isOfRun, openExistingRunFolder } from '../../../migration/report/folder/run-folder.js';
import { rewriteReport } from '../../../migration/report/folder/write-report.js';
import { counted, importCountsInWords } from '../../../migration/shared/format.js';
import { oneLine } from '../../../migration/shared/printable.js';
import { openConnection } from '../../open/connection.js';
import { inRunFolder, withLedgerOf } from '../../open/run-folder.js';
import { defineCommand } from '../../options/command.js';
import { connectionOptions } from '../../options/connection-options.js';
import { inputOptions } from '../../options/input-options.js';
import type { OptionTable, OptionValues } from '../../options/option.js';
import { jsonOptions } from '../../options/output-options.js';
import { folderOptions, ledgerOptions, type RunFlags, retargetOptions } from '../../options/run-options.js';
import { queryThrottleOptions } from '../../options/throttle-options.js';
import { wholeNumber } from '../../options/values.js';
import { endingBy } from '../../session/next-commands.js';
import type { CommandContext } from '../../shared/command-context.js';
import { isToCorrect } from '../../shared/error-causes.js';
import { EXIT } from '../../shared/exit-codes.js';
import type { FollowedImports } from './follow.js';

/** As many lines as a person reads. */
const DEFAULT_LIMIT = 50;

const options = {
  ...connectionOptions,
  ...retargetOptions,
  ...queryThrottleOptions,
  concurrency: { ...queryThrottleOptions.concurrency, help: 'calls of --follow at once' },
  follow: {
    flags: '--follow',
    group: 'Service',
    help: 'poll import statuses until all are final',
  },
  followEvery: {
    flags: '--follow-every <seconds>',
    group: 'Service',
    help: 'time between two rounds',
    details: 'Longer while nothing changes.',
    parse: wholeNumber,
    default: 60,
    needs: 'follow',
  },
  extract: {
    flags: '--extract <file>',
    group: 'Input',
    help: "compare amounts with the operator's CSV extract",
    details:
      'Columns: external_account_number (or service_account_number), type, amount; optional: import_supplier, count. Calls no service.',
    isFlagOnly: true,
    excludes: { option: 'follow', message: '--extract calls no service. Give --follow in a separate command.' },
  },
  extractSample: {
    flags: '--extract-sample',
    group: 'Output',
    help: 'print a CSV in the form of an extract',
    details:
      'With the amounts that the service confirmed to this run, to show the operator what is expected. Calls no service.',
    isFlagOnly: true,
    excludes: {
      option: 'extract',
      message: '--extract-sample prints an extract, and --extract reads one: give one of them.',
    },
  },
  encoding: { ...inputOptions.encoding, help: 'encoding of the extract', needs: 'extract' },
  ...folderOptions,
  ...ledgerOptions,
  limit: {
    flags: '--limit <number>',
    group: 'Output',
    help: 'differences to print; 0: all',
    details: 'With --json the default is all, with --extract 10 in any case.',
    shownDefault: String(DEFAULT_LIMIT),
    parse: wholeNumber,
  },
  ...jsonOptions,
} as const satisfies OptionTable;

type VerifyFlags = OptionValues<typeof options>;

export const command = defineCommand({
  options,
  async action(flags, context) {
    const { extract, extractSample } = flags;
    if (extractSample) return (await import('./extract.js')).printExtractSample(flags, context);
    if (extract !== undefined) return (await import('./extract.js')).verifyExtract({ ...flags, extract }, context);
    const { out, exit } = context;
    const comparison = await compare(flags);
    const counts = countsOf(comparison);
    const missing = missingItems(comparison.items);
    const notCompared = notComparedInWords(comparison.items);
    if (!flags.json && notCompared !== '') out(`${notCompared}\n`);
    const code = comparison.differing > 0 ? EXIT.mismatch : EXIT.ok;
    const print = (imports?: FollowedImports) => {
      for (const text of (flags.json ? inJson : inWords)(comparison, counts, missing, imports)) out(text);
    };
    // One line of JSON has the import statuses too.
    if (!flags.json || !flags.follow) print();
    exit(code);
    await keep(flags, comparison, context);
    if (!flags.follow) return;
    const { followImportStatuses, followedInWords } = await import('./follow.js');
    const imports = await followImportStatuses(flags, context);
    if (flags.json) print(imports);
    else out(followedInWords(imports, flags.run));
    exit(imports.endedBy ?? (imports.differing > 0 ? EXIT.mismatch : code));
    await keep(flags, comparison, context, imports);
  },
});

type Counts = ReturnType<typeof countsOf>;
type Missing = ReturnType<typeof missingItems>;

/** Yields pieces: one text of millions of differences would exceed the longest string. */
function* inWords(comparison: Comparison, counts: Counts, missing: Missing): Generator<string> {
  const { differences, differing } = comparison;
  for (const { sign, supplier, number, what } of differences)
    yield `${oneLine(`${sign} ${supplier} ${number}: ${what}`)}\n`;
  const more = differing - differences.length;
  if (more > 0) yield `… and ${more} more. --limit 0 prints all.\n`;
  for (const { count, words } of counts) yield `${String(count).padStart(7)}  ${words}\n`;
  yield `= ${agreementInWords(comparison)}${missing.words === '' ? '' : `; ${missing.words}`}\n`;
}

function agreementInWords({ same, notListed, differing, notImported, changed }: Comparison): string {
  const found =
    notListed === 0 ? '' : ` (${notListed} of them not in the lists of the service, and found by a query each)`;
  return [
    `${counted(same, 'account agrees', 'accounts agree')}${found}, ${differing} differ`,
    ...(notImported === 0 ? [] : [`${notImported} not imported on either side`]),
    ...(changed === 0 ? [] : [`${changed} changed by a run during the comparison`]),
  ].join(', ');
}

function* inJson(
  comparison: Comparison,
  counts: Counts,
  { words: _, ...items }: Missing,
  followed?: FollowedImports,
): Generator<string> {
  const { same, notListed, notImported, changed, differences, differing } = comparison;
  const byKind = Object.fromEntries(counts.map(({ kind, count }) => [kind, count]));
  const notShown = differing - differences.length;
  const imports = followed && { state: followed.state, ...followed.counts };
  const facts = JSON.stringify({ same, notListed, notImported, changed, differing, byKind, items, imports, notShown });
  yield `${facts.slice(0, -1)},"differences":[`;
  for (const [index, difference] of differences.entries()) {
    yield `${index === 0 ? '' : ','}${JSON.stringify(difference)}`;
  }
  yield ']}\n';
}

async function compare(flags: VerifyFlags): Promise<Comparison> {
  const { json, limit = json ? 0 : DEFAULT_LIMIT } = flags;
  return withLedgerOf(flags, async (ledger) => {
    const { client, close } = await openConnection(flags, flags.run);
    try {
      return await compareWithService(ledger, client, { limit: limit === 0 ? Number.POSITIVE_INFINITY : limit });
    } finally {
      await close();
    }
  });
}

/** Stores the result in the run folder and its report. While a run is active, that run writes the report. */
async function keep(
  flags: RunFlags,
  comparison: Comparison,
  context: Pick<CommandContext, 'err' | 'program'>,
  followed?: FollowedImports,
): Promise<void> {
  // A ledger on a server can be verified from a machine that has no run folder.
  if (!(await isOfRun(flags.run))) return;
  const folder = await openExistingRunFolder(flags.run);
  const at = new Date().toISOString();
  const imports = followed ? { at, counts: followed.counts } : (await folder.read('verification'))?.imports;
  await folder.write('verification', { ...verificationOf(comparison, at), ...(imports && { imports }) });
  const what =
    followed === undefined
      ? `verify: ${agreementInWords(comparison)}`
      : `verify --follow: ${importCountsInWords(followed.counts)}`;
  await folder.audit.append({ at, by: 'operator', what });
  const { err } = context;
  await inRunFolder(Promise.resolve(folder), flags, context, async (_, ledger) => {
    await rewriteReport(folder, ledger, endingBy(ledger, flags.run, context));
  }).catch((error: unknown) => {
    if (error instanceof LedgerLockedError) return err('The report shows the result after the run has ended.\n');
    // The comparison is valid even if the report cannot be written.
    if (!isToCorrect(error)) throw error;
    err(`data-import-sdk: ${error.message}\n`);
  });
}
