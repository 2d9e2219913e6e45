/** Exports `CallPromise`, which every client method returns: a promise of the answer body, with access to the whole answer. */
import type { CallResult } from '../http/call/call-types.js';

/** The answer: its body, and the facts of the HTTP response. */
export interface WithResponse<T> {
  /** The body. */
  data: T;
  /** HTTP status. */
  status: number;
  /** Header names are in lower case. */
  headers: Record<string, string>;
  /** Requests that were started for this call. */
  attempts: number;
  /** The request id that the service sent, if any. */
  requestId: string | undefined;
}

/** A promise of the answer body. `await call.withResponse()` returns the body with status, headers and attempts. */
export class CallPromise<T> implements Promise<T> {
  /** @internal */
  readonly [Symbol.toStringTag] = 'CallPromise';
  readonly #result: Promise<CallResult<T>>;

  /** @internal */
  constructor(result: Promise<CallResult<T>>) {
    this.#result = result;
  }

  /** Resolves with the body, status, headers, attempts and request id. Sends no further request. Rejects as the call does. */
  async withResponse(): Promise<WithResponse<T>> {
    const { data, status, headers, attempts, requestId } = await this.#result;
    return { data, status, headers, attempts, requestId };
  }

  /** As `Promise.then`; the value is the body. */
  // biome-ignore lint/suspicious/noThenProperty: it is a promise.
  then<A = T, B = never>(
    onFulfilled?: ((value: T) => A | PromiseLike<A>) | null,
    onRejected?: ((reason: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    // Maps the result inside the callback. `#result.then(({ data }) => data)` would create one more promise per call.
    const fulfilled = ({ data }: CallResult<T>) => (onFulfilled ? onFulfilled(data) : (data as unknown as A));
    return this.#result.then(fulfilled, onRejected);
  }

  /** As `Promise.catch`. */
  catch<B = never>(onRejected?: ((reason: unknown) => B | PromiseLike<B>) | null): Promise<T | B> {
    return this.then(undefined, onRejected);
  }

  /** As `Promise.finally`. */
  finally(onFinally?: (() => void) | null): Promise<T> {
    return this.then().finally(onFinally);
  }

  /**
   * Returns the same call with a changed body. For methods that add an outcome to the body.
   * @internal
   */
  map<U>(change: (result: CallResult<T>) => U): CallPromise<U> {
    return new CallPromise(this.#result.then((result) => ({ ...result, data: change(result) })));
  }
}
