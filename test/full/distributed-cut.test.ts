/**
 * A process of a distributed run that loses its lease while its calls are in flight, because its way to the database is cut or
 * because it stood still: from then on it sends nothing more for what it had, the others take it over, and the outcome
 * is as ever. Afterwards it works on. Who sent what is seen at the service's door.
 */
import { join } from 'node:path';
import { setTimeout as after } from 'node:timers/promises';
import { afterAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { createSandbox } from '../../src/sandbox/index.js';
import { PATIENCE } from '../helpers/patience.js';
import { seed } from '../helpers/seed.js';
import { usePostgres } from '../migration/ledger/postgres/use-postgres.js';
import { type CalmRun, runInCalm } from './calm-run.js';
import { type Door, openDoor } from './distributed-door.js';
import { startProcess } from './distributed-processes.js';
import { openProxy } from './postgres-proxy.js';
import { outcomeOf, problemsOfRun } from './run-outcome.js';

const CUT_OFF = 'worker-cut-off';
const COORDINATOR = 'coordinator';
/** The client waits up to 0.5, 1 and 2 seconds between its tries. */
const LONGEST_WAIT_S = 2;
const SLOWLY_MS = 300;

let calm: CalmRun;
const { isThere, server } = usePostgres(async () => {
  calm = await runInCalm(600);
});
afterAll(() => calm?.remove());

describe.skipIf(!isThere)('a worker that loses its lease', () => {
  test('because its connection to the database is cut: none of its requests arrives once the lease is over, and no call of it stays', async () => {
    const proxy = await openProxy(server.url);
    onTestFinished(() => proxy.close());
    const { door, leaseOfWorker, expectTheEnd, expectTakenOver, worker } = await beginRun('cut', proxy.url);
    // When the connection is cut, some calls in flight get no answer, and others fail and are repeated.
    const { held, fail, letThrough } = holdCalls(door);
    const ofWorker = (from: number) => door.passages.slice(from).filter((passage) => passage.worker === CUT_OFF);
    await vi.waitFor(() => {
      expect(held.toRepeat).toBeGreaterThanOrEqual(2);
      expect(held.forGood).toBeGreaterThanOrEqual(2);
    }, PATIENCE);
    await proxy.down();
    const cutFrom = door.passages.length;
    fail();
    await vi.waitFor(async () => expect(await leaseOfWorker()).toMatchObject({ is_over: true }), PATIENCE);
    const until = Number((await leaseOfWorker())?.['until']);
    // Longer than until the attempt that would follow without a fence.
    await vi.waitFor(() => expect(Date.now()).toBeGreaterThan(until + LONGEST_WAIT_S * 1000), PATIENCE);

    expect(ofWorker(cutFrom), 'it sent further requests while its lease was valid').not.toEqual([]);
    expect(ofWorker(0).filter(({ at }) => at > until)).toEqual([]);
    expect(ofWorker(0).filter(({ status }) => status === undefined)).toEqual([]);
    expect(worker.end()).toBeUndefined();

    const backFrom = door.passages.length;
    await proxy.up();
    await vi.waitFor(() => expect(ofWorker(backFrom)).not.toEqual([]), PATIENCE);
    letThrough();
    await expectTheEnd();
    await expectTakenOver();
  });

  test('because it was suspended until the others had finished its records: when it resumes, it sends nothing', async () => {
    const { door, coordinator, worker, expectTheEnd, expectTakenOver } = await beginRun('still');
    worker.kill('SIGSTOP');
    await coordinator.ended;
    await expectTakenOver();
    const onFrom = door.passages.length;
    worker.kill('SIGCONT');
    await expectTheEnd();
    expect(door.passages.slice(onFrom)).toEqual([]);
  });
});

/** A run of a coordinator and the worker, both at work. `database`: the worker's way there. */
async function beginRun(name: string, database = server.url) {
  const faults = [{ effect: { latencyMs: 20 } }];
  const sandbox = createSandbox({ logLimit: 1_000_000, showPersonalData: true, faults });
  const door = await openDoor({ fetch: (request) => sandbox.fetch(request), token: sandbox.token });
  onTestFinished(() => door.close());
  const places = {
    ...{ folder: calm.folder, name, service: door.url, tokenOf: door.tokenOf, database: server.url, concurrency: 8 },
    flags: ['--process-concurrency', '8-16', '--resend-after-500'],
  };
  const start = async (...given: Parameters<typeof startProcess>) => {
    const process = startProcess(...given);
    onTestFinished(() => process.kill('SIGKILL'));
    const sent = () => door.passages.filter(({ worker }) => worker === process.name).length;
    await vi.waitFor(() => expect(sent()).toBeGreaterThan(20), PATIENCE);
    return process;
  };
  const coordinator = await start(COORDINATOR, 'coordinator', places);
  const worker = await start(CUT_OFF, 'worker', places, { database });
  return {
    ...{ door, coordinator, worker },
    /** Records that another worker took over after the lease of their worker had ended. */
    async expectTakenOver() {
      const [row] = await server.ask(`select sum((work ->> 'takenOver')::int)::int as count from ${name}.worker`);
      expect(Number(row?.['count'])).toBeGreaterThan(0);
    },
    /** The lease of the worker's first session: `until` by the database's clock, in milliseconds since 1970. */
    async leaseOfWorker() {
      const [row] = await server.ask(
        `select expires_at < clock_timestamp() as is_over, (extract(epoch from expires_at) * 1000)::float8 as until ` +
          `from ${name}.worker where name = '${CUT_OFF}' order by joined_at limit 1`,
      );
      return row;
    },
    async expectTheEnd() {
      const ends = await Promise.all([coordinator.ended, worker.ended]);
      const outcome = outcomeOf(join(calm.folder, name));
      const problems = problemsOfRun(outcome, calm.outcome, sandbox, calm.lines);
      expect({ seed, problems }).toEqual({ seed, problems: [] });
      // 4 if the loss left an unknown outcome, else 3: the input has mistakes.
      expect(ends.map(({ code }) => code)).toEqual([outcome.summary.unknown > 0 ? 4 : 3, 0]);
    },
  };
}

/** With --resend-after-500 the client repeats these by itself, without asking the ledger. */
const REPEATED_AFTER_500 = /payment-instruction|historical-statement/;
const HELD_FOR_GOOD = /note|transaction/;

/**
 * Holds calls of the worker that is cut off: those that the client repeats until `fail`, and then they are answered 500;
 * two of notes or transactions for good. The calls of other workers are slow. `letThrough` ends all of it.
 */
function holdCalls(door: Door) {
  let [open, fail] = [() => {}, () => {}];
  const opened = new Promise<undefined>((resolve) => {
    open = () => resolve(undefined);
  });
  const failing = new Promise<void>((resolve) => {
    fail = resolve;
  });
  const held = { toRepeat: 0, forGood: 0 };
  let isCut = true;
  door.keep(async ({ worker, path }) => {
    if (worker !== CUT_OFF) return Promise.race([opened, after(SLOWLY_MS, undefined)]);
    // Where its lease is a new one, it is served again.
    if (!isCut) return undefined;
    if (REPEATED_AFTER_500.test(path)) {
      held.toRepeat++;
      await failing;
      return Response.json({ detail: 'Failed.' }, { status: 500 });
    }
    // Two, so that the others have calls left.
    if (!HELD_FOR_GOOD.test(path) || held.forGood === 2) return undefined;
    held.forGood++;
    return opened;
  });
  return {
    held,
    fail: () => fail(),
    letThrough() {
      isCut = false;
      open();
      door.keep();
    },
  };
}
