/** What the processes of a distributed run share, in memory: its ledger, and the row of its state. */

import type { DistributedLedger, Joined } from '../../../src/migration/distributed/ledger/distributed-ledger.js';
import type { Worker } from '../../../src/migration/distributed/ledger/worker-rows.js';
import type { RunState } from '../../../src/migration/distributed/state/run-state.js';
import { openSharedState, type SharedState } from '../../../src/migration/distributed/state/shared-state.js';
import type { StateRow } from '../../../src/migration/distributed/state/state-row.js';
import type { LedgerRecord, RecordKey } from '../../../src/migration/ledger/ledger.js';
import { createMemoryLedger } from '../../../src/migration/ledger/memory.js';
import { all as allOf } from '../ledger/records.js';

/** Name of the process that reads the input. */
export const COORDINATOR = 'first';

const keyOf = ({ supplier, kind, number }: RecordKey) => JSON.stringify([supplier, kind, number]);

export interface MemoryRun {
  join(name: string): Promise<Joined>;
  state(): RunState | undefined;
  /** Names of the processes that have joined and not left. */
  present(): string[];
}

/** `aheadMs`: how far the clock of the database is ahead of that of the machine. */
export function memoryRun(aheadMs = 0): MemoryRun {
  const now = () => Date.now() + aheadMs;
  const ledger = createMemoryLedger();
  /** Records whose lines the session of the coordinator has read. */
  const read = new Set<string>();
  /** Records that must be registered again. */
  const setAside = new Set<string>();
  const dueAt = new Map<string, number>();
  const owners = new Map<string, string>();
  const workers: Worker[] = [];
  /** Each reads a change at once: a worker that looks now and then may miss a short run. */
  const states = new Set<SharedState>();
  let stored: string | undefined;
  let changing: Promise<unknown> = Promise.resolve();

  const row: StateRow = {
    read: async () => ({ state: stored === undefined ? undefined : JSON.parse(stored), now: now() }),
    change(change, reportOf) {
      const changed = changing.then(async () => {
        const before: RunState | undefined = stored === undefined ? undefined : JSON.parse(stored);
        const state = change(before, now());
        stored = JSON.stringify(state);
        const reporter = workers.find(({ id }) => id === reportOf);
        Object.assign(reporter?.work ?? {}, state.workers[reporter?.id ?? '']?.work);
        if (state === before) return { state, now: now() };
        for (const one of states) setImmediate(() => one.store((current) => current).catch(() => {}));
        return { state, now: now() };
      });
      changing = changed.catch(() => {});
      return changed;
    },
  };
  const open = () => allOf(ledger.list({ outcome: null }));
  const unfinished = async () => (await open()).filter((record) => read.has(keyOf(record)));
  const isThere = (id: string) => workers.some((worker) => worker.id === id && worker.isThere);

  function ledgerOf(worker: Worker): DistributedLedger {
    const leave = () => Object.assign(worker, { isThere: false, leftAt: '' });
    return {
      ...ledger,
      workerId: worker.id,
      workers: async () => structuredClone(workers),
      patiently: (task) => task(),
      async write(record, contracts, isOver) {
        await ledger.write(record, contracts, isOver);
        owners.set(keyOf(record), worker.id);
      },
      async register(record, contracts) {
        if (owners.get(keyOf(record)) === worker.id) owners.delete(keyOf(record));
        read.add(keyOf(record));
        setAside.delete(keyOf(record));
        if (record.version > 0) return record;
        const written = { ...record, version: 1 };
        // Of two that register one record, the first has done it.
        await ledger.write(written, contracts).catch(() => {});
        return written;
      },
      async claim(most, inHand) {
        const held = new Set(inHand.map(keyOf));
        const isDue = (record: LedgerRecord) => {
          const owner = owners.get(keyOf(record));
          if (owner === worker.id) return !held.has(keyOf(record));
          return owner === undefined ? (dueAt.get(keyOf(record)) ?? 0) <= now() : !isThere(owner);
        };
        const due = (await unfinished()).filter(isDue).slice(0, most);
        for (const record of due) owners.set(keyOf(record), worker.id);
        return Promise.all(
          due.map(async (record) => {
            const line = await ledger.line(record, record.hash);
            if (line === undefined) throw new Error(`${record.number} has no line`);
            return { record, payload: line.record };
          }),
        );
      },
      async release(record, ms) {
        if (owners.get(keyOf(record)) !== worker.id) return;
        owners.delete(keyOf(record));
        dueAt.set(keyOf(record), now() + (ms ?? 0));
        if (ms !== null && read.has(keyOf(record))) return;
        read.delete(keyOf(record));
        setAside.add(keyOf(record));
      },
      async makeAllDue() {
        dueAt.clear();
        setAside.clear();
      },
      countWork: async (most) => Math.min(most, (await unfinished()).length),
      async countSetAside(kinds) {
        return (await open()).filter((record) => kinds.includes(record.kind) && setAside.has(keyOf(record))).length;
      },
      close: async () => void leave(),
    };
  }

  async function join(name: string): Promise<Joined> {
    const work = { ended: 0, requests: 0, throttled: 0, takenOver: 0 };
    const id = `${name}-${workers.length}`;
    const worker: Worker = { id, name, host: 'host', pid: 1, joinedAt: '', leftAt: null, isThere: true, work };
    workers.push(worker);
    if (name === COORDINATOR) read.clear();
    const joined = ledgerOf(worker);
    const state = await openSharedState({ row, onNote: () => {} });
    states.add(state);
    return {
      ledger: {
        ...joined,
        async close() {
          states.delete(state);
          await joined.close();
        },
      },
      state,
    };
  }

  return {
    state: () => (stored === undefined ? undefined : JSON.parse(stored)),
    present: () => workers.filter(({ isThere: isPresent }) => isPresent).map(({ name }) => name),
    join,
  };
}
