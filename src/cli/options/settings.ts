/**
 * Settings of a command: a flag, else an environment variable, else the config file, else the default. Every flag has
 * all three names: `--base-url`, `DATA_IMPORT_BASE_URL`, `baseUrl`.
 */
import { open, readFile } from 'node:fs/promises';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { closestName } from '../../validation/known-names.js';
import { UsageError } from '../shared/errors.js';

const CONFIG_FILE = 'data-import.config.json';

const PREFIX = 'DATA_IMPORT_';

/** Secrets have no flag, so that they are in no process list. */
const SECRETS: readonly string[] = [`${PREFIX}TOKEN`, `${PREFIX}API_KEY`];

/** An option with its environment variable. */
export function setting(flags: string, description: string): Option {
  return withVariable(new Option(flags, description));
}

function withVariable(option: Option): Option {
  return option.env(`${PREFIX}${option.attributeName().replace(/[A-Z]/g, '_$&').toUpperCase()}`);
}

class ModuleOption extends Option {}

/**
 * An option with its environment variable that names a module, whose code is run. A config file that nobody named is
 * often another person's, as in a repository that was cloned: it cannot set this option.
 */
export function moduleSetting(flags: string, description: string): Option {
  return withVariable(new ModuleOption(flags, description));
}

const ON: ReadonlySet<string> = new Set(['true', '1', 'yes']);
const OFF: ReadonlySet<string> = new Set(['false', '0', 'no']);

/**
 * Before the command acts, and before its config file. Commander takes a variable of a flag without a value for the flag,
 * whatever it holds: "false" would rehearse, or send twice.
 */
export function applyEnvironment(command: Command, env: NodeJS.ProcessEnv = process.env): void {
  for (const option of command.options) {
    const { envVar } = option;
    if (envVar === undefined || takesValue(option)) continue;
    const value = env[envVar]?.trim().toLowerCase() ?? '';
    const isUnderstood = value === '' || ON.has(value) || OFF.has(value);
    if (!isUnderstood) throw new UsageError(`${envVar}: expected true or false (or 1, 0, yes, no; empty: not given).`);
    const name = option.attributeName();
    if (command.getOptionValueSource(name) !== 'env') continue;
    if (option.negate) {
      // `--no-x` has the variable of x: "true" leaves x on.
      command.setOptionValueWithSource(name, !OFF.has(value), value === '' ? 'default' : 'env');
    } else if (!ON.has(value)) {
      // What is off counts more than the config file; what is not given, less.
      command.setOptionValueWithSource(name, undefined, OFF.has(value) ? 'env' : undefined);
    }
  }
}

/** Kubernetes gives every pod such variables for a Service whose name begins with data-import. */
const OF_KUBERNETES = /_(?:SERVICE_(?:HOST|PORT(?:_\w+)?)|PORT(?:_\d+_(?:TCP|UDP|SCTP)(?:_(?:PROTO|PORT|ADDR))?)?)$/;

/**
 * Throws a `UsageError` for a variable that looks like a setting and is none of any command: misspelt, it would count as
 * not given. `optionsOfAll` gives the options of all commands, and is called only where this command does not have it.
 */
export async function refuseUnknownVariables(
  command: Command,
  optionsOfAll: () => Promise<readonly Option[]>,
  env: NodeJS.ProcessEnv = process.env,
): Promise<void> {
  const own = new Set([...SECRETS, ...variablesOf(command.options)]);
  const isForeign = (name: string) => env['KUBERNETES_SERVICE_HOST'] !== undefined && OF_KUBERNETES.test(name);
  const others = Object.keys(env).filter((name) => name.startsWith(PREFIX) && !own.has(name) && !isForeign(name));
  if (others.length === 0) return;
  const known = new Set([...own, ...variablesOf(await optionsOfAll())]);
  const unknown = others.find((name) => !known.has(name));
  if (unknown === undefined) return;
  const names = [...known].map((name) => name.slice(PREFIX.length));
  const closest = closestName(unknown.slice(PREFIX.length), names);
  const meant = closest === undefined ? 'data-import <command> --help lists them' : `did you mean ${PREFIX}${closest}`;
  throw new UsageError(`${unknown}: no command has this setting; ${meant}${closest === undefined ? '.' : '?'}`);
}

function variablesOf(options: readonly Option[]): string[] {
  return options.flatMap(({ envVar }) => envVar ?? []);
}

function takesValue({ required, optional }: Option): boolean {
  return required || optional;
}

/** Lets the config file speak where neither flag nor environment did. */
export function withConfigFile(command: Command): Command {
  return command.addOption(
    new Option(
      '--config <path>',
      `settings as a JSON object (default: ${CONFIG_FILE}, where there is one, and without map)`,
    ),
  );
}

/**
 * Before the command acts. One file serves all commands, so settings of other commands are ignored; `optionsOfAll` gives
 * the options of all commands, and is called only where this command does not have one.
 */
