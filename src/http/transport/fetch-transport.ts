/** Exports `fetchTransport`, which sends with the `fetch` of the caller, for interceptors and runtimes that need it. */
import type { BodyShare } from '../limits/body-budget.js';
import { isThisMachine } from './address.js';
import { parsed, readText } from './body.js';
import { UnreadableBodyError } from './content-coding.js';
import type { AnswerLimits } from './dispatcher-transport.js';
import {
  type BodyReader,
  failedToConnect,
  isNetworkFailure,
  type Transport,
  TransportFailure,
  type WireAnswer,
} from './wire.js';

/** What the client gives to a `fetch`. */
interface FetchInit {
  /** HTTP method. */
  method: string;
  /** Headers by name, with the token. */
  headers: Record<string, string>;
  /** The payload as JSON. */
  body?: string;
  /** Aborts when the call ends. */
  signal: AbortSignal;
  /** Redirects are not followed: they would get the token. */
  redirect: 'manual';
}

/** The part of a `Response` that the client uses. */
interface FetchAnswer {
  /** HTTP status. */
  readonly status: number;
  /** Headers of the answer. */
  readonly headers: { forEach(callback: (value: string, name: string) => void): void };
  /** The body; null for none. */
  readonly body: { getReader(): FetchBodyReader } | null;
  /** `error` for an answer that stands for a broken connection. */
  readonly type?: string;
  /** Whether another reader has the body. */
  readonly bodyUsed?: boolean;
}

/** The part of a reader of a stream that the client uses. */
interface FetchBodyReader {
  /** Resolves with the next chunk. */
  read(): Promise<{ done: boolean; value?: Uint8Array | undefined }>;
  /** Ends the stream. */
  cancel(): Promise<void>;
}

/** A `fetch` for the client: that of the platform, of undici, of a sandbox, or another one of the same shape. */
export type FetchLike = (url: string, init: FetchInit) => Promise<FetchAnswer>;

export function fetchTransport(fetch: FetchLike, { maxAnswerBytes, shareOf }: AnswerLimits): Transport {
  // The global fetch is read for each call, because interceptors replace it.
  const isGlobal = fetch === globalThis.fetch;
  return async ({ method, origin, path, headers, body }, wait, isStreamed = false) => {
    if (!wait.isCancelled) wait.onSend?.();
    if (wait.isCancelled) throw new TransportFailure(false, wait.reason);
    const controller = new AbortController();
    const send: FetchLike = isGlobal ? globalThis.fetch : fetch;
    let isCancelled = false;
    let reader: BodyReader | undefined;
    const init: FetchInit = {
      method,
      headers: { ...headers },
      signal: controller.signal,
      redirect: 'manual',
      ...(body !== undefined && { body }),
    };
    const cancel = (reason: unknown) => {
      isCancelled = true;
      controller.abort(reason);
      reader?.cancel();
    };
    const exchange = async (): Promise<WireAnswer & { reader?: BodyReader }> => {
      const response = checked(await send(`${origin}${path}`, init));
      const head: WireAnswer = { status: response.status, headers: {}, text: undefined };
      response.headers.forEach((value, name) => {
        head.headers[name.toLowerCase()] = value;
      });
      const own = readerOf(response.body, response, shareOf(), () => controller.abort());
      if (own instanceof UnreadableBodyError) return { ...head, flaw: own.message };
      reader = own;
      if (isStreamed && head.status >= 200 && head.status < 300) return { ...head, reader };
      return { ...head, ...(await readText(reader, maxAnswerBytes)) };
    };
    try {
      // `race`, because a fetch may ignore its signal.
      const answer = await wait.race(exchange(), cancel);
      return answer.reader !== undefined || reader === undefined ? answer : await parsed(answer, reader);
    } catch (error) {
      reader?.cancel();
      if (error instanceof TransportFailure) throw error;
      if (isCancelled || isNetworkFailure(error)) {
        const cause = causeOf(error);
        // A function of the caller may have sent the request before it got this error, also from the service.
        const sent = isCancelled || !isGlobal || !isUnreachable(cause, origin);
        throw new TransportFailure(sent, cause, sent && !isCancelled && failedToConnect(cause) ? REPORTED : undefined);
      }
      throw new TransportFailure(true, error, {
        what: error instanceof NoResponseError ? error.message : 'your fetch threw an error',
        remedy: 'correct your fetch; `cause` has the error',
        isFinal: true,
      });
    }
  };
}

