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
  /** Resolves at the next change, after `ms` milliseconds, or when the signal aborts. */
  nextChange(ms: number, signal: AbortSignal): Promise<void>;
  change(change: StateChange): Promise<RunState>;
  /** The same for a change that takes effect in this process before it is stored: a pause, a halt. */
  changeAtOnce(change: StateChange): Promise<RunState>;
  /** Stores the state of a run that begins or continues. */
  begin(change: (former: RunState | undefined) => RunState): Promise<RunState>;
  /** Stores a report, and reads the current state. */
  report(report: WorkerReport): Promise<void>;
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

  async nextChange(ms: number, signal: AbortSignal): Promise<void> {
    const changed = new AbortController();
    const stopListening = this.onChange(() => changed.abort());
    const ending = () => changed.abort();
    signal.addEventListener('abort', ending);
    if (signal.aborted) changed.abort();
    await after(ms, undefined, { signal: changed.signal }).catch(() => {});
    signal.removeEventListener('abort', ending);
    stopListening();
  }

  change(change: StateChange): Promise<RunState> {
    return this.#change(change);
  }

  async changeAtOnce(change: StateChange): Promise<RunState> {
    this.#pending.add(change);
    this.#show();
    try {
      return await this.#change(change, () => this.#pending.delete(change));
    } finally {
      if (this.#pending.delete(change)) this.#show();
    }
  }

  begin(change: (former: RunState | undefined) => RunState): Promise<RunState> {
    return this.#adopt(this.#row.change(change));
  }

  async report(report: WorkerReport): Promise<void> {
    await this.#adopt(this.#row.change((state, now) => afterReport(begun(state), report, now)));
  }

  async read(): Promise<void> {
    await this.#adopt(this.#row.read());
  }

  isReachable(): boolean {
    return this.#isReachable;
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#reading;
  }

  #change(change: StateChange, onStored?: () => void): Promise<RunState> {
    return this.#adopt(
      this.#row.change((state) => change(begun(state))),
      onStored,
    );
  }

  /** Updates the copy with the result of a read or a write. */
  async #adopt<Read extends ReadState>(task: Promise<Read>, onStored = () => {}): Promise<Read['state']> {
    let read: Read;
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
    return read.state;
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

function begun(state: RunState | undefined): RunState {
  if (state === undefined) throw new Error('no distributed run was begun, so there is nothing to change.');
  return state;
}
