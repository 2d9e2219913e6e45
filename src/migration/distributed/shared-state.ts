/**
 * `openSharedState`: the run's state as one process has it. It reads the state with each report, tells listeners of changes,
 * and applies its own changes here at once, before they are stored.
 */
import { setTimeout as after } from 'node:timers/promises';
import { afterReport, type RunState, type StateChange, type WorkerReport } from './run-state.js';
import type { StateRow } from './state-row.js';

/** What stores something rejects where the database is not reached, and, but for `begin`, where no run was begun. */
export interface SharedState {
  /** As it was last read, with the changes of this process; undefined before a run was begun. */
  current(): RunState | undefined;
  /** The database's clock now, milliseconds since 1970. */
  now(): number;
  onChange(listener: (state: RunState) => void): () => void;
  /** Resolves at the next change, after `ms` milliseconds, or when the signal aborts. */
  nextChange(ms: number, signal: AbortSignal): Promise<void>;
  change(change: StateChange): Promise<RunState>;
  /** The same, of a change that holds here at once, before it is stored: a pause, a halt. */
  changeAtOnce(change: StateChange): Promise<RunState>;
  /** Begins a run, or continues one. */
  begin(change: (former: RunState | undefined) => RunState): Promise<RunState>;
  /** Stores a report, and reads what the others have stored. */
  report(report: WorkerReport): Promise<void>;
  read(): Promise<void>;
  isReachable(): boolean;
  close(): Promise<void>;
}

export interface SharedStateOptions {
  row: Pick<StateRow, 'read' | 'change'>;
  /** Repeats the first read while the connection is lost: the database may be restarted while a process joins. */
  patiently?: <Result>(task: () => Promise<Result>) => Promise<Result>;
  /** Called while the row is held: sets limit and pause of the work queue, in the order of the changes. */
  whileHeld: (before: RunState | undefined, after: RunState) => Promise<void>;
  /** Called once when the state is out of reach, and once when it is reached again. */
  onNote: (note: string) => void;
}

/** While no report is sent: before a run, and after it. */
const READ_EVERY_MS = 500;

/** Rejects as `patiently` does if the database is not reached. */
export async function openSharedState({
  row,
  patiently = (task) => task(),
  whileHeld,
  onNote,
}: SharedStateOptions): Promise<SharedState> {
  const listeners = new Set<(state: RunState) => void>();
  const pending = new Set<StateChange>();
  const closing = new AbortController();
  let stored: RunState | undefined;
  let current: RunState | undefined;
  let isReachable = true;
  let readAt = 0;
  /** By how much the database's clock is ahead of this machine's. */
  let aheadMs = 0;

  function show(): void {
    current = stored && [...pending].reduce((state, change) => change(state), stored);
    if (current !== undefined) for (const listener of listeners) listener(current);
  }
  function reached(isReached: boolean, note: string): void {
    if (isReached !== isReachable && !closing.signal.aborted) onNote(note);
    isReachable = isReached;
  }
  async function adopt<Read extends { state: RunState | undefined; now: number }>(
    task: Promise<Read>,
    onStored = () => {},
  ): Promise<Read['state']> {
    let read: Read;
    try {
      read = await task;
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      reached(false, `the state of the run cannot be reached (${why}). No call starts.`);
      throw error;
    }
    reached(true, 'the state of the run is reached again.');
    if (read.now > 0) aheadMs = read.now - Date.now();
    readAt = performance.now();
    stored = read.state;
    onStored();
    show();
    return read.state;
  }
  const read = async (): Promise<void> => void (await adopt(row.read()));

  async function readAgain(): Promise<void> {
    while (!closing.signal.aborted) {
      await after(READ_EVERY_MS, undefined, { signal: closing.signal }).catch(() => {});
      if (!closing.signal.aborted && performance.now() - readAt >= READ_EVERY_MS) await read().catch(() => {});
    }
  }
  await adopt(patiently(() => row.read()));
  const reading = readAgain();
  const change = (one: StateChange, onStored?: () => void) =>
    adopt(
      row.change((state) => one(begun(state)), whileHeld),
      onStored,
    );
  function onChange(listener: (state: RunState) => void) {
    listeners.add(listener);
    return () => void listeners.delete(listener);
  }

  return {
    current: () => current,
    now: () => Date.now() + aheadMs,
    onChange,
    async nextChange(ms, signal) {
      const changed = new AbortController();
      const stopListening = onChange(() => changed.abort());
      const ending = () => changed.abort();
      signal.addEventListener('abort', ending);
      if (signal.aborted) changed.abort();
      await after(ms, undefined, { signal: changed.signal }).catch(() => {});
      signal.removeEventListener('abort', ending);
      stopListening();
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
    begin: (change) => adopt(row.change(change, whileHeld)),
    report: async (report) =>
      void (await adopt(row.change((state, now) => afterReport(begun(state), report, now), whileHeld))),
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