/** For a failed connection that may not be that of the request. */
const REPORTED = { what: 'your fetch reported a failed connection', remedy: '', isFinal: false };

/** The `fetch` of the caller returned something else than a `Response`. */
class NoResponseError extends TypeError {
  readonly code = 'NO_RESPONSE';
}

/** Throws a `NoResponseError`. */
function checked(response: FetchAnswer): FetchAnswer {
  const { status, headers, type } = (response ?? {}) as Partial<FetchAnswer>;
  // Some interceptors return `Response.error()` instead of rejecting.
  if (type === 'error') throw { name: 'NetworkError' };
  if (Number.isInteger(status) && typeof headers?.forEach === 'function' && response.body !== undefined)
    return response;
  const found = response === null ? 'null' : typeof response === 'object' ? 'another object' : typeof response;
  throw new NoResponseError(`your fetch returned ${found} in place of a Response`);
}

function causeOf(error: unknown): unknown {
  return (error as { cause?: unknown } | undefined)?.cause ?? error;
}

/** Returns whether the error names the host and the port of the origin as unreachable, and not those of another request. */
function isUnreachable(error: unknown, origin: string): boolean {
  const { hostname, port, protocol } = new URL(origin);
  const isOrigin = (one: unknown) => {
    const named = (one ?? {}) as { hostname?: unknown; address?: unknown; port?: unknown };
    if (named.hostname === hostname) return true;
    const address = String(named.address);
    const isHost = address === hostname.replace(/[[\]]/g, '') || (hostname === 'localhost' && isThisMachine(address));
    return isHost && String(named.port) === (port || (protocol === 'https:' ? '443' : '80'));
  };
  // With several addresses of a host, an error for each.
  const { errors } = (error ?? {}) as { errors?: unknown };
  const all = Array.isArray(errors) ? errors : [error];
  return failedToConnect(error) && all.length > 0 && all.every(isOrigin);
}

function readerOf(
  body: FetchAnswer['body'],
  { bodyUsed }: FetchAnswer,
  share: BodyShare,
  abort: () => void,
): BodyReader | UnreadableBodyError {
  let reader: FetchBodyReader | undefined;
  try {
    if (bodyUsed === true) throw new TypeError('used');
    reader = body?.getReader();
  } catch {
    return new UnreadableBodyError('your fetch has read it already, or it is no stream; return response.clone()');
  }
  let isOver = false;
  return {
    async read() {
      try {
        const { done, value } = (await reader?.read()) ?? { done: true };
        if (done) isOver = true;
        return value;
      } catch (error) {
        isOver = true;
        const cause = causeOf(error);
        if (OF_CODING.test(String((cause as { code?: unknown } | undefined)?.code)))
          throw new UnreadableBodyError('its content coding cannot be decoded');
        throw new TransportFailure(true, cause);
      }
    },
    keep: (bytes) => share.keep(bytes),
    cancel() {
      share.release();
      if (isOver) return;
      isOver = true;
      // Not awaited: it never resolves if an interceptor has a second branch of the stream.
      reader?.cancel().catch(() => {});
      abort();
    },
  };
}

/** Codes of the decoders of Node.js. */
const OF_CODING = /^(Z_(DATA|BUF|STREAM)_ERROR|ERR_+(BROTLI|ERROR)_\w+|ZSTD_\w+)$/;
