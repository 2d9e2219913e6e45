/** The dashboard of a distributed run's queues: it shows the jobs that wait, changes nothing, and answers no other web page. */
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { dashboard } from '../../src/cli/monitoring/dashboard.js';
import { openWorkQueue } from '../../src/migration/distributed/queue/work-queue.js';
import { hasRedis, startRedis } from '../migration/distributed/redis-server.js';
import { hasPostgres, startPostgres } from '../migration/ledger/postgres/server.js';

const ENGINES = [
  { engine: 'Redis', isThere: hasRedis(), start: () => startRedis({ aof: false }) },
  { engine: 'PostgreSQL', isThere: hasPostgres(), start: startPostgres },
];
const QUEUE = 'data-import-run-1-free';

function asked(path: string, { method = 'GET' } = {}): Request {
  return new Request(`http://127.0.0.1:3000${path}`, { method });
}

describe.each(ENGINES)('on $engine', ({ isThere, start }) => {
  let server: Awaited<ReturnType<typeof start>>;
  beforeAll(async () => {
    if (isThere) server = await start();
  });
  afterAll(() => server?.remove());
  const it = test.skipIf(!isThere);

  async function open() {
    const workQueue = await openWorkQueue({ queue: server.url, ledgerId: 'run-1', name: 'one' });
    onTestFinished(() => workQueue.close());
    const board = await dashboard({ queue: server.url, ledgerId: 'run-1' });
    onTestFinished(() => board.close());
    return { workQueue, board };
  }

  it('shows the jobs that wait', async () => {
    const { workQueue, board } = await open();
    await workQueue.add('free', [{ supplier: 'SANDBOX_SUPPLIER', kind: 'account', number: 'A-1', version: 3 }]);
    const answer = await board.answer(asked(`/api/queues?activeQueue=${QUEUE}&status=waiting`));
    expect(answer.status).toBe(200);
    const { queues } = (await answer.json()) as { queues: { name: string }[] };
    expect(queues.map(({ name }) => name)).toEqual([QUEUE, 'data-import-run-1-process']);
    expect(queues[0]).toMatchObject({
      readOnlyMode: true,
      counts: { waiting: 1 },
      jobs: [{ data: { supplier: 'SANDBOX_SUPPLIER', kind: 'account', number: 'A-1', version: 3 } }],
    });
  });

  it('serves its page and the files of it, and allows no other sources', async () => {
    const { board } = await open();
    const page = await board.answer(asked('/'));
    const text = await page.text();
    expect({ status: page.status, type: page.headers.get('content-type') }).toEqual({
      status: 200,
      type: 'text/html; charset=UTF-8',
    });
    expect(text).toContain('<title>data-import-sdk</title>');
    const script = /static\/js\/main\.\w+\.js/.exec(text)?.[0];
    expect((await board.answer(asked(`/${script}`))).status).toBe(200);
    expect(page.headers.get('content-security-policy')).toContain("default-src 'none'; script-src 'self';");
    expect(page.headers.get('x-content-type-options')).toBe('nosniff');
  });

  it.each(['POST', 'PUT', 'PATCH', 'DELETE'])('%s is refused, whatever it is', async (method) => {
    const { workQueue, board } = await open();
    await workQueue.add('free', [{ supplier: 'SANDBOX_SUPPLIER', kind: 'account', number: 'A-1', version: 3 }]);
    for (const path of ['/', `/api/queues/${QUEUE}/empty`, '/api/queues/pause', `/api/queues/${QUEUE}/obliterate`]) {
      const answer = await board.answer(asked(path, { method }));
      expect([answer.status, await answer.text()]).toEqual([405, 'The dashboard is read-only.\n']);
    }
    expect(await workQueue.waiting()).toBe(1);
  });

  it('without the engine: an error without a secret, and it continues when the engine is back', async () => {
    const { board } = await open();
    expect((await board.answer(asked('/api/queues'))).status).toBe(200);
    await server.stop();
    const answer = await board.answer(asked('/api/queues'));
    expect(answer.status).toBe(500);
    expect(await answer.text()).not.toMatch(/redis:|postgres:/);
    await server.start();
    const isBack = async () => expect((await board.answer(asked('/api/queues'))).status).toBe(200);
    await vi.waitFor(isBack, { timeout: 30_000 });
  });
});

test.each(['api', 'adapter', 'hono'])('without its packages (%s): says what to install', async (name) => {
  const missing = () => Promise.reject(new Error('Cannot find package'));
  const loaders = {
    api: () => import('@bull-board/api'),
    adapter: () => import('@bull-board/api/bullMQAdapter'),
    hono: () => import('@bull-board/hono'),
    [name]: missing,
  };
  await expect(dashboard({ queue: 'redis://127.0.0.1:1', ledgerId: 'run-1' }, loaders)).rejects.toThrow(
    '--dashboard needs the packages @bull-board/api and @bull-board/hono. ' +
      'Install them with "npm install @bull-board/api@9 @bull-board/hono@9".',
  );
});
