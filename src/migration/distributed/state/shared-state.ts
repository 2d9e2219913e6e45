/**
 * Exports `openSharedState`: the copy of the run's state in one process. It reads the state with each report, calls listeners after
 * changes, and applies the changes of this process at once, before they are stored.
 */
import { setTimeout as after } from 'node:timers/promises';
import { afterReport, type RunState, type StateChange, type WorkerReport } from './run-state.js';
import type { StateRow } from './state-row.js';

/** Methods that store something reject if the database is unavailable, and, except `begin`, if no run was begun. */
export interface SharedState {
  /** Returns the state as last read, with the changes of this process; undefined before a run was begun. */
  current(): RunState | undefined;
  /** Returns the time of the database's clock, in milliseconds since 1970. */
  now(): number;
  onChange(listener: (state: RunState) => void): () => void;
  /** Changes the state in this process at once. The change is stored with the next one that is stored. */
  apply(change: StateChange): void;
  /** Stores all changes, and this one after them. Reads the current state. */
  store(change?: StateChange): Promise<void>;
  /** Stores all changes and a report of this process, which is its heartbeat too. */
  report(report: WorkerReport): Promise<void>;
  /** Stores the state of a run that begins or continues. */
  begin(change: (former: RunState | undefined) => RunState): Promise<void>;
  read(): Promise<void>;
  isReachable(): boolean;
  close(): Promise<void>;
}

export interface SharedStateOptions {
  row: Pick<StateRow, 'read' | 'change'>;
  /** Repeats the first read while there is no connection, because the database may restart while a process joins. */
  patiently?: <Result>(task: () => Promise<Result>) => Promise<Result>;
  /** Called once when the state becomes unavailable, and once when it is available again. */
  onNote: (note: string) => void;
}

/** Interval of reads while no report is sent: before and after a run. */
const READ_EVERY_MS = 500;

/** Reads the state. Rejects as `patiently` if the database is unavailable. */
export async function openSharedState(options: SharedStateOptions): Promise<SharedState> {
  const state = new StoredState(options);
  await state.open(options.patiently);
  return state;
}

interface ReadState {
  state: RunState | undefined;
  now: number;
}

class StoredState implements SharedState {
  readonly #row: SharedStateOptions['row'];
  readonly #onNote: SharedStateOptions['onNote'];
  readonly #listeners = new Set<(state: RunState) => void>();
  /** Changes of this process that are not stored yet. */
  readonly #pending = new Set<StateChange>();
  readonly #closing = new AbortController();
  #storing: Promise<void> = Promise.resolve();
  #stored: RunState | undefined;
  #current: RunState | undefined;
  #isReachable = true;
  #readAt = 0;
  /** How far the database's clock is ahead of this machine's. */
  #aheadMs = 0;
  #reading: Promise<void> | undefined;

  constructor({ row, onNote }: SharedStateOptions) {
    this.#row = row;
    this.#onNote = onNote;
  }

  async open(patiently: SharedStateOptions['patiently'] = (task) => task()): Promise<void> {
    await this.#adopt(patiently(() => this.#row.read()));
    this.#reading = this.#readRepeatedly();
  }

  current(): RunState | undefined {
    return this.#current;
  }

  now(): number {
    return Date.now() + this.#aheadMs;
  }

  onChange(listener: (state: RunState) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  apply(change: StateChange): void {
    this.#pending.add(change);
    this.#show();
  }

  store(change: StateChange = (state) => state): Promise<void> {
    return this.#store(change);
  }

  report(report: WorkerReport): Promise<void> {
    return this.#store((state, now) => afterReport(state, report, now), report);
  }

  begin(change: (former: RunState | undefined) => RunState): Promise<void> {
    return this.#adopt(this.#row.change(change));
  }

  read(): Promise<void> {
    return this.#adopt(this.#row.read());
  }

  isReachable(): boolean {
    return this.#isReachable;
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#reading;
  }

  /** One after another, so that changes are stored in their order. */
  #store(change: (state: RunState, now: number) => RunState, report?: WorkerReport): Promise<void> {
    const stored = this.#storing.then(async () => {
      const pending = [...this.#pending];
      const all = (state: RunState | undefined, now: number) =>
        change(
          pending.reduce((changed, one) => one(changed), begun(state)),
          now,
        );
      await this.#adopt(this.#row.change(all, report), () => {
        for (const one of pending) this.#pending.delete(one);
      });
    });
    this.#storing = stored.catch(() => {});
    return stored;
  }

  /** Updates the copy with the result of a read or a write. */
  async #adopt(task: Promise<ReadState>, onStored = () => {}): Promise<void> {
    let read: ReadState;
    try {
      read = await task;
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      this.#setReachable(false, `the state of the run is unavailable (${why}). No call starts.`);
      throw error;
    }
    this.#setReachable(true, 'the state of the run is available again.');
    if (read.now > 0) this.#aheadMs = read.now - Date.now();
    this.#readAt = performance.now();
    this.#stored = read.state;
    onStored();
    this.#show();
  }

  #show(): void {
    const stored = this.#stored;
    this.#current = stored && [...this.#pending].reduce((state, change) => change(state), stored);
    if (this.#current !== undefined) for (const listener of this.#listeners) listener(this.#current);
  }

  #setReachable(isReachable: boolean, note: string): void {
    if (isReachable !== this.#isReachable && !this.#closing.signal.aborted) this.#onNote(note);
    this.#isReachable = isReachable;
  }

  async #readRepeatedly(): Promise<void> {
    const { signal } = this.#closing;
    while (!signal.aborted) {
      await after(READ_EVERY_MS, undefined, { signal }).catch(() => {});
      if (!signal.aborted && performance.now() - this.#readAt >= READ_EVERY_MS) await this.read().catch(() => {});
    }
  }
}

/** Returns the state. Throws if no run was begun. */
export function begun(state: RunState | undefined): RunState {
  if (state === undefined) throw new Error('no distributed run was begun, so there is nothing to change.');
  return state;
}
