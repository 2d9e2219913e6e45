/** The pages of the command line, one a command, from the commands themselves. */
import type { Command, Option } from 'commander';
import { commandsFor, INERT_CONTEXT } from '../../src/cli/commands.js';
import { EXIT } from '../../src/cli/shared/exit-codes.js';
import { code, literal, page, plain, table } from './markdown.js';

/** What each exit code says; the type keeps the list whole. */
const EXIT_CODES: Readonly<Record<keyof typeof EXIT, string>> = {
  ok: 'Done, and nothing is left to look at.',
  internal: 'A bug. The message says what; report it.',
  usage:
    'Something on the command line, in the environment or in a file cannot be meant, or the ledger cannot be used. The message says what, and what to do.',
  rejected:
    'It came to its end, and something was rejected, skipped or is incomplete: correct it, and `retry`. Of `check` and `plan`: the book has errors. Of `call`: the call was refused.',
  unknown: 'Nobody can tell of some records whether they were done: `resolve`.',
  mismatch: '`verify`: ledger and platform differ.',
  halted: 'The halt rules ended the run (`--halt`): look at the report, then go on with the same command.',
  paused:
    'Not at its end because somebody asked for that: drained, a canary, or the question before the first record was answered with no. The same command goes on.',
  notAccepted:
    'The token or the team is not accepted, or the import supplier is not Ongoing. The ledger keeps the state of every record; continue with the same command (where the team was refused, with another `--team`).',
  unfinished:
    'Not at its end: something else than the records kept some of them from going on, such as calls that failed. The last line says what; the same command goes on.',
  inUse: 'A run is under way in the folder.',
  hungUp: 'Its terminal was closed (SIGHUP). What was done is kept; go on with the same command.',
  interrupted: 'Ended by Ctrl-C. What was done is kept; go on with the same command.',
  terminated: 'Ended by SIGTERM. What was done is kept; go on with the same command.',
};

/** What has no flag of its own. */
const ENVIRONMENT = [
  ['DATA_IMPORT_TOKEN', 'The token itself. `--token-file` goes before it.'],
  [
    'DATA_IMPORT_API_KEY',
    'The API key, for which `--graphql-url`, `--graphql-document` and `--graphql-select` get a token.',
  ],
  ['NO_COLOR', 'Any text: no colours.'],
];

/** Texts by path below the folder of the reference. */
export async function cliPages(): Promise<Map<string, string>> {
  const commands = await commandsFor([], INERT_CONTEXT);
  return new Map([
    ['cli/README.md', overview(commands)],
    ...commands.map((command): [string, string] => [`cli/${command.name()}.md`, commandPage(command)]),
  ]);
}

function overview(commands: readonly Command[]): string {
  return page(
    'The command line',
    '`data-import <command>`, or `npx data-import <command>` where the package is installed in a project.',
    table({
      heads: ['command', 'what it does'],
      rows: commands.map((command) => [
        `[${code(command.name())}](${command.name()}.md)`,
        plain(command.description()),
      ]),
    }),
    '## Settings',
    'A flag counts, else its environment variable, else its key in the config file, else the default. The config file is `data-import.config.json` in the working directory, or what `--config` names: one JSON object for all commands, such as `{ "baseUrl": "https://api.example.com", "team": "EAST" }`. What only other commands have is passed over; a key that no command has is an error. `map` names code to run: in a config file that `--config` does not name, it is an error. Of a flag that is switched on, the environment variable may hold any text; in the config file its value is `true`.',
    'These have no flag:',
    table({
      heads: ['environment variable', 'what it does'],
      rows: ENVIRONMENT.map(([name = '', text = '']) => [code(name), text]),
    }),
    '## Exit codes',
    table({
      heads: ['code', 'name', 'what it says'],
      rows: Object.entries(EXIT).map(([name, number]) => [String(number), name, EXIT_CODES[name as keyof typeof EXIT]]),
    }),
  );
}

function commandPage(command: Command): string {
  const words = command.registeredArguments.map((argument) => {
    const name = argument.variadic ? `${argument.name()}...` : argument.name();
    return { name: argument.required ? `<${name}>` : `[${name}]`, description: argument.description };
  });
  const usage = ['data-import', command.name(), ...words.map(({ name }) => name), '[options]'].join(' ');
  const hasConfig = command.options.some((option) => option.attributeName() === 'config');
  const heads = ['flag', ...(hasConfig ? ['environment variable', 'config key'] : []), 'default', 'what it does'];
  const rows = command.options.map((option) => optionRow(option, hasConfig));
  return page(
    `data-import ${command.name()}`,
    plain(command.description()),
    `\`\`\`sh\n${usage}\n\`\`\``,
    ...(words.length === 0
      ? []
      : [
          table({
            heads: ['argument', 'what it is'],
            rows: words.map(({ name, description }) => [code(name), plain(description)]),
          }),
        ]),
    ...(rows.length === 0 ? [] : [table({ heads, rows })]),
    ...(hasConfig ? [] : ['This command reads no environment variables and no config file.']),
    ...textAfter(command),
    'Exit codes: [all of them](README.md#exit-codes).',
  );
}

/** A description may end in the default, where the code behind the command has it. */
const DEFAULT = / \(default: (.*)\)$/;

function optionRow(option: Option, hasConfig: boolean): string[] {
  const said = DEFAULT.exec(option.description)?.[1];
  const byDefault =
    option.defaultValue === undefined || option.negate ? plain(said ?? '') : code(literal(option.defaultValue));
  const choices = option.argChoices === undefined ? '' : `: ${option.argChoices.map(code).join(', ')}`;
  const settable = option.envVar !== undefined;
  return [
    code(option.flags),
    ...(hasConfig ? [code(option.envVar ?? ''), code(settable ? option.attributeName() : '')] : []),
    byDefault,
    plain(option.description.replace(DEFAULT, '')) + choices,
  ];
}

/** Examples and remarks that stand below the help of the command. */
function textAfter(command: Command): string[] {
  const written: string[] = [];
  command.configureOutput({ writeOut: (text) => written.push(text) }).outputHelp();
  const after = written.join('').slice(command.helpInformation().length).trim();
  return after === '' ? [] : [`\`\`\`text\n${after}\n\`\`\``];
}
