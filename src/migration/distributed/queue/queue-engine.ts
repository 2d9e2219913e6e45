/** Exports `openEngine`: BullMQ on Redis or PostgreSQL. Only this file handles the differences. */
import type { EventEmitter } from 'node:events';
import { setTimeout as after } from 'node:timers/promises';
import type * as bullmq from 'bullmq';
import type { BackendFactory, IQueueBackend, PostgresConnection } from 'bullmq';
import type ioredis from 'ioredis';
import type pg from 'pg';
import { QueueError, queueError, queuePlace } from './queue-address.js';

type Backends = BackendFactory<IQueueBackend>;

export interface Engine {
  bullmq: Pick<typeof bullmq, 'Queue' | 'Worker' | 'WaitingError'>;
  /** Such as "Redis on host:6379". */
  words: string;
  /** For adding and counting jobs: fails at once while the server is unavailable. */
  producing: Backends;
  /** For taking jobs: waits until the server is available, and takes none while `mayTake` returns false. */
  consuming(mayTake: () => boolean): Backends;
}

/** Loads the optional packages. Tests replace it. */
export interface QueueLoaders {
  bullmq(): Promise<typeof bullmq>;
  ioredis(): Promise<{ Redis: typeof ioredis.Redis }>;
  pg(): Promise<Pick<typeof pg, 'Client'>>;
}

export const queueLoaders: QueueLoaders = {
  bullmq: () => import('bullmq'),
  ioredis: () => import('ioredis'),
  pg: () => import('pg'),
};

/** Common interface of both servers: backends, and a check that the server is available and prepared for the queue. */
interface Server {
  bullmq: typeof bullmq;
  producing: Backends;
  consuming: Backends;
  prepare(): Promise<void>;
}

/** If the network drops all packets, the operating system reports an error only after a quarter of an hour. */
const ANSWER_TIMEOUT_MS = 5000;
const CONNECT_TIMEOUT_MS = 5000;
/** One process creates the tables of the queue, and the others wait for it. */
const PREPARE_TIMEOUT_MS = 65_000;
const MIGRATION_TIMEOUT_MS = 60_000;
const RETRY_MS = 500;
const ignore = (): void => {};

/** Connects to the engine. Rejects with a `QueueError` if the server cannot be reached or refuses. `schema` is the ledger's. */
export async function openEngine(
  { queue: address, schema = 'data_import' }: { queue: string; schema?: string | undefined },
  loaders: QueueLoaders = queueLoaders,
): Promise<Engine> {
  const { engine, words } = queuePlace(address);
  const server =
    engine === 'redis' ? await onRedis(address, words, loaders) : await onPostgres(address, schema, loaders);
  await within(PREPARE_TIMEOUT_MS, server.prepare()).catch((cause: unknown) => {
    throw queueError('open', words, cause);
  });
  const { bullmq, producing, consuming } = server;
  return { bullmq, words, producing, consuming: (mayTake) => steady(consuming, mayTake) };
}

/** A socket is closed if nothing arrives for so long, which is longer than a consumer waits for a job. */
const SILENCE_MS = 15_000;

async function onRedis(address: string, words: string, loaders: QueueLoaders): Promise<Server> {
  const packages = Promise.all([loaders.bullmq(), loaders.ioredis()]);
  const [bullmq, { Redis }] = await loaded('a queue on Redis', 'bullmq@6 ioredis@5', packages);
  const both = { url: address, connectTimeout: CONNECT_TIMEOUT_MS, keepAlive: 10_000 };
  const retrying = { ...both, retryStrategy: () => RETRY_MS };
  const backends =
    (connection: object): Backends =>
    (name, options, how) =>
      bullmq.createRedisBackend(name, { ...options, connection }, how);
  return {
    bullmq,
    producing: backends({
      ...{ ...retrying, commandTimeout: ANSWER_TIMEOUT_MS, enableOfflineQueue: false, maxRetriesPerRequest: 0 },
    }),
    consuming(name, options, how) {
      const connection: object = { ...retrying, socketTimeout: SILENCE_MS, maxRetriesPerRequest: null };
      const backend = bullmq.createRedisBackend(name, { ...options, connection }, how);
      for (const client of [backend.client, backend.blockingClient]) void client?.then(stopTimerOnClose, ignore);
      return backend;
    },
    async prepare() {
      const { url, ...options } = { ...both, lazyConnect: true, retryStrategy: () => null };
      const client = new Redis(url, options);
      let cause: Error | undefined;
      client.on('error', (error) => {
        cause = error;
      });
      try {
        await client.connect();
        expectPrimary(words, await client.info());
      } catch (error) {
        // ioredis only says "Connection is closed."; the error event has the cause.
        throw error instanceof QueueError ? error : (cause ?? error);
      } finally {
        client.disconnect();
      }
    },
  };
}

/**
 * ioredis keeps the timer of `socketTimeout` when a connection closes before the answer to a command. The timer would keep the process at
 * its end for the rest of that time, and close the next connection of the client.
 */
function stopTimerOnClose(client: object): void {
  const internal = client as EventEmitter & { socketTimeoutTimer: NodeJS.Timeout | undefined };
  internal.on('close', () => {
    clearTimeout(internal.socketTimeoutTimer);
    internal.socketTimeoutTimer = undefined;
  });
}

/** Throws a `QueueError` for a server that cannot store jobs. `info`: the answer to INFO. */
function expectPrimary(words: string, info: string): void {
  if (/^redis_mode:sentinel/m.test(info)) {
    throw new QueueError(
      `queue: ${words} is a Sentinel, which stores no jobs. Give the address of the Redis that it monitors, or a name that leads to the primary.`,
    );
  }
  if (/^redis_mode:cluster/m.test(info)) {
    throw new QueueError(
      `queue: ${words} is a Redis Cluster, which cannot be used. Give a Redis without cluster mode.`,
    );
  }
  if (/^role:slave/m.test(info)) throw queueError('open', words, new Error('READONLY replica'));
}

