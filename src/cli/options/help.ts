/** The layout of `--help`: options in groups, one line each with its default, at most 80 columns. */
import { readFileSync } from 'node:fs';
import { type Command, type Help, Option } from 'commander';
import type { DeclaredOption } from './option.js';

const WIDTH = 80;

/** One paragraph under the options of a command. */
const OTHER_SOURCES =
  'Every long option can also be set by an environment variable (--base-url: DATA_IMPORT_BASE_URL) or in the config file ' +
  '("baseUrl"). Flags take precedence over variables, and variables over the config file. Give the token in ' +
  'DATA_IMPORT_TOKEN, never on the command line.';

// The build puts the text of the file here (build/text-files.ts).
const TEXTS = readFileSync(new URL('help.txt', import.meta.url), 'utf8');

/** Returns the examples of a command, and the paragraphs at the end of its help. */
function textsOf(name: string): [examples: string, after: string] {
  const own = TEXTS.split(/^=== /m).find((text) => text.startsWith(`${name}\n`)) ?? '';
  const [examples = '', after = ''] = own.slice(name.length + 1).split('---\n');
  return [examples, after];
}

/** What the help of a command has besides arguments, options and the texts of help.txt. */
export interface HelpOptions {
  /** Returns what `<<list>>` stands for in its text. */
  list?: () => string;
  /** Whether the help explains the rare options. Default: it names them, and the command that explains them. */
  hasRare?: boolean;
  /** Whether the command reads variables and the config file. Default: true. */
  hasSettings?: boolean;
}

/** Gives a command this layout, and its texts. */
export function withHelp<Given extends Command>(command: Given, options: HelpOptions): Given {
  const { list = () => '', hasRare = false, hasSettings = true } = options;
  const [examples, after] = textsOf(command.name());
  const rare = hasRare ? [] : command.options.filter((option) => (option as Partial<DeclaredOption>).spec?.isRare);
  for (const option of rare) option.hideHelp();
  return withLayout(command)
    .addHelpText('before', () => `${command.description()}\n\nExamples:\n  ${examples.trim()}\n`)
    .addHelpText('after', () => {
      const named = rare.map(({ long }) => long).join(', ');
      const paragraphs = [
        named === '' ? '' : wrapped(`Rare options, which data-import-sdk doctor --help explains: ${named}.`),
        hasSettings ? wrapped(OTHER_SOURCES) : '',
        after.replace('<<list>>', list),
      ];
      return paragraphs.map((text) => (text === '' ? '' : `\n${text.trim()}\n`)).join('');
    });
}

/** Sets the layout only: a command that inherits settings of the program needs it again, because they replace it. */
export function withLayout<Given extends Command>(command: Given): Given {
  // The help begins with the description; commander would write it again below the usage.
  const layout = { ...LAYOUT, commandDescription: () => '' };
  return command.configureHelp(layout).addHelpOption(new Option('-h, --help', 'print this help').helpGroup('Output:'));
}

/** Also for `data-import-sdk --help`, which lists the commands by name. */
export const LAYOUT = {
  helpWidth: WIDTH,
  optionDescription: describeOption,
  subcommandTerm: (command: Command) => command.name(),
} satisfies Partial<Help>;

/** `calls in flight (default: 32)` */
function describeOption(option: Option): string {
  const byDefault = shownDefault(option);
  return byDefault === '' ? option.description : `${option.description} (default: ${byDefault})`;
}

/** The default of an option as help and docs/reference show it; empty if it has none. */
export function shownDefault(option: Option): string {
  const { spec } = option as Partial<DeclaredOption>;
  if (spec?.shownDefault !== undefined) return spec.shownDefault;
  if (option.defaultValue === undefined || option.negate) return '';
  return option.defaultValueDescription ?? String(option.defaultValue);
}

/** Wraps a paragraph at 80 columns. `indent`: the spaces before each line. */
export function wrapped(text: string, indent = 0): string {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const line = lines.at(-1);
    if (line !== undefined && indent + line.length + 1 + word.length <= WIDTH)
      lines[lines.length - 1] = `${line} ${word}`;
    else lines.push(word);
  }
  return lines.map((line) => ' '.repeat(indent) + line).join('\n');
}
