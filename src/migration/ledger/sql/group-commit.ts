/**
 * Exports `GroupCommit`: simultaneous writes are committed together, because a commit of a hundred writes takes as long as one of
 * a single write. Writes of the same turn of the event loop, or during a commit, form the next group.
 */
import { defer } from '../../shared/defer.js';
import { RefusedValueError } from '../postgres/database-error.js';

/**
 * Turns of the event loop for which a group waits. Under load each turn brings more writes, and larger groups are faster; without load
 * the turns take microseconds.
 */
const TURNS = 4;

/** Maximum number of writes in a group: reads wait for the commit. */
const MOST_AT_ONCE = 500;

interface Waiting<Write> {
  write: Write;
  resolve: () => void;
  reject: (error: unknown) => void;
}

export class GroupCommit<Write> {
  readonly #keyOf: (write: Write) => string;
  readonly #commit: (group: readonly Write[]) => Promise<readonly (Error | undefined)[]>;
  readonly #most: number;
  readonly #waiting: Waiting<Write>[] = [];
  #committing: Promise<void> | undefined;

  /**
   * `commit` returns for each write of the group its own error or undefined. If it rejects, no write of the group was
   * kept; if it rejects with a `RefusedValueError`, each write is committed separately. A group has at most one write
   * of a key, because otherwise the result could not name the write that succeeded.
   */
  constructor(
    keyOf: (write: Write) => string,
    commit: (group: readonly Write[]) => Promise<readonly (Error | undefined)[]>,
    most = MOST_AT_ONCE,
  ) {
    this.#keyOf = keyOf;
    this.#commit = commit;
    this.#most = most;
  }

  /** Resolves when the write is on disk. Rejects with its own error, or with that of the group. */
  add(write: Write): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ write, resolve, reject });
      this.#committing ??= this.#commitAll();
    });
  }

  /** Resolves when all writes are committed. */
  async settled(): Promise<void> {
    await this.#committing;
  }

  async #commitAll(): Promise<void> {
    // The next group is written to disk while the callers of this one are notified.
    let notified: Promise<void> = Promise.resolve();
    while (this.#waiting.length > 0) {
      await afterTurns();
      const group = this.#nextGroup();
      try {
        notified = notify(group, await this.#committed(group.map(({ write }) => write)));
      } catch (error) {
        for (const { reject } of group) reject(error);
      }
      if (this.#waiting.length === 0) await notified;
    }
    this.#committing = undefined;
  }

  #nextGroup(): Waiting<Write>[] {
    const keys = new Set<string>();
    for (const { write } of this.#waiting) {
      const key = this.#keyOf(write);
      if (keys.has(key) || keys.size === this.#most) break;
      keys.add(key);
    }
    return this.#waiting.splice(0, keys.size);
  }

  async #committed(group: readonly Write[]): Promise<readonly (Error | undefined)[]> {
    try {
      return await this.#commit(group);
    } catch (error) {
      if (!(error instanceof RefusedValueError)) throw error;
      if (group.length === 1) return [error];
    }
    const errors: (Error | undefined)[] = [];
    for (const write of group) errors.push(...(await this.#committed([write])));
    return errors;
  }
}

/** Resolves when the callers of all writes were notified. */
function notify<Write>(group: readonly Waiting<Write>[], errors: readonly (Error | undefined)[]): Promise<void> {
  for (const [index, { resolve, reject }] of group.entries()) {
    const error = errors[index];
    defer(error === undefined ? resolve : () => reject(error));
  }
  return new Promise(defer);
}

/** Waits for some turns of the event loop, in which network events are handled. */
async function afterTurns(): Promise<void> {
  for (let turn = 0; turn < TURNS; turn++) await new Promise((resolve) => setImmediate(resolve));
}
