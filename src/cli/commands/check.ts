/** `data-import check`: everything that can be found without the service, by line, and grouped. */
import { Command } from 'commander';
import type { OpenInput } from '../../migration/input/open-input.js';
import { checkInput, type PlacedFinding } from '../../migration/operations/check-records.js';
import { createGroups, hintOf } from '../../migration/report/summary/error-groups.js';
import { fieldsInWords, inputReport, unreadColumnsInWords } from '../../migration/report/summary/input-report.js';
import { readProfile } from '../open/connection.js';
import { type BookFlags, openBookOf, withBook } from '../open/input.js';
import { setting, withConfigFile } from '../options/settings.js';
import type { CommandContext } from '../shared/command-context.js';
import { EXIT } from '../shared/exit-codes.js';

interface Flags extends BookFlags {
  profile?: string;
  warnings: boolean;
  json?: true;
}

const EXAMPLES = `
Examples:
  data-import check book.jsonl
  data-import check book/ --profile strict.json --no-warnings
  data-import check export.csv --map map.mjs            also which columns the mapping never reads
  data-import check book.jsonl --json | jq -r 'select(.code).code' | sort | uniq -c

Lists in how many records each field is present; with --json, that is the last line. Exit code 3 where there are errors,
or no record; a warning is no error.
`;

export function checkCommand({ out, exit }: CommandContext): Command {
  const command = new Command('check')
    .description('Look for everything that is wrong in a book, without the service.')
    .addOption(setting('--profile <path>', 'what your deployment demands beyond the document, as JSON'))
    .option('--no-warnings', 'only errors, and not what is suspicious')
    .addOption(setting('--json', 'each finding as a line of JSON'))
    .addHelpText('after', EXAMPLES)
    .action(async (paths: string[], flags: Flags) => {
      const profile = flags.profile === undefined ? undefined : await readProfile(flags.profile);
      const book = await openBookOf(paths, flags);
      try {
        const { findings, lines, fields } = checkInput(book, {
          profile,
          warnings: flags.warnings,
          showPersonalData: flags.showPersonalData,
        });
        const groups = { error: createGroups(), warning: createGroups() };
        let errors = 0;
        const show = (finding: PlacedFinding) => {
          if (finding.severity === 'error') errors++;
          out(flags.json ? `${JSON.stringify(finding)}\n` : `${inOneLine(finding)}\n`);
          const { source, line, count } = finding;
          groups[finding.severity].add(`${source}:${line}`, [{ step: 'check', ...finding }], count);
        };
        for await (const finding of findings) show(finding);
        for (const finding of emptyFiles(book, lines() === 0))
          if (flags.warnings || finding.severity === 'error') show(finding);
        const input = inputReport(book, fields());
        if (flags.json) out(`${JSON.stringify({ lines: lines(), errors, input })}\n`);
        else {
          for (const line of [...fieldsInWords(input), ...unreadColumnsInWords(input.files)]) out(`${line}\n`);
          for (const severity of ['error', 'warning'] as const) {
            for (const { code, attr, count, didYouMean } of groups[severity].list()) {
              const place = `${attr === '' ? '' : ` at ${attr}`}${hintOf(didYouMean)}`;
              out(`${String(count).padStart(9)}  ${severity} ${code}${place}\n`);
            }
          }
          out(`${lines()} lines, ${errors} errors\n`);
        }
        exit(errors > 0 ? EXIT.rejected : EXIT.ok);
      } finally {
        await book.close();
      }
    });
  return withConfigFile(withBook(command));
}

/** A file without a record: an error where no other file has one either. */
function emptyFiles(book: OpenInput, isAll: boolean): PlacedFinding[] {
  return book.files().flatMap(({ source, empty }) => {
    if (empty === undefined) return [];
    const detail = `Expected a record, found ${empty}.`;
    return [{ source, line: 1, attr: '', code: 'no_record', detail, severity: isAll ? 'error' : 'warning' }];
  });
}

function inOneLine({ source, line, severity, attr, code, detail, collidesWith }: PlacedFinding): string {
  const other = collidesWith === undefined ? '' : ` (${collidesWith.source}:${collidesWith.line})`;
  return `${source}:${line}: ${severity} ${attr === '' ? '' : `${attr} `}${code}: ${detail}${other}`;
}
