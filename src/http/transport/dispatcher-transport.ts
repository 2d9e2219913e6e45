/** Exports `dispatcherTransport`, the default transport: an undici dispatcher, which reports when it writes a request. */
import { isUtf8 } from 'node:buffer';
import type { Dispatcher } from 'undici';
import { type BodyShare, SMALL } from '../limits/body-budget.js';
import type { Cancellation } from '../time/cancellation.js';
import { BodyQueue, NOT_UTF8, parsed, readText } from './body.js';
import { decodedReader } from './content-coding.js';
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

/** What bounds the memory of answers. */
export interface AnswerLimits {
  maxAnswerBytes: number;
  /** Returns the share of one more body. */
  shareOf: () => BodyShare;
}

/** `isPool`: the dispatcher is a Pool of this client, which calls `onRequestStart` when it writes. A mock of the caller may not. */
export function dispatcherTransport(dispatcherOf: DispatcherOf, limits: AnswerLimits, isPool: boolean): Transport {
  return ({ origin, path, method, headers, body = null }, cancellation, isStreamed = false) =>
    new Promise((resolve, reject) => {
      const exchange = new Exchange({ cancellation, limits, isPool, isStreamed, resolve, reject });
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
  limits: AnswerLimits;
  isPool: boolean;
  isStreamed: boolean;
  resolve: (answer: (WireAnswer & { reader?: BodyReader }) | Promise<WireAnswer>) => void;
  reject: (failure: TransportFailure) => void;
}

/** One request and its answer. A Pool calls `onRequestStart` right before it writes; until then nothing has been sent. */
class Exchange implements Dispatcher.DispatchHandler {
  #controller: Dispatcher.DispatchController | undefined;
  #sent = false;
  #over = false;
  #status = 0;
  #headers: Record<string, string> = {};
  #body: BodyQueue | undefined;
  /** The body has a reader; otherwise the whole body is decoded at its end. */
  #isRead = false;

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
    const { isStreamed, limits } = this.#call;
    const body = new BodyQueue(controller, limits.shareOf);
    this.#body = body;
    if (this.#over) return;
    const isEntries = isStreamed && status < 300;
    const maxBytes = isEntries ? Number.POSITIVE_INFINITY : limits.maxAnswerBytes;
    const reader = decodedReader(body, this.#headers['content-encoding'], maxBytes);
    if (isEntries) {
      this.#isRead = true;
      this.#finish();
      this.#call.resolve({ status, headers: this.#headers, text: undefined, reader });
    } else if (reader !== body) this.#read(reader);
  }

  onResponseData(_controller: unknown, chunk: Buffer): void {
    const body = this.#body;
    body?.add(chunk);
    if (body === undefined || this.#isRead) return;
    if (body.unread > Math.min(SMALL, this.#call.limits.maxAnswerBytes)) this.#read(body);
  }

  onResponseEnd(): void {
    this.#body?.end();
    if (this.#isRead || this.#over) return;
    this.#finish();
    const bytes = this.#body?.take() ?? Buffer.alloc(0);
    this.#resolve({ text: bytes.toString('utf8'), ...(!isUtf8(bytes) && { flaw: NOT_UTF8 }) });
  }

  onResponseError(_controller: unknown, error: unknown): void {
    this.#body?.end(new TransportFailure(true, error));
    this.#fail(error);
  }

  async #read(reader: BodyReader): Promise<void> {
    this.#isRead = true;
    try {
      const body = await readText(reader, this.#call.limits.maxAnswerBytes);
      if (this.#over) return;
      // The timeout does not cover the parsing.
      this.#finish();
      this.#resolve(body, reader);
    } catch (error) {
      this.#fail(error);
    }
  }

  #resolve(body: Pick<WireAnswer, 'text' | 'flaw'>, reader?: BodyReader): void {
    const answer = { status: this.#status, headers: this.#headers, ...body };
    this.#call.resolve(reader === undefined ? answer : parsed(answer, reader));
  }

  #onCancel = (reason: unknown): void => {
    // The reason of the caller's signal may be any value.
    this.#fail(reason, this.#sent || !this.#call.isPool);
    this.#controller?.abort(new Error('aborted'));
  };

  #fail(
    error: unknown,
    sent = this.#sent || (!this.#call.isPool && !failedToConnect(error)),
    obstacle?: Obstacle,
  ): void {
    if (this.#over) return;
    this.#finish();
    const failure = error instanceof TransportFailure ? error : new TransportFailure(sent, error, obstacle);
    this.#body?.cancel();
    this.#body?.end(failure);
    this.#call.reject(failure);
  }

  #finish(): void {
    this.#over = true;
    this.#call.cancellation.offCancel(this.#onCancel);
  }
}
