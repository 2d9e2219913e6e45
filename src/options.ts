/** Exports the options of the client and of a call, their defaults, and the functions that check them. */
import { checkOptions, checkValue, type RECOGNISABLE } from './check-options.js';
import type { Hooks, Logger } from './http/call/observe.js';
import { IN_FLIGHT_GRACE_MS } from './http/limits/in-flight.js';
import type { TokenSource } from './http/token/token.js';
import { parseServiceUrl } from './http/transport/address.js';
import type { DispatcherLike } from './http/transport/dispatcher-transport.js';
import type { FetchLike } from './http/transport/fetch-transport.js';
import { lowerCase } from './http/transport/headers.js';
import { defineProfile, type Profile } from './validation/profile.js';

/** The last parameter of every method. The client's options apply where this has none. */
export interface CallOptions {
  /** Aborts the call, also while it waits: it rejects with `AbortedError`. */
  signal?: AbortSignal | undefined;
  /** Time limit of one request with its answer, in milliseconds. By default that of the client. */
  timeoutMs?: number | undefined;
  /** Time limit of the whole call with its retries and waits, in milliseconds. */
  deadlineMs?: number | undefined;
  /** Maximum number of retries. A 429 and one renewal of the token do not count. */
  maxRetries?: number | undefined;
  /**
   * Maximum total wait after 429 answers, in milliseconds. With 0 each 429 rejects at once, with `retryAfterMs`; other calls then do
   * not wait after a 429 of `process` or `dryRun` without `Retry-After`, because the caller limits these calls itself.
   */
  maxThrottleWaitMs?: number | undefined;
  /** false: sends the payload without a local check. */
  validate?: boolean | undefined;
  /**
   * Whether a request without an answer is sent again. Default: only if that is safe, because the service recognises what it
   * has; otherwise the call rejects with `OutcomeUnknownError`. true: also if it may then be applied twice. false: notes and
   * transactions are not sent again either, since both of two overlapping requests may pass the service's check, and what the
   * service does not recognise is not sent again after a 5xx. Does not apply to
   * `accounts.process`, which follows `advanced.inFlightGraceMs`.
   */
  retryUnknownOutcome?: boolean | undefined;
  /** Additional headers of this call; one of the same name replaces that of the client. The rules are those of the client's `headers`. */
  headers?: Readonly<Record<string, string>> | undefined;
}

/** Options of `new DataImportClient(options)`. Only `baseUrl` and `token` are required; `DEFAULTS` has the defaults of the others. */
export interface DataImportClientOptions {
  /** Address of the service without `/v1/data-import/`, such as `https://api.example.com`. http is accepted for a loopback address only. */
  baseUrl: string;
  /** A token, a function that returns one, or `graphqlToken(...)`. A function is called again before the token expires and after a 401. */
  token: TokenSource;
  /**
   * Maximum number of retries of a failed request.
   * @default 3
   */
  maxRetries?: number | undefined;
  /**
   * Time limit of one request with its answer, in milliseconds.
   * @default 60000
   */
  timeoutMs?: number | undefined;
  /**
   * Time limit of a whole call with its retries and waits, in milliseconds.
   * @default 300000
   */
  deadlineMs?: number | undefined;
  /**
   * Maximum number of requests in flight. Further requests wait in order of arrival.
   * @default 64
   */
  concurrency?: number | undefined;
  /** Sends requests with this function instead of undici's Pool, for interceptors such as MSW. */
  fetch?: FetchLike | undefined;
  /**
   * Sends requests through this undici dispatcher instead of a Pool of the client: a mock, or `networkDispatcher` for a proxy and
   * certificates. It also gets the requests of `graphqlToken`, so it must serve both addresses: an Agent does, a Pool or Client of
   * one origin does not.
   */
  dispatcher?: DispatcherLike | undefined;
  /** Additional rules of your deployment. */
  profile?: Profile | undefined;
  /**
   * Whether payloads are checked before they are sent.
   * @default true
   */
  validate?: boolean | undefined;
  /** A logger such as pino or `console`. The client passes it neither tokens nor payloads. */
  logger?: Logger | undefined;
  /** Functions that the client calls for each request, answer, retry and pause. */
  hooks?: Hooks | undefined;
  /**
   * Headers of every request to the service, such as those that a gateway requires; requests for a token do not get them. Values
   * consist of visible ASCII characters. `Authorization`, `Accept`, `Content-Type`, `User-Agent` and the headers of the connection
   * are set by the client: a `TypeError` refuses them here.
   */
  headers?: Readonly<Record<string, string>> | undefined;
  /** Options whose defaults suit nearly every program. */
  advanced?: AdvancedOptions | undefined;
}

