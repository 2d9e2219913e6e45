/** The layout of `--help`: options in groups, one line each with its default, at most 80 columns. */
import { type Command, type Help, Option } from 'commander';
import type { DeclaredOption } from './option.js';

const WIDTH = 80;

/** One paragraph under the options of a command. */
const OTHER_SOURCES =
  'Every long option can also be set by an environment variable (--base-url: DATA_IMPORT_BASE_URL) or in the config file ' +
  '("baseUrl"). Flags take precedence over variables, and variables over the config file. Give the token in ' +
  'DATA_IMPORT_TOKEN, never on the command line.';

/** Gives a command this layout, and appends a text. `hasSettings`: whether it reads variables and the config file. */
export function withHelp<Given extends Command>(command: Given, after: () => string, hasSettings = true): Given {
  return withLayout(command).addHelpText('after', () => {
    const paragraphs = hasSettings ? [wrapped(OTHER_SOURCES), after()] : [after()];
    const texts = paragraphs.map((text) => text.trim()).filter((text) => text !== '');
    return texts.length === 0 ? '' : `\n${texts.join('\n\n')}\n`;
  });
}

/** Sets the layout only: a command that inherits settings of the program needs it again, because they replace it. */
export function withLayout<Given extends Command>(command: Given): Given {
  return command.configureHelp(LAYOUT).addHelpOption(new Option('-h, --help', 'print this help').helpGroup('Output:'));
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
