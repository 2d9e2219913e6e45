/**
 * Exports `dashboard`: a read-only web page (bull-board) with the two queues of a distributed run: the jobs, which contain account
 * numbers, and the workers that have them. Other web pages cannot read it.
 */
import type { IServerAdapter } from '@bull-board/api/typings/app';
import type { Queue } from 'bullmq';
import { openEngine } from '../../migration/distributed/queue/queue-engine.js';
import { QUEUE_NAMES, queueNameOf } from '../../migration/distributed/queue/work-queue.js';
import { UsageError } from '../shared/errors.js';

export interface DashboardOptions {
  /** `redis://…`, `redis+sentinel://…` or `postgres://…`. */
  queue: string;
  ledgerId: string;
  /**
   * Schema of the ledger.
   * @default 'data_import'
   */
  schema?: string | undefined;
}

export interface Dashboard {
  answer(request: Request): Promise<Response>;
  close(): Promise<void>;
}

/** Loads the packages. Tests replace it. */
export interface DashboardLoaders {
  api(): Promise<Pick<typeof import('@bull-board/api'), 'createBullBoard'>>;
  adapter(): Promise<Pick<typeof import('@bull-board/api/bullMQAdapter'), 'BullMQAdapter'>>;
  hono(): Promise<Pick<typeof import('@bull-board/hono'), 'HonoAdapter'>>;
}

const dashboardLoaders: DashboardLoaders = {
  api: () => import('@bull-board/api'),
  adapter: () => import('@bull-board/api/bullMQAdapter'),
  hono: () => import('@bull-board/hono'),
};

/** Headers of every answer. The policy blocks the web fonts that bull-board loads from another server. */
const HEADERS: Readonly<Record<string, string>> = {
  'Cache-Control': 'no-store',
  'Content-Security-Policy':
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; connect-src 'self'; img-src 'self' data:; " +
    "font-src 'self'; base-uri 'self'; form-action 'none'; frame-ancestors 'none'",
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
};

/** Opens the dashboard. Rejects with a `QueueError` if the queue cannot be reached, and with a `UsageError` if packages are missing. */
export async function dashboard(
  { queue: address, ledgerId, schema }: DashboardOptions,
  loaders: DashboardLoaders = dashboardLoaders,
): Promise<Dashboard> {
  const [{ createBullBoard }, { BullMQAdapter }, { HonoAdapter }] = await loadBoard(loaders);
  const engine = await openEngine({ queue: address, schema });
  const queues = QUEUE_NAMES.map((name) => {
    const options = { connection: {}, skipMetasUpdate: true };
    const queue = new engine.bullmq.Queue(queueNameOf(ledgerId, name), options, engine.producing);
    queue.on('error', () => {});
    return queue;
  });

  const { serveStatic } = await import('@hono/node-server/serve-static');
  const server = new HonoAdapter(serveStatic);
  // The adapter has the type of a Redis queue. The methods that bull-board calls exist for both engines.
  const adapters = queues.map((queue) => new BullMQAdapter(queue as unknown as Queue, { readOnlyMode: true }));
  // @bull-board/hono has the types of one exact version of @bull-board/api.
  const serverAdapter = server as unknown as IServerAdapter;
  createBullBoard({ queues: adapters, serverAdapter, options: { uiConfig: { boardTitle: 'data-import-sdk' } } });
  const board = server.registerPlugin();
  return {
    async answer(request) {
      const refusal = refused(request);
      const { status, headers, body } = refusal ?? (await board.fetch(request));
      const answer = new Response(body, { status, headers });
      for (const [name, value] of Object.entries(HEADERS)) answer.headers.set(name, value);
      return answer;
    },
    async close() {
      await Promise.all(queues.map((queue) => queue.getBackend().close(true)));
    },
  };
}

function refused({ method }: Request): Response | undefined {
  if (method !== 'GET' && method !== 'HEAD') {
    return new Response('The dashboard is read-only.\n', {
      status: 405,
      headers: { Allow: 'GET, HEAD' },
    });
  }
  return undefined;
}

async function loadBoard({ api, adapter, hono }: DashboardLoaders) {
  try {
    return await Promise.all([api(), adapter(), hono()]);
  } catch (cause) {
    throw new UsageError(
      '--dashboard needs the packages @bull-board/api and @bull-board/hono. ' +
        'Install them with "npm install @bull-board/api@9 @bull-board/hono@9".',
      { cause },
    );
  }
}
