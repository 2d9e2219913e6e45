/** `openHealth`: serves the health and the metrics of a run or a worker until it is closed. */
import type { DataImportClient } from '../../client.js';
import type { WorkerOptions } from '../../migration/distributed/worker/worker.js';
import { healthAnswer, type Readiness } from './health.js';
import { type ListenAddress, listenAt } from './listen-address.js';
import { createMetrics, type MetricsStatus } from './metrics.js';

/** What the server shows of a run or a worker. */
export type HealthStatus = Readiness & MetricsStatus;

export interface Health {
  url: string;
  /** For `startMigration` and `startWorker`. The server is opened before, so that an address in use is reported before a record is sent. */
  onEvent: NonNullable<WorkerOptions['onEvent']>;
  /** Shows this status from now on. A status that is undefined counts as not started. */
  watch(watched: { status(): HealthStatus | undefined; finished: Promise<unknown> }): void;
  close(): Promise<void>;
}

/** Rejects with a `UsageError` if it cannot listen. */
export async function openHealth(
  address: ListenAddress,
  { client, isDistributed }: { client: DataImportClient; isDistributed: boolean },
): Promise<Health> {
  let status = (): HealthStatus | undefined => undefined;
  let hasFailed = false;
  const metrics = await createMetrics({ client, status: () => status(), isDistributed });
  const firstState = isDistributed ? 'joining' : 'starting';
  const answer = healthAnswer({ status: () => status(), firstState, hasFailed: () => hasFailed, metrics });
  const { url, close } = await listenAt('--health', address, answer).catch((error: unknown) => {
    metrics?.close();
    throw error;
  });
  return {
    url,
    onEvent: (record, event) => metrics?.event(record, event),
    watch(watched) {
      status = () => watched.status();
      watched.finished.catch(() => {
        hasFailed = true;
      });
    },
    async close() {
      metrics?.close();
      await close();
    },
  };
}
