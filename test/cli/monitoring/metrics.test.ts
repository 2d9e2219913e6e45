/** The metrics of a run or a worker, as Prometheus reads them. */
import { expect, onTestFinished, test } from 'vitest';
import { createMetrics, type MetricsOptions } from '../../../src/cli/monitoring/metrics.js';
import { DataImportClient } from '../../../src/client.js';
import type { ResponseEvent } from '../../../src/http/call/observe.js';
import type { WorkerStatus } from '../../../src/migration/distributed/worker/worker-status.js';
import { NO_ITEMS } from '../../../src/migration/ledger/items.js';
import type { LedgerRecord } from '../../../src/migration/ledger/ledger.js';
import { createSandbox } from '../../../src/sandbox/index.js';

/** A client that sends nothing: the test says what was answered. */
function watched() {
  let isHeard = false;
  let answered: (event: ResponseEvent) => void = () => {};
  const client: MetricsOptions['client'] = {
    on(hooks) {
      isHeard = true;
      answered = (event) => hooks.onResponse?.(event);
      return () => {
        isHeard = false;
      };
    },
  };
  return {
    client,
    hears: () => isHeard,
    answer: (operation: string, status: number | undefined, durationMs: number) =>
      answered({ operation, status, durationMs, callId: 1, attempt: 1, requestId: undefined }),
  };
}

async function openMetrics(client: MetricsOptions['client'], status: MetricsOptions['status'] = () => undefined) {
  const metrics = await createMetrics({ client, status, isDistributed: true });
  if (metrics === undefined) throw new Error('prom-client is not installed');
  onTestFinished(() => metrics.close());
  return {
    ...metrics,
    /** Lines of values of the metric, in their order. */
    async lines(name: string) {
      const text = await metrics.text();
      return text.split('\n').filter((line) => new RegExp(`^${name}[ {]`).test(line));
    },
  };
}

/** Those that have counted something. */
const counted = (lines: readonly string[]) => lines.filter((line) => !line.endsWith(' 0'));

function record(outcome: LedgerRecord['outcome']): LedgerRecord {
  return {
    ...{
      supplier: 'ACME',
      kind: 'account',
      number: 'A-1',
      version: 4,
      hash: '',
      contentHash: '',
      correctedFrom: null,
      done: 'process',
      intent: null,
      intentAt: null,
      intentHash: null,
      intentOnce: false,
      stageUnansweredAt: null,
      outcome,
    },
    ...{
      serviceNumber: '77',
      unknown: [],
      errors: [],
      warnings: [],
      difference: null,
      decisions: [],
      items: NO_ITEMS,
      contract: null,
      source: 'input.jsonl',
      line: 1,
    },
    updatedAt: '2026-01-15T09:00:00.000Z',
  };
}

test('records that ended, by how they ended', async () => {
  const { lines, event } = await openMetrics(watched().client);
  event(record(null), { type: 'stepStarted', step: 'process' });
  // Told together, with the record as it is after the last of them.
  event(record('created'), { type: 'stepSucceeded', step: 'notes' });
  event(record('created'), { type: 'ended' });
  event(record('created'), { type: 'ended' });
  event(record('rejected'), { type: 'stepRejected', step: 'stage', errors: [] });
  expect(await lines('data_import_records_ended_total')).toEqual([
    'data_import_records_ended_total{outcome="created"} 2',
    'data_import_records_ended_total{outcome="rejected"} 1',
  ]);
});

test('requests by operation and class of status, and answers 429 by themselves', async () => {
  const { client, answer } = watched();
  const { lines } = await openMetrics(client);
  answer('accounts.stage', 201, 20);
  answer('accounts.stage', 200, 20);
  answer('accounts.process', 429, 5);
  answer('accounts.process', 404, 5);
  answer('accounts.process', 503, 5);
  answer('accounts.process', undefined, 5);
  expect(counted(await lines('data_import_requests_total'))).toEqual([
    'data_import_requests_total{operation="accounts.stage",status="2xx"} 2',
    'data_import_requests_total{operation="accounts.process",status="4xx"} 2',
    'data_import_requests_total{operation="accounts.process",status="5xx"} 1',
    'data_import_requests_total{operation="accounts.process",status="none"} 1',
  ]);
  expect(await lines('data_import_throttled_total')).toEqual(['data_import_throttled_total 1']);
});

test('requests that did not fail yet are counted with 0, so that a rate sees the first failure', async () => {
  const { lines } = await openMetrics(watched().client);
  const all = await lines('data_import_requests_total');
  for (const operation of ['accounts.stage', 'accounts.process', 'businesses.create', 'imports.status']) {
    for (const status of ['2xx', '4xx', '5xx', 'none']) {
      expect(all).toContain(`data_import_requests_total{operation="${operation}",status="${status}"} 0`);
    }
  }
});

