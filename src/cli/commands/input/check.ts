/** `data-import-sdk check`: finds errors and warnings in an input without the service, by line and grouped. */
import type { OpenInput } from '../../../migration/input/open-input.js';
import { checkInput, type PlacedFinding } from '../../../migration/operations/check-input.js';
import { unreadInWords } from '../../../migration/report/summary/input-report.js';
import { counted } from '../../../migration/shared/format.js';
import { readProfile } from '../../open/connection.js';
import { openInputOf } from '../../open/input.js';
import { defineCommand } from '../../options/command.js';
import { connectionOptions } from '../../options/connection-options.js';
import { INPUT, inputOptions } from '../../options/input-options.js';
import type { OptionTable } from '../../options/option.js';
import { jsonOptions } from '../../options/output-options.js';
import { wholeNumber } from '../../options/values.js';
import { EXIT } from '../../shared/exit-codes.js';
import { createFindingsText } from './findings-text.js';

const options = {
  ...inputOptions,
  profile: connectionOptions.profile,
  warnings: { flags: '--no-warnings', group: 'Output', help: 'print errors only', isFlagOnly: true },
  limit: {
    flags: '--limit <number>',
    group: 'Output',
    help: 'equal errors to print; 0: all',
    details: 'Errors with the same code, field and text. With --json all are printed.',
    parse: wholeNumber,
    default: 10,
  },
  json: { ...jsonOptions.json, help: 'print each finding as a line of JSON' },
} as const satisfies OptionTable;

export const command = defineCommand({
  operands: [INPUT],
  options,
  async action(paths, flags, { out, exit }) {
    const profile = await readProfile(flags.profile);
    const input = await openInputOf(paths, flags);
    try {
      const { findings, lines } = checkInput(input, {
        profile,
        warnings: flags.warnings,
        showPersonalData: flags.showPersonalData,
      });
      const text = createFindingsText(out, flags.limit === 0 ? Number.POSITIVE_INFINITY : flags.limit);
      const show = (finding: PlacedFinding) => {
        if (flags.json) out(`${JSON.stringify(finding)}\n`);
        else text.add(finding);
        if (finding.severity === 'error') errors++;
      };
      let errors = 0;
      for await (const finding of findings) show(finding);
      for (const finding of emptyFiles(input, lines() === 0))
        if (flags.warnings || finding.severity === 'error') show(finding);
      const files = input.files();
      if (flags.json) out(`${JSON.stringify({ lines: lines(), errors, input: { files } })}\n`);
      else {
        text.endOfFindings();
        for (const line of unreadInWords(files)) out(`${line}\n`);
        out(`${text.end(counted(lines(), 'line'), { ...flags, all: '--limit 0' }).join('\n')}\n`);
      }
      exit(errors > 0 ? EXIT.rejected : EXIT.ok);
    } finally {
      await input.close();
    }
  },
});

/** Files without a record: errors if no other file has a record either, otherwise warnings. */
function emptyFiles(input: OpenInput, isAll: boolean): PlacedFinding[] {
  return input.files().flatMap(({ source, empty }) => {
    if (empty === undefined) return [];
    const detail = `Expected a record, found ${empty}.`;
    return [{ source, line: 1, attr: '', code: 'no_record', detail, severity: isAll ? 'error' : 'warning' }];
  });
}
