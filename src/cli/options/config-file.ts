/** The config file: one JSON object with settings for all commands, used where neither a flag nor a variable gives a value. */
import { constants, open, readFile, realpath } from 'node:fs/promises';
import { dirname, isAbsolute, relative, resolve, sep } from 'node:path';
import type { Command, Option } from 'commander';
import { isObject } from '../../../schemas/objects.js';
import type { ConfiguredSources, SqlSource } from '../../migration/input/sql/declarations.js';
import { CONFIG_FILE } from '../../migration/input/text/input-files.js';
import { closestName } from '../../validation/known-names.js';
import { parseJson } from '../../validation/parse-json.js';
import { UsageError } from '../shared/errors.js';
import { TOKEN_VARIABLE, takesValue, valueOfNegated } from './environment.js';
import { DeclaredOption, type OptionSpec, type OptionTable } from './option.js';
import { whyUnread } from './values.js';

/** For every command that reads settings. */
export const configOptions = {
  config: {
    flags: '--config <path>',
    group: 'Input',
    help: 'JSON file',
    details: 'A JSON object with a key for each option. A file that no flag names cannot set --map.',
    shownDefault: CONFIG_FILE,
    isFlagOnly: true,
  },
} as const satisfies OptionTable;

/**
 * Applies the config file. Call it before the command acts, after the environment. One file serves all commands, so settings
 * of other commands are ignored; `optionsOfAll` returns the options of all commands, and is called only if this command does
 * not have a setting. Rejects with a `UsageError` for a file, a key or a value that is invalid.
 */
export async function applyConfigFile(command: Command, optionsOfAll: () => Promise<readonly Option[]>): Promise<void> {
  if (!command.options.some((option) => option.attributeName() === 'config')) return;
  const { config } = command.opts<{ config?: string }>();
  const { $schema: _, sources, ...others } = await readConfig(config);
  if (sources !== undefined) applySources(command, sources, config ?? CONFIG_FILE);
  for (const [name, value] of Object.entries(others)) {
    const option = command.options.find((candidate) => candidate.attributeName() === name);
    if (option !== undefined) {
      apply(command, option, value, config);
      continue;
    }
    const options = await optionsOfAll();
    if (options.some((candidate) => candidate.attributeName() === name)) continue;
    throw unknownSetting(name, options, config ?? CONFIG_FILE);
  }
  if (config === undefined) await refuseWithAddress(command, sources);
}

/** The author of a cloned repository could otherwise have any file of this user sent to any address, and without a question. */
async function refuseWithAddress(command: Command, sources: unknown): Promise<void> {
  const set = command.options.filter((option) => command.getOptionValueSource(option.attributeName()) === 'config');
  const find = (trust: OptionSpec['trust']) =>
    set.find((option) => option instanceof DeclaredOption && option.spec.trust === trust);
  const address = find('address');
  if (address === undefined) return;
  const refused = (name: string, remedy: string) =>
    new UsageError(
      `${CONFIG_FILE}: ${name}: a config file that no flag names cannot set this together with ${address.attributeName()}: something of yours could be sent there unasked. ${remedy}: --config ${CONFIG_FILE}`,
    );
  const option = find('notWithAddress');
  if (option !== undefined) throw refused(option.attributeName(), `Give ${option.flags}, or name the config file`);
  const outside = await sourceOutside(sources);
  if (outside !== undefined) throw refused(`sources.${outside}`, 'Name the config file');
}

/** Resolves with the name of a source whose file is not below this folder, also through a link; undefined if there is none. */
async function sourceOutside(sources: unknown): Promise<string | undefined> {
  const here = await realpath('.');
  for (const [name, source] of Object.entries(sources ?? {})) {
    const { file } = (source ?? {}) as Partial<SqlSource>;
    const place = typeof file === 'string' ? relative(here, await realpath(file).catch(() => resolve(file))) : '';
    if (isAbsolute(place) || place.split(sep)[0] === '..') return name;
  }
  return undefined;
}

function unknownSetting(name: string, options: readonly Option[], path: string): UsageError {
  const settings = new Map(options.map((option) => [option.attributeName(), option]));
  const closest = closestName(name, [...settings.keys()]);
  const meant =
    closest === undefined
      ? `expected one of ${[...settings.keys()].sort().join(', ')}`
      : `did you mean ${closest}?${valueOfNegated(settings.get(closest))}`;
  return new UsageError(`${path}: there is no setting ${name}; ${meant}`);
}

/** The only setting that is not a flag: files that a query reads. Commands that read no input do not have it. */
function applySources(command: Command, value: unknown, path: string): void {
  if (!command.options.some((option) => option.attributeName() === 'encoding')) return;
  if (kindOf(value) !== 'an object') {
    throw new UsageError(
      `${path}: sources: found ${kindOf(value)}, expected an object such as {"customers": {"file": "customers.csv"}}.`,
    );
  }
  const sources = value as Record<string, SqlSource>;
  const configured: ConfiguredSources = { sources, folder: dirname(path), declaredAt: path };
  command.setOptionValueWithSource('sources', configured, 'config');
}

