/**
 * A file that keeps the state of a sandbox. Its first line is a snapshot, and each line after it what one call changed
 * (docs/decisions/0023-state-of-rehearsals.md). A line is in the file before the call is answered, so that what a caller
 * was told survives a process that is killed; it is not synced, and so may be lost with the machine.
 */
import {
  closeSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { type Change, isReplacement } from './changes.js';
import type { SandboxState } from './sandbox-state.js';
import { checkSnapshot, snapshotText } from './snapshot.js';
import { createStore, type Store } from './store.js';

/** Its message names the file, and holds nothing of what is in it. */
export class StateFileError extends Error {
  override readonly name = 'StateFileError';
  /** Whether what is in the file cannot be understood, and not that it cannot be reached. */
  readonly isDamaged: boolean;
  constructor(message: string, { isDamaged = false, cause }: { isDamaged?: boolean; cause?: unknown } = {}) {
    super(`sandbox: ${message}`, cause === undefined ? {} : { cause });
    this.isDamaged = isDamaged;
  }
}

/** An open state file: one process writes to it. */
export interface StateFile {
  /**
   * Writes what a call changes, as a whole or not at all. `state` is the one before it. Throws a StateFileError where it
   * cannot be written, or where another process has written to it.
   */
  append(changes: readonly Change[], state: SandboxState): void;
  /** Puts the state in place of all that is in the file. Throws as `append` does. */
  rewrite(state: SandboxState): void;
  close(): void;
}

const LINE_FEED = 10;
const CHUNK_BYTES = 1 << 20;
/** A file with fewer bytes of replaced values is not written anew for them. */
const LEAST_REPLACED_BYTES = 1 << 20;

/**
 * Opens the file for writing, in the shortest form, readable by its owner alone. What it holds is the state; `initial`
 * is, where there is no file. Throws a StateFileError where it is damaged or cannot be read or written.
 */
export function openStateFile(path: string, initial: SandboxState): { state: SandboxState; file: StateFile } {
  const state = readStateFile(path) ?? initial;
  const file = createStateFile(path);
  // Also without a line too many: whether it can be written shows now, and not after the first day's work.
  file.rewrite(state);
  return { state, file };
}

/**
 * The state in the file, which another process may be writing to; undefined where there is no file. A last line that was
 * not written to its end is passed over: nobody was told of it. Throws a StateFileError where the file is damaged.
 */
export function readStateFile(path: string): SandboxState | undefined {
  let descriptor: number;
  try {
    descriptor = openSync(path, 'r');
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw cannot('read', path, error);
  }
  try {
    return stateIn(path, descriptor);
  } finally {
    closeSync(descriptor);
  }
}

function stateIn(path: string, descriptor: number): SandboxState {
  let store: Store | undefined;
  let number = 0;
  for (const line of linesOf(path, descriptor)) {
    number++;
    try {
      // Only of a file that somebody made of a snapshot may the first line lack its end.
      if (store === undefined) store = createStore(checkSnapshot(JSON.parse(line.text)));
      else if (line.isWhole) store.apply(JSON.parse(line.text));
    } catch (error) {
      // Without its cause: a SyntaxError quotes what is in the file.
      const isOurs = error instanceof TypeError && error.message.startsWith('sandbox.restore: ');
      const why = isOurs ? `holds no state (${error.message.slice('sandbox.restore: '.length)})` : 'is damaged';
      throw new StateFileError(`the state file ${path} ${why}: line ${number} cannot be read.`, { isDamaged: true });
    }
  }
  if (store !== undefined) return store.state;
  throw new StateFileError(`the state file ${path} holds no state: it is empty.`, { isDamaged: true });
}

interface Line {
  text: string;
  /** Whether a line feed ends it. */
  isWhole: boolean;
}

/** One at a time: a state of gigabytes fits in memory, and in no string. */
function* linesOf(path: string, descriptor: number): Generator<Line> {
  let parts: Buffer[] = [];
  for (;;) {
    const chunk = readChunk(path, descriptor);
    if (chunk.length === 0) break;
    let start = 0;
    for (let end = chunk.indexOf(LINE_FEED); end >= 0; end = chunk.indexOf(LINE_FEED, start)) {
      parts.push(chunk.subarray(start, end));
      yield { text: textOf(parts), isWhole: true };
      parts = [];
      start = end + 1;
    }
    if (start < chunk.length) parts.push(chunk.subarray(start));
  }
  if (parts.length > 0) yield { text: textOf(parts), isWhole: false };
}

function readChunk(path: string, descriptor: number): Buffer {
  const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
  try {
    return chunk.subarray(0, readSync(descriptor, chunk));
  } catch (error) {
    throw cannot('read', path, error);
  }
}

function textOf(parts: readonly Buffer[]): string {
  return parts.length === 1 && parts[0] !== undefined ? parts[0].toString() : Buffer.concat(parts).toString();
}

function createStateFile(path: string): StateFile {
  let descriptor: number | undefined;
  let inode = 0;
  let bytes = 0;
  let bytesWhenRewritten = 0;
  let replacedBytes = 0;

  function append(changes: readonly Change[]): void {
    const line = Buffer.from(`${JSON.stringify(changes)}\n`);
    expectOwn();
    try {
      descriptor ??= openSync(path, 'a');
      writeWhole(descriptor, line);
    } catch (error) {
      // Half a line would make the next one unreadable.
      if (descriptor !== undefined) ftruncateSync(descriptor, bytes);
      throw cannot('write', path, error);
    }
    bytes += line.length;
    if (changes.some(isReplacement)) replacedBytes += line.length;
  }

  /** Two that write would each leave out what the other was told. */
  function expectOwn(): void {
    const found = statSync(path, { throwIfNoEntry: false });
    if (found?.ino === inode && found.size === bytes) return;
    if (found === undefined) {
      throw new StateFileError(`the state file ${path} is gone: end this sandbox, and start it again.`);
    }
    throw new StateFileError(
      `the state file ${path} was changed by another process, such as a sandbox that was started with the same file: it has all that this one answered, and nothing of this call was kept. End this sandbox and use that one, or give each a file of its own with --file.`,
    );
  }

  /** Written beside the file, synced, and put in its place. */
  function rewrite(state: SandboxState): void {
    const beside = `${path}.tmp`;
    try {
      // Made anew: a link that somebody else put there would be followed, and a file would keep its permissions.
      rmSync(beside, { force: true });
      const written = openSync(beside, 'wx', 0o600);
      try {
        for (const chunk of chunksOf(linesFor(state))) writeWhole(written, chunk);
        fsyncSync(written);
      } finally {
        closeSync(written);
      }
      // Windows puts nothing in the place of an open file.
      close();
      renameSync(beside, path);
      descriptor = openSync(path, 'a');
      ({ ino: inode, size: bytes } = fstatSync(descriptor));
    } catch (error) {
      rmSync(beside, { force: true });
      throw cannot('write', path, error);
    }
    bytesWhenRewritten = bytes;
    replacedBytes = 0;
  }

  function close(): void {
    if (descriptor !== undefined) closeSync(descriptor);
    descriptor = undefined;
  }

  return {
    append(changes, state) {
      if (replacedBytes > Math.max(LEAST_REPLACED_BYTES, bytesWhenRewritten)) rewrite(state);
      append(changes);
    },
    rewrite,
    close,
  };
}

/** The snapshot without what there may be much of, and a line for each of that. */
function* linesFor(state: SandboxState): Generator<string> {
  const suppliers = state.suppliers.map((supplier) => ({ ...supplier, accounts: [], businesses: [] }));
  yield snapshotText({ ...state, suppliers });
  for (const { code, accounts, businesses } of state.suppliers) {
    const lineFor = (change: Change) => JSON.stringify([change]);
    for (const business of businesses) yield lineFor({ type: 'businessCreated', supplier: code, business });
    for (const account of accounts) yield lineFor({ type: 'accountStaged', supplier: code, account });
  }
}

function* chunksOf(lines: Iterable<string>): Generator<Buffer> {
  let chunk: string[] = [];
  let length = 0;
  for (const line of lines) {
    chunk.push(line, '\n');
    length += line.length;
    if (length < CHUNK_BYTES) continue;
    yield Buffer.from(chunk.join(''));
    chunk = [];
    length = 0;
  }
  yield Buffer.from(chunk.join(''));
}

/** One write may take less than it was given. */
function writeWhole(descriptor: number, bytes: Buffer): void {
  for (let written = 0; written < bytes.length; ) written += writeSync(descriptor, bytes, written);
}

function cannot(what: 'read' | 'write', path: string, cause: unknown): StateFileError {
  return new StateFileError(`cannot ${what} the state file ${path} (${codeOf(cause)}).`, { cause });
}

function codeOf(error: unknown): string {
  return String((error as NodeJS.ErrnoException).code ?? error);
}
