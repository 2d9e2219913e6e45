/** `data-import-sdk doctor`: the preflight checks of `run`, as a table. */
import type { Check } from '../../migration/operations/preflight/check.js';
import { openConnection } from '../open/connection.js';
import { openInputOf } from '../open/input.js';
import { defineCommand } from '../options/command.js';
import { connectionOptions } from '../options/connection-options.js';
import { inputOptions, OPTIONAL_INPUT } from '../options/input-options.js';
import type { OptionTable, OptionValues } from '../options/option.js';
import { jsonOptions } from '../options/output-options.js';
import { recordOptions } from '../options/record-options.js';
import { folderOptions, ledgerOptions } from '../options/run-options.js';
import { exitCodeOfChecks, preflight } from '../session/preflight.js';
import { UsageError } from '../shared/errors.js';

const options = {
  ...inputOptions,
  ...connectionOptions,
  team: { ...recordOptions.team, help: 'team to check with --stage-one' },
  stageOne: {
    flags: '--stage-one',
    group: 'Service',
    help: 'stage and dry-run one account',
    details: 'Checks the team with an account of the input. The account stays staged.',
    isFlagOnly: true,
  },
  ...folderOptions,
  ...ledgerOptions,
  ...jsonOptions,
} as const satisfies OptionTable;

type Flags = OptionValues<typeof options>;

export const command = defineCommand({
  operands: [OPTIONAL_INPUT],
  options,
  hasRare: true,
  async action(paths, flags, context) {
    const checks = await checksFor(paths, flags);
    const code = exitCodeOfChecks(checks);
    context.exit(code);
    context.out(flags.json ? `${JSON.stringify({ checks, exitCode: code })}\n` : `${table(checks).join('\n')}\n`);
  },
});

async function checksFor(paths: string[], flags: Flags): Promise<Check[]> {
  const { team, stageOne, sandbox, run: folder, database } = flags;
  const lacking = [
    ...(paths.length === 0 ? ['an input'] : []),
    ...(team === undefined ? ['--team'] : []),
    ...(stageOne ? [] : ['--stage-one']),
  ];
  if (stageOne && (paths.length === 0 || team === undefined)) {
    throw new UsageError('--stage-one needs an input, which has the account, and --team: give both.');
  }
  if (stageOne && sandbox) {
    throw new UsageError('--stage-one and --sandbox contradict each other: give one of them.');
  }
  const input = paths.length === 0 ? undefined : await openInputOf(paths, flags);
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
        withoutTeam: `needs a staged account: give ${lacking.join(' and ')}`,
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

/** The remedy is a row below its check: both together are wider than a terminal. */
function table(checks: readonly Check[]): string[] {
  const row = (check: string, result: string, detail: string) => `${check.padEnd(10)}${result.padEnd(13)}${detail}`;
  return [
    row('check', 'result', 'detail and remedy'),
    ...checks.flatMap(({ check, result, detail, remedy }) => [
      row(check, RESULTS[result], detail),
      ...(remedy === '' ? [] : [row('', '', `-> ${remedy}`)]),
    ]),
  ];
}
