/** `healthAnswer`: answers /healthz, /readyz and /metrics of a run or a worker, for service managers and Prometheus. */
import type { ThrottleStatus } from '../../migration/throttle/throttle.js';
import type { Answer } from './listen-address.js';
import type { Metrics } from './metrics.js';

/** What /readyz shows. */
export interface Readiness {
  /** Of a worker `waiting`, `working`, `draining` or `left`; of a run on one machine the state of its throttle. */
  state: string;
  isReady: boolean;
  /** Which conditions are not met, in words. */
  lacks: string[];
}

export interface HealthOptions {
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
