/** `data-import-sdk sample`: writes sample records for a rehearsal, some of them invalid. */
import { once } from 'node:events';
import { sampleRecords } from '../../migration/operations/sample/sample.js';
import { defineCommand } from '../options/command.js';
import { inGroup, type OptionTable } from '../options/option.js';
import { asUsageError, share, wholeNumber } from '../options/values.js';

const options = {
  ...inGroup('Records', {
    accounts: {
      flags: '--accounts <number>',
      help: 'accounts to write',
      parse: wholeNumber,
      default: 200,
    },
    seed: {
      flags: '--seed <number>',
      help: 'the same seed writes the same records',
      parse: wholeNumber,
      default: 1,
    },
    supplier: { flags: '--supplier <code>', help: 'import supplier', default: 'SANDBOX_SUPPLIER' },
    mistakes: {
      flags: '--mistakes <share>',
      help: 'share of invalid accounts, 0 to 1',
      shownDefault: '0.06',
      parse: share,
    },
  }),
} as const satisfies OptionTable;

export const command = defineCommand({
  options,
  async action({ accounts, seed, supplier, mistakes }, { out }) {
    const records = asUsageError(() =>
      sampleRecords({ accounts, seed, supplier, ...(mistakes !== undefined && { mistakes }) }),
    );
    let block = '';
    for (const { line } of records) {
      block += `${line}\n`;
      if (block.length < 1 << 16) continue;
      // Waits for a full pipe, so that any number of records needs little memory. Stops if the reader has left.
      if (out(block) === false && !(await canWriteAgain())) return;
      block = '';
    }
    out(block);
  },
});

function canWriteAgain(): Promise<boolean> {
  return once(process.stdout, 'drain').then(
    () => true,
    () => false,
  );
}
