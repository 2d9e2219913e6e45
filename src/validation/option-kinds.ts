/** Exports `checkOptionKinds`, `expectKind`, `clockOf` and `expectFits`, the checks of the options that a program gives to a function. No message quotes a text: it may be a secret. */
import { isObject, isObjectOrArray } from '../../schemas/objects.js';
import { foundInWords, isOptions, refuseUnknownOptions } from './known-names.js';

/** `found`: what the message says about another value. */
export type Check = readonly [
  expected: string,
  fits: (value: unknown) => boolean,
  found?: (value: unknown) => string | undefined,
];

/** Throws a `TypeError` for a value that does not fit. */
export function expectFits(name: string, value: unknown, [expected, fits, found = foundInWords]: Check): void {
  if (!fits(value)) throw new TypeError(`${name}: expected ${expected}, found ${found(value)}.`);
}

// A bundle of the client has no table of kinds: without these marks bundlers would keep it.
/* @__NO_SIDE_EFFECTS__ */
function ofType(type: string): Check {
  return [`a value of type ${type}`, (value) => value !== null && typeof value === type];
}

/* @__NO_SIDE_EFFECTS__ */
export function withMethods(expected: string, ...names: string[]): Check {
  return [expected, (value) => isObject(value) && names.every((name) => typeof value[name] === 'function')];
}

const CHECKS = {
  boolean: ofType('boolean'),
  function: ofType('function'),
  number: ofType('number'),
  object: ['a value of type object', isOptions],
  records: [
    'records in an array, an iterable or an async iterable',
    (value) => isObjectOrArray(value) && (Symbol.iterator in value || Symbol.asyncIterator in value),
  ],
  string: ofType('string'),
  list: ['a list', Array.isArray],
  name: ['a text that is not empty', (value) => typeof value === 'string' && value !== ''],
  signal: withMethods('an AbortSignal', 'addEventListener', 'throwIfAborted'),
  client: withMethods('a DataImportClient', 'withOptions', 'on', 'close'),
  ledger: withMethods('a ledger', 'find', 'write', 'list'),
  input: [
    'the result of openInput or inputFromRecords',
    (value) => isObject(value) && Symbol.asyncIterator in value && !Array.isArray(value),
  ],
  distributed: withMethods('the result of openDistributedRun', 'begin', 'status', 'close'),
  window: withMethods('the result of parseWindow', 'isOpen', 'nextChange'),
  clock: withMethods('an object with the methods now and after', 'now', 'after'),
  tracers: withMethods('a TracerProvider', 'getTracer'),
  meters: withMethods('a MeterProvider', 'getMeter'),
  command: ['a text, or a function that returns one', (value) => ['string', 'function'].includes(typeof value)],
  date: ['a valid Date', (value) => value instanceof Date && Number.isFinite(value.getTime())],
  /** Another check knows its values. */
  any: ['anything', () => true],
} as const satisfies Record<string, Check>;

type Kind = keyof typeof CHECKS;

/** The clock of the machine, which may be set at any time. */
export const machineNow = (): Date => new Date();

/** Returns the clock of a program, each time of which is checked; without one, that of the machine. */
export function clockOf(where: string, now?: () => Date): () => Date {
  if (now === undefined) return machineNow;
  return () => {
    const time = now();
    expectKind(`${where}: the result of now`, time, 'date');
    return time;
  };
}

/** What each option is; with a question mark it may be missing. */
export type OptionKinds<Options> = {
  readonly [Name in keyof Options]-?: undefined extends Options[Name] ? `${Kind}?` : Kind;
};

/** Throws a `TypeError` for an argument of another kind. */
export function expectKind(name: string, value: unknown, kind: Kind): void {
  expectFits(name, value, CHECKS[kind]);
}

/**
 * Throws a `TypeError` for an option that does not exist, is missing, or has a value of another type: a misspelt option would be
 * ignored, and the text `'false'` would be true.
 */
export function checkOptionKinds<Options extends object>(
  where: string,
  options: Options,
  kinds: OptionKinds<Options>,
): void {
  refuseUnknownOptions(where, options, Object.keys(kinds));
  for (const [name, expected] of Object.entries<string>(kinds)) {
    const value = (options as Record<string, unknown>)[name];
    const kind = expected.replace('?', '') as Kind;
    if (value !== undefined || kind === expected) expectKind(`${where}: ${name}`, value, kind);
  }
}
