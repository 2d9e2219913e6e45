/** `createMetrics`: the metrics of a run or of a worker in Prometheus' format, by the optional package prom-client. */
import type prom from 'prom-client';
import type { DataImportClient } from '../../client.js';
import type { ResponseEvent } from '../../http/call/observe.js';
import type { WorkerStatus } from '../../migration/distributed/worker/worker-status.js';
import type { LedgerRecord } from '../../migration/ledger/ledger.js';
import type { RecordEvent } from '../../migration/record/events/record-event.js';
import { endsRecord } from '../../migration/record/events/record-state.js';
import type { ThrottleStatus } from '../../migration/throttle/throttle.js';

type Prom = Pick<typeof prom, 'Registry' | 'Counter' | 'Gauge' | 'Histogram' | 'collectDefaultMetrics'>;
type OfWorker = Pick<WorkerStatus, 'records' | 'hasLease' | 'work'>;
/** The state of the throttle; of a process of a distributed run also the part of a worker. */
export type MetricsStatus = Pick<WorkerStatus, 'pace'> & Partial<OfWorker>;

export interface MetricsOptions {
  client: Pick<DataImportClient, 'on'>;
  /** Returns undefined until a session has begun, or the worker has joined a run. */
  status: () => MetricsStatus | undefined;
  /** Whether the metrics of a worker are served too. */
  isDistributed: boolean;
}

export interface Metrics {
  contentType: string;
  text(): Promise<string>;
  /** For `onEvent` of a run or a worker. */
  event(record: LedgerRecord, event: RecordEvent): void;
  close(): void;
}

/** Buckets in seconds: answers take from milliseconds to a minute. */
const SECONDS = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];

/** Returns undefined if the package is not installed. Labels have few values: no account numbers, no suppliers. */
export async function createMetrics(
  { client, status, isDistributed }: MetricsOptions,
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
    help: 'Records that ended in this process, by how they ended.',
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
  readFromThrottle(library.default, registry, status);
  if (isDistributed) readFromWorker(library.default, registry, status);
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

const STATES = [
  'running',
  'paused',
  'waiting',
  'draining',
  'halted',
] as const satisfies readonly ThrottleStatus['state'][];

/** Adds the metrics that are read from the throttle at each request. */
function readFromThrottle({ Gauge }: Prom, registry: prom.Registry, status: MetricsOptions['status']): void {
  const pace = () => status()?.pace;
  new Gauge({
    name: 'data_import_run_state',
    help: 'State of the run: 1 for the state that it is in, 0 for the others.',
    labelNames: ['state'],
    registers: [registry],
    collect() {
      for (const state of STATES) this.set({ state }, pace()?.state === state ? 1 : 0);
    },
  });
  addGauge(Gauge, registry, {
    name: 'data_import_calls_under_way',
    help: 'Calls of this process in flight.',
    read: () => pace()?.concurrency.underWay,
  });
  addGauge(Gauge, registry, {
    name: 'data_import_process_under_way',
    help: 'Process and dry-run calls of this process in flight.',
    read: () => pace()?.process.underWay,
  });
  addGauge(Gauge, registry, {
    name: 'data_import_process_limit',
    help: 'Maximum number of process and dry-run calls of the whole run in flight.',
    read: () => pace()?.process.limit,
  });
}

/** Adds the metrics that only a process of a distributed run has. */
function readFromWorker({ Counter, Gauge }: Prom, registry: prom.Registry, status: MetricsOptions['status']): void {
  addGauge(Gauge, registry, {
    name: 'data_import_records_under_way',
    help: 'Records that this worker processes now.',
    read: () => status()?.records,
  });
  addGauge(Gauge, registry, {
    name: 'data_import_lease_valid',
    help: 'Whether this worker has contact to the ledger (1): without it, it sends nothing (0).',
    read: () => (status()?.hasLease ? 1 : 0),
  });
  new Counter({
    name: 'data_import_records_taken_over_total',
    help: 'Records with a request of another worker or an earlier session.',
    registers: [registry],
    collect() {
      this.reset();
      this.inc(status()?.work?.takenOver ?? 0);
    },
  });
}

interface ReadGauge {
  name: string;
  help: string;
  /** Returns the value at this moment; undefined counts as 0. */
  read: () => number | undefined;
}

function addGauge(Gauge: Prom['Gauge'], registry: prom.Registry, { name, help, read }: ReadGauge): void {
  new Gauge({
    name,
    help,
    registers: [registry],
    collect() {
      this.set(read() ?? 0);
    },
  });
}

function classOf(status: ResponseEvent['status']): string {
  return status === undefined ? 'none' : `${Math.floor(status / 100)}xx`;
}
