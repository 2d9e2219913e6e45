/**
 * `createObserver`: reports requests to hooks, a logger and Node's diagnostics channel. None receives tokens, payloads or
 * bodies.
 */
import { channel, tracingChannel } from 'node:diagnostics_channel';
import { presentable, presentablePath } from '../../errors/items.js';
import type { CooldownScope } from '../limits/cooldown.js';

/** Publishes each request when it has ended, for tracing tools that do not use the client's hooks. */
const requests = channel('data-import:request');

/** Publishes each request when it starts, as a `RequestEvent`. */
const starts = channel('data-import:request:start');

/** A call of a client, from its first wait or request to its result: on the tracing channel `data-import:call`. */
export interface CallEvent {
  /** The number of the call in this process, in all its events and log lines. */
  callId: number;
  /** The method that was called, such as `accounts.stage`. */
  operation: string;
  /** Address of the service: `DataImportClient.baseUrl`. */
  baseUrl: string;
  /** Why the call rejected; set before the message `error`. A subscriber never gets the result of a call. */
  error?: unknown;
}

/** Publishes the beginning and the end of each call. What happens during the call has the async context of its subscribers. */
export const calls = tracingChannel<CallEvent>('data-import:call');

let callsSoFar = 0;

/** Returns the number of a new call. */
export function nextCallId(): number {
  return ++callsSoFar;
}

/** A request is about to be sent. */
export interface RequestEvent {
  /** The number of the call in this process: the events and log lines of a call have the same, also those of its retries. */
  callId: number;
  /** The method that was called, such as `accounts.stage`. */
  operation: string;
  /** 1 for the first request of the call. */
  attempt: number;
}

/** A request has ended, with or without an answer. */
export interface ResponseEvent extends RequestEvent {
  /** HTTP status; undefined without a complete answer. */
  status: number | undefined;
  /** Milliseconds from the request to its answer or failure. */
  durationMs: number;
  /** The request id that the service sent, if any. */
  requestId: string | undefined;
  /** Why there is no complete answer, such as `ECONNREFUSED` or `timeout`; undefined if there is one. */
  reason?: string | undefined;
}

/** A request has failed and will be sent again. */
export interface RetryEvent extends RequestEvent {
  /** The wait before the next request, in milliseconds. */
  delayMs: number;
  /** A status such as `500`, or a reason such as `ECONNRESET` or `timeout`. */
  reason: string;
}

/** The service answered 429: calls of the client wait. */
export interface CooldownEvent {
  /** The number of the refused call: see `RequestEvent`. */
  callId: number;
  /** The method that was refused, such as `accounts.stage`. */
  operation: string;
  /** How long calls of the client wait, in milliseconds. After an hour one call is sent as a probe, and its answer decides. */
  delayMs: number;
  /** Which calls wait: `process` and `dryRun` after a 429 of one of them, otherwise all. */
  scope: CooldownScope;
}

/** A successful answer that does not confirm everything in the request. */
export interface SuspicionEvent {
  /** The number of the call: see `RequestEvent`. */
  callId: number;
  /** The method that was called, such as `transactions.create`. */
  operation: string;
  /**
   * `dropped_by_service`: `accounts.validate` does not echo this path, or echoes it empty. `errors_in_answer`: a success of any method
   * also has errors. For notes, transactions and statements, at most one of each per answer: `fewer_results`, `unknown_status`;
   * `other_id`, `other_amount`, `other_body`, `other_date`, `other_type`, `other_reason`, `other_reference`, `other_payment_type`,
   * `other_product_code`: the answer repeats another value than was sent. A date of a transaction counts only with
   * `force_add_to_current_statement: false`, because the service may otherwise move it.
   */
  code: string;
  /** The path, such as `results.0.status`; for notes with the index in the request: `notes.0.status`. */
  attr: string;
}

export type Suspicion = Omit<SuspicionEvent, 'operation' | 'callId'>;

