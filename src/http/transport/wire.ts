/** Types of a request and an answer, and the failure of a transport. */
import { isObjectOrArray } from '../../../schemas/objects.js';
import type { Operation } from '../../../schemas/operations.js';
import { presentable } from '../../errors/items.js';
import type { Cancellation } from '../time/cancellation.js';

/** HTTP methods of REST services. */
export type HttpMethod = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** An endpoint for a call: one of the table of operations, or another one. */
export type Endpoint = Omit<Operation, 'method'> & { readonly method: HttpMethod };

/** A request as it is sent. */
interface WireRequest {
  /** HTTP method. */
  method: HttpMethod;
  /** scheme://host:port */
  origin: string;
  /** Path and query. */
  path: string;
  /** Shared with other requests: must not be changed. */
  headers: Readonly<Record<string, string>>;
  /** The body as text; undefined for none. */
  body: string | undefined;
}

/** An answer. */
export interface WireAnswer {
  /** HTTP status. */
  status: number;
  /** Header names are in lower case. */
  headers: Record<string, string>;
  /** The body; undefined if it is larger than the limit, or its content coding has a flaw. */
  text: string | undefined;
  /** Why the body cannot be read, such as a content coding that this client does not know; without values of the answer. */
  flaw?: string;
}

/** The body of a success, read chunk by chunk. The sender is slowed down to the speed of the reader. */
export interface BodyReader {
  /** The next chunk; undefined at the end. Rejects with a `TransportFailure` if the connection broke. */
  read(): Promise<Uint8Array | undefined>;
  /** Call it with the number of bytes that are in memory before each read. Returns a promise if the reader has to wait. */
  keep(bytes: number): Promise<void> | undefined;
  /** Aborts the exchange if it has not ended, and gives its memory back. */
  cancel(): void;
}

/**
 * Sends a request once. Rejects with a `TransportFailure` without a complete answer. `isStreamed`: resolves when the body of a success
 * begins, with a reader in place of the text. From then on `wait` has no effect.
 */
export type Transport = (
  request: WireRequest,
  wait: Cancellation,
  isStreamed?: boolean,
) => Promise<WireAnswer & { reader?: BodyReader }>;

/** The transport that a token function receives. */
export type Send = (request: WireRequest & { signal: AbortSignal }) => Promise<WireAnswer>;

/** Why a request got no answer, if neither the network nor the service is the reason. */
export interface Obstacle {
  what: string;
  remedy: string;
  /** Whether a retry cannot help. */
  isFinal: boolean;
}

/** A request got no complete answer. */
export class TransportFailure extends Error {
  /** Short and without secrets, such as ECONNRESET. */
  readonly reason: string;
  /** False only if it is certain that no part of the request was sent. */
  readonly sent: boolean;
  readonly obstacle: Obstacle | undefined;

  constructor(sent: boolean, cause: unknown, obstacle?: Obstacle) {
    const reason = reasonOf(cause);
    super(reason, { cause });
    this.reason = reason;
    this.sent = sent;
    this.obstacle = obstacle ?? proxyRefusal(cause);
  }
}

/** Returns the failure of a call after `close()`. */
export function closedFailure(): TransportFailure {
  const obstacle = { what: 'the client is closed', remedy: 'create a new one', isFinal: true };
  return new TransportFailure(false, { code: 'CLOSED' }, obstacle);
}

/** Code of `networkDispatcher`: a proxy closed the connection before its answer, or its answer is not HTTP. */
export const PROXY_FAILED = 'PROXY_FAILED';

/** Returns the obstacle if a proxy refused the connection. undici has the status of the proxy only in the message. */
export function proxyRefusal(error: unknown): Obstacle | undefined {
  const { code, message } = (error ?? {}) as { code?: unknown; message?: unknown };
  const isRefused = code === 'UND_ERR_ABORTED' || code === 'UND_ERR_INVALID_ARG';
  const [, status = code === PROXY_FAILED && 'nothing usable'] =
    (isRefused && /^Proxy [A-Za-z ]+\((\d{3})\)/.exec(String(message))) || [];
  if (!status) return undefined;
  return { what: `the proxy answered ${status}`, remedy: 'check the proxy and its credentials', isFinal: false };
}

/** Errors before a connection exists, so that nothing was sent. */
const CONNECTING =
  /^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL|UND_ERR_(CONNECT_TIMEOUT|CLOSED|DESTROYED)|UND_MOCK_\w+|CERT_\w+|ERR_TLS_\w+|DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_\w+)$/;

/** Returns whether the error proves that nothing was sent. */
export function failedToConnect(error: unknown): boolean {
  const { code, syscall } = (error ?? {}) as { code?: unknown; syscall?: unknown };
  // EHOSTUNREACH and the like also occur on an existing connection; then syscall is read or write.
  const isConnecting = CONNECTING.test(String(code)) && syscall !== 'read' && syscall !== 'write';
  return isConnecting || proxyRefusal(error) !== undefined;
}

/** Codes of broken or failed connections: of Node.js, undici, its parser, TLS, and Bun. */
const OF_NETWORK =
  /^(E(?!RR_)[A-Z][A-Z0-9_]+|UND_\w+|HPE_\w+|ERR_(TLS|SSL|SOCKET|STREAM|HTTP2?|NETWORK)\w*|ABORT_ERR|Connection[A-Z]\w*|FailedToOpenSocket|\w*Timeout\w*)$/;
/** Codes of the file system, and of wrong arguments, which have the same form. */
const OF_FILES = /^(ENOENT|EISDIR|ENOTDIR|EEXIST|ENOTEMPTY|ELOOP|EBADF|EINVAL|ERR_HTTP_INVALID\w*|ERR_STREAM_NULL\w*)$/;
/** Beginnings of the messages with which a fetch reports a broken connection without a code. */
const FETCH_FAILED =
  /^(fetch failed|failed to fetch|terminated|load failed|network ?error|a network error|network request failed|network connection lost|error sending request|the internet connection)/i;

/** Returns whether an error of a `fetch` reports a failed connection or an abort, and no mistake in the function. */
export function isNetworkFailure(error: unknown, depth = 0): boolean {
  if (!isObjectOrArray(error) || depth > 4) return false;
  const { code, name, message, cause } = error as {
    code?: unknown;
    name?: unknown;
    message?: unknown;
    cause?: unknown;
  };
  if (typeof code === 'string' && !OF_FILES.test(code) && (OF_NETWORK.test(code) || CONNECTING.test(code))) return true;
  if (name === 'AbortError' || name === 'TimeoutError' || name === 'NetworkError') return true;
  return FETCH_FAILED.test(String(message)) || isNetworkFailure(cause, depth + 1);
}

function reasonOf(cause: unknown): string {
  const { code, name } = (cause ?? {}) as { code?: unknown; name?: unknown };
  // Only single words: the error of the caller's fetch may contain anything.
  const words = [code, name].map((word) => (typeof word === 'string' ? presentable(word) : undefined));
  return words.find((word) => word !== undefined) ?? 'unknown reason';
}
