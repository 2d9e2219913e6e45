/** `openHealth`: serves the health and the metrics of a worker until it is closed. */
import type { DataImportClient } from '../../client.js';
import type { WorkerStatus } from '../../migration/distributed/join.js';
import type { WorkerOptions } from '../../migration/distributed/worker/worker.js';
import { healthAnswer } from './health.js';
import { type ListenAddress, listenAt } from './listen-address.js';
import { createMetrics } from './metrics.js';

export interface Health {
  url: string;
  /** For `startWorker`. The server is opened before it, so that an address in use is reported before a record is claimed. */
  onEvent: NonNullable<WorkerOptions['onEvent']>;
  /** Shows the status of this worker from now on. */
  watch(worker: { status(): WorkerStatus; finished: Promise<unknown> }): void;
  close(): Promise<void>;
}

/** Rejects with a `UsageError` if it cannot listen. */
export async function openHealth(address: ListenAddress, client: DataImportClient): Promise<Health> {
  let status = (): WorkerStatus | undefined => undefined;
  let hasFailed = false;
  const metrics = await createMetrics({ client, status: () => status() });
  const answer = healthAnswer({ status: () => status(), hasFailed: () => hasFailed, metrics });
  const { url, close } = await listenAt('--health', address, answer).catch((error: unknown) => {
    metrics?.close();
    throw error;
  });
  return {
    url,
    onEvent: (record, event) => metrics?.event(record, event),
    watch(worker) {
      status = () => worker.status();
      worker.finished.catch(() => {
        hasFailed = true;
      });
    },
    async close() {
      metrics?.close();
      await close();
    },
  };
}
