/** Exports `checkOptionKinds`, the check of the options that a program gives to a function. */
import { isObject } from '../../schemas/objects.js';
import { refuseUnknownOptions } from './known-names.js';

type Check = readonly [expected: string, fits: (value: unknown) => boolean];

const ofType = (type: string): Check => [`a value of type ${type}`, (value) => value !== null && typeof value === type];
const withMethods = (expected: string, ...names: string[]): Check => [
  expected,
  (value) => isObject(value) && names.every((name) => typeof value[name] === 'function'),
];

const CHECKS = {
  boolean: ofType('boolean'),
  function: ofType('function'),
  number: ofType('number'),
  object: ofType('object'),
  string: ofType('string'),
  name: ['a text that is not empty', (value) => typeof value === 'string' && value !== ''],
  signal: withMethods('an AbortSignal', 'addEventListener', 'throwIfAborted'),
  client: withMethods('a DataImportClient', 'withOptions', 'on', 'close'),
  ledger: withMethods('a ledger', 'find', 'write', 'list'),
  input: [
    'the result of openInput or inputFromRecords',
    (value) => isObject(value) && Symbol.asyncIterator in value && !Array.isArray(value),
  ],
  /** Another check knows its values. */
  any: ['anything', () => true],
} as const satisfies Record<string, Check>;

type Kind = keyof typeof CHECKS;

/** What each option is; with a question mark it may be missing. */
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
    const kind = expected.replace('?', '') as Kind;
    const [words, fits] = CHECKS[kind];
    if ((value === undefined && kind !== expected) || fits(value)) continue;
    throw new TypeError(`${where}: ${name}: expected ${words}, found ${foundInWords(value)}.`);
  }
}

function foundInWords(value: unknown): string {
  if (value === null || Array.isArray(value)) return value === null ? 'null' : 'a list';
  return value === '' ? 'an empty text' : typeof value;
}
