/** `data-import verify`: holds a run's ledger against the platform's lists, both ways. */
import { join } from 'node:path';
import { Command } from 'commander';
import type { Comparison } from '../../migration/operations/verify/verify.js';
import { type ConnectionFlags, openConnection, withConnection } from '../open/connection.js';
import { type LedgerFlags, withLedger, withRetarget, withRunFolder } from '../options/run-folder-options.js';
import { expectBeside, setting, wholeNumber, withConfigFile } from '../options/settings.js';
import { type QueryPaceFlags, withQueryPace } from '../options/throttle-options.js';
import { loadState } from '../sandbox/rehearsal.js';
import type { CommandContext } from '../shared/command-context.js';
import { BrokenOffError, UsageError } from '../shared/errors.js';
import { EXIT } from '../shared/exit-codes.js';
import type { FollowedImports } from './follow-imports.js';

interface Flags extends ConnectionFlags, LedgerFlags, QueryPaceFlags {
  limit?: number;
  follow?: true;
  followEvery: number;
  json?: true;
}

const HELP = `
  =  agrees             -  in the ledger, not on the platform
  !  both, but differs  +  on the platform, not in the ledger

At most --limit differences are printed, then how many there are of each kind. The lists may have millions of entries: only
what is printed is held in memory, which with --limit 0 and with --json alone are all differences. An account that was rejected, skipped or
has no outcome yet, and is not on the platform, is counted by itself: it neither agrees nor differs. The service does not
list notes, transactions, statements and payment instructions: those that the ledger knows to be lacking are counted.
An account that is listed more than once
differs, too. Exit code 5 where anything differs. The report of the run shows what differs, too.

Where the service has moved, --retarget <old url> compares with the new address. The run still belongs to the old one, until
run, retry or resolve is given --retarget.

--follow asks for the import status of every account that exists, round after round, until each is REJECTED or COMPLETED, and
shows the counts of all five statuses. rejected-by-service.jsonl lists the accounts that are REJECTED, and exit code 5 says
that there are some. Ctrl-C ends it with code 7. Ended in any way, the same command goes on: accounts that were COMPLETED are
not asked about again.
`;

/** As many lines as a person reads. */
const DEFAULT_LIMIT = 50;

/** Seconds between two rounds of --follow. */
const DEFAULT_EVERY = 60;

export function verifyCommand(context: CommandContext): Command {
  const { out, err, exit } = context;
  const command = new Command('verify')
    .description("Hold a run's ledger against the platform's lists, both ways. Changes nothing.")
    .addOption(
      setting(
        '--limit <number>',
        `print at most so many differences; 0: all (default: ${DEFAULT_LIMIT}; with --json all)`,
      ).argParser(wholeNumber),
    )
    .addOption(setting('--follow', 'ask for the import status of every account until each has a final one'))
    .addOption(
      setting('--follow-every <seconds>', 'with --follow: between two rounds; longer while nothing changes')
        .argParser(wholeNumber)
        .default(DEFAULT_EVERY),
    )
    .addOption(setting('--json', 'as one line of JSON'))
    .addHelpText('after', HELP)
    .action(async (flags: Flags) => {
      const comparison = await compare(flags);
      const { countsOf, missingItems } = await import('../../migration/operations/verify/verify.js');
      const counts = countsOf(comparison);
      const lacking = missingItems(await withChangedLines(comparison.items, flags.run));
      const code = comparison.differing > 0 ? EXIT.mismatch : EXIT.ok;
      if (!flags.follow) {
        for (const text of (flags.json ? inJson : inWords)(comparison, counts, lacking)) out(text);
        exit(code);
        return keep(flags, comparison, err);
      }
      if (!flags.json) for (const text of inWords(comparison, counts, lacking)) out(text);
      exit(code);
      await keep(flags, comparison, err);
      const { follow, followedInWords } = await import('./follow-imports.js');
      const imports = await follow(flags, context);
      if (flags.json) for (const text of inJson(comparison, counts, lacking, imports)) out(text);
      else out(followedInWords(imports, flags.run));
      exit(imports.endedBy ?? (imports.differing > 0 ? EXIT.mismatch : code));
      await keep(flags, comparison, err, imports);
    });
  expectBeside(command, 'follow', 'followEvery');
  return withQueryPace(withConfigFile(withConnection(withLedger(withRetarget(withRunFolder(command))))));
}

