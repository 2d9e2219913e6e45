/** `CallPromise`: what every method returns, a promise of the body that also gives the whole answer. */
import type { CallResult } from './http/call/call-types.js';

/** The answer with what surrounds its body. */
export interface WithResponse<T> {
  /** The body. */
  data: T;
  /** HTTP status. */
  status: number;
  /** Names in lower case. */
  headers: Record<string, string>;
  /** Requests that were started for this call. */
  attempts: number;
  /** The service's identifier of the request, where it sent one. */
  requestId: string | undefined;
}

/** A promise of the body. `await call.withResponse()` gives the body with status, headers and attempts. */
export class CallPromise<T> implements Promise<T> {
  /** @internal */
  readonly [Symbol.toStringTag] = 'CallPromise';
  readonly #result: Promise<CallResult<T>>;

  /** @internal */
  constructor(result: Promise<CallResult<T>>) {
    this.#result = result;
  }

  /** The body with status, headers, attempts and request id. The request is not sent again. */
  async withResponse(): Promise<WithResponse<T>> {
    const { data, status, headers, attempts, requestId } = await this.#result;
    return { data, status, headers, attempts, requestId };
  }

  /** As of any promise; of the body. */
  // biome-ignore lint/suspicious/noThenProperty: it is a promise.
  then<A = T, B = never>(
    onFulfilled?: ((value: T) => A | PromiseLike<A>) | null,
    onRejected?: ((reason: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    // What was written for a promise of the body: one promise more for each call would do the same.
    const fulfilled = ({ data }: CallResult<T>) => (onFulfilled ? onFulfilled(data) : (data as unknown as A));
    return this.#result.then(fulfilled, onRejected);
  }

  /** As of any promise. */
  catch<B = never>(onRejected?: ((reason: unknown) => B | PromiseLike<B>) | null): Promise<T | B> {
    return this.then(undefined, onRejected);
  }

  /** As of any promise. */
  finally(onFinally?: (() => void) | null): Promise<T> {
    return this.then().finally(onFinally);
  }

  /**
   * The same call with its body changed; for the methods that add an outcome.
   * @internal
   */
  map<U>(change: (result: CallResult<T>) => U): CallPromise<U> {
    return new CallPromise(this.#result.then((result) => ({ ...result, data: change(result) })));
  }
}
