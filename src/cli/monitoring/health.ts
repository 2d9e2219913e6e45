/** `whileServing`: serves /healthz, /readyz and /metrics of a run or a worker while it works, for service managers and Prometheus. */
import type { DataImportClient } from '../../client.js';
import type { WorkerOptions } from '../../migration/distributed/worker/worker.js';
import type { ThrottleStatus } from '../../migration/throttle/throttle.js';
import type { CommandContext } from '../shared/command-context.js';
import { type Answer, type ListenAddress, listenAddress, listenAt } from './listen-address.js';
import { createMetrics, type Metrics, type MetricsStatus } from './metrics.js';

/** What /readyz shows. */
interface Readiness {
  /** Of a worker `waiting`, `working`, `draining` or `left`; of a run on one machine the state of its throttle. */
  state: string;
  isReady: boolean;
  /** Which conditions are not met, in words. */
  lacks: string[];
}

/** What the server shows of a run or a worker. */
export type HealthStatus = Readiness & MetricsStatus;

export interface Health {
  url: string;
  /** For `startMigration` and `startWorker`. The server is opened before, so that an address in use is reported before a record is sent. */
  onEvent: NonNullable<WorkerOptions['onEvent']>;
  /** Shows this status from now on. A status that is undefined counts as not started. */
  watch(watched: { status(): HealthStatus | undefined; finished: Promise<unknown> }): void;
}

/** Reads the address of `--health`. Throws a `UsageError` for an invalid one. */
export function servedBy({ health }: { health?: string | undefined }): ListenAddress | undefined {
  return health === undefined ? undefined : listenAddress(health);
}

/** Serves until `work` ends, if there is an address. Rejects as `work`, and with a `UsageError` if it cannot listen. */
export async function whileServing(
  address: ListenAddress | undefined,
  { client, isDistributed, err }: { client: DataImportClient; isDistributed: boolean } & Pick<CommandContext, 'err'>,
  work: (health: Health | undefined) => Promise<void>,
): Promise<void> {
  if (address === undefined) return work(undefined);
  let status = (): HealthStatus | undefined => undefined;
  let hasFailed = false;
  const metrics = await createMetrics({ client, status: () => status(), isDistributed });
  const firstState = isDistributed ? 'joining' : 'starting';
  try {
    const answer = healthAnswer({ status: () => status(), firstState, hasFailed: () => hasFailed, metrics });
    const { url, close } = await listenAt(address, answer);
    err(`Health and metrics: ${url}\n`);
    const health: Health = {
      url,
      onEvent: (record, event) => metrics?.event(record, event),
      watch(watched) {
        status = () => watched.status();
        watched.finished.catch(() => {
          hasFailed = true;
        });
      },
    };
    await work(health).finally(close);
  } finally {
    metrics?.close();
  }
}

interface HealthOptions {
  /** Returns undefined until a session has begun, or the worker has joined a run. */
  status: () => Readiness | undefined;
  /** The state until then. */
  firstState: 'starting' | 'joining';
  /** Whether the run or the worker has ended with an error. */
  hasFailed: () => boolean;
  /** undefined if the package prom-client is not installed. */
  metrics: Pick<Metrics, 'text' | 'contentType'> | undefined;
}

const NO_METRICS = 'Metrics need the package prom-client. Install it with "npm install prom-client@15".\n';

/** Returns what /readyz shows of a run on one machine: it is ready while calls may start. */
export function readinessOfRun({ state, reason }: Pick<ThrottleStatus, 'state' | 'reason'>): Readiness {
  const isReady = state === 'running';
  return { state, isReady, lacks: isReady ? [] : [reason === undefined ? state : `${state}: ${reason}`] };
}

/** Returns a handler of requests. The answers contain no secrets and no personal data, but show the progress of the run. */
export function healthAnswer({ status, firstState, hasFailed, metrics }: HealthOptions): Answer {
  const pages: Readonly<Record<string, Answer>> = {
    // A service manager restarts the process if this fails, so it ignores what a restart cannot solve, such as a lost database.
    '/healthz': () => (hasFailed() ? new Response('failed\n', { status: 503 }) : new Response('ok\n')),
    '/readyz'() {
      const now = status();
      const state = hasFailed() ? 'failed' : (now?.state ?? firstState);
      const isReady = now?.isReady === true && !hasFailed();
      return Response.json({ state, lacks: now?.lacks ?? [] }, { status: isReady ? 200 : 503 });
    },
    async '/metrics'() {
      if (metrics === undefined) return new Response(NO_METRICS, { status: 501 });
      return new Response(await metrics.text(), { headers: { 'Content-Type': metrics.contentType } });
    },
  };
  return (request) => {
    const { pathname } = new URL(request.url);
    const page = pages[pathname];
    if (page === undefined) return new Response('Here are /healthz, /readyz and /metrics.\n', { status: 404 });
    if (request.method === 'GET' || request.method === 'HEAD') return page(request);
    return new Response('Expected GET.\n', { status: 405, headers: { Allow: 'GET, HEAD' } });
  };
}