type Counts = ReturnType<typeof import('../../migration/operations/verify/verify.js').countsOf>;
type Lacking = ReturnType<typeof import('../../migration/operations/verify/verify.js').missingItems>;

/** The lines that changed after their accounts were created are in no ledger: the run folder has what their items come to. */
async function withChangedLines(items: Comparison['items'], folder: string): Promise<Comparison['items']> {
  const { readRunFacts } = await import('../../migration/report/folder/stored-facts.js');
  const { sumOf } = await import('../../migration/report/summary/item-totals.js');
  const facts = await readRunFacts(join(folder, 'run.json'));
  return facts === undefined || facts === 'damaged' || facts.lines === null
    ? items
    : sumOf(items, facts.lines.items.changed);
}

/** In pieces: of millions of differences one text would be longer than texts can be. */
function* inWords(comparison: Comparison, counts: Counts, lacking: Lacking): Generator<string> {
  const { same, notImported, changed, differences, differing } = comparison;
  for (const { sign, supplier, number, what } of differences) yield `${sign} ${supplier} ${number}: ${what}\n`;
  const more = differing - differences.length;
  if (more > 0) yield `… and ${more} more. --limit 0 prints all.\n`;
  for (const { count, words } of counts) yield `${String(count).padStart(7)}  ${words}\n`;
  const besides = [
    ...(notImported === 0 ? [] : [`, ${notImported} not imported on either side`]),
    ...(changed === 0 ? [] : [`, ${changed} changed by a run meanwhile`]),
    ...(lacking.words === '' ? [] : [`; ${lacking.words}`]),
  ];
  yield `= ${same} accounts agree, ${differing} differ${besides.join('')}\n`;
}

function* inJson(
  comparison: Comparison,
  counts: Counts,
  { words: _, ...items }: Lacking,
  followed?: FollowedImports,
): Generator<string> {
  const { same, notImported, changed, differences, differing } = comparison;
  const byKind = Object.fromEntries(counts.map(({ kind, count }) => [kind, count]));
  const notShown = differing - differences.length;
  const imports = followed && { state: followed.state, ...followed.counts };
  const facts = JSON.stringify({ same, notImported, changed, differing, byKind, items, imports, notShown });
  yield `${facts.slice(0, -1)},"differences":[`;
  for (const [index, difference] of differences.entries()) {
    yield `${index === 0 ? '' : ','}${JSON.stringify(difference)}`;
  }
  yield ']}\n';
}

async function compare(flags: Flags): Promise<Comparison> {
  const { withLedgerOf } = await import('../open/run-folder.js');
  const { compareWithService } = await import('../../migration/operations/verify/verify.js');
  const { json, limit = json ? 0 : DEFAULT_LIMIT } = flags;
  return withLedgerOf(flags, async (ledger) => {
    const { client, rehearsal, close } = await openConnection(flags);
    try {
      if (rehearsal !== undefined) loadState(rehearsal, flags.run);
      return await compareWithService(ledger, client, { limit: limit === 0 ? Number.POSITIVE_INFINITY : limit });
    } finally {
      await close();
    }
  });
}

/** In the folder, and in its report; while a run is under way it is the run that writes the report. */
async function keep(
  flags: LedgerFlags,
  comparison: Comparison,
  err: CommandContext['err'],
  followed?: FollowedImports,
): Promise<void> {
  const { verificationOf } = await import('../../migration/operations/verify/verify.js');
  const { isOfRun, openExistingRunFolder } = await import('../../migration/report/folder/run-folder.js');
  const { rewriteReport } = await import('../../migration/report/folder/write-report.js');
  const { inRunFolder } = await import('../open/run-folder.js');
  // A ledger on a server can be looked at from where its run has no folder.
  if (!(await isOfRun(flags.run))) return;
  const folder = await openExistingRunFolder(flags.run);
  const at = new Date().toISOString();
  const imports = followed ? { at, counts: followed.counts } : (await folder.readVerification())?.imports;
  await folder.writeVerification({ ...verificationOf(comparison, at), ...(imports && { imports }) });
  const laterOn = () => err('The report shows it when the run has ended.\n');
  await inRunFolder(Promise.resolve(folder), flags, { err: laterOn, exit: () => {} }, async (_, ledger) => {
    await rewriteReport(folder, ledger);
  }).catch((error: unknown) => {
    // What was compared stands, whether the report can show it or not.
    if (!(error instanceof UsageError || error instanceof BrokenOffError)) throw error;
    err(`data-import: ${error.message}\n`);
  });
}