export async function applyConfigFile(command: Command, optionsOfAll: () => Promise<readonly Option[]>): Promise<void> {
  if (!command.options.some((option) => option.attributeName() === 'config')) return;
  const { config } = command.opts<{ config?: string }>();
  const settings = Object.entries(await readConfig(config));
  for (const [name, value] of settings) {
    const option = command.options.find((candidate) => candidate.attributeName() === name);
    if (option !== undefined) apply(command, option, value, config);
    else if (!(await optionsOfAll()).some((candidate) => candidate.attributeName() === name)) {
      const known = command.options.map((candidate) => candidate.attributeName()).join(', ');
      throw new UsageError(`${config ?? CONFIG_FILE}: no setting ${name}; ${command.name()} has ${known}.`);
    }
  }
}

function apply(command: Command, option: Option, value: unknown, named: string | undefined): void {
  const name = option.attributeName();
  const path = named ?? CONFIG_FILE;
  const source = command.getOptionValueSource(name);
  if (source !== undefined && source !== 'default') return;
  if (option instanceof ModuleOption && named === undefined) {
    throw new UsageError(
      `${path}: ${name}: the module that it names is not loaded, because no flag names this config file. Give ${option.long} <file>, or name the config file: --config ${path}`,
    );
  }
  command.setOptionValueWithSource(name, readAs(option, value, path), 'config');
}

/** As the flag would read it. What is found is told by its kind: a value may be a password. */
function readAs(option: Option, value: unknown, path: string): unknown {
  const { parseArg } = option;
  const isNumber = typeof value === 'number' && parseArg !== undefined;
  const isMeant = takesValue(option) ? typeof value === 'string' || isNumber : typeof value === 'boolean';
  if (!isMeant) {
    const text = parseArg === undefined ? 'text in quotes' : 'text in quotes or a number';
    const expected = takesValue(option) ? text : 'true or false';
    throw new UsageError(`${path}: ${option.attributeName()}: found ${kindOf(value)}, expected ${expected}.`);
  }
  if (typeof value === 'boolean') return value || option.negate ? value : undefined;
  try {
    return parseArg === undefined ? value : parseArg(String(value), undefined as never);
  } catch (error) {
    throw new UsageError(`${path}: ${option.attributeName()}: ${(error as Error).message}`, { cause: error });
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
    const value: unknown = JSON.parse(path === undefined ? await readOwn(CONFIG_FILE) : await readFile(path, 'utf8'));
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  } catch (error) {
    if (error instanceof UsageError) throw error;
    const { code } = error as NodeJS.ErrnoException;
    if (path === undefined && code === 'ENOENT') return {};
    const why = error instanceof SyntaxError ? 'is no JSON' : `cannot be read (${code})`;
    throw new UsageError(`${path ?? CONFIG_FILE} ${why}; expected settings as a JSON object.`, { cause: error });
  }
  throw new UsageError(`${path ?? CONFIG_FILE} holds something else than a JSON object of settings.`);
}

/** A file that nobody named. In a folder that others write to, theirs would say where the token is sent. */
async function readOwn(path: string): Promise<string> {
  const file = await open(path);
  try {
    const { uid } = await file.stat();
    // Windows has no such number.
    if (process.getuid === undefined || uid === process.getuid()) return await file.readFile('utf8');
  } finally {
    await file.close();
  }
  throw new UsageError(`${path} belongs to another user, and says where the token goes. To use it: --config ${path}`);
}

/** Not set in the environment or the config file, which serve all commands: what this one has no use for is passed over. */
export function isTyped(command: Command, option: string): boolean {
  return command.getOptionValueSource(option) === 'cli';
}

/** Refuses typed flags that only count beside another one: what is passed over in silence is taken for done. */
export function expectBeside(command: Command, option: string, ...others: string[]): void {
  command.hook('preAction', (_, action) => {
    if (action.getOptionValue(option) !== undefined) return;
    const flagOf = (name: string) => action.options.find((one) => one.attributeName() === name)?.long;
    const typed = others.find((other) => isTyped(action, other));
    if (typed !== undefined)
      throw new UsageError(`${flagOf(typed)} counts only with ${flagOf(option)}: give that as well.`);
  });
}

/** A file of JSON that a flag names. */
export async function readJsonFile(path: string, flag: string, expected: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(path, 'utf8'));
  } catch (error) {
    const why =
      error instanceof SyntaxError ? 'is no JSON' : `cannot be read (${(error as NodeJS.ErrnoException).code})`;
    throw new UsageError(`${flag}: ${path} ${why}; expected a file with ${expected}.`, { cause: error });
  }
}

export function wholeNumber(value: string): number {
  if (/^\d{1,15}$/.test(value)) return Number(value);
  throw new InvalidArgumentError('Expected a whole number.');
}

/** Of nothing at once, nothing would ever be sent. */
export function atLeastOne(value: string): number {
  if (/^\d{1,15}$/.test(value) && Number(value) >= 1) return Number(value);
  throw new InvalidArgumentError('Expected a whole number from 1 up.');
}

export function positiveNumber(value: string): number {
  if (/^\d+(\.\d+)?$/.test(value) && Number(value) > 0) return Number(value);
  throw new InvalidArgumentError('Expected a number above 0.');
}
