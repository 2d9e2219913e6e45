/** Exports `fetchTransport`, which sends with the `fetch` of the caller, for interceptors and runtimes that need it. */
import { type BodyReader, failedToConnect, type Transport, TransportFailure } from './wire.js';

/** The part of `fetch` that this client uses. */
export type FetchLike = (url: string, init: RequestInit) => Promise<Response>;

export function fetchTransport(fetch: FetchLike, maxAnswerBytes: number): Transport {
  // The global fetch is read for each call, because interceptors replace it.
  const isGlobal = fetch === globalThis.fetch;
  return async ({ method, origin, path, headers, body }, wait, isStreamed = false) => {
    if (!wait.isCancelled) wait.onSend?.();
    if (wait.isCancelled) throw new TransportFailure(false, wait.reason);
    const controller = new AbortController();
    const send = isGlobal ? (globalThis.fetch as FetchLike) : fetch;
    try {
      const { signal } = controller;
      const init: RequestInit = {
        method,
        headers: { ...headers },
        signal,
        redirect: 'manual',
        ...(body !== undefined && { body }),
      };
      const exchange = async () => {
        const response = await send(`${origin}${path}`, init);
        // `Response.error()`: some interceptors return it instead of rejecting.
        if (response.type === 'error') throw { name: 'NetworkError' };
        const { status } = response;
        const answer = { status, headers: Object.fromEntries(response.headers) };
        if (isStreamed && response.ok) {
          return { ...answer, text: undefined, reader: readerOf(response, () => controller.abort()) };
        }
        return { ...answer, text: await textUpTo(maxAnswerBytes, response) };
      };
      // `race`, because a fetch may ignore its signal.
      return await wait.race(exchange(), (reason) => controller.abort(reason));
    } catch (error) {
      const cause = causeOf(error);
      throw new TransportFailure(!failedToConnect(cause), cause);
    }
  };
}

function causeOf(error: unknown): unknown {
  return (error as { cause?: unknown } | undefined)?.cause ?? error;
}

function readerOf({ body }: Response, abort: () => void): BodyReader {
  const reader = body?.getReader();
  let isOver = reader === undefined;
  return {
    async read() {
      try {
        const { done, value } = (await reader?.read()) ?? { done: true };
        if (done) isOver = true;
        return value;
      } catch (error) {
        isOver = true;
        throw new TransportFailure(true, causeOf(error));
      }
    },
    cancel() {
      if (isOver) return;
      // Not awaited: see `textUpTo`.
      reader?.cancel().catch(() => {});
      abort();
    },
  };
}

async function textUpTo(maxBytes: number, response: Response): Promise<string | undefined> {
  const decoder = new TextDecoder();
  let bytes = 0;
  let text = '';
  if (response.body === null) return text;
  const reader = response.body.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return text + decoder.decode();
    bytes += value.byteLength;
    if (bytes > maxBytes) {
      // Not awaited: it never resolves if an interceptor has a second branch of the stream.
      reader.cancel().catch(() => {});
      return undefined;
    }
    text += decoder.decode(value, { stream: true });
  }
}
