/** `createMetrics`: the metrics of a run or of a worker in Prometheus' format, by the optional package prom-client. */
import type prom from 'prom-client';
import { operations } from '../../../schemas/operations.js';
import type { DataImportClient } from '../../client.js';
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

export type Metrics = NonNullable<Awaited<ReturnType<typeof createMetrics>>>;

/** Buckets in seconds: answers take from milliseconds to a minute. */
const SECONDS = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];

/** Returns undefined if the package is not installed. Labels have few values: no account numbers, no suppliers. */
export async function createMetrics(
  { client, status, isDistributed }: MetricsOptions,
  load: () => Promise<{ default: Prom }> = () => import('prom-client'),
) {
  const library = await load().catch(() => undefined);
  if (library === undefined) return undefined;
  const { Registry, Counter, Gauge, Histogram, collectDefaultMetrics } = library.default;
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  const counter = <Label extends string>(name: string, help: string, labelNames: Label[] = []) =>
    new Counter({ name, help, labelNames, registers });
  const ended = counter('data_import_records_ended_total', 'Records that ended in this process, by how they ended.', [
    'outcome',
  ]);
  const requests = counter(
    'data_import_requests_total',
    'Requests that ended, by operation and class of status; none: no complete answer came.',
    ['operation', 'status'],
  );
  // A rate sees the first failure only if the series was there before.
  for (const operation of Object.keys(operations)) {
    for (const status of STATUSES) requests.inc({ operation, status }, 0);
  }
  const throttled = counter('data_import_throttled_total', 'Answers 429.');
  const durations = new Histogram({
    name: 'data_import_request_duration_seconds',
    help: 'Seconds from a request to its answer, or to its failure.',
    labelNames: ['operation'],
    buckets: SECONDS,
    registers,
  });
  new Gauge({
    name: 'data_import_run_state',
    help: 'State of the run: 1 for the state that it is in, 0 for the others.',
    labelNames: ['state'],
    registers,
    collect() {
      for (const state of STATES) this.set({ state }, status()?.pace?.state === state ? 1 : 0);
    },
  });
  for (const [name, help, read] of isDistributed ? [...OF_THROTTLE, ...OF_WORKER] : OF_THROTTLE) {
    new Gauge({
      ...{ name, help, registers },
      collect() {
        this.set(read(status()) ?? 0);
      },
    });
  }
  if (isDistributed) {
    new Counter({
      name: 'data_import_records_taken_over_total',
      help: 'Records with a request of another worker or an earlier session.',
      registers,
      collect() {
        this.reset();
        this.inc(status()?.work?.takenOver ?? 0);
      },
    });
  }
  const stopWatching = client.on({
    onResponse({ operation, status: answered, durationMs }) {
      requests.inc({ operation, status: answered === undefined ? 'none' : `${Math.floor(answered / 100)}xx` });
      if (answered === 429) throttled.inc();
      durations.observe({ operation }, durationMs / 1000);
    },
  });
  return {
    contentType: registry.contentType as string,
    text: () => registry.metrics(),
    /** For `onEvent` of a run or a worker. */
    event(record: LedgerRecord, event: RecordEvent): void {
      if (endsRecord(record, event) && record.outcome !== null) ended.inc({ outcome: record.outcome });
    },
    close() {
      stopWatching();
      registry.clear();
    },
  };
}

/** Classes of status that a service answers with; 3xx is no answer of it. */
const STATUSES = ['2xx', '4xx', '5xx', 'none'];
const STATES: readonly ThrottleStatus['state'][] = ['running', 'paused', 'waiting', 'draining', 'halted'];

/** A metric that is read at each request. */
type ReadMetric = readonly [
  name: string,
  help: string,
  read: (status: MetricsStatus | undefined) => number | undefined,
];

const OF_THROTTLE: readonly ReadMetric[] = [
  ['data_import_calls_under_way', 'Calls of this process in flight.', (status) => status?.pace?.concurrency.underWay],
  [
    'data_import_process_under_way',
    'Process and dry-run calls of this process in flight.',
    (status) => status?.pace?.process.underWay,
  ],
  [
    'data_import_process_limit',
    'Maximum number of process and dry-run calls of the whole run in flight.',
    (status) => status?.pace?.process.limit,
  ],
];

/** Only a process of a distributed run has them. */
const OF_WORKER: readonly ReadMetric[] = [
  ['data_import_records_under_way', 'Records that this worker processes now.', (status) => status?.records],
  [
    'data_import_lease_valid',
    'Whether this worker has contact to the ledger (1): without it, it sends nothing (0).',
    (status) => Number(status?.hasLease === true),
  ],
];
