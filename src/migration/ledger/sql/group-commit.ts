/**
 * Writes that come together are committed together: a commit waits for the disk, and a hundred writes wait as long as
 * one. What comes in the same turn, or while a commit runs, is the next group.
 */
import { defer } from '../../shared/defer.js';
import { RefusedValueError } from '../postgres/database-error.js';

export interface GroupCommit<Write> {
  /** Resolves when the write is on disk. */
  add(write: Write): Promise<void>;
  /** Resolves when nothing waits any more. */
  settled(): Promise<void>;
}

/** What one group may have. */
export interface Bounds<Write> {
  most: number;
  /** A group ends with the write with which all of its sizes come to this. */
  mostSize: number;
  sizeOf: (write: Write) => number;
}

/**
 * Turns of the event loop for which a group waits. Where much comes in, each brings more writes, and fewer groups cost
 * less; where little does, they are over within microseconds.
 */
const TURNS = 4;

/** Keeps the time short for which reads wait. */
const MOST_AT_ONCE = 500;

/**
 * `commit` returns for each write of the group its own error or undefined. If it rejects, no write of the group was
 * kept; if it rejects with a `RefusedValueError`, each write is committed separately. A group has at most one write
 * of a key, because otherwise the result could not name the write that succeeded.
 */
export function createGroupCommit<Write>(
  keyOf: (write: Write) => string,
  commit: (group: readonly Write[]) => Promise<readonly (Error | undefined)[]>,
  bounds: Bounds<Write> = { most: MOST_AT_ONCE, mostSize: MOST_AT_ONCE, sizeOf: () => 1 },
): GroupCommit<Write> {
  interface Waiting {
    write: Write;
    resolve: () => void;
    reject: (error: unknown) => void;
  }
  const waiting: Waiting[] = [];
  let committing: Promise<void> | undefined;

  function nextGroup(): Waiting[] {
    const keys = new Set<string>();
    let size = 0;
    for (const { write } of waiting) {
      const key = keyOf(write);
      if (keys.has(key) || keys.size === bounds.most || size >= bounds.mostSize) break;
      keys.add(key);
      size += bounds.sizeOf(write);
    }
    return waiting.splice(0, keys.size);
  }

  /** Resolves when all of them were. */
  function tell(group: readonly Waiting[], errors: readonly (Error | undefined)[]): Promise<void> {
    for (const [index, { resolve, reject }] of group.entries()) {
      const error = errors[index];
      defer(error === undefined ? resolve : () => reject(error));
    }
    return new Promise(defer);
  }

  async function committed(group: readonly Write[]): Promise<readonly (Error | undefined)[]> {
    try {
      return await commit(group);
    } catch (error) {
      if (!(error instanceof RefusedValueError)) throw error;
      if (group.length === 1) return [error];
    }
    const errors: (Error | undefined)[] = [];
    for (const write of group) errors.push(...(await committed([write])));
    return errors;
  }

  async function commitAll(): Promise<void> {
    // The next group is written to disk while the callers of this one are notified.
    let told: Promise<void> = Promise.resolve();
    while (waiting.length > 0) {
      await afterTurns();
      const group = nextGroup();
      try {
        told = tell(group, await committed(group.map(({ write }) => write)));
      } catch (error) {
        for (const { reject } of group) reject(error);
      }
      if (waiting.length === 0) await told;
    }
    committing = undefined;
  }

  return {
    add: (write) =>
      new Promise((resolve, reject) => {
        waiting.push({ write, resolve, reject });
        committing ??= commitAll();
      }),
    settled: async () => committing,
  };
}

/** After everything that the network brings in the next turns was looked at. */
async function afterTurns(): Promise<void> {
  for (let turn = 0; turn < TURNS; turn++) await new Promise((resolve) => setImmediate(resolve));
}