function apply(command: Command, option: Option, value: unknown, namedFile: string | undefined): void {
  const name = option.attributeName();
  const path = namedFile ?? CONFIG_FILE;
  const source = command.getOptionValueSource(name);
  if (source !== undefined && source !== 'default') return;
  // A variable takes precedence over the config file, also where it has no option.
  if (name === 'tokenFile' && process.env[TOKEN_VARIABLE]) return;
  // A config file that no flag names is often another person's, as in a cloned repository.
  if (option instanceof DeclaredOption && option.spec.trust === 'code' && namedFile === undefined) {
    throw new UsageError(
      `${path}: ${name}: the code that it names is not run, because no flag names this config file. Give ${option.flags}, or name the config file: --config ${path}`,
    );
  }
  command.setOptionValueWithSource(name, readAs(option, value, path), 'config');
}

/** Reads a value as the flag would. A message shows the kind of an invalid value and not the value: it may be a password. */
function readAs(option: Option, value: unknown, path: string): unknown {
  const { parseArg } = option;
  const isNumber = typeof value === 'number' && parseArg !== undefined;
  const isValid = takesValue(option) ? typeof value === 'string' || isNumber : typeof value === 'boolean';
  if (!isValid) {
    const text = parseArg === undefined ? 'text in quotes' : 'text in quotes or a number';
    const expected = takesValue(option) ? text : 'true or false';
    throw new UsageError(`${path}: ${option.attributeName()}: found ${kindOf(value)}, expected ${expected}.`);
  }
  if (typeof value === 'boolean') return value || option.negate ? value : undefined;
  try {
    return parseArg === undefined ? value : parseArg(String(value), undefined as never);
  } catch (error) {
    const found = `found ${typeof value === 'number' ? value : kindOf(value)}. ${(error as Error).message}`;
    throw new UsageError(`${path}: ${option.attributeName()}: ${found}`, { cause: error });
  }
}

function kindOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'boolean') return String(value);
  return typeof value === 'string' ? 'text' : typeof value === 'number' ? 'a number' : 'an object';
}

async function readConfig(path: string | undefined): Promise<Record<string, unknown>> {
  try {
    const value: unknown = parseJson(path === undefined ? await readOwn(CONFIG_FILE) : await readFile(path, 'utf8'));
    if (isObject(value)) return value;
  } catch (error) {
    if (error instanceof UsageError) throw error;
    const { code } = error as NodeJS.ErrnoException;
    if (path === undefined && code === 'ENOENT') return {};
    throw new UsageError(`${path ?? CONFIG_FILE} ${whyUnread(error)}; expected settings as a JSON object.`, {
      cause: error,
    });
  }
  throw new UsageError(`${path ?? CONFIG_FILE}: expected settings as a JSON object, found other JSON.`);
}

/** Reads the default config file if it is a file of this user: another user's file could redirect the token. */
async function readOwn(path: string): Promise<string> {
  // Opening a pipe without a writer would wait for one.
  const file = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    const stat = await file.stat();
    if (!stat.isFile()) throw new UsageError(`${path} is no file, but a folder, a pipe or a device. Remove it.`);
    // Windows has no such number.
    if (process.getuid === undefined || stat.uid === process.getuid()) return await file.readFile('utf8');
  } finally {
    await file.close();
  }
  throw new UsageError(
    `${path} belongs to another user, and decides where the token is sent. To use it: --config ${path}`,
  );
}

const SOURCES = {
  type: 'object',
  description: 'Files that a query reads, by the names of their tables.',
  additionalProperties: {
    type: 'object',
    properties: {
      file: { type: 'string', description: 'Path, from the folder of the config file.' },
      encoding: { type: 'string', description: 'A name of the WHATWG Encoding Standard, such as windows-1252.' },
      delimiter: { type: 'string', description: 'Between two fields of a row.' },
      skipLines: { type: 'number', description: 'Lines above the header.' },
      quote: { type: 'string', description: 'Around a field; an empty text for none.' },
    },
    required: ['file'],
    additionalProperties: false,
  },
};

/** Returns the JSON Schema (draft 2020-12) of a config file. The build writes it into the package, for editors. `all`: of all commands. */
export function configJsonSchema(all: readonly Option[]): Record<string, unknown> {
  const options = all.filter(
    (option): option is DeclaredOption => option instanceof DeclaredOption && option.attributeName() !== 'config',
  );
  // Of options by the same name, those of `run` come first.
  const settings = new Map(options.reverse().map((option) => [option.attributeName(), settingOf(option)]));
  const sorted = [...settings].sort(([one], [other]) => (one < other ? -1 : 1));
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    $id: 'urn:data-import-sdk:config',
    type: 'object',
    properties: { $schema: { type: 'string' }, sources: SOURCES, ...Object.fromEntries(sorted) },
    additionalProperties: false,
  };
}

function settingOf(option: DeclaredOption): object {
  const { help, details, choices, default: value } = option.spec;
  const text = details === undefined ? help : `${help}. ${details}`;
  return {
    ...typeOf(option),
    // The help of `--no-x` says what its false does.
    description: option.negate ? `false: ${text}` : text,
    ...(choices !== undefined && { enum: choices }),
    ...(value !== undefined && { default: value }),
  };
}

function typeOf(option: Option): object {
  if (!takesValue(option)) return { type: 'boolean' };
  return { type: option.parseArg === undefined ? 'string' : ['string', 'number'] };
}