/** Functions that the client calls and does not wait for. If one throws, the client emits a process warning and continues. */
export interface Hooks {
  /** Called before each request. The request may then have to wait for a connection. */
  onRequest?: ((event: RequestEvent) => void) | undefined;
  /**
   * Called right before a request is written; with the option `fetch`, before that function is called; with the option
   * `dispatcher`, when it reports the start. If this hook aborts the signal of the call, the request is not sent.
   */
  onSend?: ((event: RequestEvent) => void) | undefined;
  /** Called after each request. */
  onResponse?: ((event: ResponseEvent) => void) | undefined;
  /** Called before the wait for a retry. */
  onRetry?: ((event: RetryEvent) => void) | undefined;
  /** Called once for each pause after a 429. */
  onCooldown?: ((event: CooldownEvent) => void) | undefined;
  /** Called for an answer that does not confirm the whole request, except with `advanced.warnings: 'ignore'`. The call still resolves. */
  onSuspicion?: ((event: SuspicionEvent) => void) | undefined;
}

/** The methods of a logger that the client calls; pino has them. */
export interface Logger {
  /** Called for requests and answers, with the option `advanced.logLevel: 'debug'`. */
  debug(facts: object, message: string): void;
  /** Called for retries, pauses and warnings. */
  warn(facts: object, message: string): void;
}

/** One set of hooks. */
export interface Listener {
  hooks: Hooks;
}

/** Returns an observer. `listeners` may change later: each event goes to the current ones. */
export function createObserver(listeners: ReadonlySet<Listener>, logger: Logger | undefined, level: 'debug' | 'warn') {
  const detailed = level === 'debug' ? logger : undefined;
  // Each listener gets its own copy, because it may change it.
  const notify = <Name extends keyof Hooks>(name: Name, event: object) => {
    for (const { hooks } of listeners) {
      guarded(() => (hooks[name] as ((event: object) => void) | undefined)?.call(hooks, { ...event }));
    }
  };
  // A path may contain keys that the caller chose, such as those of metadata.
  const shown = (event: SuspicionEvent) => ({ ...event, attr: presentablePath(event.attr) ?? '' });
  const warning = (event: SuspicionEvent) => guarded(() => logger?.warn(shown(event), 'data-import warning'));
  return {
    /** Whether any hook, logger or subscriber receives requests; otherwise no event is created. */
    isWatched: () => listeners.size > 0 || detailed !== undefined || requests.hasSubscribers || starts.hasSubscribers,
    /** Whether any hook or logger receives suspicions. */
    seesSuspicions: () => listeners.size > 0 || logger !== undefined,
    warning,
    suspicion: (event: SuspicionEvent) => {
      warning(event);
      notify('onSuspicion', shown(event));
    },
    request: (event: RequestEvent) => {
      starts.publish(event);
      guarded(() => detailed?.debug(event, 'data-import request'));
      notify('onRequest', event);
    },
    send: (event: RequestEvent) => notify('onSend', event),
    response: (event: ResponseEvent) => {
      if (requests.hasSubscribers) requests.publish(event);
      guarded(() => detailed?.debug(event, 'data-import response'));
      notify('onResponse', event);
    },
    retry: (event: RetryEvent) => {
      guarded(() => logger?.warn(event, 'data-import retry'));
      notify('onRetry', event);
    },
    cooldown: (event: CooldownEvent) => {
      guarded(() => logger?.warn(event, 'data-import cooldown'));
      notify('onCooldown', event);
    },
  };
}

export type Observer = ReturnType<typeof createObserver>;

/** Calls a function of the user. If it throws or rejects, emits a process warning. */
function guarded(call: () => unknown): void {
  try {
    const result = call();
    if (result instanceof Promise) result.catch(warn);
  } catch (error) {
    warn(error);
  }
}

function warn(error: unknown): void {
  const reason = error instanceof Error ? (presentable(error.name) ?? 'an error') : typeof error;
  process.emitWarning(`A hook or logger of DataImportClient threw ${reason}; the call continued.`);
}
