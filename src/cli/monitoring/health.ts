/** What a worker tells of itself to whoever looks after it: whether it is alive, whether it is ready, and its metrics. */
import type { WorkerStatus } from '../../migration/distributed/join.js';
import type { Answer } from './listen-address.js';
import type { Metrics } from './metrics.js';

export interface HealthOptions {
  /** undefined until it has joined. */
  status: () => Pick<WorkerStatus, 'state' | 'isReady' | 'lacks'> | undefined;
  /** Whether it has ended by an error. */
  hasFailed: () => boolean;
  /** undefined where the package for them is not installed. */
  metrics: Pick<Metrics, 'text' | 'contentType'> | undefined;
}

const NO_METRICS = 'Metrics need the package prom-client. Install it with "npm install prom-client@15".\n';

/** Nothing of it is secret or personal; still, whoever reaches it learns how the run goes. */
export function healthAnswer({ status, hasFailed, metrics }: HealthOptions): Answer {
  const pages: Readonly<Record<string, Answer>> = {
    // By this a service manager begins it anew: what that does not correct, such as a lost database, is no matter here.
    '/healthz': () => (hasFailed() ? new Response('failed\n', { status: 503 }) : new Response('ok\n')),
    '/readyz'() {
      const now = status();
      const state = hasFailed() ? 'failed' : (now?.state ?? 'joining');
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
