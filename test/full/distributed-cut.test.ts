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
import { type RunPlaces, type RunProcess, startProcess } from './distributed-processes.js';
import { openProxy } from './postgres-proxy.js';
import { outcomeOf, problemsOfRun } from './run-outcome.js';

const ACCOUNTS = 600;
const CONCURRENCY = 8;
const CUT_OFF = 'worker-cut-off';
const COORDINATOR = 'coordinator';
/** A lease lasts ten seconds; on a busy machine all that follows takes its time. */

let calm: CalmRun;
const { isThere, server } = usePostgres(async () => {
  calm = await runInCalm(ACCOUNTS);
});
afterAll(() => calm?.remove());

/** What a worker is to the database. */
interface Seen {
  isOver: boolean;
  /** By the database's clock, in milliseconds since 1970. */
  until: number;
}

describe.skipIf(!isThere)('a worker that loses its lease', () => {
  test('because its connection to the database is cut: none of its requests arrives once the lease is over, and no call of it stays', async () => {
    const proxy = await openProxy(server.url);
    onTestFinished(() => proxy.close());
    const { door, sandbox, places, start, leaseOf, takenOver } = await openDistributedRun('cut');
    const coordinator = start(COORDINATOR);
    await atWork(door, COORDINATOR);
    const worker = start(CUT_OFF, proxy.url);
    await atWork(door, CUT_OFF);
    const former = await leaseOf(CUT_OFF);

    // When the connection is cut, some calls in flight get no answer, and others fail and are repeated.
    const { held, fail, letThrough } = holdCalls(door);
    const ofWorker = (from: number) => door.passages.slice(from).filter(({ worker }) => worker === CUT_OFF);
    await vi.waitFor(() => {
      expect(held.toRepeat).toBeGreaterThanOrEqual(2);
      expect(held.forGood).toBeGreaterThanOrEqual(2);
    }, PATIENCE);
    await proxy.down();
    const cutFrom = door.passages.length;
    fail();
    await vi.waitFor(async () => expect(await former.now()).toMatchObject({ isOver: true }), PATIENCE);
    const { until } = await former.now();
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
    await expectTheEnd(coordinator, [worker], places, sandbox);
    expect(await takenOver()).toBeGreaterThan(0);
  });

  test('because it was suspended until the others had finished its records: when it resumes, it sends nothing', async () => {
    const { door, sandbox, places, start, takenOver } = await openDistributedRun('still');
    const coordinator = start(COORDINATOR);
    await atWork(door, COORDINATOR);
    const worker = start(CUT_OFF);
    await atWork(door, CUT_OFF);
    worker.kill('SIGSTOP');
    await coordinator.ended;
    expect(await takenOver()).toBeGreaterThan(0);

    const onFrom = door.passages.length;
    worker.kill('SIGCONT');
    await expectTheEnd(coordinator, [worker], places, sandbox);
    expect(door.passages.slice(onFrom)).toEqual([]);
  });
});

async function openDistributedRun(name: string) {
  const sandbox = createSandbox({
    logLimit: 1_000_000,
    showPersonalData: true,
    faults: [{ effect: { latencyMs: 20 } }],
  });
  const door = await openDoor({ fetch: (request) => sandbox.fetch(request), token: sandbox.token });
  onTestFinished(() => door.close());
  const places: RunPlaces = {
    folder: calm.folder,
    name,
    service: door.url,
    tokenOf: door.tokenOf,
    database: server.url,
    concurrency: CONCURRENCY,
    flags: ['--process-concurrency', '8-16', '--resend-after-500'],
  };
  return {
    sandbox,
    door,
    places,
    start(worker: string, database = server.url): RunProcess {
      const role = worker === COORDINATOR ? 'coordinator' : 'worker';
      const process = startProcess(worker, role, places, { database });
      onTestFinished(() => process.kill('SIGKILL'));
      return process;
    },
    /** Records that another worker took over after the lease of their worker had ended. */
    async takenOver(): Promise<number> {
      const [row] = await server.ask(`select sum((work ->> 'takenOver')::int)::int as count from ${name}.worker`);
      return Number(row?.['count']);
    },
    /** The lease that it has at this moment, looked at later. */
    async leaseOf(worker: string) {
      const [found] = await server.ask(`select id from ${name}.worker where name = '${worker}' and left_at is null`);
      const id = String(found?.['id']);
      return {
        async now(): Promise<Seen> {
          const [row] = await server.ask(
            `select expires_at < clock_timestamp() as is_over, (extract(epoch from expires_at) * 1000)::float8 as until ` +
              `from ${name}.worker where id = '${id}'`,
          );
          return { isOver: row?.['is_over'] === true, until: Number(row?.['until']) };
        },
      };
    },
  };
}

async function atWork(door: Door, worker: string): Promise<void> {
  await vi.waitFor(
    () => expect(door.passages.filter((passage) => passage.worker === worker).length).toBeGreaterThan(20),
    PATIENCE,
  );
}

/** With --resend-after-500 the client repeats these by itself, without asking the ledger. */
const REPEATED_AFTER_500 = /payment-instruction|historical-statement/;
const HELD_FOR_GOOD = /note|transaction/;

/**
 * Holds calls of the worker that is cut off: those that the client repeats until `fail`, and then they are answered 500;
 * two of notes or transactions for good. The calls of other workers are slow. `letThrough` ends all of it.
 */
function holdCalls(door: Door) {
  const { opened, open } = opening();
  const { opened: failing, open: fail } = opening();
  const held = { toRepeat: 0, forGood: 0 };
  let isCut = true;
  door.keep(async ({ worker, path }) => {
    if (worker !== CUT_OFF) return slowly(opened);
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
    fail,
    letThrough() {
      isCut = false;
      open();
      door.keep();
    },
  };
}

/** The client waits up to 0.5, 1 and 2 seconds between its tries. */
const LONGEST_WAIT_S = 2;

function opening(): { opened: Promise<undefined>; open: () => void } {
  let open = () => {};
  const opened = new Promise<undefined>((resolve) => {
    open = () => resolve(undefined);
  });
  return { opened, open };
}

const SLOWLY_MS = 300;

function slowly(opened: Promise<undefined>): Promise<undefined> {
  return Promise.race([opened, after(SLOWLY_MS, undefined)]);
}

async function expectTheEnd(
  coordinator: RunProcess,
  workers: readonly RunProcess[],
  { folder, name }: RunPlaces,
  sandbox: Parameters<typeof problemsOfRun>[2],
): Promise<void> {
  const ends = await Promise.all([coordinator, ...workers].map(({ ended }) => ended));
  const outcome = outcomeOf(join(folder, name));
  const problems = problemsOfRun(outcome, calm.outcome, sandbox, calm.lines);
  expect({ seed, problems }).toEqual({ seed, problems: [] });
  // 4 if the loss left an unknown outcome, else 3: the input has mistakes.
  const code = outcome.summary.unknown > 0 ? 4 : 3;
  expect(ends.map((end) => end.code)).toEqual([code, ...workers.map(() => 0)]);
}
