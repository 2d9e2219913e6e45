/** The pages of the command line, one for each command, from the declarations of its options. */
import type { Command } from 'commander';
import { allCommands, INERT_CONTEXT } from '../../src/cli/commands.js';
import { shownDefault } from '../../src/cli/options/help.js';
import { type DeclaredOption, OPTION_GROUPS } from '../../src/cli/options/option.js';
import { EXIT } from '../../src/cli/shared/exit-codes.js';
import { code, page, plain, table } from './markdown.js';

/** The text of each exit code; the type makes the list complete. */
const EXIT_CODES: Readonly<Record<keyof typeof EXIT, string>> = {
  ok: 'The command finished, and nothing is left to do.',
  internal:
    'The command was aborted or could not start: disk, network or ledger server. The message names the cause. If it names none, report a bug.',
  usage:
    'Nothing was sent: an invalid option, environment variable, file or folder, or a ledger that cannot be used. The message says what is expected.',
  rejected:
    'The command finished, and records were rejected or skipped, or lack items: correct them, then `retry`. `check` and `plan`: the input has errors. `call`: the service rejected the call.',
  unknown: 'The outcome of some records is unknown: `resolve`.',
  mismatch:
    '`verify`: the ledger and the service, or the extract, differ. `run`, `retry`: amounts that no outcome explains, which is a bug.',
  halted: 'The halt rules stopped the run (`--halt`). Read the report, then repeat the command.',
  paused:
    'The user stopped the run: `drain`, a canary, or "no" to the question before the first record. The same command resumes it.',
  notAccepted:
    'The service rejects the token or the team, or the import supplier is not Ongoing. The ledger keeps the state of every record; repeat the command (for a rejected team with another `--team`).',
  unfinished:
    'Some records are unfinished for a reason outside them, such as failed calls. The last line names it; the same command resumes the run.',
  inUse: 'Another run is active in the folder.',
  hungUp: 'The terminal was closed (SIGHUP). The same command resumes the run.',
  interrupted: 'Ended by Ctrl-C. The same command resumes the run.',
  terminated: 'Ended by SIGTERM. The same command resumes the run.',
};

/** Variables without a flag. */
const ENVIRONMENT = [
  ['DATA_IMPORT_TOKEN', 'The token itself. `--token-file` takes precedence.'],
  [
    'DATA_IMPORT_API_KEY',
    'The API key that `--graphql-url`, `--graphql-document` and `--graphql-select` exchange for a token.',
  ],
  ['NO_COLOR', 'Any text: no colours.'],
];

/** Texts by path below the folder of the reference. */
export async function cliPages(): Promise<Map<string, string>> {
  const commands = await allCommands(INERT_CONTEXT);
  return new Map([
    ['cli/README.md', overview(commands)],
    ...commands.map((command): [string, string] => [`cli/${command.name()}.md`, commandPage(command)]),
  ]);
}

function overview(commands: readonly Command[]): string {
  return page(
    'The command line',
    '`data-import-sdk <command>`, or `npx data-import-sdk <command>` where the package is installed in a project.',
    table({
      heads: ['command', 'what it does'],
      rows: commands.map((command) => [
        `[${code(command.name())}](${command.name()}.md)`,
        plain(command.description()),
      ]),
    }),
    '## Settings',
    'A flag takes precedence over its environment variable, the variable over its key in the config file, the key over the default. The config file is `data-import.config.json` in the working directory, or the file of `--config`: one JSON object for all commands, such as `{ "baseUrl": "https://api.example.com", "team": "EAST" }`. Settings of other commands are ignored; a key that no command has is an error. `map` names code to run: in a config file that `--config` does not name, it is an error. The variable of a flag without a value is `true` or `false`, and so is its key in the config file; for a flag that begins with `--no-`, `false` is what the flag does.',
    'These have no flag:',
    table({
      heads: ['environment variable', 'what it does'],
      rows: ENVIRONMENT.map(([name = '', text = '']) => [code(name), text]),
    }),
    '## Exit codes',
    table({
      heads: ['code', 'name', 'meaning'],
      rows: Object.entries(EXIT).map(([name, number]) => [String(number), name, EXIT_CODES[name as keyof typeof EXIT]]),
    }),
  );
}

function commandPage(command: Command): string {
  const words = command.registeredArguments.map((argument) => {
    const name = argument.variadic ? `${argument.name()}...` : argument.name();
    return { name: argument.required ? `<${name}>` : `[${name}]`, description: argument.description };
  });
  const usage = ['data-import-sdk', command.name(), ...words.map(({ name }) => name), '[options]'].join(' ');
  const hasConfig = command.options.some((option) => option.attributeName() === 'config');
  const heads = ['flag', ...(hasConfig ? ['environment variable', 'config key'] : []), 'default', 'what it does'];
  const options = command.options as DeclaredOption[];
  const { examples, details } = textsAround(command);
  const groups = OPTION_GROUPS.filter((group) => options.some(({ spec }) => spec.group === group));
  return page(
    `data-import-sdk ${command.name()}`,
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
    ...examples,
    ...groups.flatMap((group) => [
      `## ${group}`,
      table({
        heads,
        rows: options.filter(({ spec }) => spec.group === group).map((option) => optionRow(option, hasConfig)),
      }),
    ]),
    ...details,
    'Exit codes: [all of them](README.md#exit-codes).',
  );
}

function optionRow(option: DeclaredOption, hasConfig: boolean): string[] {
  const { help, details } = option.spec;
  const choices = option.argChoices === undefined ? '' : ` One of ${option.argChoices.map(code).join(', ')}.`;
  const isSetting = option.envVar !== undefined;
  return [
    code(option.flags),
    ...(hasConfig ? [code(option.envVar ?? ''), code(isSetting ? option.attributeName() : '')] : []),
    code(shownDefault(option)),
    plain(`${help[0]?.toUpperCase()}${help.slice(1)}.${details === undefined ? '' : ` ${details}`}`) + choices,
  ];
}

/** The examples at the beginning of the help, and the text below the options, each with its heading. */
function textsAround(command: Command): { examples: string[]; details: string[] } {
  const written: string[] = [];
  command.configureOutput({ writeOut: (text) => written.push(text) }).outputHelp();
  const [before = '', after = ''] = written.join('').split(command.helpInformation());
  const block = (heading: string, text: string) =>
    text.trim() === '' ? [] : [`## ${heading}`, `\`\`\`text\n${text.replace(/^\n+|\s+$/g, '')}\n\`\`\``];
  return { examples: block('Examples', before.slice(before.indexOf('  '))), details: block('Details', after) };
}
