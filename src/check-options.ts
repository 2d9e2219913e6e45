/** Checks the options of clients and calls. Each function throws a `TypeError` that names the option, what was found and what is expected. */

import type { Hooks } from './http/call/observe.js';
import { isToken, whyNoToken } from './http/token/token.js';
import { checkHeaders } from './http/transport/headers.js';
import { foundInWords, isOptions, refuseUnknownOptions } from './validation/known-names.js';
import { type Check, expectFits, withMethods } from './validation/option-kinds.js';

/** The methods for which a refusal can prove that an earlier request took effect. */
export const RECOGNISABLE = [
  'businesses.createPaymentInstruction',
  'historicalStatements.create',
  'paymentInstructions.create',
] as const;

const HOOKS = [
  'onRequest',
  'onSend',
  'onResponse',
  'onRetry',
  'onCooldown',
  'onSuspicion',
] as const satisfies (keyof Hooks)[];

/** `isUnlimited`: Infinity means that there is no limit. */
function number(least: number, isUnlimited = false, isWhole = false): Check {
  return [
    `a ${isWhole ? 'whole ' : ''}number from ${least} up${isUnlimited ? ', or Infinity' : ''}`,
    (value) =>
      (isUnlimited && value === Number.POSITIVE_INFINITY) ||
      ((isWhole ? Number.isInteger : Number.isFinite)(value) && Number(value) >= least),
  ];
}

const OPTIONS: Check = ['an object of options', isOptions];

const BOOLEAN: Check = ['a boolean', (value) => typeof value === 'boolean'];

const CHECKS: Readonly<Record<string, Check>> = {
  maxRetries: number(0, false, true),
  retryBaseMs: number(0),
  timeoutMs: number(1, true),
  deadlineMs: number(1, true),
  maxThrottleWaitMs: number(0, true),
  inFlightGraceMs: number(0),
  pause: number(0),
  intervalMs: number(0),
  until: [
    "a list of statuses, such as ['COMPLETED', 'REJECTED'], or a function",
    (value) => typeof value === 'function' || (Array.isArray(value) && value.length > 0),
  ],
  concurrency: number(1, true, true),
  maxAnswerBytes: number(1, true, true),
  token: [
    'a token of visible ASCII characters, without its scheme, or a function that gets one',
    (value) => isToken(value) || typeof value === 'function',
    whyNoToken,
  ],
  tokenScheme: ['one word, or an empty string', (value) => typeof value === 'string' && /^[\w-]*$/.test(value)],
  fetch: ['a function such as fetch', (value) => typeof value === 'function'],
  dispatcher: withMethods('a dispatcher of undici', 'dispatch'),
  warnings: ['ignore, log or reject', (value) => ['ignore', 'log', 'reject'].includes(value as string)],
  validate: BOOLEAN,
  logLevel: ['debug or warn', (value) => value === 'debug' || value === 'warn'],
  logger: withMethods('an object with the methods debug and warn', 'debug', 'warn'),
  userAgent: [
    'words of visible ASCII characters',
    (value) => typeof value === 'string' && /^[\x21-\x7e]+( [\x21-\x7e]+)*$/.test(value),
  ],
  hooks: [`an object of functions: ${HOOKS.join(', ')}`, areHooks],
  signal: withMethods('an AbortSignal', 'addEventListener', 'throwIfAborted'),
  retryUnknownOutcome: BOOLEAN,
  retry: ['always or never', (value) => ['always', 'never'].includes(value as string)],
  query: [
    'an object of strings, numbers and booleans',
    (value) =>
      isOptions(value) &&
      Object.values(value).every((one) => ['undefined', 'string', 'number', 'boolean'].includes(typeof one)),
    (value) => (isOptions(value) ? 'another value in it' : foundInWords(value)),
  ],
  alreadyDone: [`an object of lists of codes, by method (${RECOGNISABLE.join(', ')})`, areCodes],
};

/** Checks every option of an object. `known`: the options that it may have, such as `a` and `group.b`; `of`: whose options they are. */
export function checkOptions(options: object, known: readonly string[], of: string): void {
  expectFits(of, options, OPTIONS);
  const { advanced = {}, ...others } = options as { advanced?: object };
  expectFits('advanced', advanced, OPTIONS);
  for (const [group, given] of [
    ['', others],
    ['advanced.', advanced],
  ] as const) {
    refuseUnknownOptions(of, given, known, { group });
    for (const [name, value] of Object.entries(given)) {
      if (value === undefined) continue;
      checkValue(name, value, group);
      if (name === 'headers') checkHeaders(value);
    }
  }
}

/** `group`: the group of the option with a dot. */
export function checkValue(name: string, value: unknown, group = ''): void {
  const check = CHECKS[name];
  if (check !== undefined) expectFits(group + name, value, check);
}

function areCodes(value: unknown): boolean {
  if (!isOptions(value)) return false;
  return Object.entries(value).every(
    ([name, codes]) =>
      RECOGNISABLE.includes(name as 'historicalStatements.create') &&
      Array.isArray(codes) &&
      codes.every((code) => typeof code === 'string'),
  );
}

function areHooks(value: unknown): boolean {
  if (!isOptions(value)) return false;
  // Only names that begin with "on" are checked: the hooks may be an instance of a class with other fields.
  const named = Object.entries(value).filter(([name]) => /^on/i.test(name));
  refuseUnknownOptions('hooks', Object.fromEntries(named), HOOKS);
  return HOOKS.every((name) => value[name] === undefined || typeof value[name] === 'function');
}