const PRODUCING_CONNECTIONS = 1;
/** Plus one connection for LISTEN. */
const CONSUMING_CONNECTIONS = 3;
const SUFFIX = '_queue';
/** PostgreSQL truncates longer names. */
const LONGEST_NAME = 63;

/** Stores the queue in separate tables, next to the ledger's schema. */
async function onPostgres(address: string, ledgerSchema: string, loaders: QueueLoaders): Promise<Server> {
  const packages = Promise.all([loaders.bullmq(), loaders.pg()]);
  const [bullmq, { Client }] = await loaded('a queue on PostgreSQL', 'bullmq@6 pg@8', packages);
  const schema = ledgerSchema.slice(0, LONGEST_NAME - SUFFIX.length) + SUFFIX;
  const both = {
    ...{ connectionString: address, application_name: 'data-import queue', keepAlive: true },
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    // Otherwise each claim waits for the disk while it holds the queue's lock. Lost jobs are fed again from the ledger.
    options: '-c synchronous_commit=off',
  };
  const backends =
    (max: number): Backends =>
    (name, options, how) => {
      const connection = { ...both, schema, max, query_timeout: ANSWER_TIMEOUT_MS };
      const backend = bullmq.createPostgresBackend(name, { ...options, connection }, how);
      hearErrors(backend.connection);
      return backend;
    };
  return {
    bullmq,
    producing: backends(PRODUCING_CONNECTIONS),
    consuming: backends(CONSUMING_CONNECTIONS),
    async prepare() {
      const client = new Client({ ...both, query_timeout: MIGRATION_TIMEOUT_MS });
      client.on('error', ignore);
      try {
        await client.connect();
        const { rows } = await client.query<{ synchronous_commit: string }>('show synchronous_commit');
        // BullMQ also sets the schema by a startup parameter.
        if (rows[0]?.synchronous_commit !== 'off') throw new Error('startup parameters were ignored');
        // If the tables exist, the user needs no right to create them.
        const version = await bullmq.assertSchemaCompatibility(client, schema).catch((error: unknown) => {
          if (error instanceof Error && error.name === 'SchemaMigrationRequiredError') return 0;
          throw error;
        });
        if (version < bullmq.LATEST_SCHEMA_VERSION) await bullmq.runMigrations(client, schema);
      } finally {
        await client.end();
      }
    },
  };
}

/**
 * Adds error handlers to BullMQ's connections. Without them an error ends the process while a connection first reads
 * the tables, and while one is being closed.
 */
function hearErrors(connection: Pick<PostgresConnection, 'pool' | 'getListenClient'>): void {
  connection.pool.on('connect', (client) => client.on('error', ignore));
  const listen = connection.getListenClient.bind(connection);
  const heard = new WeakSet<object>();
  connection.getListenClient = async () => {
    const client = await listen();
    if (heard.has(client)) return client;
    heard.add(client);
    // BullMQ removes all listeners before the connection has ended.
    const removeAllListeners = client.removeAllListeners.bind(client);
    client.removeAllListeners = (event) => {
      removeAllListeners(event);
      if (event === undefined) client.on('error', ignore);
      return client;
    };
    return client;
  };
}

async function loaded<T>(what: string, packages: string, modules: Promise<T>): Promise<T> {
  try {
    return await modules;
  } catch (cause) {
    const names = packages.replaceAll(/@\d+/g, '').replace(' ', ' and ');
    throw new QueueError(`queue: ${what} needs the packages ${names}. Install them with "npm install ${packages}".`, {
      cause,
    });
  }
}

/** Delay after a failed query for jobs; BullMQ itself would retry at once. */
const AFTER_FAILURE_MS = 500;
/** Longest wait for a job. No event wakes a consumer when the limit rises or a slot becomes free: BullMQ sleeps for 5 s, on PostgreSQL up to an hour. */
const LONGEST_WAIT_S = { process: 0.1, free: 0.5 };

/** Prevents consumers from querying without a pause, from sleeping too long, and from taking jobs while `mayTake` returns false. */
function steady(create: Backends, mayTake: () => boolean): Backends {
  return (name, options, how) => {
    const backend = create(name, options, how);
    const moveToActive = backend.moveToActive.bind(backend);
    const moveToCompleted = backend.moveToCompleted.bind(backend);
    const moveToFailed = backend.moveToFailed.bind(backend);
    const waitForJob = backend.waitForJob.bind(backend);
    const longest = name.endsWith('-process') ? LONGEST_WAIT_S.process : LONGEST_WAIT_S.free;
    backend.waitForJob = (seconds) => waitForJob(Math.min(seconds, longest));
    backend.moveToActive = async (token, worker) => {
      try {
        return mayTake() ? await moveToActive(token, worker) : [];
      } catch (error) {
        await after(AFTER_FAILURE_MS);
        throw error;
      }
    };
    // Both methods can also take the next job.
    backend.moveToCompleted = (job, value, remove, token, takesNext) =>
      moveToCompleted(job, value, remove, token, takesNext && mayTake());
    backend.moveToFailed = (job, reason, remove, token, takesNext, fields) =>
      moveToFailed(job, reason, remove, token, takesNext && mayTake(), fields);
    return backend;
  };
}

/** Resolves with the result of the task. Rejects if it takes longer; a later result is ignored. */
export async function within<T>(ms: number, task: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${ms / 1000} s`)), ms);
  });
  try {
    return await Promise.race([task, late]);
  } finally {
    clearTimeout(timer);
  }
}
