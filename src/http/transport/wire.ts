/** Types of a request and an answer, and the failure of a transport. */
import type { Operation } from '../../../schemas/operations.js';
import { presentable } from '../../errors/items.js';
import type { Cancellation } from '../time/cancellation.js';

/** HTTP methods that carry requests to a REST service. */
export type HttpMethod = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** An endpoint as calls need it: one of the table of operations, or one that the table does not have. */
export type Endpoint = Omit<Operation, 'method'> & { readonly method: HttpMethod };

/** A request as it leaves. */
export interface WireRequest {
  /** HTTP method. */
  method: HttpMethod;
  /** scheme://host:port */
  origin: string;
  /** Path and query. */
  path: string;
  /** May be those of other requests too: not to be changed. */
  headers: Readonly<Record<string, string>>;
  /** The body as text; undefined for none. */
  body: string | undefined;
}

/** An answer. */
export interface WireAnswer {
  /** HTTP status. */
  status: number;
  /** Names in lower case. */
  headers: Record<string, string>;
  /** The body; undefined where it was larger than the limit. */
  text: string | undefined;
}

/** The body of a success that is read chunk by chunk: what is not read yet is held back at its sender. */
export interface BodyReader {
  /** The next chunk; undefined at the end. Rejects with a `TransportFailure` if the connection broke. */
  read(): Promise<Uint8Array | undefined>;
  /** Ends the exchange, where it has not ended. */
  cancel(): void;
}

/**
 * Sends one request once. Rejects with a `TransportFailure` where no complete answer came. `isStreamed`: resolves where the
 * body of a success begins, with its reader in place of its text; the wait ends with that.
 */
export type Transport = (
  request: WireRequest,
  wait: Cancellation,
  isStreamed?: boolean,
) => Promise<WireAnswer & { reader?: BodyReader }>;

/** The transport that a token function receives. */
export type Send = (request: WireRequest & { signal: AbortSignal }) => Promise<WireAnswer>;

/** Why a request could not be sent, if neither the network nor the service is the reason. */
export interface Obstacle {
  what: string;
  remedy: string;
  /** Sending again cannot help. */
  isFinal: boolean;
}

/** No complete answer came. */
export class TransportFailure extends Error {
  /** Short and without secrets, such as ECONNRESET. */
  readonly reason: string;
  /** False only if certainly no part of the request was sent. */
  readonly sent: boolean;
  readonly obstacle: Obstacle | undefined;

  constructor(sent: boolean, cause: unknown, obstacle = proxyRefusal(cause)) {
    const reason = reasonOf(cause);
    super(reason, { cause });
    this.reason = reason;
    this.sent = sent && obstacle === undefined;
    this.obstacle = obstacle;
  }
}

/** After `close()`. */
export function closedFailure(): TransportFailure {
  const obstacle = { what: 'the client is closed', remedy: 'make a new one', isFinal: true };
  return new TransportFailure(false, { code: 'CLOSED' }, obstacle);
}

/** The proxy refused to connect to the service; undici gives its status only in the message. */
function proxyRefusal(error: unknown): Obstacle | undefined {
  const { code, message } = (error ?? {}) as { code?: unknown; message?: unknown };
  if (code !== 'UND_ERR_ABORTED' && code !== 'UND_ERR_INVALID_ARG') return undefined;
  const [, status] = /^Proxy [A-Za-z ]+\((\d{3})\)/.exec(String(message)) ?? [];
  if (status === undefined) return undefined;
  return { what: `the proxy answered ${status}`, remedy: 'check the proxy and its credentials', isFinal: false };
}

/** Errors of connecting: until a connection stands, nothing has left. */
const CONNECTING =
  /^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL|UND_ERR_(CONNECT_TIMEOUT|CLOSED|DESTROYED)|UND_MOCK_\w+|CERT_\w+|ERR_TLS_\w+|DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_\w+)$/;

/** Whether the error itself makes certain that nothing left. */
export function failedToConnect(error: unknown): boolean {
  const { code, syscall } = (error ?? {}) as { code?: unknown; syscall?: unknown };
  // A route can also get lost under a connection that stands.
  return CONNECTING.test(String(code)) && syscall !== 'read' && syscall !== 'write';
}

function reasonOf(cause: unknown): string {
  const { code, name } = (cause ?? {}) as { code?: unknown; name?: unknown };
  // Words only: what a fetch of the caller's choice throws may hold anything.
  const words = [code, name].map((word) => (typeof word === 'string' ? presentable(word) : undefined));
  return words.find((word) => word !== undefined) ?? 'unknown reason';
}
