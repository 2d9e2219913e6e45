/** What a distributed run leans on, in memory: its ledger, the row of its state, and its work queue, shared by one process. */

import type { Joined } from '../../../src/migration/distributed/join.js';
import type { DistributedLedger } from '../../../src/migration/distributed/ledger/distributed-ledger.js';
import type { Worker } from '../../../src/migration/distributed/ledger/worker-rows.js';
import type { JobEnd, RecordJob } from '../../../src/migration/distributed/queue/queue-consumer.js';
import type { QueueName, WorkQueue } from '../../../src/migration/distributed/queue/work-queue.js';
import type { RunState } from '../../../src/migration/distributed/state/run-state.js';
import { openSharedState, type SharedState } from '../../../src/migration/distributed/state/shared-state.js';
import type { StateRow } from '../../../src/migration/distributed/state/state-row.js';
import type { LedgerRecord, RecordKey } from '../../../src/migration/ledger/ledger.js';
import { createMemoryLedger } from '../../../src/migration/ledger/memory.js';
import { all as allOf } from '../ledger/records.js';

/** Name of the process that reads the input. */
export const COORDINATOR = 'first';

/** Twenty seconds in PostgreSQL. */
const FED_FOR_MS = 2000;

const keyOf = ({ supplier, kind, number }: RecordKey) => JSON.stringify([supplier, kind, number]);

export interface MemoryRun {
  join(name: string, engine?: Joined['engine']): Promise<MemoryJoined>;
  /** The same with an engine that the run does not use. */
  joinWithAnotherQueue(name: string): Promise<MemoryJoined>;
  /** All that the engine of the work queue had is lost: jobs, limit and pause. */
  loseQueue(): void;
  state(): RunState | undefined;
  /** Names of the processes that have joined and not left. */
  present(): string[];
}

export interface MemoryJoined extends Joined {
  /** Its heartbeats end, as those of a killed process; its requests continue. */
  vanish(): void;
}

export function memoryRun(): MemoryRun {
  const ledger = createMemoryLedger();
  /** Records whose lines the session of the coordinator has read. */
  const read = new Set<string>();
  const dueAt = new Map<string, number>();
  const owners = new Map<string, string>();
  const workers: Worker[] = [];
  const queue = memoryQueue();
  /** Each reads a change at once: a worker that looks now and then may miss a short run. */
  const states = new Set<SharedState>();
  let stored: string | undefined;
  let tickedAt = 0;
  let changing: Promise<unknown> = Promise.resolve();

  const row: StateRow = {
    read: async () => ({ state: stored === undefined ? undefined : JSON.parse(stored), now: Date.now() }),
    change(change, whileHeld) {
      const changed = changing.then(async () => {
        const before: RunState | undefined = stored === undefined ? undefined : JSON.parse(stored);
        const state = change(before, Date.now());
        stored = JSON.stringify(state);
        await whileHeld?.(before, state);
        for (const one of states) setImmediate(() => void one.read());
        return { state, now: Date.now() };
      });
      changing = changed.catch(() => {});
      return changed;
    },
    async takeTick() {
      if (Date.now() - tickedAt < 100) return false;
      tickedAt = Date.now();
      return true;
    },
  };
  async function waits({ supplier, contract }: LedgerRecord): Promise<boolean> {
    const business = contract === null ? undefined : await ledger.business(supplier, contract);
    return business !== undefined && business.outcome !== 'created' && business.outcome !== 'alreadyImported';
  }
  async function unfinished(): Promise<LedgerRecord[]> {
    const found: LedgerRecord[] = [];
    for (const record of await allOf(ledger.list())) {
      if (record.outcome === null && read.has(keyOf(record)) && !(await waits(record))) found.push(record);
    }
    return found;
  }
  const isThere = (id: string) => workers.some((worker) => worker.id === id && worker.isThere);

  function ledgerOf(worker: Worker): DistributedLedger {
    const leave = () => Object.assign(worker, { isThere: false, leftAt: '' });
    return {
      ...ledger,
      ...{ workerId: worker.id, schema: 'memory', ledgerId: 'memory', state: row },
      workers: {
        id: worker.id,
        join: async () => {},
        async beat(work) {
          worker.work = work;
        },
        leave: async () => void leave(),
        all: async () => structuredClone(workers),
      },
      patiently: (task) => task(),
      async write(record, contracts, isOver) {
        await ledger.write(record, contracts, isOver);
        owners.set(keyOf(record), worker.id);
        dueAt.set(keyOf(record), Date.now() + FED_FOR_MS);
      },
      async register(record, contracts) {
        read.add(keyOf(record));
        dueAt.delete(keyOf(record));
        if (record.version > 0) return record;
        const written = { ...record, version: 1 };
        // Of two that register one record, the first has done it.
        await ledger.write(written, contracts).catch(() => {});
        return written;
      },
      async load(key) {
        const record = await ledger.find(key);
        const line = record && (await ledger.line(key, record.hash));
        if (record === undefined || line === undefined || !read.has(keyOf(record))) return undefined;
        return record.outcome === null && !(await waits(record)) ? { record, payload: line.record } : undefined;
      },
      async defer(record, ms) {
        const found = await ledger.find(record);
        if (found?.version === record.version) dueAt.set(keyOf(record), Date.now() + ms);
      },
      async takeDue(most) {
        const isDue = (record: LedgerRecord) => {
          const owner = owners.get(keyOf(record));
          return (dueAt.get(keyOf(record)) ?? 0) <= Date.now() || (owner !== undefined && !isThere(owner));
        };
        const due = (await unfinished()).filter(isDue).slice(0, most);
        for (const record of due) {
          dueAt.set(keyOf(record), Date.now() + FED_FOR_MS);
          owners.delete(keyOf(record));
        }
        return due.map(({ supplier, kind, number, version, done, intent }) => {
          return { supplier, kind, number, version, done, intent };
        });
      },
      makeAllDue: async () => dueAt.clear(),
      hasWork: async () => (await unfinished()).length > 0,
      countWork: async (most) => Math.min(most, (await unfinished()).length),
      close: async () => void leave(),
    };
  }

  async function joinOn(queue: MemoryQueue, name: string, engine: Joined['engine']): Promise<MemoryJoined> {
    const isCoordinator = name === COORDINATOR;
    const work = { ended: 0, requests: 0, throttled: 0, takenOver: 0 };
    const id = `${name}-${workers.length}`;
    const worker: Worker = { id, name, host: 'host', pid: 1, joinedAt: '', leftAt: null, isThere: true, work };
    workers.push(worker);
    if (isCoordinator) read.clear();
    const joined = ledgerOf(worker);
    const whileHeld = async (_: RunState | undefined, after: RunState) => {
      await queue.open().setLimit(after.limit.limit);
      await queue.open().setPaused(after.paused !== null || after.ended !== null || after.phase === 'over');
    };
    const state = await openSharedState({ row, whileHeld, onNote: () => {} });
    states.add(state);
    const own = queue.open();
    return {
      ...{ ledger: joined, state, queue: own, engine },
      vanish: () => Object.assign(worker, { isThere: false }),
      async close() {
        await own.close();
        states.delete(state);
        await state.close();
        await joined.close();
      },
    };
  }

  return {
    state: () => (stored === undefined ? undefined : JSON.parse(stored)),
    present: () => workers.filter(({ isThere: isPresent }) => isPresent).map(({ name }) => name),
    loseQueue: queue.lose,
    join: (name, engine = 'postgres') => joinOn(queue, name, engine),
    joinWithAnotherQueue: (name) => joinOn(memoryQueue(), name, 'postgres'),
  };
}

