/** What a caller can watch: hooks and a logger. Neither is told tokens, payloads or bodies. */

export interface RequestEvent {
  /** The method that was called, such as `accounts.stage`. */
  operation: string;
  /** 1 for the first request of the call. */
  attempt: number;
}

export interface ResponseEvent extends RequestEvent {
  /** HTTP status; undefined where no complete answer came. */
  status: number | undefined;
  durationMs: number;
  requestId: string | undefined;
}

export interface RetryEvent extends RequestEvent {
  /** Wait before the next request, in milliseconds. */
  delayMs: number;
  /** Why: a status such as `500`, or a reason such as `ECONNRESET` or `timeout`. */
  reason: string;
}

export interface CooldownEvent {
  operation: string;
  /** How long all calls of the client wait, in milliseconds. */
  delayMs: number;
}

/** Called as things happen. A hook that throws is reported as a process warning and changes nothing. */
export interface Hooks {
  onRequest?: ((event: RequestEvent) => void) | undefined;
  onResponse?: ((event: ResponseEvent) => void) | undefined;
  onRetry?: ((event: RetryEvent) => void) | undefined;
  onCooldown?: ((event: CooldownEvent) => void) | undefined;
}

/** As much of a pino-like logger as is used. */
export interface Logger {
  debug(facts: object, message: string): void;
  warn(facts: object, message: string): void;
}

export interface Observer {
  request(event: RequestEvent): void;
  response(event: ResponseEvent): void;
  retry(event: RetryEvent): void;
  cooldown(event: CooldownEvent): void;
}

export function createObserver(hooks: Hooks = {}, logger?: Logger): Observer {
  const guarded =
    <Event extends object>(hook: ((event: Event) => void) | undefined, log: (event: Event) => void) =>
    (event: Event) => {
      try {
        log(event);
        hook?.(event);
      } catch (error) {
        const reason = error instanceof Error ? error.name : typeof error;
        process.emitWarning(`A hook or logger of DataImportClient threw ${reason}; the call went on.`);
      }
    };
  return {
    request: guarded(hooks.onRequest, (event) => logger?.debug(event, 'data-import request')),
    response: guarded(hooks.onResponse, (event) => logger?.debug(event, 'data-import response')),
    retry: guarded(hooks.onRetry, (event) => logger?.warn(event, 'data-import retry')),
    cooldown: guarded(hooks.onCooldown, (event) => logger?.warn(event, 'data-import cooldown')),
  };
}
