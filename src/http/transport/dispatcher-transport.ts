/** Exports `dispatcherTransport`, the default transport: an undici dispatcher, which reports when it writes a request. */
import type { Dispatcher } from 'undici';
import type { Cancellation } from '../time/cancellation.js';
import {
  type BodyReader,
  failedToConnect,
  type Obstacle,
  type Transport,
  TransportFailure,
  type WireAnswer,
} from './wire.js';

/** The part of a dispatcher of undici 7 or newer that this client uses. */
export interface DispatcherLike {
  /** As in undici, whose major versions differ in the parameters. */
  dispatch(options: never, handler: never): boolean;
}

/** Returns the dispatcher for an origin, or a promise of it while undici is loading. `isStreamed`: for a list that is read entry by entry. */
export type DispatcherOf = (origin: string, isStreamed: boolean) => DispatcherLike | Promise<DispatcherLike>;

/** `isPool`: the dispatcher is a Pool of this client, which calls `onRequestStart` when it writes. A mock of the caller may not. */
export function dispatcherTransport(dispatcherOf: DispatcherOf, maxAnswerBytes: number, isPool: boolean): Transport {
  return ({ origin, path, method, headers, body = null }, cancellation, isStreamed = false) =>
    new Promise((resolve, reject) => {
      const exchange = new Exchange({ cancellation, maxAnswerBytes, isPool, isStreamed, resolve, reject });
      // A copy for a dispatcher of the caller, which may change the headers.
      const own = isPool ? headers : { ...headers };
      // Always the same properties in the same order: undici reads twenty of them, which is slower for objects of several shapes.
      // The timeout of the attempt covers headers and body.
      const options = { origin, path, method, headers: own, body, headersTimeout: 0, bodyTimeout: 0 };
      const dispatcher = dispatcherOf(origin, isStreamed);
      if (!(dispatcher instanceof Promise)) return exchange.send(dispatcher, options);
      dispatcher.then(
        (loaded) => exchange.send(loaded, options),
        (error: unknown) => exchange.onResponseError(undefined, error),
      );
    });
}

/** For undici 6, which has another handler interface and throws for this one. */
const UNSUITABLE: Obstacle = {
  what: 'the dispatcher is unsuitable',
  remedy: 'give one of undici 7 or newer',
  isFinal: true,
};

interface ExchangeCall {
  cancellation: Cancellation;
  maxAnswerBytes: number;
  isPool: boolean;
  isStreamed: boolean;
  resolve: (answer: WireAnswer & { reader?: BodyReader }) => void;
  reject: (failure: TransportFailure) => void;
}

/** One request and its answer. A Pool calls `onRequestStart` right before it writes; until then nothing has been sent. */
class Exchange implements Dispatcher.DispatchHandler {
  #controller: Dispatcher.DispatchController | undefined;
  #sent = false;
  #over = false;
  #status = 0;
  #headers: Record<string, string> = {};
  /** The last chunk; the chunks before it are decoded in `#text`. */
  #chunk: Buffer | undefined;
  /** undefined for a body of one chunk, as most are. */
  #decoder: InstanceType<typeof TextDecoder> | undefined;
  #text = '';
  #bytes = 0;
  #streamed: StreamedBody | undefined;

  readonly #call: ExchangeCall;