interface Taken {
  job: RecordJob;
  isActive: boolean;
}

type MemoryQueue = ReturnType<typeof memoryQueue>;

interface MemoryConsumer {
  name: QueueName;
  concurrency: number;
  active: number;
  handle: (job: RecordJob) => Promise<JobEnd>;
  isClosed: boolean;
}

/** Two queues as an engine has them: one job of a name in each, a limit on `process`, a pause. */
function memoryQueue() {
  const jobs: Record<QueueName, Map<string, Taken>> = { free: new Map(), process: new Map() };
  const consumers = new Set<MemoryConsumer>();
  let serverId: number | undefined;
  let limit = Number.POSITIVE_INFINITY;
  let isPaused = false;

  const activeIn = (name: QueueName) => [...jobs[name].values()].filter(({ isActive }) => isActive).length;
  function deal(): void {
    if (isPaused) return;
    for (const consumer of consumers) {
      for (const [id, taken] of [...jobs[consumer.name]]) {
        const isFull = consumer.name === 'process' && activeIn('process') >= limit;
        if (consumer.isClosed || consumer.active >= consumer.concurrency || isFull) break;
        if (!taken.isActive) void run(consumer, id, taken);
      }
    }
  }
  async function run(consumer: MemoryConsumer, id: string, taken: Taken): Promise<void> {
    taken.isActive = true;
    consumer.active++;
    const end = await consumer.handle(taken.job);
    consumer.active--;
    if (jobs[consumer.name].get(id) === taken) jobs[consumer.name].delete(id);
    if (end !== 'done') jobs[consumer.name].set(id, { job: { ...taken.job, version: end.again }, isActive: false });
    setImmediate(deal);
  }

  return {
    lose() {
      jobs.free.clear();
      jobs.process.clear();
      serverId = undefined;
      limit = Number.POSITIVE_INFINITY;
      isPaused = false;
    },
    open(): WorkQueue {
      const own = new Set<MemoryConsumer>();
      const close = async (consumer: MemoryConsumer) => {
        consumer.isClosed = true;
        while (consumer.active > 0) await new Promise(setImmediate);
        consumers.delete(consumer);
      };
      return {
        async add(name, added) {
          for (const job of added)
            if (!jobs[name].has(keyOf(job))) jobs[name].set(keyOf(job), { job, isActive: false });
          setImmediate(deal);
        },
        serverId: async () => serverId,
        async setServerId(id) {
          serverId = id;
        },
        waiting: async () => jobs.free.size + jobs.process.size - activeIn('free') - activeIn('process'),
        async setLimit(next) {
          limit = next;
          setImmediate(deal);
        },
        async setPaused(next) {
          isPaused = next;
          setImmediate(deal);
        },
        consume(name, concurrency, handle) {
          const consumer: MemoryConsumer = { name, concurrency, active: 0, handle, isClosed: false };
          consumers.add(consumer);
          own.add(consumer);
          setImmediate(deal);
          return {
            setConcurrency(most) {
              consumer.concurrency = most;
              setImmediate(deal);
            },
            close: () => close(consumer),
          };
        },
        isReachable: () => true,
        close: async () => void (await Promise.all([...own].map(close))),
      };
    },
  };
}
