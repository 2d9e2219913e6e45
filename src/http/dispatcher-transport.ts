/** The default way to send: straight through an undici dispatcher, which tells when a request leaves. */
import type { Dispatcher } from 'undici';
import type { Wait } from './wait.js';
import {
  type BodyReader,
  failedToConnect,
  type Obstacle,
  type Transport,
  TransportFailure,
  type WireAnswer,
} from './wire.js';

/** As much of an undici dispatcher as is used here; of undici 7 or newer, whichever is installed beside this package. */
export interface DispatcherLike {
  /** As of undici, whose majors differ in what they call this with. */
  dispatch(options: never, handler: never): boolean;
}

/**
 * Lets a request be sent through the dispatcher of an origin: at once, or when it can be had. Rejects where it cannot.
 */
export type WithDispatcher = (
  origin: string,
  send: (dispatcher: DispatcherLike) => void,
  isStreamed: boolean,
) => Promise<void> | undefined;

/** `isPool`: a Pool of our own tells when it begins to write; a dispatcher of the caller, such as a mock, may not. */
export function dispatcherTransport(
  withDispatcher: WithDispatcher,
  maxAnswerBytes: number,
  isPool: boolean,
): Transport {
  return ({ origin, path, method, headers, body = null }, wait, isStreamed = false) =>
    new Promise((resolve, reject) => {
      const exchange = new Exchange(wait, maxAnswerBytes, isPool, isStreamed, resolve, reject);
      // A dispatcher of the caller may change its headers.
      const own = isPool ? headers : { ...headers };
      // Always of one shape, as undici reads twenty fields of it. One clock for the whole exchange, body included: the
      // attempt's own.
      const options = { origin, path, method, headers: own, body, headersTimeout: 0, bodyTimeout: 0 };
      const send = (dispatcher: DispatcherLike) => exchange.send(dispatcher, options);
      withDispatcher(origin, send, isStreamed)?.catch((error: unknown) => exchange.onResponseError(undefined, error));
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
  /** The newest one; those before are in the text. */
  #chunk: Buffer | undefined;
  /** Most bodies come in one chunk, and need none. */
  #decoder: InstanceType<typeof TextDecoder> | undefined;
  #text = '';
  #bytes = 0;
  #streamed: StreamedBody | undefined;

  constructor(
    readonly wait: Wait,
    readonly maxAnswerBytes: number,
    readonly isPool: boolean,
    readonly isStreamed: boolean,
    readonly resolve: (answer: WireAnswer & { reader?: BodyReader }) => void,
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

  onResponseStart(
    controller: Dispatcher.DispatchController,
    status: number,
    headers: Record<string, string | string[] | undefined>,
  ): void {
    // Informational answers come before the real one.
    if (status < 200) return;
    this.#status = status;
    for (const name in headers) {
      const value = headers[name];
      if (value !== undefined) this.#headers[name.toLowerCase()] = typeof value === 'string' ? value : value.join(', ');
    }
    if (!this.isStreamed || status >= 300 || this.#over) return;
    this.#streamed = new StreamedBody(controller);
    this.#settle();
    this.resolve({ status, headers: this.#headers, text: undefined, reader: this.#streamed });
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#streamed !== undefined) {
      this.#streamed.add(chunk);
      return;
    }
    this.#bytes += chunk.length;
    if (this.#bytes <= this.maxAnswerBytes) {
      // As they come: to decode a long body at its end would block the event loop.
      if (this.#chunk !== undefined) {
        this.#decoder ??= new TextDecoder('utf-8', { ignoreBOM: true });
        this.#text += this.#decoder.decode(this.#chunk, { stream: true });
      }
      this.#chunk = chunk;
      return;
    }
    this.#settle();
    this.resolve({ status: this.#status, headers: this.#headers, text: undefined });
    controller.abort(new Error('answer too large'));
  }

  onResponseEnd(): void {
    this.#streamed?.end(undefined);
    if (this.#over) return;
    this.#settle();
    const text =
      this.#decoder === undefined
        ? (this.#chunk?.toString('utf8') ?? '')
        : this.#text + this.#decoder.decode(this.#chunk);
    this.resolve({ status: this.#status, headers: this.#headers, text });
  }

  onResponseError(_controller: unknown, error: unknown): void {
    this.#streamed?.end(new TransportFailure(true, error));
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

/** More than this that nobody has read yet, and the connection is not read any further. */
const MOST_UNREAD_BYTES = 256 * 1024;

class StreamedBody implements BodyReader {
  #chunks: Buffer[] = [];
  #unread = 0;
  #end: { failure: TransportFailure | undefined } | undefined;
  #look: (() => void) | undefined;

  constructor(readonly controller: Dispatcher.DispatchController) {}

  add(chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#unread += chunk.length;
    if (this.#unread > MOST_UNREAD_BYTES) this.controller.pause();
    this.#look?.();
  }

  end(failure: TransportFailure | undefined): void {
    this.#end ??= { failure };
    this.#look?.();
  }

  async read(): Promise<Uint8Array | undefined> {
    if (this.#chunks.length === 0 && this.#end === undefined) {
      await new Promise<void>((resolve) => {
        this.#look = resolve;
      });
    }
    const chunk = this.#chunks.shift();
    if (chunk === undefined && this.#end?.failure !== undefined) throw this.#end.failure;
    if (chunk === undefined) return undefined;
    this.#unread -= chunk.length;
    if (this.#unread <= MOST_UNREAD_BYTES && this.controller.paused) this.controller.resume();
    return chunk;
  }

  cancel(): void {
    if (this.#end === undefined) this.controller.abort(new Error('not read to its end'));
  }
}
