/** `data-import doctor`: the checks that `run` makes before the first record, as a table. */
import { Command } from 'commander';
import type { Check } from '../../migration/operations/preflight/preflight.js';
import { type ConnectionFlags, openConnection, withConnection } from '../open/connection.js';
import { type BookFlags, openBookOf, withOptionalBook } from '../open/input.js';
import { type LedgerFlags, withLedger, withRunFolder } from '../options/run-folder-options.js';
import { setting, withConfigFile } from '../options/settings.js';
import type { CommandContext } from '../shared/command-context.js';
import { UsageError } from '../shared/errors.js';

interface Flags extends ConnectionFlags, BookFlags, LedgerFlags {
  team?: string;
  stageOne?: true;
  json?: true;
}

const HELP = `
Examples:
  data-import doctor --base-url https://api.example.com            address, token, disk, clock
  data-import doctor book.jsonl                                    the import suppliers of the input as well
  data-import doctor book.jsonl --team EAST --stage-one            and the team: one account is staged, and stays staged

One status query, and one call of validate for each of the first five import suppliers; these change nothing. "cannot tell"
means that no harmless call shows it: the first account of a run does. Nothing but a file is read with --sandbox. On the
disk an empty folder is made beside the run folder, or in it, and removed.

Exit codes: 0 nothing failed; 1 address or disk; 2 invalid options; 8 token, import supplier or team.
`;

export function doctorCommand(context: CommandContext): Command {
  const command = new Command('doctor').description(
    'Check address, token, import suppliers, team, disk space and clock before a run. Stages nothing unless told to.',
  );
  withRunFolder(command, 'the run folder, for its disk space and whether it can be written; it is not made')
    .addOption(setting('--team <name>', 'operations team to try with --stage-one'))
    .option('--stage-one', 'stage one account of the input and dry-run it, to check the team; it stays staged')
    .addOption(setting('--json', 'as one line of JSON'))
    .addHelpText('after', HELP)
    .action(async (paths: string[], flags: Flags) => {
      const { exitCodeOfChecks } = await import('../session/preflight.js');
      const checks = await checksFor(paths, flags);
      const code = exitCodeOfChecks(checks);
      context.exit(code);
      context.out(flags.json ? `${JSON.stringify({ checks, exitCode: code })}\n` : `${table(checks).join('\n')}\n`);
    });
  return withConfigFile(withConnection(withOptionalBook(withLedger(command))));
}

async function checksFor(paths: string[], flags: Flags): Promise<Check[]> {
  const { team, stageOne, sandbox, run: folder, database } = flags;
  if (stageOne && (paths.length === 0 || team === undefined)) {
    throw new UsageError('--stage-one needs an input to take the account from, and --team: give both.');
  }
  if (stageOne && sandbox) {
    throw new UsageError('--stage-one and --sandbox contradict each other: give one of them.');
  }
  const { preflight } = await import('../session/preflight.js');
  const input = paths.length === 0 ? undefined : await openBookOf(paths, flags);
  try {
    const connection = await openConnection(flags);
    try {
      return await preflight({
        client: sandbox ? undefined : connection.client,
        profile: connection.profile,
        input,
        folder,
        hasLedger: database === undefined,
        stageOneFor: stageOne ? team : undefined,
        withoutTeam: 'it takes one account that is staged: give an input, --team and --stage-one',
      });
    } finally {
      await connection.close();
    }
  } finally {
    await input?.close();
  }
}

const RESULTS: Readonly<Record<Check['result'], string>> = {
  ok: 'ok',
  warning: 'warning',
  failed: 'FAILED',
  cannotTell: 'cannot tell',
  notChecked: 'not checked',
};

/** What to do stands below its check: both together are wider than a terminal. */
function table(checks: readonly Check[]): string[] {
  const row = (check: string, result: string, detail: string) => `${check.padEnd(10)}${result.padEnd(13)}${detail}`;
  return [
    row('check', 'result', 'detail, and what to do'),
    ...checks.flatMap(({ check, result, detail, remedy }) => [
      row(check, RESULTS[result], detail),
      ...(remedy === '' ? [] : [row('', '', `-> ${remedy}`)]),
    ]),
  ];
}
