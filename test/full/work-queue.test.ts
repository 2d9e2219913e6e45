/** The two queues of a distributed run on real engines: each job once, one limit for all workers, and nothing but records. */
import { Queue } from 'bullmq';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import type { JobEnd, RecordJob } from '../../src/migration/distributed/queue/queue-consumer.js';
import { openWorkQueue } from '../../src/migration/distributed/queue/work-queue.js';
import { hasRedis, startRedis } from '../migration/distributed/redis-server.js';
import { hasPostgres, startPostgres } from '../migration/ledger/postgres/server.js';

const ENGINES = [
  { engine: 'Redis', isThere: hasRedis(), start: () => startRedis({ aof: false }) },
  { engine: 'PostgreSQL', isThere: hasPostgres(), start: startPostgres },
];
const SOON = { timeout: 20_000 };
const job = (number: string, version = 1): RecordJob => ({ supplier: 'ACME', kind: 'account', number, version });

describe.each(ENGINES)('on $engine', ({ engine, isThere, start }) => {
  let server: Awaited<ReturnType<typeof start>>;
  let runs = 0;
  beforeAll(async () => {
    if (isThere) server = await start();
  });
  afterAll(() => server?.remove());
  const it = test.skipIf(!isThere);

  /** Several workers of one run. */
  async function open(count = 1) {
    const ledgerId = `run-${++runs}`;
    const notes: string[] = [];
    const workers = await Promise.all(
      Array.from({ length: count }, (_, index) =>
        openWorkQueue({ queue: server.url, ledgerId, name: `w${index}`, onNote: (note) => notes.push(note) }),
      ),
    );
    onTestFinished(async () => void (await Promise.all(workers.map((worker) => worker.close()))));
    const [first] = workers;
    if (first === undefined) throw new Error('at least one worker');
    return { ledgerId, notes, workers, first };
  }

  it('each job runs once, also if it was added twice, and again after it is done', async () => {
    const { workers, first } = await open(2);
    const done: string[] = [];
    for (const worker of workers) {
      worker.consume('free', 4, async ({ number }) => {
        done.push(number);
        return 'done';
      });
    }
    const jobs = Array.from({ length: 50 }, (_, index) => job(`A-${index}`));
    await Promise.all(workers.map((worker) => worker.add('free', jobs)));
    await vi.waitFor(() => expect(done.length).toBeGreaterThanOrEqual(50), SOON);
    await vi.waitFor(async () => expect(await first.waiting()).toBe(0), SOON);
    expect(new Set(done).size).toBe(50);
    await first.add('free', [job('A-7', 2)]);
    await vi.waitFor(() => expect(done.filter((number) => number === 'A-7').length).toBeGreaterThan(1), SOON);
  });

  it('of `process` no more jobs run at the same time than the limit, on all workers, also after it was raised', async () => {
    const { workers, first } = await open(2);
    await first.setLimit(2);
    let [running, most, done] = [0, 0, 0];
    for (const worker of workers) {
      worker.consume('process', 8, async () => {
        most = Math.max(most, ++running);
        await new Promise((resolve) => setTimeout(resolve, 30));
        running--;
        done++;
        return 'done';
      });
    }
    await first.add(
      'process',
      Array.from({ length: 20 }, (_, index) => job(`A-${index}`)),
    );
    await vi.waitFor(() => expect(done).toBe(20), SOON);
    expect(most).toBe(2);
    await first.setLimit(6);
    await first.add(
      'process',
      Array.from({ length: 40 }, (_, index) => job(`B-${index}`)),
    );
    await vi.waitFor(() => expect(done).toBe(60), SOON);
    expect(most).toBeGreaterThan(2);
    expect(most).toBeLessThanOrEqual(6);
  });

  it('a server has no id for a run until a process has set one, which all of its workers see', async () => {
    const { workers } = await open(2);
    const [one, other] = workers;
    expect(await Promise.all(workers.map((worker) => worker.serverId()))).toEqual([undefined, undefined]);
    await one?.setServerId(1_234_567_890);
    expect(await other?.serverId()).toBe(1_234_567_890);
    const otherRun = await open();
    expect(await otherRun.first.serverId()).toBeUndefined();
  });

  it('a worker with all slots releases them when its share is reduced, and takes none with 0', async () => {
    const { workers, first } = await open(2);
    await first.setLimit(4);
    const running = workers.map(() => 0);
    const [one, other] = workers.map((worker, index) =>
      worker.consume('process', 0, async () => {
        running[index] = (running[index] ?? 0) + 1;
        await new Promise((resolve) => setTimeout(resolve, 100));
        running[index] = (running[index] ?? 0) - 1;
        return 'done';
      }),
    );
    await first.add(
      'process',
      Array.from({ length: 1000 }, (_, index) => job(`A-${index}`)),
    );
    one?.setConcurrency(8);
    await vi.waitFor(() => expect(running).toEqual([4, 0]), SOON);
    one?.setConcurrency(2);
    other?.setConcurrency(2);
    await vi.waitFor(() => expect(running).toEqual([2, 2]), SOON);
    one?.setConcurrency(0);
    other?.setConcurrency(4);
    await vi.waitFor(() => expect(running).toEqual([0, 4]), SOON);
    await first.setPaused(true);
  });

  it('a job that returns its slot runs again, with the given version', async () => {
    const { first } = await open();
    const seen: number[] = [];
    first.consume('process', 1, async ({ version }): Promise<JobEnd> => {
      seen.push(version);
      return version < 3 ? { again: version + 1 } : 'done';
    });
    await first.add('process', [job('A-1')]);
    await vi.waitFor(() => expect(seen).toEqual([1, 2, 3]), SOON);
  });

  it('no job runs while it is paused, and all run afterwards', async () => {
    const { first } = await open();
    const done: string[] = [];
    await first.setPaused(true);
    first.consume('free', 4, async ({ number }) => {
      done.push(number);
      return 'done';
    });
    await first.add('free', [job('A-1'), job('A-2')]);
    expect(done).toEqual([]);
    await first.setPaused(false);
    await vi.waitFor(() => expect(done.toSorted()).toEqual(['A-1', 'A-2']), SOON);
  });

  test.skipIf(!isThere || engine !== 'Redis')(
    'a job that is no record is dropped and reported, and the others run',
    async () => {
      const { ledgerId, first, notes } = await open();
      const done: string[] = [];
      const { hostname: host, port } = new URL(server.url);
      const queue = new Queue(`data-import-${ledgerId}-free`, { connection: { host, port: Number(port) } });
      onTestFinished(() => queue.close());
      for (const data of [{}, { ...job('X'), version: 2 ** 31 }, { ...job('X'), kind: 'other' }, 'text', null]) {
        await queue.add('account', data);
      }
      first.consume('free', 1, async ({ number }) => {
        done.push(number);
        return 'done';
      });
      await first.add('free', [job('A-1')]);
      await vi.waitFor(() => expect(done).toEqual(['A-1']), SOON);
      expect(notes.at(-1)).toBe(
        `queue: 5 of its jobs are from another program and were dropped. Find out what else writes to Redis on ${host}:${port}.`,
      );
    },
  );
});
