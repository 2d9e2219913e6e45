/** `createConnections`: the transport of a client: its own connections, or the `fetch` or `dispatcher` of the caller. */
import type { Pool } from 'undici';
import { createBodyBudget } from '../limits/body-budget.js';
import { type DispatcherLike, type DispatcherOf, dispatcherTransport } from './dispatcher-transport.js';
import { type FetchLike, fetchTransport } from './fetch-transport.js';
import type { Transport } from './wire.js';

export interface Connections {
  send: Transport;
  /** Whether `close` was called. */
  isClosed(): boolean;
  /** Closes the client's own connections. Resolves when its requests in flight have ended. */
  close(): Promise<void>;
}

/** For a transport of the caller, which the caller closes: the client only makes no further calls. */
function ofCaller(): Pick<Connections, 'isClosed' | 'close'> {
  let isClosed = false;
  return {
    isClosed: () => isClosed,
    close: async () => {
      isClosed = true;
    },
  };
}

interface ConnectionOptions {
  fetch?: FetchLike | undefined;
  dispatcher?: DispatcherLike | undefined;
  maxAnswerBytes: number;
  /** Connections; Infinity for no limit. */
  concurrency: number;
}

export function createConnections({ fetch, dispatcher, maxAnswerBytes, concurrency }: ConnectionOptions): Connections {
  const limits = { maxAnswerBytes, shareOf: createBodyBudget() };
  if (fetch !== undefined) return { send: fetchTransport(fetch, limits), ...ofCaller() };
  if (dispatcher !== undefined) {
    return { send: dispatcherTransport(() => dispatcher, limits, false), ...ofCaller() };
  }
  // Bun replaces undici with its own module, whose Pool sends nothing.
  if (process.versions['bun'] !== undefined) {
    return { send: fetchTransport(globalThis.fetch, limits), ...ofCaller() };
  }
  const { dispatcherOf, ...closing } = createPools(Number.isFinite(concurrency) ? concurrency : null);
  return { send: dispatcherTransport(dispatcherOf, limits, true), ...closing };
}

/**
 * A Pool for the service and, if the token comes from another origin, one for that. undici takes longer to load than the rest
 * of the package, so it is loaded with the first client that needs it, while the caller prepares its first request.
 */
function createPools(connections: number | null) {
  const pools = new Map<string, Pool>();
  let undici: typeof import('undici') | undefined;
  const loading = import('undici').then((loaded) => {
    undici = loaded;
    return loaded;
  });
  // Each request that waits for it rejects. Without a request, the rejection would be unhandled.
  loading.catch(() => {});

  // A list that is read slowly would occupy a connection that the calls for its entries need.
  const poolOf = ({ Pool }: typeof import('undici'), origin: string, isStreamed: boolean): Pool => {
    const key = isStreamed ? `${origin} streamed` : origin;
    const pool = pools.get(key) ?? new Pool(origin, { connections: isStreamed ? null : connections });
    pools.set(key, pool);
    return pool;
  };
  /** The last dispatcher that a request waits for. */
  let last: Promise<unknown> = loading;
  const dispatcherOf: DispatcherOf = (origin, isStreamed) => {
    if (undici !== undefined) return poolOf(undici, origin, isStreamed);
    const opened = loading.then((loaded) => poolOf(loaded, origin, isStreamed));
    last = opened;
    return opened;
  };
  let closing: Promise<unknown> | undefined;
  const close = async () => {
    // After the requests that wait for undici were sent. If it cannot be loaded, they reject.
    closing ??= last.then(
      () => Promise.all([...pools.values()].map((pool) => pool.close())),
      () => {},
    );
    await closing;
  };
  return { dispatcherOf, isClosed: () => closing !== undefined, close };
}
