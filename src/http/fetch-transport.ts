/** Sending through a `fetch` of the caller's choice, for interceptors and runtimes that need one. */
import { failedToConnect, type Send, TransportFailure } from './wire.js';

/** As much of `fetch` as is used here. */
export type FetchLike = (url: string, init: RequestInit) => Promise<Response>;

export function fetchTransport(fetch: FetchLike, maxAnswerBytes: number): Send {
  // Whoever hands in the global fetch means the one that is global at the time of the call: interceptors replace it.
  const isGlobal = fetch === globalThis.fetch;
  return async ({ method, origin, path, headers, body, signal }) => {
    if (signal.aborted) throw new TransportFailure(false, signal.reason);
    const send = isGlobal ? (globalThis.fetch as FetchLike) : fetch;
    try {
      const init: RequestInit = { method, headers, signal, redirect: 'manual', ...(body !== undefined && { body }) };
      return await unlessAborted(signal, async () => {
        const response = await send(`${origin}${path}`, init);
        const text = await textUpTo(maxAnswerBytes, response);
        return { status: response.status, headers: Object.fromEntries(response.headers), text };
      });
    } catch (error) {
      const cause = (error as { cause?: unknown } | undefined)?.cause ?? error;
      throw new TransportFailure(!failedToConnect(cause), cause);
    }
  };
}

/** Not every fetch heeds its signal. */
async function unlessAborted<T>(signal: AbortSignal, task: () => Promise<T>): Promise<T> {
  let leave = () => {};
  const aborted = new Promise<never>((_, reject) => {
    leave = () => reject(signal.reason);
    signal.addEventListener('abort', leave, { once: true });
  });
  try {
    return await Promise.race([task(), aborted]);
  } finally {
    signal.removeEventListener('abort', leave);
  }
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
      // Not waited for: it never ends where an interceptor holds a second branch of the stream.
      reader.cancel().catch(() => {});
      return undefined;
    }
    text += decoder.decode(value, { stream: true });
  }
}
