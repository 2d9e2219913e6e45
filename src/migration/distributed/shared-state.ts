/**
 * `openSharedState`: the run's state as one process has it. It reads the state with each report, tells listeners of changes,
 * and applies its own changes here at once, before they are stored.
 */
import { setTimeout as after } from 'node:timers/promises';
import { afterReport, type RunState, type StateChange, type WorkerReport } from './run-state.js';
import type { StateRow } from './state-row.js';

export interface SharedState {
  /** As it was last read, with the changes of this process; undefined before a run was begun. */
  current(): RunState | undefined;
  /** The database's clock now, milliseconds since 1970. */
  now(): number;
  onChange(listener: (state: RunState) => void): () => void;
  /** Stores a change. Rejects where no run was begun, and where the database is not reached. */
  change(change: StateChange): Promise<RunState>;
  /** The same, of a change that holds here at once, before it is stored: a pause, a halt. */
  changeAtOnce(change: StateChange): Promise<RunState>;
  /** Begins a run, or goes on with one. */
  begin(change: (former: RunState | undefined) => RunState): Promise<RunState>;
  /** Stores a report, and reads what the others have stored. */
  report(report: WorkerReport): Promise<void>;
  read(): Promise<void>;
  isReachable(): boolean;
  close(): Promise<void>;
}

export interface SharedStateOptions {
  row: Pick<StateRow, 'read' | 'change'>;
  /** Called while the row is held: sets limit and pause of the work queue, in the order of the changes. */
  whileHeld: (before: RunState | undefined, after: RunState) => Promise<void>;
  /** Told once when the state is out of reach, and once when it is reached again. */
  onNote: (note: string) => void;
}

/** While no report is sent: before a run, and after it. */
const READ_EVERY_MS = 500;

export async function openSharedState({ row, whileHeld, onNote }: SharedStateOptions): Promise<SharedState> {
  const listeners = new Set<(state: RunState) => void>();
  const pending = new Set<StateChange>();
  const closing = new AbortController();
  let stored: RunState | undefined;
  let current: RunState | undefined;
  /** By how much the database's clock is ahead of this machine's. */
  let aheadMs = 0;
  let readAt = 0;
  let isReachable = true;

  const adopt = ({ state, now }: { state: RunState | undefined; now: number }): void => {
    if (now > 0) aheadMs = now - Date.now();
    readAt = performance.now();
    stored = state;
    show();
  };
  const show = (): void => {
    current = stored && [...pending].reduce((state, change) => change(state), stored);
    if (current === undefined) return;
    for (const listener of listeners) listener(current);
  };
  async function watched<T>(task: () => Promise<T>): Promise<T> {
    try {
      const result = await task();
      if (!isReachable && !closing.signal.aborted) onNote('the state of the run is reached again.');
      isReachable = true;
      return result;
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      if (isReachable && !closing.signal.aborted)
        onNote(`the state of the run cannot be reached (${why}). No call starts.`);
      isReachable = false;
      throw error;
    }
  }
  async function change(one: StateChange, onStored: () => void = () => {}): Promise<RunState> {
    const changed = await watched(() => row.change((state) => one(begun(state)), whileHeld));
    onStored();
    adopt(changed);
    return changed.state;
  }
  const read = () => watched(async () => adopt(await row.read()));

  async function readAgain(): Promise<void> {
    while (!closing.signal.aborted) {
      await after(READ_EVERY_MS, undefined, { signal: closing.signal }).catch(() => {});
      if (closing.signal.aborted || performance.now() - readAt < READ_EVERY_MS) continue;
      await read().catch(() => {});
    }
  }

  await read();
  const reading = readAgain();
  return {
    current: () => current,
    now: () => Date.now() + aheadMs,
    onChange(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    change: (one) => change(one),
    async changeAtOnce(one) {
      pending.add(one);
      show();
      try {
        return await change(one, () => pending.delete(one));
      } finally {
        if (pending.delete(one)) show();
      }
    },
    async begin(change) {
      const begun = await watched(() => row.change(change, whileHeld));
      adopt(begun);
      return begun.state;
    },
    async report(report) {
      adopt(await watched(() => row.change((state, now) => afterReport(begun(state), report, now), whileHeld)));
    },
    read,
    isReachable: () => isReachable,
    async close() {
      closing.abort();
      await reading;
    },
  };
}

function begun(state: RunState | undefined): RunState {
  if (state === undefined) throw new Error('no distributed run was begun, so there is nothing to change.');
  return state;
}
