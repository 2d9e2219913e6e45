/** Environment variables of options: `applyEnvironment` reads switches, `refuseUnknownVariables` finds misspelt names. */
import type { Command, Option } from 'commander';
import { closestName } from '../../validation/known-names.js';
import { UsageError } from '../shared/errors.js';
import { PREFIX } from './option.js';

export const TOKEN_VARIABLE = `${PREFIX}TOKEN`;

/** Secrets have no flag, so that they are in no process list. */
export const SECRETS: readonly string[] = [
  TOKEN_VARIABLE,
  `${PREFIX}API_KEY`,
  `${PREFIX}CLIENT_KEY_PASSPHRASE`,
  `${PREFIX}NOTIFY_SECRET`,
];

const ON: ReadonlySet<string> = new Set(['true', '1', 'yes']);
const OFF: ReadonlySet<string> = new Set(['false', '0', 'no']);

/**
 * Reads the variables of options that take no value. Call it before the command acts and before its config file is applied.
 *
 * Commander switches such an option on for any text in its variable: "false" would start a rehearsal, or send twice. Throws a
 * `UsageError` for a text that is neither on nor off.
 */
export function applyEnvironment(command: Command): void {
  for (const option of command.options) {
    const { envVar } = option;
    if (envVar === undefined || takesValue(option)) continue;
    const value = process.env[envVar]?.trim().toLowerCase() ?? '';
    const isUnderstood = value === '' || ON.has(value) || OFF.has(value);
    if (!isUnderstood) throw new UsageError(`${envVar}: expected true or false (or 1, 0, yes, no; empty: not given).`);
    const name = option.attributeName();
    if (command.getOptionValueSource(name) !== 'env') continue;
    if (option.negate) {
      // `--no-x` has the variable of x: "true" leaves x on.
      command.setOptionValueWithSource(name, !OFF.has(value), value === '' ? 'default' : 'env');
    } else if (!ON.has(value)) {
      // "Off" takes precedence over the config file; an empty variable does not.
      command.setOptionValueWithSource(name, undefined, OFF.has(value) ? 'env' : undefined);
    }
  }
}

/** Kubernetes gives every pod such variables for a Service whose name begins with data-import. */
const OF_KUBERNETES = /_(?:SERVICE_(?:HOST|PORT(?:_\w+)?)|PORT(?:_\d+_(?:TCP|UDP|SCTP)(?:_(?:PROTO|PORT|ADDR))?)?)$/;

/**
 * Rejects with a `UsageError` if a variable looks like a setting and no command has it: a misspelt name would be ignored
 * silently. `optionsOfAll` returns the options of all commands; it is called only if this command does not have the setting.
 */
export async function refuseUnknownVariables(
  command: Command,
  optionsOfAll: () => Promise<readonly Option[]>,
): Promise<void> {
  const own = new Set([...SECRETS, ...variablesOf(command.options)]);
  const isForeign = (name: string) => process.env['KUBERNETES_SERVICE_HOST'] !== undefined && OF_KUBERNETES.test(name);
  const others = Object.keys(process.env).filter(
    (name) => name.startsWith(PREFIX) && !own.has(name) && !isForeign(name),
  );
  if (others.length === 0) return;
  const all = await optionsOfAll();
  const known = new Set([...own, ...variablesOf(all)]);
  const unknown = others.find((name) => !known.has(name));
  if (unknown === undefined) return;
  const names = [...known].map((name) => name.slice(PREFIX.length));
  const closest = closestName(unknown.slice(PREFIX.length), names);
  const meant = [...command.options, ...all].find(({ envVar }) => envVar === `${PREFIX}${closest}`);
  const advice =
    closest === undefined
      ? 'data-import-sdk <command> --help lists them.'
      : `did you mean ${PREFIX}${closest}?${valueOfNegated(meant)}`;
  throw new UsageError(`${unknown}: no command has this setting; ${advice}`);
}

function variablesOf(options: readonly Option[]): string[] {
  return options.flatMap(({ envVar }) => envVar ?? []);
}

/** What the message about a misspelt setting adds for that of `--no-x`: its name with `true` would do the contrary of the flag. */
export function valueOfNegated(option: Option | undefined): string {
  return option?.negate ? ` Its value false is ${option.long}.` : '';
}

export function takesValue({ required, optional }: Option): boolean {
  return required || optional;
}
