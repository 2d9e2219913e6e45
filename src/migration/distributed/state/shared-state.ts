/**
 * Exports `openSharedState`: the copy of the run's state in one process. It reads the state with each report, calls listeners after
 * changes, and applies the changes of this process at once, before they are stored.
 */
import type { RunState, StateChange } from './run-state.js';
import type { StateRow } from './state-row.js';

interface SharedStateOptions {
  row: StateRow;
  /** Repeats the first read while there is no connection, because the database may restart while a process joins. */
  patiently?: <Result>(task: () => Promise<Result>) => Promise<Result>;
  /** Called once when the state becomes unavailable, and once when it is available again. */
  onNote: (note: string) => void;
}

/** Methods that store something reject if the database is unavailable, and, except `begin`, if no run was begun. */
export type SharedState = Awaited<ReturnType<typeof openSharedState>>;

/** Reads the state. Rejects as `patiently` if the database is unavailable. */
export async function openSharedState({ row, patiently = (task) => task(), onNote }: SharedStateOptions) {
  const listeners = new Set<(state: RunState) => void>();
  /** Changes of this process that are not stored yet. */
  const pending = new Set<StateChange>();
  let storing: Promise<void> = Promise.resolve();
  let stored: RunState | undefined;
  let current: RunState | undefined;
  let isReachable = true;
  /** How far the database's clock is ahead of the monotonic clock of this process. */
  let aheadMs = performance.timeOrigin;

  const now = () => performance.now() + aheadMs;

  function show(): void {
    current = stored && withChanges(stored, pending, now());
    if (current !== undefined) for (const listener of listeners) listener(current);
  }

  function reached(isNow: boolean, note: string): void {
    if (isNow !== isReachable) onNote(note);
    isReachable = isNow;
  }

  /** Updates the copy with the result of a read or a write. */
  async function adopt(
    task: Promise<{ state: RunState | undefined; now: number }>,
    onStored = () => {},
  ): Promise<void> {
    const read = await task.catch((error: unknown) => {
      const why = error instanceof Error ? error.message : String(error);
      reached(false, `the database of the ledger is unavailable (${why}). No call starts until it answers.`);
      throw error;
    });
    reached(true, 'the database of the ledger answers again.');
    if (read.now > 0) aheadMs = read.now - performance.now();
    stored = read.state;
    onStored();
    show();
  }

  /** One after another, so that changes are stored in their order. */
  function store(change: StateChange, worker?: string): Promise<void> {
    const done = storing.then(async () => {
      const before = [...pending];
      const all = (state: RunState | undefined, at: number) => withChanges(begun(state), [...before, change], at);
      await adopt(row.change(all, worker), () => {
        for (const one of before) pending.delete(one);
      });
    });
    storing = done.catch(() => {});
    return done;
  }

  await adopt(patiently(() => row.read()));

  return {
    /** Returns the state as last read, with the changes of this process; undefined before a run was begun. */
    current: () => current,
    /** Returns the time of the database's clock, in milliseconds since 1970. */
    now,
    /** Calls the listener when the state was read or stored. */
    onChange(listener: (state: RunState) => void): () => void {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    /** Changes the state in this process at once. The change is stored with the next one that is stored. */
    apply(change: StateChange): void {
      pending.add(change);
      current = current && change(current, now());
    },
    /** Stores all changes, and this one after them. Reads the current state. `worker`: the id of this process, if the change is its report. */
    store,
    /** Stores the state of a run that begins or continues. */
    begin: (change: (former: RunState | undefined) => RunState) => adopt(row.change(change)),
    isReachable: () => isReachable,
  };
}

function withChanges(state: RunState, changes: Iterable<StateChange>, now: number): RunState {
  let changed = state;
  for (const change of changes) changed = change(changed, now);
  return changed;
}

/** Returns the state. Throws if no run was begun. */
export function begun(state: RunState | undefined): RunState {
  if (state === undefined) throw new Error('no distributed run was begun, so there is nothing to change.');
  return state;
}
