/** `createMetrics`: the metrics of a worker in Prometheus' format, by the optional package prom-client. */
import type prom from 'prom-client';
import type { DataImportClient } from '../../client.js';
import type { ResponseEvent } from '../../http/call/observe.js';
import type { WorkerStatus } from '../../migration/distributed/join.js';
import type { LedgerRecord } from '../../migration/ledger/ledger.js';
import type { RecordEvent } from '../../migration/record/events/record-event.js';
import { endsRecord } from '../../migration/record/events/record-state.js';

type Prom = Pick<typeof prom, 'Registry' | 'Counter' | 'Gauge' | 'Histogram' | 'collectDefaultMetrics'>;
type MetricsStatus = Pick<WorkerStatus, 'records' | 'hasLease' | 'work' | 'pace'>;

export interface MetricsOptions {
  client: Pick<DataImportClient, 'on'>;
  /** Returns undefined until the worker has joined a run. */
  status: () => MetricsStatus | undefined;
}

export interface Metrics {
  contentType: string;
  text(): Promise<string>;
  /** For `WorkerOptions.onEvent`. */
  event(record: LedgerRecord, event: RecordEvent): void;
  close(): void;
}

/** Buckets in seconds: answers take from milliseconds to a minute. */
const SECONDS = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];

/** Returns undefined if the package is not installed. Labels have few values: no account numbers, no suppliers. */
export async function createMetrics(
  { client, status }: MetricsOptions,
  load: () => Promise<{ default: Prom }> = () => import('prom-client'),
): Promise<Metrics | undefined> {
  const library = await load().catch(() => undefined);
  if (library === undefined) return undefined;
  const { Registry, Counter, Histogram, collectDefaultMetrics } = library.default;
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  const ended = new Counter({
    name: 'data_import_records_ended_total',
    help: 'Records that ended at this worker, by how they ended.',
    labelNames: ['outcome'],
    registers,
  });
  const requests = new Counter({
    name: 'data_import_requests_total',
    help: 'Requests that ended, by operation and class of status; none: no complete answer came.',
    labelNames: ['operation', 'status'],
    registers,
  });
  const throttled = new Counter({
    name: 'data_import_throttled_total',
    help: 'Answers 429.',
    registers,
  });
  const durations = new Histogram({
    name: 'data_import_request_duration_seconds',
    help: 'Seconds from a request to its answer, or to its failure.',
    labelNames: ['operation'],
    buckets: SECONDS,
    registers,
  });
  readFromStatus(library.default, registry, status);
  const stopWatching = client.on({
    onResponse({ operation, status: answered, durationMs }) {
      requests.inc({ operation, status: classOf(answered) });
      if (answered === 429) throttled.inc();
      durations.observe({ operation }, durationMs / 1000);
    },
  });
  return {
    contentType: registry.contentType,
    text: () => registry.metrics(),
    event(record, event) {
      if (endsRecord(record, event) && record.outcome !== null) ended.inc({ outcome: record.outcome });
    },
    close() {
      stopWatching();
      registry.clear();
    },
  };
}

/** Adds the metrics that are read from the worker's status at each request. */
function readFromStatus({ Counter, Gauge }: Prom, registry: prom.Registry, status: MetricsOptions['status']): void {
  const registers = [registry];
  const gauge = (name: string, help: string, read: (now: MetricsStatus) => number) =>
    new Gauge({
      name,
      help,
      registers,
      collect() {
        const now = status();
        this.set(now === undefined ? 0 : read(now));
      },
    });
  gauge('data_import_records_under_way', 'Records that this worker processes now.', ({ records }) => records);
  gauge(
    'data_import_lease_valid',
    'Whether this worker has contact to the ledger (1): without it, it sends nothing (0).',
    ({ hasLease }) => (hasLease ? 1 : 0),
  );
  gauge(
    'data_import_process_under_way',
    'Process and dry-run calls of this worker in flight.',
    ({ pace }) => pace?.process.underWay ?? 0,
  );
  gauge(
    'data_import_process_limit',
    'Maximum number of process and dry-run calls of the whole run in flight.',
    ({ pace }) => pace?.process.limit ?? 0,
  );
  new Counter({
    name: 'data_import_records_taken_over_total',
    help: 'Records with a request of another worker or an earlier session.',
    registers,
    collect() {
      this.reset();
      this.inc(status()?.work.takenOver ?? 0);
    },
  });
}

function classOf(status: ResponseEvent['status']): string {
  return status === undefined ? 'none' : `${Math.floor(status / 100)}xx`;
}
