/** `data-import-sdk report`: writes the report of a run again from its ledger and its folder, and prints the summary. */
import { openExistingRunFolder } from '../../migration/report/folder/run-folder.js';
import { rewriteReport, withoutRun } from '../../migration/report/folder/write-report.js';
import { unreadInWords, warningsInWords } from '../../migration/report/summary/input-report.js';
import { storedTarget, targetLine } from '../../migration/run/expect-target.js';
import { workersOfRun } from '../distributed/workers.js';
import { inRunFolder } from '../open/run-folder.js';
import { defineCommand } from '../options/command.js';
import { inputOptions } from '../options/input-options.js';
import type { OptionTable } from '../options/option.js';
import { jsonOptions } from '../options/output-options.js';
import { folderOptions, ledgerOptions, rehearsalOptions } from '../options/run-options.js';
import { printedFrom } from '../session/command-again.js';
import { commandHere, endingBy, nextInWords } from '../session/next-commands.js';
import { summaryInWords } from '../session/result-text.js';

const options = {
  ...rehearsalOptions,
  ...folderOptions,
  ...ledgerOptions,
  ...jsonOptions,
  showPersonalData: {
    ...inputOptions.showPersonalData,
    details: 'Writes rejected.csv again with the values of the rejected fields, and shows them in report.html.',
  },
} as const satisfies OptionTable;

export const command = defineCommand({
  options,
  async action(flags, context) {
    const { run, json, showPersonalData } = flags;
    await inRunFolder(openExistingRunFolder(run), flags, context, async (folder, ledger) => {
      const workers = await workersOfRun(flags);
      if (workers !== undefined) await folder.write('workers', workers);
      const written = await rewriteReport(folder, ledger, endingBy(ledger, run, context), { showPersonalData });
      if (written === undefined) throw withoutRun(folder);
      const { run: facts, summary, input, ending } = written;
      const target = await storedTarget(ledger);
      const { state, startedAt, endedAt } = facts;
      if (json) {
        const situation = { folder: run, ...(await printedFrom(ledger, context)) };
        const printed = {
          target: target ?? null,
          state,
          startedAt,
          endedAt,
          ...summary,
          folder: run,
          continueWith: commandHere(facts.continueWith, situation),
        };
        context.out(`${JSON.stringify(printed)}\n`);
        return;
      }
      const lines = [
        ...(target === undefined ? [] : [targetLine(target)]),
        ...summaryInWords(summary, run),
        ...[...warningsInWords(summary.warnings), ...unreadInWords(input?.files ?? [])],
      ];
      context.out(`${[...lines, ...ending.next.map(nextInWords)].join('\n')}\n`);
    });
  },
});
