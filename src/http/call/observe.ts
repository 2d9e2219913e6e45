/**
 * `createObserver`: reports requests to hooks, a logger and Node's diagnostics channel. None receives tokens, payloads or
 * bodies.
 */
import { channel } from 'node:diagnostics_channel';
import { presentable, presentablePath } from '../../errors/items.js';
import type { CooldownScope } from '../limits/cooldown.js';

/** Publishes each request when it has ended, for tracing tools that do not use the client's hooks. */
const requests = channel('data-import:request');

/** A request is about to leave. */
export interface RequestEvent {
  /** The method that was called, such as `accounts.stage`. */
  operation: string;
  /** 1 for the first request of the call. */
  attempt: number;
}

/** A request ended: with an answer, or without one. */
export interface ResponseEvent extends RequestEvent {
  /** HTTP status; undefined where no complete answer came. */
  status: number | undefined;
  /** Milliseconds from the request to its answer, or to its failure. */
  durationMs: number;
  /** The service's identifier of the request, where it sent one. */
  requestId: string | undefined;
  /** Why no complete answer came, such as `ECONNREFUSED` or `timeout`; undefined where one did. */
  reason?: string | undefined;
}

/** A request failed and is going to be sent again. */
export interface RetryEvent extends RequestEvent {
  /** Wait before the next request, in milliseconds. */
  delayMs: number;
  /** Why: a status such as `500`, or a reason such as `ECONNRESET` or `timeout`. */
  reason: string;
}

/** The service answered 429: calls of the client wait. */
export interface CooldownEvent {
  /** The method that was refused, such as `accounts.stage`. */
  operation: string;
  /** How long calls of the client wait, in milliseconds. After an hour of it one call is let through, and its answer decides. */
  delayMs: number;
  /** Which calls wait: those that process an account or try it, where such a call was refused; otherwise all. */
  scope: CooldownScope;
}

/** A success that does not confirm all that was sent. */
export interface SuspicionEvent {
  /** The method that was called, such as `transactions.create`. */
  operation: string;
  /**
   * `dropped_by_service`: a path that `accounts.validate` does not echo. `fewer_results`, `unknown_status`: of notes and
   * transactions, once an answer. `other_account`: the answer to staging or processing names another account.
   */
  code: string;
  /** Where, such as `results.0.status`; of notes by their place in the request: `notes.0.status`. */
  attr: string;
}

export type Suspicion = Omit<SuspicionEvent, 'operation'>;

/** Called as things happen, and not waited for. A hook that throws is reported as a process warning and changes nothing. */
export interface Hooks {
  /** Before each request, which may have to wait for a connection. */
  onRequest?: ((event: RequestEvent) => void) | undefined;
  /**
   * Right before each request is written; with a `fetch` of yours, before that is called, and with a `dispatcher` of
   * yours, when that says so. It has not left yet: if this hook aborts the call's signal, it is not sent.
   */
  onSend?: ((event: RequestEvent) => void) | undefined;
  /** After each request. */
  onResponse?: ((event: ResponseEvent) => void) | undefined;
  /** Before the wait for another try. */
  onRetry?: ((event: RetryEvent) => void) | undefined;
  /** Once for each pause after a 429. */
  onCooldown?: ((event: CooldownEvent) => void) | undefined;
  /** After a success that does not confirm all that was sent; not with `warnings: 'ignore'`. The call resolves all the same. */
  onSuspicion?: ((event: SuspicionEvent) => void) | undefined;
}

/** As much of a pino-like logger as is used. */
export interface Logger {
  /** Requests and answers. */
  debug(facts: object, message: string): void;
  /** Retries, pauses and warnings. */
  warn(facts: object, message: string): void;
}

/** One set of hooks. */
export interface Listener {
  hooks: Hooks;
}

export interface Observer {
  /** Whether any hook, logger or subscriber receives requests; otherwise no event is created. */
  isWatched(): boolean;
  warning(event: SuspicionEvent): void;
  suspicion(event: SuspicionEvent): void;
  request(event: RequestEvent): void;
  send(event: RequestEvent): void;
  response(event: ResponseEvent): void;
  retry(event: RetryEvent): void;
  cooldown(event: CooldownEvent): void;
}

/** `listeners` may change while the client is used: an event goes to those that are in it at that time. */
export function createObserver(listeners: ReadonlySet<Listener>, logger?: Logger): Observer {
  // Each listener gets a copy, which it may change.
  const tell = <Event extends object>(event: Event, hookOf: (hooks: Hooks) => ((event: Event) => void) | undefined) => {
    for (const { hooks } of listeners) guarded(() => hookOf(hooks)?.call(hooks, { ...event }));
  };
  // A path may lead through keys of the caller's own, such as those of metadata.
  const shown = (event: SuspicionEvent) => ({ ...event, attr: presentablePath(event.attr) ?? '' });
  const warning = (event: SuspicionEvent) => guarded(() => logger?.warn(shown(event), 'data-import warning'));
  return {
    isWatched: () => listeners.size > 0 || logger !== undefined || requests.hasSubscribers,
    warning,
    suspicion: (event) => {
      warning(event);
      tell(shown(event), ({ onSuspicion }) => onSuspicion);
    },
    request: (event) => {
      guarded(() => logger?.debug(event, 'data-import request'));
      tell(event, ({ onRequest }) => onRequest);
    },
    send: (event) => tell(event, ({ onSend }) => onSend),
    response: (event) => {
      if (requests.hasSubscribers) requests.publish(event);
      guarded(() => logger?.debug(event, 'data-import response'));
      tell(event, ({ onResponse }) => onResponse);
    },
    retry: (event) => {
      guarded(() => logger?.warn(event, 'data-import retry'));
      tell(event, ({ onRetry }) => onRetry);
    },
    cooldown: (event) => {
      guarded(() => logger?.warn(event, 'data-import cooldown'));
      tell(event, ({ onCooldown }) => onCooldown);
    },
  };
}

/** Calls what the user gave; it may throw, or be an async function that rejects. */
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
