/**
 * Checks the values of options. Each function throws a `TypeError` that names the option, what was found and what is
 * expected; it quotes no value, because that may be a secret.
 */

import { isObject } from '../schemas/objects.js';
import type { Hooks } from './http/call/observe.js';
import { isToken, whyNoToken } from './http/token/token.js';
import { checkHeaders } from './http/transport/headers.js';
import { refuseUnknown } from './validation/known-names.js';

/** The methods for which a refusal can prove that an earlier request took effect. */
export const RECOGNISABLE = [
  'businesses.createPaymentInstruction',
  'historicalStatements.create',
  'paymentInstructions.create',
] as const;

/** Options that are numbers. `isUnlimited`: Infinity means that there is no limit. */
const NUMBERS: Readonly<Record<string, [least: number, isWhole: boolean, isUnlimited: boolean]>> = {
  maxRetries: [0, true, false],
  retryBaseMs: [0, false, false],
  timeoutMs: [1, false, true],
  deadlineMs: [1, false, true],
  maxThrottleWaitMs: [0, false, true],
  inFlightGraceMs: [0, false, false],
  concurrency: [1, true, true],
  maxAnswerBytes: [1, true, true],
};

const HOOKS = [
  'onRequest',
  'onSend',
  'onResponse',
  'onRetry',
  'onCooldown',
  'onSuspicion',
] as const satisfies (keyof Hooks)[];

type Check = [expected: string, fits: (value: unknown) => boolean];

/** The checks of options that are not numbers. */
const CHECKS: Readonly<Record<string, Check>> = {
  token: ['a token of visible ASCII characters, without its scheme, or a function that gets one', isTokenSource],
  tokenScheme: ['one word, or an empty string', (value) => typeof value === 'string' && /^[\w-]*$/.test(value)],
  fetch: ['a function such as fetch', isFunction],
  dispatcher: ['a dispatcher of undici', (value) => hasMethods(value, 'dispatch')],
  warnings: ['ignore, log or reject', (value) => ['ignore', 'log', 'reject'].includes(value as string)],
  validate: ['a boolean', isBoolean],
  logLevel: ['debug or warn', (value) => value === 'debug' || value === 'warn'],
  logger: ['an object with the methods debug and warn', (value) => hasMethods(value, 'debug', 'warn')],
  userAgent: ['words of visible ASCII characters', isUserAgent],
  hooks: [`an object of functions: ${HOOKS.join(', ')}`, areHooks],
  advanced: ['an object of options', isObject],
  signal: ['an AbortSignal', (value) => isObject(value) && 'aborted' in value && hasMethods(value, 'addEventListener')],
  retryUnknownOutcome: ['a boolean', isBoolean],
  alreadyDone: [`an object of lists of codes, by method (${RECOGNISABLE.join(', ')})`, areCodes],
};

/** Checks every option of an object. `known`: the options that it may have, such as `a` and `group.b`; `of`: whose options they are. */
export function checkOptions(options: object, known: readonly string[], of: string): void {
  if (!isObject(options)) throw new TypeError(`Expected an object of options of ${of}`);
  const { advanced = {}, ...others } = options;
  checkValue('advanced', advanced);
  checkGiven(others, known, of, '');
  checkGiven(advanced as object, known, of, 'advanced.');
}

/** `group`: the group of the options with a dot, or an empty text. */
function checkGiven(options: object, known: readonly string[], of: string, group: string): void {
  refuseUnknown(options, known, of, group);
  for (const [name, value] of Object.entries(options)) {
    if (value === undefined) continue;
    checkNumber(group, name, value);
    checkValue(name, value, group);
    if (name === 'headers') checkHeaders(value);
  }
}

function checkNumber(group: string, name: string, value: unknown): void {
  const [least, isWhole, isUnlimited] = NUMBERS[name] ?? [];
  if (least === undefined) return;
  const infinite = value === Number.POSITIVE_INFINITY;
  const fits = typeof value === 'number' && value >= least && (!isWhole || infinite || Number.isInteger(value));
  if (fits && (isUnlimited || !infinite)) return;
  const kind = isWhole ? 'whole number' : 'number';
  const found = typeof value === 'number' ? value : typeof value;
  throw new TypeError(
    `${group}${name}: expected a ${kind} from ${least} up${isUnlimited ? ', or Infinity' : ''}, found ${found}`,
  );
}

/** Checks one option that is no number. */
export function checkValue(name: string, value: unknown, group = ''): void {
  const [expected, fits] = CHECKS[name] ?? [];
  if (fits?.(value) !== false) return;
  // The message has only the type of the value: it may be a secret.
  const type = value === null ? 'null' : `a value of type ${typeof value}`;
  throw new TypeError(`${group}${name}: expected ${expected}, found ${name === 'token' ? whyNoToken(value) : type}`);
}

function isTokenSource(value: unknown): boolean {
  return isToken(value) || isFunction(value);
}

function isUserAgent(value: unknown): boolean {
  return typeof value === 'string' && /^[\x21-\x7e]+( [\x21-\x7e]+)*$/.test(value);
}

function isFunction(value: unknown): boolean {
  return typeof value === 'function';
}

function isBoolean(value: unknown): boolean {
  return typeof value === 'boolean';
}

function hasMethods(value: unknown, ...names: string[]): boolean {
  return isObject(value) && names.every((name) => typeof value[name] === 'function');
}

function areCodes(value: unknown): boolean {
  if (!isObject(value)) return false;
  return Object.entries(value).every(
    ([name, codes]) =>
      RECOGNISABLE.includes(name as 'historicalStatements.create') &&
      Array.isArray(codes) &&
      codes.every((code) => typeof code === 'string'),
  );
}

function areHooks(value: unknown): boolean {
  if (!isObject(value)) return false;
  // Only names that begin with "on" are checked: the hooks may be an instance of a class with other fields.
  const named = Object.entries(value).filter(([name]) => /^on/i.test(name));
  refuseUnknown(Object.fromEntries(named), HOOKS, 'hooks');
  return HOOKS.every((name) => value[name] === undefined || typeof value[name] === 'function');
}
