/** BullMQ on PostgreSQL: tables in a schema of their own, beside the ledger's. */
import type { BackendFactory, IQueueBackend, PostgresConnection } from 'bullmq';
import {
  ANSWER_TIMEOUT_MS,
  CONNECT_TIMEOUT_MS,
  type Engine,
  loaded,
  type QueueLoaders,
  steady,
} from './queue-backend.js';

/** Of each member; one more listens. */
const PRODUCING_CONNECTIONS = 1;
const CONSUMING_CONNECTIONS = 3;
const MIGRATION_TIMEOUT_MS = 60_000;

const heardElsewhere = (): void => {};

const BEHIND = '_queue';
/** Longest name that PostgreSQL keeps whole. */
const MOST_CHARACTERS = 63;

export async function postgresEngine(address: string, ledgerSchema: string, loaders: QueueLoaders): Promise<Engine> {
  const [bullmq, { Client }] = await loaded(
    'a queue on PostgreSQL',
    'bullmq@6 pg@8',
    Promise.all([loaders.bullmq(), loaders.pg()]),
  );
  const schema = ledgerSchema.slice(0, MOST_CHARACTERS - BEHIND.length) + BEHIND;
  const both = {
    connectionString: address,
    application_name: 'data-import queue',
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    keepAlive: true,
    // Each claim would wait for the disk under the queue's lock. What the queue loses, the ledger feeds again.
    options: '-c synchronous_commit=off',
  };
  const connectionsOf =
    (max: number): BackendFactory<IQueueBackend> =>
    (name, options, how) => {
      const connection = { ...both, schema, max, query_timeout: ANSWER_TIMEOUT_MS };
      const backend = bullmq.createPostgresBackend(name, { ...options, connection }, how);
      hearErrors(backend.connection);
      return backend;
    };
  return {
    bullmq,
    async prepare() {
      const client = new Client({ ...both, query_timeout: MIGRATION_TIMEOUT_MS });
      client.on('error', () => {});
      try {
        await client.connect();
        // Who finds the tables needs no right to make them; of several who do not, one makes them and the others wait.
        const version = await bullmq.assertSchemaCompatibility(client, schema).catch(notYet);
        if (version < bullmq.LATEST_SCHEMA_VERSION) await bullmq.runMigrations(client, schema);
      } finally {
        await client.end();
      }
    },
    producing: connectionsOf(PRODUCING_CONNECTIONS),
    consuming: steady(connectionsOf(CONSUMING_CONNECTIONS)),
  };
}

/** 0 where the schema has no tables yet. */
function notYet(error: unknown): number {
  if (error instanceof Error && error.name === 'SchemaMigrationRequiredError') return 0;
  throw error;
}

/**
 * Errors of BullMQ's connections that nobody hears would end the process: while a connection looks at the tables for the first
 * time, and while one is being closed. The next call rejects.
 */
function hearErrors(connection: Pick<PostgresConnection, 'pool' | 'getListenClient'>): void {
  connection.pool.on('connect', (client) => client.on('error', heardElsewhere));
  const listen = connection.getListenClient.bind(connection);
  const heard = new WeakSet<object>();
  connection.getListenClient = async () => {
    const client = await listen();
    if (heard.has(client)) return client;
    heard.add(client);
    // It is taken off before the connection has ended.
    const removeAllListeners = client.removeAllListeners.bind(client);
    client.removeAllListeners = (event) => {
      removeAllListeners(event);
      if (event === undefined) client.on('error', heardElsewhere);
      return client;
    };
    return client;
  };
}
