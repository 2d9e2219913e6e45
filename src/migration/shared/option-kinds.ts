/** Exports `checkOptionKinds`, the check of the options that a program gives to a function. */
import { isObject } from '../../../schemas/objects.js';
import { refuseUnknownOptions } from '../../validation/known-names.js';

type Kind = 'boolean' | 'function' | 'number' | 'object' | 'string' | 'any';

/** The `typeof` of each option; with a question mark it may be missing. `any`: another check knows its values. */
export type OptionKinds<Options> = {
  readonly [Name in keyof Options]-?: undefined extends Options[Name] ? `${Kind}?` : Kind;
};

/**
 * Throws a `TypeError` for an option that does not exist, is missing, or has a value of another type: a misspelt option would be
 * ignored, and the text `'false'` would be true. The message quotes no value, because that may be a secret.
 */
export function checkOptionKinds<Options extends object>(
  where: string,
  options: Options,
  kinds: OptionKinds<Options>,
): void {
  if (!isObject(options)) throw new TypeError(`${where}: expected an object of options, found ${typeof options}.`);
  refuseUnknownOptions(where, options, Object.keys(kinds));
  for (const [name, expected] of Object.entries<string>(kinds)) {
    const value = options[name];
    const kind = expected.replace('?', '');
    if ((value === undefined && kind !== expected) || kind === 'any') continue;
    const found = value === null ? 'null' : typeof value;
    if (found === kind) continue;
    throw new TypeError(`${where}: ${name}: expected a value of type ${kind}, found ${found}.`);
  }
}
