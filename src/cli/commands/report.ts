/** `data-import-sdk report`: writes the report of a run again from its ledger and its folder, and prints the summary. */
import { defineCommand } from '../options/command.js';
import { inputOptions } from '../options/input-options.js';
import type { OptionTable } from '../options/option.js';
import { jsonOptions } from '../options/output-options.js';
import { folderOptions, ledgerOptions, rehearsalOptions } from '../options/run-options.js';
import { endingBy, nextInWords } from '../session/next-commands.js';
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
    // Loaded here, so that other commands do not load the ledger.
    const { inRunFolder } = await import('../open/run-folder.js');
    const { openExistingRunFolder } = await import('../../migration/report/folder/run-folder.js');
    const { rewriteReport } = await import('../../migration/report/folder/write-report.js');
    const { unreadInWords, warningsInWords } = await import('../../migration/report/summary/input-report.js');
    const { workersOfRun } = await import('../distributed/workers.js');
    const { storedTarget, targetLine } = await import('../../migration/run/expect-target.js');
    await inRunFolder(openExistingRunFolder(run), flags, context, async (folder, ledger) => {
      const workers = await workersOfRun(flags);
      if (workers !== undefined) await folder.writeWorkers(workers);
      const written = await rewriteReport(folder, ledger, endingBy(ledger, run, context), { showPersonalData });
      const { run: facts, summary, input, ending } = written;
      const target = await storedTarget(ledger);
      const { state, startedAt, endedAt, continueWith } = facts;
      if (json) {
        const printed = {
          target: target ?? null,
          state,
          startedAt,
          endedAt,
          ...summary,
          isInputRead: facts.isInputRead,
          folder: run,
          continueWith,
        };
        context.out(`${JSON.stringify(printed)}\n`);
        return;
      }
      const lines = [
        ...(target === undefined ? [] : [targetLine(target)]),
        ...summaryInWords(summary, run, facts.isInputRead),
        ...[...warningsInWords(summary.warnings), ...unreadInWords(input?.files ?? [])],
      ];
      context.out(`${[...lines, ...ending.next.map(nextInWords)].join('\n')}\n`);
    });
  },
});
