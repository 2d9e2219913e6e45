/** What BullMQ's two backends have in common, and how the optional packages behind them are loaded. */
import { setTimeout as after } from 'node:timers/promises';
import type * as bullmq from 'bullmq';
import type { BackendFactory, IQueueBackend } from 'bullmq';
import type ioredis from 'ioredis';
import type pg from 'pg';
import { QueueError } from './queue-error.js';

type Bullmq = Pick<
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

export interface Engine {
  bullmq: Pick<Bullmq, 'Queue' | 'Worker' | 'WaitingError'>;
  /** Rejects where the server is not reached or refuses; makes what the queue needs there. */
  prepare(): Promise<void>;
  /** For adding and counting: fails at once while the server is away. */
  producing: BackendFactory<IQueueBackend>;
  /** For taking jobs: waits until the server is back. */
  consuming: BackendFactory<IQueueBackend>;
}

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

/** After these the server counts as away: a network that drops everything gives no error for a quarter of an hour. */
export const ANSWER_TIMEOUT_MS = 5000;
export const CONNECT_TIMEOUT_MS = 5000;
export async function loaded<T>(what: string, packages: string, modules: Promise<T>): Promise<T> {
  try {
    return await modules;
  } catch (cause) {
    const names = packages.replaceAll(/@\d+/g, '').replace(' ', ' and ');
    throw new QueueError(`queue: ${what} needs the packages ${names}. Install them with "npm install ${packages}".`, {
      cause,
    });
  }
}

/** After a failed look for work; BullMQ itself looks again at once, as long as the error is not that nobody listens. */
const AFTER_FAILURE_MS = 500;
/**
 * Nothing wakes a consumer when the global concurrency rises or a slot becomes free: BullMQ would sleep for 5 s, or up to an
 * hour where it trusts PostgreSQL's notifications.
 */
const LONGEST_WAIT_S = { process: 0.1, free: 0.5 };

/** Keeps consumers from asking without a pause, and from sleeping for long. */
export function steady(create: BackendFactory<IQueueBackend>): BackendFactory<IQueueBackend> {
  return (name, options, how) => {
    const backend = create(name, options, how);
    const moveToActive = backend.moveToActive.bind(backend);
    const waitForJob = backend.waitForJob.bind(backend);
    const longest = name.endsWith('-process') ? LONGEST_WAIT_S.process : LONGEST_WAIT_S.free;
    backend.moveToActive = async (token, worker) => {
      try {
        return await moveToActive(token, worker);
      } catch (error) {
        await after(AFTER_FAILURE_MS);
        throw error;
      }
    };
    backend.waitForJob = (seconds) => waitForJob(Math.min(seconds, longest));
    return backend;
  };
}

/** Takes no job while it may not: neither when it asks for one, nor as the next one when a job is done. */
export function takingWhile(
  mayTake: () => boolean,
  create: BackendFactory<IQueueBackend>,
): BackendFactory<IQueueBackend> {
  return (name, options, how) => {
    const backend = create(name, options, how);
    const moveToActive = backend.moveToActive.bind(backend);
    const moveToCompleted = backend.moveToCompleted.bind(backend);
    const moveToFailed = backend.moveToFailed.bind(backend);
    backend.moveToActive = async (token, worker) => (mayTake() ? moveToActive(token, worker) : []);
    backend.moveToCompleted = (job, value, remove, token, takesNext) =>
      moveToCompleted(job, value, remove, token, takesNext && mayTake());
    backend.moveToFailed = (job, reason, remove, token, takesNext, fields) =>
      moveToFailed(job, reason, remove, token, takesNext && mayTake(), fields);
    return backend;
  };
}

/** Rejects when the task takes longer; what comes later is ignored. */
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