test('how long requests take, in seconds', async () => {
  const { client, answer } = watched();
  const { lines } = await openMetrics(client);
  answer('accounts.stage', 201, 20);
  answer('accounts.stage', 201, 700);
  answer('accounts.stage', 201, 61_000);
  const bucket = (le: string) => `data_import_request_duration_seconds_bucket{le="${le}",operation="accounts.stage"}`;
  expect(await lines('data_import_request_duration_seconds_bucket')).toEqual([
    `${bucket('0.01')} 0`,
    `${bucket('0.025')} 1`,
    `${bucket('0.05')} 1`,
    `${bucket('0.1')} 1`,
    `${bucket('0.25')} 1`,
    `${bucket('0.5')} 1`,
    `${bucket('1')} 2`,
    `${bucket('2.5')} 2`,
    `${bucket('5')} 2`,
    `${bucket('10')} 2`,
    `${bucket('30')} 2`,
    `${bucket('60')} 2`,
    `${bucket('+Inf')} 3`,
  ]);
  expect(await lines('data_import_request_duration_seconds_sum')).toEqual([
    'data_import_request_duration_seconds_sum{operation="accounts.stage"} 61.72',
  ]);
});

test('the state of the worker at the time of the request', async () => {
  let status: WorkerStatus | undefined;
  const { text, lines } = await openMetrics(watched().client, () => status);
  const standing = async () => [
    ...(await lines('data_import_(records|calls|process)_under_way')),
    ...(await lines('data_import_lease_valid')),
    ...(await lines('data_import_process_limit')),
    ...(await lines('data_import_records_taken_over_total')),
  ];
  expect(await standing()).toEqual([
    'data_import_calls_under_way 0',
    'data_import_process_under_way 0',
    'data_import_records_under_way 0',
    'data_import_lease_valid 0',
    'data_import_process_limit 0',
    'data_import_records_taken_over_total 0',
  ]);
  status = {
    ...{ state: 'working', isReady: true, hasLease: true, lacks: [], records: 6 },
    work: { ended: 12, requests: 40, throttled: 3, takenOver: 2 },
    pace: {
      ...{ state: 'running', reason: undefined, until: undefined, failingSince: undefined, waiting: 0, rps: 0 },
      concurrency: { underWay: 5, most: 32 },
      process: { underWay: 3, limit: 8, least: 1, most: 32, why: 'ramping up' },
      rate: { records: 1, requests: 2 },
    },
  };
  await text();
  expect(await standing()).toEqual([
    'data_import_calls_under_way 5',
    'data_import_process_under_way 3',
    'data_import_records_under_way 6',
    'data_import_lease_valid 1',
    'data_import_process_limit 8',
    'data_import_records_taken_over_total 2',
  ]);
});

test('the state of the run is 1 for the state that it is in', async () => {
  const pace: WorkerStatus['pace'] = {
    ...{ state: 'paused', reason: 'by the operator', until: undefined, failingSince: undefined, waiting: 0, rps: 0 },
    concurrency: { underWay: 5, most: 32 },
    process: { underWay: 3, limit: 8, least: 1, most: 32, why: 'ramping up' },
    rate: { records: 1, requests: 2 },
  };
  const { lines } = await openMetrics(watched().client, () => ({ pace }));
  expect(await lines('data_import_run_state')).toEqual([
    'data_import_run_state{state="running"} 0',
    'data_import_run_state{state="paused"} 1',
    'data_import_run_state{state="waiting"} 0',
    'data_import_run_state{state="draining"} 0',
    'data_import_run_state{state="halted"} 0',
  ]);
});

test('a run on one machine has no metrics of a worker', async () => {
  const metrics = await createMetrics({ client: watched().client, status: () => undefined, isDistributed: false });
  onTestFinished(() => metrics?.close());
  const text = await metrics?.text();
  expect(text).toContain('data_import_process_limit 0');
  expect(text).not.toMatch(/lease|taken_over|records_under_way/);
});

test('of the process itself: memory, CPU, event loop', async () => {
  const { lines } = await openMetrics(watched().client);
  expect(await lines('process_resident_memory_bytes')).toHaveLength(1);
  expect(await lines('process_cpu_seconds_total')).toHaveLength(1);
  expect(await lines('nodejs_eventloop_lag_p99_seconds')).toHaveLength(1);
});

test('no number of an account, no supplier and no token is in them', async () => {
  const sandbox = createSandbox();
  const server = await sandbox.listen();
  onTestFinished(() => server.close());
  const client = new DataImportClient({ baseUrl: server.url, token: sandbox.token });
  onTestFinished(() => client.close());
  const { text, lines, event } = await openMetrics(client);
  await client.accounts.stage({ import_supplier: 'SANDBOX_SUPPLIER', external_account_number: 'A-4711' });
  event({ ...record('created'), number: 'A-4711', supplier: 'SANDBOX_SUPPLIER' }, { type: 'ended' });
  expect(counted(await lines('data_import_requests_total'))).toEqual([
    'data_import_requests_total{operation="accounts.stage",status="2xx"} 1',
  ]);
  for (const secret of ['A-4711', 'SANDBOX_SUPPLIER', sandbox.token]) expect(await text()).not.toContain(secret);
});

test('two in one process are independent, and a closed one counts no more events', async () => {
  const { client, answer, hears } = watched();
  const first = await openMetrics(client);
  const second = await openMetrics(watched().client);
  answer('accounts.stage', 201, 20);
  expect(counted(await first.lines('data_import_requests_total'))).toHaveLength(1);
  expect(counted(await second.lines('data_import_requests_total'))).toEqual([]);
  first.close();
  expect(hears()).toBe(false);
});

test('there are none without prom-client', async () => {
  const missing = () => Promise.reject(new Error("Cannot find package 'prom-client'"));
  expect(
    await createMetrics({ client: watched().client, status: () => undefined, isDistributed: true }, missing),
  ).toBeUndefined();
});
