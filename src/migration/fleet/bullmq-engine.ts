/** What differs between the engines: how the server is reached, and what BullMQ calls of it. */

import { setTimeout as after } from 'node:timers/promises';
import type { BackendFactory, IQueueBackend } from 'bullmq';
import type { Bullmq } from './bullmq-driver.js';

export interface Engine {
  bullmq: Pick<Bullmq, 'Queue' | 'Worker' | 'WaitingError'>;
  /** Rejects where the server is not reached or refuses; makes what the queue needs there. */
  prepare(): Promise<void>;
  /** For whoever rings and counts: fails at once while the server is away. */
  ringing: BackendFactory<IQueueBackend>;
  /** For whoever answers: waits until the server is back. */
  answering: BackendFactory<IQueueBackend>;
}

/** Past these the server counts as away: a network that swallows everything says nothing for a quarter of an hour. */
export const ANSWER_TIMEOUT_MS = 5000;
export const CONNECT_TIMEOUT_MS = 5000;

/** After a failed look for work; BullMQ itself looks again at once, as long as the error is not that nobody listens. */
const AFTER_FAILURE_MS = 1000;
/** BullMQ waits for an hour where it trusts that it is told of each job; a connection that was lost meanwhile tells nothing. */
const LONGEST_WAIT_S = 5;

/** Keeps those who answer from asking without a pause, and from waiting for ever. */
export function steady(create: BackendFactory<IQueueBackend>): BackendFactory<IQueueBackend> {
  return (name, options, how) => {
    const backend = create(name, options, how);
    const moveToActive = backend.moveToActive.bind(backend);
    const waitForJob = backend.waitForJob.bind(backend);
    backend.moveToActive = async (token, worker) => {
      try {
        return await moveToActive(token, worker);
      } catch (error) {
        await after(AFTER_FAILURE_MS);
        throw error;
      }
    };
    backend.waitForJob = (seconds) => waitForJob(Math.min(seconds, LONGEST_WAIT_S));
    return backend;
  };
}
