/** `data-import sample`: a book of any size for rehearsals, with a share of mistakes. */
import { once } from 'node:events';
import { Command } from 'commander';
import { sampleRecords } from '../../migration/operations/sample/sample.js';
import { meant } from '../open/connection.js';
import { positiveNumber, setting, wholeNumber, withConfigFile } from '../options/settings.js';
import type { CommandContext } from '../shared/command-context.js';

interface Flags {
  accounts: number;
  seed: number;
  supplier: string;
  mistakes?: number;
}

const EXAMPLES = `
Examples:
  data-import sample > book.jsonl
  data-import sample --accounts 1000000 --seed 7 | gzip > book.jsonl.gz
`;

export function sampleCommand(context: CommandContext): Command {
  const command = new Command('sample')
    .description('Write a sample book as JSON Lines: invented businesses and accounts, and a few mistakes.')
    .addOption(setting('--accounts <number>', 'how many').argParser(wholeNumber).default(200))
    .addOption(setting('--seed <number>', 'the same seed, the same book').argParser(wholeNumber).default(1))
    .addOption(setting('--supplier <code>', 'import supplier code').default('SANDBOX_SUPPLIER'))
    .addOption(
      setting('--mistakes <share>', 'of the accounts, 0 to 1 (default: 0.06)').argParser((text) =>
        text === '0' ? 0 : positiveNumber(text),
      ),
    )
    .addHelpText('after', EXAMPLES)
    .action(async ({ accounts, seed, supplier, mistakes }: Flags) => {
      const book = meant(() =>
        sampleRecords({ accounts, seed, supplier, ...(mistakes !== undefined && { mistakes }) }),
      );
      let block = '';
      for (const { line } of book) {
        block += `${line}\n`;
        if (block.length < 1 << 16) continue;
        // A pipe that is full is waited for, so that a book of any size needs little memory; nobody left to read is enough.
        if (context.out(block) === false && !(await isReadOn())) return;
        block = '';
      }
      context.out(block);
    });
  return withConfigFile(command);
}

function isReadOn(): Promise<boolean> {
  return once(process.stdout, 'drain').then(
    () => true,
    () => false,
  );
}
