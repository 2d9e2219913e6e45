/** BullMQ on PostgreSQL: tables in a schema of their own, beside the ledger's. */
import type { BackendFactory, IQueueBackend } from 'bullmq';
import { loadForPostgres, type QueueLoaders } from './bullmq-driver.js';
import { ANSWER_TIMEOUT_MS, CONNECT_TIMEOUT_MS, type Engine, steady } from './bullmq-engine.js';
import { hearErrors } from './bullmq-postgres-connection.js';

/** Of each member; one more listens. */
const RINGING_CONNECTIONS = 1;
const ANSWERING_CONNECTIONS = 3;
const MIGRATION_TIMEOUT_MS = 60_000;

const BEHIND = '_queue';
/** Longest name that PostgreSQL keeps whole. */
const MOST_CHARACTERS = 63;

export async function postgresEngine(address: string, ledgerSchema: string, loaders: QueueLoaders): Promise<Engine> {
  const [bullmq, { Client }] = await loadForPostgres(loaders);
  const schema = ledgerSchema.slice(0, MOST_CHARACTERS - BEHIND.length) + BEHIND;
  const both = {
    connectionString: address,
    application_name: 'data-import queue',
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    keepAlive: true,
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
    ringing: connectionsOf(RINGING_CONNECTIONS),
    answering: steady(connectionsOf(ANSWERING_CONNECTIONS)),
  };
}

/** 0 where the schema has no tables yet. */
function notYet(error: unknown): number {
  if (error instanceof Error && error.name === 'SchemaMigrationRequiredError') return 0;
  throw error;
}
