/** What a client sends through: connections of its own, or what the caller gave it. */
import type { Pool } from 'undici';
import { type DispatcherLike, dispatcherTransport, type WithDispatcher } from './dispatcher-transport.js';
import { type FetchLike, fetchTransport } from './fetch-transport.js';
import type { Transport } from './wire.js';

export interface Connections {
  send: Transport;
  /** Whether they are closed; never what the caller gave. */
  isClosed(): boolean;
  /** Waits for the requests under way. */
  close(): Promise<void>;
}

/** There is nothing of ours to close. */
const OPEN = { isClosed: () => false, close: async () => {} };

interface Ways {
  fetch?: FetchLike | undefined;
  dispatcher?: DispatcherLike | undefined;
  maxAnswerBytes: number;
  /** Infinity: as many as there are requests. */
  concurrency: number;
}

export function createConnections({ fetch, dispatcher, maxAnswerBytes, concurrency }: Ways): Connections {
  if (fetch !== undefined) return { send: fetchTransport(fetch, maxAnswerBytes), ...OPEN };
  if (dispatcher !== undefined) {
    const withDispatcher: WithDispatcher = (_, send) => void send(dispatcher);
    return { send: dispatcherTransport(withDispatcher, maxAnswerBytes, false), ...OPEN };
  }
  // Bun brings an undici of its own, whose Pool sends nothing.
  if (process.versions['bun'] !== undefined) {
    return { send: fetchTransport(globalThis.fetch as FetchLike, maxAnswerBytes), ...OPEN };
  }
  const { withPool, ...closing } = createPools(Number.isFinite(concurrency) ? concurrency : null);
  return { send: dispatcherTransport(withPool, maxAnswerBytes, true), ...closing };
}

/**
 * A Pool for the service and, where a token is fetched from elsewhere, one more. undici takes longer to load than all
 * the rest of the package: so it is loaded not with the package, but with the first client that needs it, and beside
 * what comes before that client's first request.
 */
function createPools(connections: number | null) {
  const pools = new Map<string, Pool>();
  let undici: typeof import('undici') | undefined;
  const loading = import('undici').then((loaded) => {
    undici = loaded;
    return loaded;
  });
  // Every request that waits for it is told, and there may be none.
  loading.catch(() => {});

  // A list that is read slowly would keep one of the connections from calls that are made for each of its entries.
  const poolOf = ({ Pool }: typeof import('undici'), origin: string, isStreamed: boolean): Pool => {
    const key = isStreamed ? `${origin} streamed` : origin;
    const pool = pools.get(key) ?? new Pool(origin, { connections: isStreamed ? null : connections });
    pools.set(key, pool);
    return pool;
  };
  const withPool: WithDispatcher = (origin, send, isStreamed) => {
    if (undici === undefined) return loading.then((loaded) => send(poolOf(loaded, origin, isStreamed)));
    send(poolOf(undici, origin, isStreamed));
    return undefined;
  };
  let closing: Promise<unknown> | undefined;
  const close = async () => {
    // Calls that wait for undici come first; a failure to load it is theirs.
    closing ??= loading.then(
      () => Promise.all([...pools.values()].map((pool) => pool.close())),
      () => {},
    );
    await closing;
  };
  return { withPool, isClosed: () => closing !== undefined, close };
}
