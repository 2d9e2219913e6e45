/**
 * How an option of the command line is declared: once, as an `OptionSpec` in a table such as `serviceOptions`.
 *
 * The flag, its parsing, the help, the page in docs/reference, the environment variable, the key of the config file and the
 * type of the parsed value follow from that declaration.
 */
import { type Command, InvalidArgumentError, Option } from 'commander';
import { UsageError } from '../shared/errors.js';

/** The headings of `--help`, in their order. */
export const OPTION_GROUPS = [
  'Input',
  'Records',
  'Service',
  'Speed',
  'Safety',
  'Distributed',
  'Monitoring',
  'Output',
] as const;
type OptionGroup = (typeof OPTION_GROUPS)[number];

export interface OptionSpec {
  /** As commander reads it: `--rps <number>`. The key of the spec in its table is the camel-case form: `rps`. */
  flags: string;
  group: OptionGroup;
  /** One line of `--help`. */
  help: string;
  /** What docs/reference adds to that line. */
  details?: string;
  /** Reads a value; throws commander's `InvalidArgumentError`. Without it the value is text. */
  parse?: (text: string, ...before: never[]) => unknown;
  choices?: readonly string[];
  /** How messages print a choice; it can be given so as well. */
  shownAs?: (choice: never) => string;
  /** The value if none is given. */
  default?: unknown;
  /** The default as it is shown: where the code behind the command sets it, or where it depends on another option. */
  shownDefault?: string;
  /** The value if none is given and another option is on. */
  defaultWith?: { option: string; value: unknown };
  /** The option without which this one has no effect: an error if it is typed without that one. */
  needs?: string;
  /** Returns why this one has no effect on these operands: an error if it is typed; undefined if it has one. */
  whyIdle?: (operands: readonly string[], flags: never) => Promise<string | undefined> | string | undefined;
  /** The option that contradicts this one if both are given, and why. */
  excludes?: { option: string; message: string };
  /** Only the help of `doctor`, which tries the connection, explains it; that of other commands names it. */
  isRare?: true;
  /** It has no environment variable. The config file may have it. */
  isFlagOnly?: true;
  /**
   * What a config file that no flag names, which may be another person's, must not decide: it cannot set code to run (a module, a
   * command), nor an address together with a file whose content is sent there, or with the consent to send.
   */
  trust?: 'code' | 'address' | 'notWithAddress';
  /**
   * Why another command that is printed as the next step leaves it out. Without a reason that command has it, if it was typed and if it
   * is an option of that command too.
   */
  notKept?: string;
}

export type OptionTable = Readonly<Record<string, OptionSpec>>;

type TableIn<Common> = Readonly<Record<string, Omit<OptionSpec, keyof Common>>>;

type With<Common, Table> = { readonly [Name in keyof Table]: Table[Name] & Common };

/** Returns a table whose options are all in one group. */
export function inGroup<const Group extends OptionGroup, const Table extends TableIn<{ group: Group }>>(
  group: Group,
  table: Table,
): With<{ group: Group }, Table> {
  return Object.fromEntries(Object.entries(table).map(([name, spec]) => [name, { ...spec, group }])) as never;
}

/** As `inGroup`, of options without environment variables. */
export function flagsInGroup<
  const Group extends OptionGroup,
  const Table extends TableIn<{ group: Group; isFlagOnly: true }>,
>(group: Group, table: Table): With<{ group: Group; isFlagOnly: true }, Table> {
  const flags = Object.entries(table).map(([name, spec]) => [name, { ...spec, isFlagOnly: true }] as const);
  return inGroup(group, Object.fromEntries(flags)) as never;
}

type ValueOf<Spec extends OptionSpec> = Spec extends { parse: (text: string, ...before: never[]) => infer Value }
  ? Value
  : Spec extends { choices: readonly (infer Choice)[] }
    ? Choice
    : Spec['flags'] extends `--no-${string}`
      ? boolean
      : Spec['flags'] extends `${string}<${string}`
        ? string
        : true;

