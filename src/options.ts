/** The options of the client and of each call, with their defaults and their limits. */
import { checkOptions, checkValue, type RECOGNISABLE } from './check-options.js';
import type { Hooks, Logger } from './http/call/observe.js';
import { IN_FLIGHT_GRACE_MS } from './http/limits/in-flight.js';
import type { TokenSource } from './http/token/token.js';
import { parseServiceUrl } from './http/transport/address.js';
import type { DispatcherLike } from './http/transport/dispatcher-transport.js';
import type { FetchLike } from './http/transport/fetch-transport.js';
import { lowerCase } from './http/transport/headers.js';
import { defineProfile, type Profile } from './validation/profile.js';

/** The last parameter of every method. An option that is left out has the value of the client's. */
export interface CallOptions {
  /** Ends the call, waits included, with `AbortedError`. */
  signal?: AbortSignal | undefined;
  /** Milliseconds for one request and its answer, body included. */
  timeoutMs?: number | undefined;
  /** Milliseconds for the whole call, retries and waits included. */
  deadlineMs?: number | undefined;
  /** How often a failed request is sent again. 429 and one renewal of the token do not count. */
  maxRetries?: number | undefined;
  /**
   * How long this call waits on 429 altogether, in milliseconds. With 0 each 429 rejects at once, with `retryAfterMs`; a 429 of
   * `process` or `dryRun` without `Retry-After` then holds back no other call, because the caller limits them itself.
   */
  maxThrottleWaitMs?: number | undefined;
  /** false sends the payload without a local check. */
  validate?: boolean | undefined;
  /**
   * What follows a lost answer. Left out: sent again where the service recognises what it has, else `OutcomeUnknownError`.
   * true: sent again also where that may do things twice. false: notes and transactions are not sent again either, since
   * two requests that overlap may both pass the service's check. `accounts.process` follows `inFlightGraceMs` instead.
   */
  retryUnknownOutcome?: boolean | undefined;
  /** Headers of this call, beside those of the client; one of the same name replaces the client's. As `headers` of the client. */
  headers?: Readonly<Record<string, string>> | undefined;
}

/** Of `new DataImportClient(options)`. Only `baseUrl` and `token` are needed; `DEFAULTS` says what else holds. */
export interface DataImportClientOptions {
  /** Address of the service without `/v1/data-import/`, such as `https://api.example.com`. https, unless loopback. */
  baseUrl: string;
  /** A token, a function that gets one, or `graphqlToken(...)`. A function is asked again before the token ends and after a 401. */
  token: TokenSource;
  /**
   * The word before the token in the Authorization header; empty for the bare token.
   * @default 'Token'
   */
  tokenScheme?: string | undefined;
  /**
   * How often a failed request is sent again.
   * @default 3
   */
  maxRetries?: number | undefined;
  /**
   * The first wait before sending again is anything up to this, in milliseconds; it doubles each time.
   * @default 500
   */
  retryBaseMs?: number | undefined;
  /**
   * Milliseconds for one request and its answer.
   * @default 60000
   */
  timeoutMs?: number | undefined;
  /**
   * Milliseconds for a whole call, retries and waits included.
   * @default 300000
   */
  deadlineMs?: number | undefined;
  /**
   * How long a call waits on 429 altogether, in milliseconds, before it gives up.
   * @default 60000
   */
  maxThrottleWaitMs?: number | undefined;
  /**
   * Milliseconds during which the service may still work on an `accounts.process` request that got no answer. The request is
   * repeated only after the longest of this, `timeoutMs` and three times the slowest answer so far, and after two status
   * queries without an account, 5 s (or this, where it is shorter) apart.
   * @default 60000
   */
  inFlightGraceMs?: number | undefined;
  /**
   * Requests in flight at the same time; further ones wait in order of arrival.
   * @default 64
   */
  concurrency?: number | undefined;
  /**
   * The largest answer that is read, in bytes: by default 32 MiB, about 260,000 entries of a list. Of a list that is read
   * with `imports.streamAll`, the largest entry.
   * @default 33554432
   */
  maxAnswerBytes?: number | undefined;
  /** Sends through this instead of undici's Pool, for interceptors such as MSW. */
  fetch?: FetchLike | undefined;
  /**
   * Sends through this undici dispatcher (a proxy, a mock) instead of a Pool of the client's own. It gets the requests
   * of `graphqlToken` too, so it must serve both addresses: an Agent does, a Pool or Client of one origin does not.
   */
  dispatcher?: DispatcherLike | undefined;
  /** What your deployment is known to demand beyond the document. */
  profile?: Profile | undefined;
  /**
   * What to do with warnings of the local check, and with answers that do not confirm the request: `log` them (needs a
   * logger), `reject` the payload, or `ignore` them.
   * @default 'log'
   */
  warnings?: 'ignore' | 'log' | 'reject' | undefined;
  /**
   * Whether payloads are checked before they are sent.
   * @default true
   */
  validate?: boolean | undefined;
  /**
   * Codes by which your deployment refuses what it has already, by method: `{ 'paymentInstructions.create': ['exists'] }`.
   * After a lost answer these methods then send again, and such a refusal is success: `{ outcome: 'settled', answer }`.
   */
  alreadyDone?: AlreadyDone | undefined;
  /** A logger such as pino. It receives neither tokens nor payloads. */
  logger?: Logger | undefined;
  /** Functions that are called as things happen. */
  hooks?: Hooks | undefined;
  /**
   * Headers of every request to the service, such as those that a gateway asks for; not of requests for a token. Values are visible
   * ASCII characters. The client writes `Authorization`, `Accept`, `Content-Type`, `User-Agent` and the headers of the connection
   * itself: a `TypeError` says so.
   */
  headers?: Readonly<Record<string, string>> | undefined;
  /** Follows the name and version of this package in the header `User-Agent`: `acme-migration/2.1`. */
  userAgent?: string | undefined;
}