/** The group `advanced` of the client's options. `maxThrottleWaitMs` is also an option of a call. */
export interface AdvancedOptions {
  /**
   * The word before the token in the Authorization header; an empty string for none.
   * @default 'Token'
   */
  tokenScheme?: string | undefined;
  /** Appended to the name and version of this package in the header `User-Agent`, such as `acme-migration/2.1`. */
  userAgent?: string | undefined;
  /**
   * Upper bound of the random wait before the first retry, in milliseconds. It doubles for each further retry.
   * @default 500
   */
  retryBaseMs?: number | undefined;
  /**
   * Maximum total wait of a call after 429 answers, in milliseconds. A longer wait ends in `RateLimitError`.
   * @default 60000
   */
  maxThrottleWaitMs?: number | undefined;
  /**
   * How long the service may still work on an `accounts.process` request that got no answer, in milliseconds. The request is
   * repeated only after the longest of this time, `timeoutMs` and three times the slowest answer so far, and only if two status
   * queries, 5 s apart (or this time, if it is shorter), find no account.
   * @default 60000
   */
  inFlightGraceMs?: number | undefined;
  /**
   * Error codes by which your deployment refuses what exists, by method: `{ 'paymentInstructions.create': ['exists'] }`. A code that also
   * refuses because of another payment instruction does not belong here. These methods then send a request without an answer again, and
   * such a refusal resolves with its body and the `callOutcome` `confirmed`; if it has other errors too, or does not name all of several
   * statements, the call rejects with `OutcomeUnknownError`.
   */
  alreadyDone?: AlreadyDone | undefined;
  /**
   * Maximum size of an answer in bytes: by default 32 MiB, about 260,000 entries of a list. For `imports.streamAll` and
   * `imports.streamPending`: the maximum size of one entry.
   * @default 33554432
   */
  maxAnswerBytes?: number | undefined;
  /**
   * What happens to warnings of the local check: `log` writes them to the logger, `reject` rejects the payload, `ignore` does not
   * look for them. Answers that do not confirm the whole request go to hooks and logger, except with `ignore`.
   * @default 'log'
   */
  warnings?: 'ignore' | 'log' | 'reject' | undefined;
  /**
   * What the logger gets. `warn`: retries, pauses and warnings. `debug`: also each request and each answer.
   * @default 'warn'
   */
  logLevel?: 'debug' | 'warn' | undefined;
}

/** Codes by method. */
export type AlreadyDone = Partial<Record<(typeof RECOGNISABLE)[number], readonly string[]>>;

/** The defaults of the client options. */
export const DEFAULTS = {
  maxRetries: 3,
  timeoutMs: 60_000,
  deadlineMs: 300_000,
  concurrency: 64,
  validate: true,
  advanced: {
    tokenScheme: 'Token',
    retryBaseMs: 500,
    maxThrottleWaitMs: 60_000,
    inFlightGraceMs: IN_FLIGHT_GRACE_MS,
    maxAnswerBytes: 32 * 1024 * 1024,
    warnings: 'log',
    logLevel: 'warn',
  },
} as const;

/** The options of `SharingClientOptions`. */
const OF_SHARING_CLIENTS = [
  ...['headers', 'timeoutMs', 'deadlineMs', 'maxRetries', 'profile', 'validate', 'advanced.userAgent'],
  ...['advanced.retryBaseMs', 'advanced.maxThrottleWaitMs', 'advanced.warnings', 'advanced.alreadyDone'],
];

const KNOWN = [
  ...['baseUrl', 'token', 'concurrency', 'fetch', 'dispatcher', 'logger', 'hooks'],
  ...OF_SHARING_CLIENTS,
  ...['advanced.tokenScheme', 'advanced.inFlightGraceMs', 'advanced.maxAnswerBytes', 'advanced.logLevel'],
];

export type ClientSettings = ReturnType<typeof clientSettings>;

const CALL_OPTIONS = [
  ...['signal', 'timeoutMs', 'deadlineMs', 'maxRetries', 'maxThrottleWaitMs', 'validate', 'retryUnknownOutcome'],
  'headers',
];

/** Returns the options with defaults. Throws a `TypeError` that names an invalid option, the type found and what is expected. */
export function clientSettings(options: DataImportClientOptions) {
  checkOptions(options, KNOWN, 'DataImportClient');
  checkValue('token', options.token);
  const { advanced = {}, ...others } = options;
  const { advanced: ownDefaults, ...defaults } = DEFAULTS;
  if (options.fetch !== undefined && options.dispatcher !== undefined) {
    throw new TypeError('fetch, dispatcher: give one of them, not both');
  }
  return {
    ...defaults,
    ...ownDefaults,
    ...withoutUndefined(others),
    ...withoutUndefined(advanced),
    alreadyDone: (advanced.alreadyDone ?? {}) as Readonly<Record<string, readonly string[] | undefined>>,
    base: parseServiceUrl(options.baseUrl),
    profile: options.profile === undefined ? undefined : defineProfile(options.profile),
  };
}

/** Options of `client.withOptions(options)`: those that clients with shared connections may have each for itself. */
export type SharingClientOptions = Pick<
  DataImportClientOptions,
  'headers' | 'timeoutMs' | 'deadlineMs' | 'maxRetries' | 'profile' | 'validate'
> & {
  /** The options of the group `advanced` that these clients may have each for itself. */
  advanced?:
    | Pick<AdvancedOptions, 'userAgent' | 'retryBaseMs' | 'maxThrottleWaitMs' | 'warnings' | 'alreadyDone'>
    | undefined;
};

/** Returns the options of a client that shares the connections of another one. Throws as `clientSettings`. */
export function sharingOptions(of: DataImportClientOptions, options: SharingClientOptions): DataImportClientOptions {
  checkOptions(options, OF_SHARING_CLIENTS, 'withOptions');
  return {
    ...of,
    ...withoutUndefined(options),
    headers: { ...lowerCase(of.headers), ...lowerCase(options.headers) },
    advanced: { ...of.advanced, ...withoutUndefined(options.advanced ?? {}) },
  };
}

/**
 * Checks the options of one call. `method`: the called one; `own`: the options that only this method has, which it has taken out.
 * Throws as `clientSettings`.
 */
export function checkCallOptions(options: CallOptions, method: string, own: readonly string[] = []): void {
  checkOptions(options, [...own, ...CALL_OPTIONS], `a call of ${method}`);
}

type Given<T> = { [Name in keyof T]: Exclude<T[Name], undefined> };

function withoutUndefined<T extends object>(options: T): Given<T> {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as Given<T>;
}