type IsAlwaysSet<Spec extends OptionSpec> = Spec extends { default: unknown }
  ? true
  : Spec['flags'] extends `--no-${string}`
    ? true
    : false;

/** The parsed values of a table of options: required where the option has a default. */
export type OptionValues<Table extends OptionTable> = {
  [Name in keyof Table as IsAlwaysSet<Table[Name]> extends true ? Name : never]: ValueOf<Table[Name]>;
} & {
  [Name in keyof Table as IsAlwaysSet<Table[Name]> extends true ? never : Name]?: ValueOf<Table[Name]>;
};

/** Of the environment variables. */
export const PREFIX = 'DATA_IMPORT_';

/** An option of commander that still has its declaration. */
export class DeclaredOption extends Option {
  readonly spec: OptionSpec;

  constructor(spec: OptionSpec) {
    const { flags, group, help, parse, choices, shownAs, default: byDefault, isFlagOnly } = spec;
    super(flags, help);
    this.spec = spec;
    this.helpGroup(`${group}:`);
    if (choices !== undefined) this.choices(choices).argParser((text) => chosen(text, choices, shownAs));
    if (parse !== undefined) this.argParser(parse as (text: string, before: unknown) => unknown);
    if (byDefault !== undefined) this.default(byDefault);
    if (!isFlagOnly) this.env(PREFIX + this.attributeName().replace(/[A-Z]/g, '_$&').toUpperCase());
  }
}

/** Returns the choice that the text names. Spaces, hyphens and capital letters may differ: `payment instruction`. */
function chosen(text: string, choices: readonly string[], shownAs: OptionSpec['shownAs']): string {
  const plain = (word: string) => word.toLowerCase().replace(/[ _-]/g, '');
  const found =
    choices.find((one) => one === text) ??
    choices.find((one) => [one, shownAs?.(one as never) ?? one].some((word) => plain(word) === plain(text)));
  if (found === undefined) throw new InvalidArgumentError(`Allowed choices are ${choices.join(', ')}.`);
  return found;
}

/** Adds the options of a table to a command, in the order of the groups, and the checks that the table asks for. */
export function addOptions<Declaring extends Command>(command: Declaring, table: OptionTable): Declaring {
  const order = ({ group }: OptionSpec) => OPTION_GROUPS.indexOf(group);
  const specs = Object.entries(table).sort(([, a], [, b]) => order(a) - order(b));
  for (const [, spec] of specs) command.addOption(new DeclaredOption(spec));
  command.hook('preAction', async (_, action) => {
    for (const [name, spec] of specs) await check(action, name, spec);
  });
  return command;
}

/** Applies `defaultWith`. Rejects with a `UsageError` for options that have no effect, and for those that exclude each other. */
async function check(command: Command, name: string, spec: OptionSpec): Promise<void> {
  const { needs, excludes, defaultWith, whyIdle } = spec;
  const isSet = (option: string) => command.getOptionValue(option) !== undefined;
  if (defaultWith && command.getOptionValueSource(name) === 'default' && isSet(defaultWith.option)) {
    command.setOptionValueWithSource(name, defaultWith.value, 'default');
  }
  const { args } = command;
  const why = whyIdle && isTyped(command, name) && args.length > 0 && (await whyIdle(args, command.opts() as never));
  if (why) throw new UsageError(why);
  if (needs !== undefined && isTyped(command, name) && !isSet(needs)) {
    throw new UsageError(
      `${flagOf(command, name)} has no effect without ${flagOf(command, needs)}: give that as well.`,
    );
  }
  if (excludes && command.getOptionValue(name) && isTyped(command, excludes.option)) {
    throw new UsageError(excludes.message);
  }
}

function flagOf(command: Command, name: string): string | undefined {
  return command.options.find((option) => option.attributeName() === name)?.long;
}

/**
 * Whether an option was given on the command line. The environment and the config file serve all commands, so that a
 * command ignores what it cannot use from there.
 */
function isTyped(command: Command, name: string): boolean {
  return command.getOptionValueSource(name) === 'cli';
}
