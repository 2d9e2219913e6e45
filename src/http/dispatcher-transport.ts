/** The default way to send: straight through an undici dispatcher, which tells when a request leaves. */
import type { Dispatcher } from 'undici';
import type { Wait } from './wait.js';
import { failedToConnect, type Obstacle, type Transport, TransportFailure, type WireAnswer } from './wire.js';

/** As much of an undici dispatcher as is used here; of undici 7 or newer, whichever is installed beside this package. */
export interface DispatcherLike {
  /** As of undici, whose majors differ in what they call this with. */
  dispatch(options: never, handler: never): boolean;
}

/**
 * Lets a request be sent through the dispatcher of an origin: at once, or when it can be had. Rejects where it cannot.
 */
export type WithDispatcher = (origin: string, send: (dispatcher: DispatcherLike) => void) => Promise<void> | undefined;

/** `isPool`: a Pool of our own tells when it begins to write; a dispatcher of the caller, such as a mock, may not. */
export function dispatcherTransport(
  withDispatcher: WithDispatcher,
  maxAnswerBytes: number,
  isPool: boolean,
): Transport {
  return ({ origin, path, method, headers, body = null }, wait) =>
    new Promise((resolve, reject) => {
      const exchange = new Exchange(wait, maxAnswerBytes, isPool, resolve, reject);
      // A dispatcher of the caller may change its headers.
      const own = isPool ? headers : { ...headers };
      // Always of one shape, as undici reads twenty fields of it. One clock for the whole exchange, body included: the
      // attempt's own.
      const options = { origin, path, method, headers: own, body, headersTimeout: 0, bodyTimeout: 0 };
      withDispatcher(origin, (dispatcher) => exchange.send(dispatcher, options))?.catch((error: unknown) =>
        exchange.onResponseError(undefined, error),
      );
    });
}

/** undici 6 calls its handlers in another way, and refuses this one. */
const UNFIT: Obstacle = {
  what: 'the dispatcher does not fit',
  remedy: 'give one of undici 7 or newer',
  isFinal: true,
};

/** One request and its answer. A Pool calls `onRequestStart` right before it writes: until then nothing has left. */
class Exchange implements Dispatcher.DispatchHandler {
  #controller: Dispatcher.DispatchController | undefined;
  #sent = false;
  #over = false;
  #status = 0;
  #headers: Record<string, string> = {};
  #chunks: Buffer[] = [];
  #bytes = 0;

  constructor(
    readonly wait: Wait,
    readonly maxAnswerBytes: number,
    readonly isPool: boolean,
    readonly resolve: (answer: WireAnswer) => void,
    readonly reject: (failure: TransportFailure) => void,
  ) {
    wait.begin(this.#leave);
  }

  send(dispatcher: DispatcherLike, options: Dispatcher.DispatchOptions): void {
    try {
      (dispatcher as Pick<Dispatcher, 'dispatch'>).dispatch(options, this);
    } catch (error) {
      const { code } = (error ?? {}) as { code?: unknown };
      // It threw before it said that it writes, and is kept from writing from now on.
      this.#fail(error, this.#sent, code === 'UND_ERR_INVALID_ARG' ? UNFIT : undefined);
    }
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    if (!this.#over) this.wait.onSend?.();
    if (this.#over) {
      controller.abort(new Error('aborted'));
      return;
    }
    this.#controller = controller;
    this.#sent = true;
  }

  onResponseStart(_controller: unknown, status: number, headers: Record<string, string | string[] | undefined>): void {
    // Informational answers come before the real one.
    if (status < 200) return;
    this.#status = status;
    for (const name in headers) {
      const value = headers[name];
      if (value !== undefined) this.#headers[name.toLowerCase()] = typeof value === 'string' ? value : value.join(', ');
    }
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#bytes += chunk.length;
    if (this.#bytes <= this.maxAnswerBytes) {
      this.#chunks.push(chunk);
      return;
    }
    this.#settle();
    this.resolve({ status: this.#status, headers: this.#headers, text: undefined });
    controller.abort(new Error('answer too large'));
  }

  onResponseEnd(): void {
    if (this.#over) return;
    this.#settle();
    const [first] = this.#chunks;
    const whole = this.#chunks.length === 1 && first !== undefined ? first : Buffer.concat(this.#chunks);
    this.resolve({ status: this.#status, headers: this.#headers, text: whole.toString('utf8') });
  }

  onResponseError(_controller: unknown, error: unknown): void {
    this.#fail(error);
  }

  #leave = (reason: unknown): void => {
    this.#fail(reason);
    this.#controller?.abort(new Error('aborted'));
  };

  #fail(error: unknown, sent = this.#sent || (!this.isPool && !failedToConnect(error)), obstacle?: Obstacle): void {
    if (this.#over) return;
    this.#settle();
    this.reject(new TransportFailure(sent, error, obstacle));
  }

  #settle(): void {
    this.#over = true;
    this.wait.finish(this.#leave);
  }
}
