/** The engine's packages, BullMQ and the client of its server: optional peers, loaded when a doorbell is opened. */
import type * as bullmq from 'bullmq';
import type ioredis from 'ioredis';
import type pg from 'pg';
import { QueueError } from './queue-error.js';

export type Bullmq = Pick<
  typeof bullmq,
  | 'Queue'
  | 'Worker'
  | 'WaitingError'
  | 'createRedisBackend'
  | 'createPostgresBackend'
  | 'assertSchemaCompatibility'
  | 'runMigrations'
  | 'LATEST_SCHEMA_VERSION'
>;

/** How each is loaded. Tests give their own. */
export interface QueueLoaders {
  bullmq(): Promise<Bullmq>;
  ioredis(): Promise<{ Redis: typeof ioredis.Redis }>;
  pg(): Promise<Pick<typeof pg, 'Client'>>;
}

export const queueLoaders: QueueLoaders = {
  bullmq: () => import('bullmq'),
  ioredis: () => import('ioredis'),
  pg: () => import('pg'),
};

export function loadForRedis(loaders: QueueLoaders) {
  return loaded('a queue on Redis', 'bullmq@6 ioredis@5', Promise.all([loaders.bullmq(), loaders.ioredis()]));
}

export function loadForPostgres(loaders: QueueLoaders) {
  return loaded('a queue on PostgreSQL', 'bullmq@6 pg@8', Promise.all([loaders.bullmq(), loaders.pg()]));
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