  constructor(call: ExchangeCall) {
    this.#call = call;
    call.cancellation.onCancel(this.#onCancel);
  }

  send(dispatcher: DispatcherLike, options: Dispatcher.DispatchOptions): void {
    try {
      (dispatcher as Pick<Dispatcher, 'dispatch'>).dispatch(options, this);
    } catch (error) {
      const { code } = (error ?? {}) as { code?: unknown };
      // It threw before it wrote the request. If it still writes later, `onRequestStart` aborts.
      this.#fail(error, this.#sent, code === 'UND_ERR_INVALID_ARG' ? UNSUITABLE : undefined);
    }
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    if (!this.#over) this.#call.cancellation.onSend?.();
    if (this.#over) {
      controller.abort(new Error('aborted'));
      return;
    }
    this.#controller = controller;
    this.#sent = true;
  }

  onResponseStart(
    controller: Dispatcher.DispatchController,
    status: number,
    headers: Record<string, string | string[] | undefined>,
  ): void {
    // Informational answers (1xx) precede the real one.
    if (status < 200) return;
    this.#status = status;
    for (const name in headers) {
      const value = headers[name];
      if (value !== undefined) this.#headers[name.toLowerCase()] = typeof value === 'string' ? value : value.join(', ');
    }
    if (!this.#call.isStreamed || status >= 300 || this.#over) return;
    this.#streamed = new StreamedBody(controller);
    this.#finish();
    this.#call.resolve({ status, headers: this.#headers, text: undefined, reader: this.#streamed });
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#streamed !== undefined) {
      this.#streamed.add(chunk);
      return;
    }
    this.#bytes += chunk.length;
    if (this.#bytes <= this.#call.maxAnswerBytes) {
      // Decoded chunk by chunk: decoding a long body at once would block the event loop.
      if (this.#chunk !== undefined) {
        this.#decoder ??= new TextDecoder('utf-8', { ignoreBOM: true });
        this.#text += this.#decoder.decode(this.#chunk, { stream: true });
      }
      this.#chunk = chunk;
      return;
    }
    this.#finish();
    this.#call.resolve({ status: this.#status, headers: this.#headers, text: undefined });
    controller.abort(new Error('answer too large'));
  }

  onResponseEnd(): void {
    this.#streamed?.end(undefined);
    if (this.#over) return;
    this.#finish();
    const text =
      this.#decoder === undefined
        ? (this.#chunk?.toString('utf8') ?? '')
        : this.#text + this.#decoder.decode(this.#chunk);
    this.#call.resolve({ status: this.#status, headers: this.#headers, text });
  }

  onResponseError(_controller: unknown, error: unknown): void {
    this.#streamed?.end(new TransportFailure(true, error));
    this.#fail(error);
  }

  #onCancel = (reason: unknown): void => {
    this.#fail(reason);
    this.#controller?.abort(new Error('aborted'));
  };

  #fail(
    error: unknown,
    sent = this.#sent || (!this.#call.isPool && !failedToConnect(error)),
    obstacle?: Obstacle,
  ): void {
    if (this.#over) return;
    this.#finish();
    this.#call.reject(new TransportFailure(sent, error, obstacle));
  }

  #finish(): void {
    this.#over = true;
    this.#call.cancellation.offCancel(this.#onCancel);
  }
}

/** The connection is paused while there are more unread bytes. */
const MOST_UNREAD_BYTES = 256 * 1024;

class StreamedBody implements BodyReader {
  #chunks: Buffer[] = [];
  #unread = 0;
  #end: { failure: TransportFailure | undefined } | undefined;
  #wake: (() => void) | undefined;

  readonly #controller: Dispatcher.DispatchController;

  constructor(controller: Dispatcher.DispatchController) {
    this.#controller = controller;
  }

  add(chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#unread += chunk.length;
    if (this.#unread > MOST_UNREAD_BYTES) this.#controller.pause();
    this.#wake?.();
  }

  end(failure: TransportFailure | undefined): void {
    this.#end ??= { failure };
    this.#wake?.();
  }

  async read(): Promise<Uint8Array | undefined> {
    if (this.#chunks.length === 0 && this.#end === undefined) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    const chunk = this.#chunks.shift();
    if (chunk === undefined && this.#end?.failure !== undefined) throw this.#end.failure;
    if (chunk === undefined) return undefined;
    this.#unread -= chunk.length;
    if (this.#unread <= MOST_UNREAD_BYTES && this.#controller.paused) this.#controller.resume();
    return chunk;
  }

  cancel(): void {
    if (this.#end === undefined) this.#controller.abort(new Error('not read to its end'));
  }
}
