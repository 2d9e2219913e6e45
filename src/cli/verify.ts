/** `data-import verify`: holds a run's ledger against the platform's lists, both ways. */
import { Command } from 'commander';
import { type ConnectionFlags, openConnection, withConnection } from './connection.js';
import { EXIT } from './exit-codes.js';
import { setting, withConfigFile } from './settings.js';
import { type Surroundings, UsageError } from './surroundings.js';

interface Flags extends ConnectionFlags {
  run: string;
  json?: true;
}

const HELP = `
  =  agrees             -  in the ledger, not on the platform
  !  both, but differs  +  on the platform, not in the ledger

Exit code 5 where anything differs.
`;

export function verifyCommand({ out, exit }: Surroundings): Command {
  const command = new Command('verify')
    .description("Hold a run's ledger against the platform's lists, both ways. Changes nothing.")
    .addOption(setting('--run <folder>', 'the run folder').default('data-import-run'))
    .addOption(setting('--json', 'as one line of JSON'))
    .addHelpText('after', HELP)
    .action(async (flags: Flags) => {
      const { openSqliteLedger } = await import('../migration/ledger/sqlite.js');
      const { compareWithPlatform } = await import('../migration/verify.js');
      const ledger = await openSqliteLedger(`${flags.run}/ledger.sqlite`, { readOnly: true }).catch((error: Error) => {
        throw new UsageError(error.message, { cause: error });
      });
      try {
        const connection = await openConnection(flags);
        try {
          const { same, differences } = await compareWithPlatform(ledger, connection.client);
          if (flags.json) out(`${JSON.stringify({ same, differences })}\n`);
          else {
            for (const { sign, supplier, number, what } of differences) out(`${sign} ${supplier} ${number}: ${what}\n`);
            out(`= ${same} accounts agree, ${differences.length} differ\n`);
          }
          exit(differences.length > 0 ? EXIT.mismatch : EXIT.ok);
        } finally {
          await connection.close();
        }
      } finally {
        await ledger.close();
      }
    });
  return withConfigFile(withConnection(command));
}
