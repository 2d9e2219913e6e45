/** Parts of files, by their position: a file is opened once, and few are open at the same time. */
import { type FileHandle, open } from 'node:fs/promises';
import { reasonOf } from '../input/input-error.js';
import type { LineSpan } from '../input/source.js';
import { LineError } from './line-error.js';

/** A book in more parts than that is opened anew now and then. */
const MOST_OPEN = 64;

interface OpenFile {
  handle: Promise<FileHandle>;
  readers: number;
}

export interface FileParts {
  /** Shorter than asked for where the file ends before. Rejects with a `LineError`. */
  read(path: string, place: LineSpan): Promise<Buffer>;
  close(): Promise<void>;
}

export function createFileParts(): FileParts {
  /** The one that was used last stands last. */
  const files = new Map<string, OpenFile>();

  const give = async (path: string): Promise<void> => {
    const file = files.get(path);
    files.delete(path);
    await file?.handle.then((handle) => handle.close()).catch(() => {});
  };
  const take = (path: string): OpenFile => {
    const file = files.get(path) ?? { handle: open(path), readers: 0 };
    files.delete(path);
    files.set(path, file);
    file.readers++;
    return file;
  };
  const giveOldest = async (): Promise<void> => {
    if (files.size <= MOST_OPEN) return;
    const [idle] = [...files].find(([, { readers }]) => readers === 0) ?? [];
    if (idle !== undefined) await give(idle);
  };

  return {
    async read(path, place) {
      const file = take(path);
      try {
        return await partOf(await file.handle, place);
      } catch (error) {
        // A shared path that was away may be back under another handle.
        if (files.get(path) === file) files.delete(path);
        file.handle.then((handle) => handle.close()).catch(() => {});
        throw cannotRead(path, error);
      } finally {
        file.readers--;
        await giveOldest();
      }
    },
    async close() {
      await Promise.all([...files.keys()].map(give));
    },
  };
}

async function partOf(file: FileHandle, { start, length }: LineSpan): Promise<Buffer> {
  const bytes = Buffer.alloc(length);
  let filled = 0;
  // A network's file system may give less than there is.
  while (filled < length) {
    const { bytesRead } = await file.read(bytes, filled, length - filled, start + filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return bytes.subarray(0, filled);
}

/** What a file system says that is away, or has no more to give, for now. */
const PASSING = new Set(['EIO', 'ESTALE', 'ETIMEDOUT', 'EAGAIN', 'EMFILE', 'ENFILE', 'ENOMEM', 'EBADF', 'ENXIO']);

function cannotRead(path: string, error: unknown): LineError {
  const reason = reasonOf(error);
  const what = reason === 'ENOENT' ? 'there is no such file here' : `it cannot be read here (${reason})`;
  return new LineError(
    `${path}: ${what}; expected the file of the book that the run began with. Make it readable on this machine under this name, or say with --book-at where the book is.`,
    { mayPass: PASSING.has(reason), cause: error },
  );
}
