/** `data-import-sdk report`: writes the report of a run again from its ledger and its folder, and prints the summary. */
import { rewriteReport } from '../../migration/report/folder/write-report.js';
import { storedTarget, targetLine } from '../../migration/run/expect-target.js';
import { distributedRunIn } from '../distributed/workers.js';
import { inRunFolder, openFolderOf, withoutFactsInWords } from '../open/run-folder.js';
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
    await inRunFolder(openFolderOf(flags), flags, context, async (folder, ledger) => {
      const { workers } = (await distributedRunIn(flags)) ?? {};
      const ending = endingBy(ledger, run, context);
      const { summary, report } = await rewriteReport(folder, ledger, ending, { showPersonalData, workers });
      const target = await storedTarget(ledger);
      if (json) {
        const { state, startedAt, endedAt, continueWith = '' } = report?.run ?? {};
        const command = commandHere(continueWith, { folder: run, ...(await printedFrom(ledger, context)) });
        const ofSession = { target: target ?? null, state, startedAt, endedAt };
        context.out(`${JSON.stringify({ ...ofSession, ...summary, folder: run, continueWith: command })}\n`);
        return;
      }
      const lines = [
        ...(target === undefined ? [] : [targetLine(target)]),
        ...summaryInWords(summary, report && run, report?.input?.files),
        ...(report?.ending.next.map(nextInWords) ?? [withoutFactsInWords(flags)]),
      ];
      context.out(`${lines.join('\n')}\n`);
    });
  },
});
