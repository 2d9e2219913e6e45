/** The default way to send: straight through an undici dispatcher, which tells when a request leaves. */
import type { Dispatcher } from 'undici';
import { failedToConnect, type Send, TransportFailure, type WireAnswer, type WireRequest } from './wire.js';

/** `isPool`: a Pool of our own tells when it begins to write; a dispatcher of the caller, such as a mock, may not. */
export function dispatcherTransport(
  dispatcherOf: (origin: string) => Dispatcher,
  maxAnswerBytes: number,
  isPool: boolean,
): Send {
  return (request) =>
    new Promise((resolve, reject) => {
      const exchange = new Exchange(request.signal, maxAnswerBytes, isPool, resolve, reject);
      try {
        dispatcherOf(request.origin).dispatch(
          {
            origin: request.origin,
            path: request.path,
            method: request.method,
            headers: request.headers,
            body: request.body ?? null,
            // One clock for the whole exchange, body included: the attempt's own.
            headersTimeout: 0,
            bodyTimeout: 0,
          },
          exchange,
        );
      } catch (error) {
        exchange.onResponseError(undefined, error);
      }
    });
}

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
    readonly signal: WireRequest['signal'],
    readonly maxAnswerBytes: number,
    readonly isPool: boolean,
    readonly resolve: (answer: WireAnswer) => void,
    readonly reject: (failure: TransportFailure) => void,
  ) {
    signal.addEventListener('abort', this.#abort, { once: true });
    if (signal.aborted) this.#abort();
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
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
    for (const [name, value] of Object.entries(headers)) {
      if (value !== undefined) this.#headers[name.toLowerCase()] = Array.isArray(value) ? value.join(', ') : value;
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
    const text = Buffer.concat(this.#chunks).toString('utf8');
    this.resolve({ status: this.#status, headers: this.#headers, text });
  }

  onResponseError(_controller: unknown, error: unknown): void {
    this.#fail(error);
  }

  #abort = (): void => {
    this.#fail(this.signal.reason);
    this.#controller?.abort(new Error('aborted'));
  };

  #fail(error: unknown): void {
    if (this.#over) return;
    this.#settle();
    const sent = this.#sent || (!this.isPool && !failedToConnect(error));
    this.reject(new TransportFailure(sent, error));
  }

  #settle(): void {
    this.#over = true;
    this.signal.removeEventListener('abort', this.#abort);
  }
}
