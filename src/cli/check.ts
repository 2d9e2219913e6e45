/** `data-import check`: everything that can be found without the service, by line, and grouped. */
import { Command } from 'commander';
import { checkSource, type PlacedFinding } from '../migration/check-book.js';
import { createGroups } from '../migration/report/groups.js';
import { type BookFlags, openBookOf, withBook } from './book.js';
import { readProfile } from './connection.js';
import { EXIT } from './exit-codes.js';
import { setting, withConfigFile } from './settings.js';
import type { Surroundings } from './surroundings.js';

interface Flags extends BookFlags {
  profile?: string;
  advice: boolean;
  json?: true;
}

const EXAMPLES = `
Examples:
  data-import check book.jsonl
  data-import check book/ --profile strict.json --no-advice
  data-import check book.jsonl --json | jq -r .code | sort | uniq -c

Exit code 3 where there are errors; advice is no error.
`;

export function checkCommand({ out, exit }: Surroundings): Command {
  const command = new Command('check')
    .description('Look for everything that is wrong in a book, without the service.')
    .addOption(setting('--profile <path>', 'what your deployment demands beyond the document, as JSON'))
    .option('--no-advice', 'only errors, and not what is suspicious')
    .addOption(setting('--json', 'each finding as a line of JSON'))
    .addHelpText('after', EXAMPLES)
    .action(async (paths: string[], flags: Flags) => {
      const profile = flags.profile === undefined ? undefined : await readProfile(flags.profile);
      const book = await openBookOf(paths, flags);
      try {
        const { findings, lines } = checkSource(book, { profile, advice: flags.advice });
        const groups = { error: createGroups(), advice: createGroups() };
        let errors = 0;
        for await (const finding of findings) {
          if (finding.severity === 'error') errors++;
          out(flags.json ? `${JSON.stringify(finding)}\n` : `${inOneLine(finding)}\n`);
          groups[finding.severity].add(`${finding.source}:${finding.line}`, [{ step: 'check', ...finding }]);
        }
        if (!flags.json) {
          for (const severity of ['error', 'advice'] as const) {
            for (const { code, attr, count } of groups[severity].list()) {
              out(`${String(count).padStart(9)}  ${severity} ${code}${attr === '' ? '' : ` at ${attr}`}\n`);
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

function inOneLine({ source, line, severity, attr, code, detail, collidesWith }: PlacedFinding): string {
  const other = collidesWith === undefined ? '' : ` (${collidesWith.source}:${collidesWith.line})`;
  return `${source}:${line}: ${severity} ${attr === '' ? '' : `${attr} `}${code}: ${detail}${other}`;
}
