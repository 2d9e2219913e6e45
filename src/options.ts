/** The options of the client and of each call, with their defaults and their limits. */
import type { Dispatcher } from 'undici';
import { parseServiceUrl } from './http/address.js';
import type { FetchLike } from './http/fetch-transport.js';
import type { Hooks, Logger } from './http/observe.js';
import type { TokenSource } from './http/token.js';
import { defineProfile, type Profile } from './validation/profile.js';

/** Of every method, as its last parameter. What is left out is as the client was told. */
export interface CallOptions {
  /** Ends the call, waits included, with `AbortedError`. */
  signal?: AbortSignal | undefined;
  /** Milliseconds for one request and its answer, body included. */
  timeoutMs?: number | undefined;
  /** Milliseconds for the whole call, retries and waits included. */
  deadlineMs?: number | undefined;
  /** How often a failed request is sent again. 429 and one renewal of the token do not count. */
  maxRetries?: number | undefined;
  /** false sends the payload without a local check. */
  validate?: boolean | undefined;
  /**
   * true sends again after a lost answer where that may do things twice, instead of `OutcomeUnknownError`.
   * Default: false.
   */
  resendUnknown?: boolean | undefined;
}

export interface DataImportClientOptions {
  /** Address of the service without `/v1/data-import/`, such as `https://api.example.com`. https, unless loopback. */
  baseUrl: string;
  /** A token, a function that gets one, or `graphqlToken(...)`. A function is asked again before the token ends and after a 401. */
  token: TokenSource;
  /** The word before the token in the Authorization header; empty for the bare token. Default: `Token`. */
  tokenScheme?: string | undefined;
  /** How often a failed request is sent again. Default: 3. */
  maxRetries?: number | undefined;
  /** The first wait before sending again is anything up to this, in milliseconds; it doubles each time. Default: 500. */
  retryBaseMs?: number | undefined;
  /** Milliseconds for one request and its answer. Default: 60,000. */
  timeoutMs?: number | undefined;
  /** Milliseconds for a whole call, retries and waits included. Default: 300,000. */
  deadlineMs?: number | undefined;
  /** How long a call waits on 429 altogether, in milliseconds, before it gives up. Default: 60,000. */
  throttlePatienceMs?: number | undefined;
  /** Requests under way at once; further ones wait their turn. Default: 64. */
  concurrency?: number | undefined;
  /** The largest answer that is read, in bytes. Default: 33,554,432 (32 MiB, about 270,000 entries of a list). */
  maxAnswerBytes?: number | undefined;
  /** Sends through this instead of undici's Pool, for interceptors such as MSW. */
  fetch?: FetchLike | undefined;
  /** Sends through this undici dispatcher (a proxy, a mock) instead of a Pool of the client's own. */
  dispatcher?: Dispatcher | undefined;
  /** What your deployment is known to demand beyond the document. */
  profile?: Profile | undefined;
  /** What to do with advice: `log` it (where there is a logger), `reject` the payload, or `ignore` it. Default: `log`. */
  advice?: 'ignore' | 'log' | 'reject' | undefined;
  /** Whether payloads are checked before they are sent. Default: true. */
  validate?: boolean | undefined;
  /** A logger such as pino. It is told neither tokens nor payloads. */
  logger?: Logger | undefined;
  /** Functions that are called as things happen. */
  hooks?: Hooks | undefined;
}

/** What the client does where it is told nothing. */
export const DEFAULTS = {
  tokenScheme: 'Token',
  maxRetries: 3,
  retryBaseMs: 500,
  timeoutMs: 60_000,
  deadlineMs: 300_000,
  throttlePatienceMs: 60_000,
  concurrency: 64,
  maxAnswerBytes: 32 * 1024 * 1024,
  advice: 'log',
  validate: true,
} as const;

const LEAST: Readonly<Record<string, number>> = {
  maxRetries: 0,
  retryBaseMs: 0,
  timeoutMs: 1,
  deadlineMs: 1,
  throttlePatienceMs: 0,
  concurrency: 1,
  maxAnswerBytes: 1,
};
const WHOLE = new Set(['maxRetries', 'concurrency', 'maxAnswerBytes']);
/** Where Infinity means that there is no limit. */
const UNLIMITED = new Set(['timeoutMs', 'deadlineMs', 'throttlePatienceMs', 'concurrency', 'maxAnswerBytes']);

const KNOWN = new Set<string>([
  ...['baseUrl', 'token', 'fetch', 'dispatcher', 'profile', 'logger', 'hooks'],
  ...Object.keys(DEFAULTS),
]);

export type ClientSettings = ReturnType<typeof clientSettings>;

/** Options with their defaults filled in. Throws a `TypeError` that names the option, what it found and what it expects. */
export function clientSettings(options: DataImportClientOptions) {
  if (typeof options !== 'object' || options === null)
    throw new TypeError('DataImportClient: expected an object of options');
  for (const name of Object.keys(options)) {
    if (!KNOWN.has(name)) throw new TypeError(`${name}: not an option of DataImportClient (${[...KNOWN].join(', ')})`);
  }
  checkNumbers(options);
  const { token, tokenScheme, advice, profile } = options;
  if ((typeof token !== 'string' || token === '') && typeof token !== 'function') {
    throw new TypeError('token: expected a non-empty string or a function that gets a token');
  }
  if (tokenScheme !== undefined && !/^[\w-]*$/.test(tokenScheme))
    throw new TypeError('tokenScheme: expected one word, or nothing');
  if (advice !== undefined && !['ignore', 'log', 'reject'].includes(advice)) {
    throw new TypeError('advice: expected ignore, log or reject');
  }
  if (options.fetch !== undefined && options.dispatcher !== undefined) {
    throw new TypeError('fetch, dispatcher: give one of them, not both');
  }
  return {
    ...DEFAULTS,
    ...withoutUndefined(options),
    base: parseServiceUrl(options.baseUrl),
    profile: profile === undefined ? undefined : defineProfile(profile),
  };
}

/** Checks the options of one call; throws like `clientSettings`. */
export function checkCallOptions(options: CallOptions): void {
  checkNumbers(options);
  const { signal } = options;
  if (signal !== undefined && !(typeof signal === 'object' && signal !== null && 'aborted' in signal)) {
    throw new TypeError('signal: expected an AbortSignal');
  }
}

function checkNumbers(options: object): void {
  for (const [name, value] of Object.entries(options)) {
    const least = LEAST[name];
    if (least === undefined || value === undefined) continue;
    const whole = WHOLE.has(name) && value !== Number.POSITIVE_INFINITY;
    const fits = typeof value === 'number' && value >= least && (!whole || Number.isInteger(value));
    if (!fits || (value === Number.POSITIVE_INFINITY && !UNLIMITED.has(name))) {
      const found = typeof value === 'number' ? value : typeof value;
      throw new TypeError(`${name}: expected a ${whole ? 'whole ' : ''}number from ${least} up, found ${found}`);
    }
  }
}

type Given<T> = { [Name in keyof T]: Exclude<T[Name], undefined> };

function withoutUndefined<T extends object>(options: T): Given<T> {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as Given<T>;
}