/** Codes by method. */
export type AlreadyDone = Partial<Record<(typeof RECOGNISABLE)[number], readonly string[]>>;

/** The defaults. */
export const DEFAULTS = {
  tokenScheme: 'Token',
  maxRetries: 3,
  retryBaseMs: 500,
  timeoutMs: 60_000,
  deadlineMs: 300_000,
  maxThrottleWaitMs: 60_000,
  inFlightGraceMs: IN_FLIGHT_GRACE_MS,
  concurrency: 64,
  maxAnswerBytes: 32 * 1024 * 1024,
  warnings: 'log',
  validate: true,
} as const;

const KNOWN = [
  ...['baseUrl', 'token', 'fetch', 'dispatcher', 'profile', 'alreadyDone', 'logger', 'hooks'],
  ...['headers', 'userAgent'],
  ...Object.keys(DEFAULTS),
];

export type ClientSettings = ReturnType<typeof clientSettings>;

const CALL_OPTIONS = [
  ...['signal', 'timeoutMs', 'deadlineMs', 'maxRetries', 'maxThrottleWaitMs', 'validate', 'retryUnknownOutcome'],
  'headers',
];

/** Options with their defaults filled in. Throws a `TypeError` that names the option, what it found and what it expects. */
export function clientSettings(options: DataImportClientOptions) {
  checkOptions(options, KNOWN, 'DataImportClient');
  checkValue('token', options.token);
  const { profile } = options;
  if (options.fetch !== undefined && options.dispatcher !== undefined) {
    throw new TypeError('fetch, dispatcher: give one of them, not both');
  }
  return {
    ...DEFAULTS,
    ...withoutUndefined(options),
    alreadyDone: (options.alreadyDone ?? {}) as Readonly<Record<string, readonly string[] | undefined>>,
    base: parseServiceUrl(options.baseUrl),
    profile: profile === undefined ? undefined : defineProfile(profile),
  };
}

/** Options in which clients may differ that share connections, token and limits. */
const OF_SHARING_CLIENTS = [
  'headers',
  'userAgent',
  'timeoutMs',
  'deadlineMs',
  'maxRetries',
  'retryBaseMs',
  'maxThrottleWaitMs',
  'profile',
  'warnings',
  'validate',
  'alreadyDone',
] as const satisfies (keyof SharingClientOptions)[];

/** Of `client.withOptions(options)`: those in which two clients may differ that share their connections. */
export type SharingClientOptions = Pick<
  DataImportClientOptions,
  | 'headers'
  | 'userAgent'
  | 'timeoutMs'
  | 'deadlineMs'
  | 'maxRetries'
  | 'retryBaseMs'
  | 'maxThrottleWaitMs'
  | 'profile'
  | 'warnings'
  | 'validate'
  | 'alreadyDone'
>;

/** The options of a client that shares the connections of another one; throws like `clientSettings`. */
export function sharingOptions(of: DataImportClientOptions, options: SharingClientOptions): DataImportClientOptions {
  checkOptions(options, OF_SHARING_CLIENTS, 'withOptions');
  return {
    ...of,
    ...withoutUndefined(options),
    headers: { ...lowerCase(of.headers), ...lowerCase(options.headers) },
  };
}

/** Checks the options of one call; throws like `clientSettings`. */
export function checkCallOptions(options: CallOptions): void {
  checkOptions(options, CALL_OPTIONS, 'a call');
}

type Given<T> = { [Name in keyof T]: Exclude<T[Name], undefined> };

function withoutUndefined<T extends object>(options: T): Given<T> {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as Given<T>;
}
