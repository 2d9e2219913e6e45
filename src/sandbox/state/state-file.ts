/**
 * Exports `openStateFile` and `readStateFile`: a file that keeps the state of a sandbox. Its first line is a snapshot; each
 * further line has the changes of one call (docs/decisions/0023-state-of-rehearsals.md). A line is written before the call
 * is answered, so that a killed process loses no answered call. It is not synced: a crash of the machine may lose it.
 */
import {
  closeSync,
  constants,
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

/** The state file cannot be used. The message names the file and quotes none of its content. */
export class StateFileError extends Error {
  override readonly name = 'StateFileError';
  /** Whether the content is damaged; false if the file cannot be read or written. */
  readonly isDamaged: boolean;
  constructor(message: string, { isDamaged = false, cause }: { isDamaged?: boolean; cause?: unknown } = {}) {
    super(`sandbox: ${message}`, cause === undefined ? {} : { cause });
    this.isDamaged = isDamaged;
  }
}

// Opening a pipe without a writer would wait for one. Windows has no such flag.
const { O_NONBLOCK = 0, O_RDONLY } = constants;
const LINE_FEED = 10;
const CHUNK_BYTES = 1 << 20;
/** The file is not rewritten while it has fewer bytes of replaced values. */
const MIN_REPLACED_BYTES = 1 << 20;

/**
 * Opens the file for writing, rewrites it in its shortest form, and makes it readable only by its owner. Returns the state
 * in it; `initial` if there is no file. Throws a StateFileError if the file is damaged or cannot be read or written.
 */
export function openStateFile(path: string, initial: SandboxState): { state: SandboxState; file: StateFile } {
  const state = readStateFile(path) ?? initial;
  const file = new StateFile(path);
  // Rewritten even if it is short already, to fail now if the file cannot be written.
  file.rewrite(state);
  return { state, file };
}

/**
 * Returns the state in the file, to which another process may be writing; undefined if there is no file. Ignores an
 * incomplete last line: its call was not answered. Throws a StateFileError if the file is damaged.
 */
export function readStateFile(path: string): SandboxState | undefined {
  let descriptor: number;
  try {
    descriptor = openSync(path, O_RDONLY | O_NONBLOCK);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw cannot('read', path, error);
  }
  try {
    const stat = fstatSync(descriptor);
    // Reading a folder fails with a reason.
    if (!stat.isFile() && !stat.isDirectory()) {
      throw new StateFileError(`the state file ${path} is a pipe or a device; expected a file. Remove it.`);
    }
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
      // The first line may be incomplete: a snapshot that was saved without a line feed.
      if (store === undefined) store = createStore(checkSnapshot(JSON.parse(line.text)));
      else if (line.isWhole) store.apply(JSON.parse(line.text));
    } catch (error) {
      // Without its cause: a SyntaxError quotes the content of the file.
      const isSnapshotError = error instanceof TypeError && error.message.startsWith('sandbox.restore: ');
      const why = isSnapshotError
        ? `contains no state (${error.message.slice('sandbox.restore: '.length)})`
        : 'is damaged';
      throw new StateFileError(`the state file ${path} ${why}: line ${number} cannot be read.`, { isDamaged: true });
    }
  }
  if (store !== undefined) return store.state;
  throw new StateFileError(`the state file ${path} contains no state: it is empty.`, { isDamaged: true });
}

interface Line {
  text: string;
  /** Whether a line feed ends it. */
  isWhole: boolean;
}

/** Yields one line at a time: a state of gigabytes fits into memory, but not into one string. */
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

/** An open state file. Only one process writes to it. */
export class StateFile {
  readonly #path: string;
  #descriptor: number | undefined;
  /** Of the file as this process wrote it. */
  #inode = 0;
  #bytes = 0;
  #bytesWhenRewritten = 0;
  #replacedBytes = 0;

  constructor(path: string) {
    this.#path = path;
  }

  /**
   * Writes the changes of a call, all or none. `state` is the state before them. Throws a StateFileError if the file cannot
   * be written, or if another process has written to it.
   */
  append(changes: readonly Change[], state: SandboxState): void {
    if (this.#replacedBytes > Math.max(MIN_REPLACED_BYTES, this.#bytesWhenRewritten)) this.rewrite(state);
    const line = Buffer.from(`${JSON.stringify(changes)}\n`);
    this.#expectOwn();
    try {
      this.#descriptor ??= openSync(this.#path, 'a');
      writeWhole(this.#descriptor, line);
    } catch (error) {
      // An incomplete line would make the next one unreadable.
      if (this.#descriptor !== undefined) ftruncateSync(this.#descriptor, this.#bytes);
      throw cannot('write', this.#path, error);
    }
    this.#bytes += line.length;
    if (changes.some(isReplacement)) this.#replacedBytes += line.length;
  }

  /** Replaces the content of the file by the state: writes a new file next to the old one, syncs it, and renames it. Throws like `append`. */
  rewrite(state: SandboxState): void {
    const newPath = `${this.#path}.tmp`;
    try {
      // Removed first: a link of another user would be followed, and an existing file would keep its permissions.
      rmSync(newPath, { force: true });
      const written = openSync(newPath, 'wx', 0o600);
      try {
        for (const chunk of chunksOf(linesFor(state))) writeWhole(written, chunk);
        fsyncSync(written);
      } finally {
        closeSync(written);
      }
      // Windows cannot replace an open file.
      this.close();
      renameSync(newPath, this.#path);
      this.#descriptor = openSync(this.#path, 'a');
      ({ ino: this.#inode, size: this.#bytes } = fstatSync(this.#descriptor));
    } catch (error) {
      rmSync(newPath, { force: true });
      throw cannot('write', this.#path, error);
    }
    this.#bytesWhenRewritten = this.#bytes;
    this.#replacedBytes = 0;
  }

  close(): void {
    if (this.#descriptor !== undefined) closeSync(this.#descriptor);
    this.#descriptor = undefined;
  }

  /** Throws if another process has changed the file: each of two writers would miss the changes of the other. */
  #expectOwn(): void {
    const found = statSync(this.#path, { throwIfNoEntry: false });
    if (found?.ino === this.#inode && found.size === this.#bytes) return;
    if (found === undefined) {
      throw new StateFileError(`the state file ${this.#path} is gone. Stop this sandbox and start it again.`);
    }
    throw new StateFileError(
      `the state file ${this.#path} was changed by another process, such as a sandbox that was started with the same file: the file has all calls that this one answered before, but not this one. Stop this sandbox and use the other one, or give each its own file with --file.`,
    );
  }
}

/** Yields the snapshot without accounts and businesses, then a line for each of these. */
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

/** Writes all bytes: one `writeSync` may write fewer. */
function writeWhole(descriptor: number, bytes: Buffer): void {
  for (let written = 0; written < bytes.length; ) written += writeSync(descriptor, bytes, written);
}

function cannot(what: 'read' | 'write', path: string, cause: unknown): StateFileError {
  const remedy = what === 'read' ? ' Expected a file of the sandbox that can be read, or none.' : '';
  return new StateFileError(`cannot ${what} the state file ${path} (${codeOf(cause)}).${remedy}`, { cause });
}

function codeOf(error: unknown): string {
  return String((error as NodeJS.ErrnoException).code ?? error);
}
