/** `data-import report`: the report of a run again, from its ledger and its folder. */
import { Command } from 'commander';
import { type LedgerFlags, withLedger, withRehearsal, withRunFolder } from '../options/run-folder-options.js';
import { setting, withConfigFile } from '../options/settings.js';
import { nextCommands } from '../session/next-commands.js';
import { inWords } from '../session/result-text.js';
import type { CommandContext } from '../shared/command-context.js';

interface Flags extends LedgerFlags {
  json?: true;
}

const HELP = `
Writes report.html, report.json, ok.csv and unknown.jsonl as the ledger is now, also of a run that was killed.
rejected.jsonl and skipped.jsonl hold lines of the book and stay as the run left them. Sends nothing.

Exit code 11 where a run is under way in the folder.
`;

export function reportCommand(context: CommandContext): Command {
  const command = new Command('report')
    .description('Write the report of a run again, from its ledger, and print what it came to.')
    .addOption(setting('--json', 'as one line of JSON'))
    .addHelpText('after', HELP)
    .action(async (flags: Flags) => {
      const { run, json } = flags;
      // The ledger's libraries are loaded by whoever needs a ledger, and by nobody else.
      const { inRunFolder } = await import('../open/run-folder.js');
      const { openExistingRunFolder } = await import('../../migration/report/folder/run-folder.js');
      const { rewriteReport } = await import('../../migration/report/folder/write-report.js');
      const { membersOf } = await import('../distributed/members.js');
      const { storedTarget, targetLine } = await import('../../migration/run/target.js');
      await inRunFolder(openExistingRunFolder(run), flags, context, async (folder, ledger) => {
        const members = await membersOf(flags);
        if (members !== undefined) await folder.writeWorkers(members);
        const { run: facts, summary } = await rewriteReport(folder, ledger);
        const target = await storedTarget(ledger);
        const { state, startedAt, endedAt, continueWith } = facts;
        if (json) {
          context.out(
            `${JSON.stringify({ target: target ?? null, state, startedAt, endedAt, ...summary, folder: run, continueWith })}\n`,
          );
          return;
        }
        const lines = [...(target === undefined ? [] : [targetLine(target)]), ...inWords(summary, run)];
        lines.push(...nextCommands({ ...facts, summary, folder: run }));
        context.out(`${lines.join('\n')}\n`);
      });
    });
  return withConfigFile(withLedger(withRehearsal(withRunFolder(command))));
}
