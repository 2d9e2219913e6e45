/** Types of a call: what calls of a client share, its limits, its request and its result. */

import type { DataImportError } from '../../errors/data-import-error.js';
import type { Cooldown } from '../limits/cooldown.js';
import type { InFlight } from '../limits/in-flight.js';
import type { Semaphore } from '../limits/semaphore.js';
import type { Secrets } from '../token/secrets.js';
import type { TokenHolder } from '../token/token.js';
import type { BaseAddress, PathValues, QueryValues } from '../transport/address.js';
import type { HeadersOf, HeaderValues } from '../transport/headers.js';
import type { Endpoint, Transport, WireAnswer } from '../transport/wire.js';
import type { Observer, Suspicion } from './observe.js';

/** What all calls of a client share. */
export interface CallContext {
  base: BaseAddress;
  send: Transport;
  isClosed(): boolean;
  /** A longer answer is not read. */
  maxAnswerBytes: number;
  /** Limits the requests in flight. */
  semaphore: Semaphore;
  tokens: TokenHolder;
  secrets: Secrets;
  headersOf: HeadersOf;
  cooldown: Cooldown;
  inFlight: InFlight;
  observer: Observer;
  /** Each ends a wait of a call: `close` calls them. */
  sleepers: Set<() => void>;
  retryBaseMs: number;
  maxThrottleWaitMs: number;
  /** Replaces a `Retry-After` that cannot be a wait, such as a Unix time. */
  retryAfterBoundMs: number;
}

/** The limits of one call. */
export interface CallLimits {
  signal: AbortSignal | undefined;
  timeoutMs: number;
  deadlineMs: number;
  maxRetries: number;
  maxThrottleWaitMs: number;
  retryUnknownOutcome: boolean | undefined;
  /** Headers of all its requests, status queries included. */
  headers?: HeaderValues | undefined;
}

/**
 * What a successful write has done. `created` and `updated`: the service said so. `confirmed`: a request of this call got no answer
 * or a 5xx, and a later answer proved that it took effect: a status query, or a refusal because the object exists.
 */
export type CallOutcome = 'created' | 'updated' | 'confirmed';

export interface CallResult<T> {
  data: T;
  status: number;
  headers: Record<string, string>;
  /** Requests that were started. */
  attempts: number;
  requestId: string | undefined;
  /** Text of the body. */
  text: string | undefined;
  /** What the call has done. The call itself sets only `confirmed`: the answer to the request was lost, and a later one proves it. */
  callOutcome?: CallOutcome | undefined;
}

/** The answers that errors are about, with their texts. */
export const answersOfErrors = new WeakMap<object, WireAnswer>();

/** How a call finds out whether a request without an answer took effect. */
export interface Settlement<T> {
  /**
   * Asks the service; undefined: it says that nothing was done so far. `underWay`: it says that the request has or had an effect, but
   * not yet the result. Only for operations that it can be asked about.
   */
  ask?(limits: CallLimits): Promise<CallResult<T> | 'underWay' | undefined>;
  /**
   * Whether this refusal, after a lost answer, proves that the whole request took effect: its body is then the result of the call.
   * False: something of the request exists, and it is unknown whether all of it does. Undefined: it says nothing about that.
   */
  confirms(error: DataImportError): boolean | undefined;
}

export interface CallRequest<T> {
  /** The number of the call in events and log lines. */
  id: number;
  /** The name that errors and hooks show. */
  label: string;
  operation: Endpoint;
  payload?: unknown;
  /** What the payload, or else the path, names: `namesIn`. Without it the answer may name anything. */
  names?: unknown;
  /** The payload as JSON. */
  body?: string | undefined;
  path?: PathValues | undefined;
  query?: QueryValues | undefined;
  settlement?: Settlement<T> | undefined;
  /** Returns what a successful answer does not confirm, for hooks and the logger. `sent` returns the payload as it was written as JSON. */
  suspicions?: ((data: T, sent: () => unknown) => Suspicion[]) | undefined;
  /** Turns an error of the call into its result, for methods whose success the service answers with an error, or the other way round. */
  conclude?: ((answer: Promise<CallResult<unknown>>, sent: () => unknown) => Promise<CallResult<T>>) | undefined;
  /** The result is a `BodyReader`, as soon as the body of the answer begins. The limits of time end there. */
  isStreamed?: boolean;
}
