/**
 * Opens the files of a run folder: only regular files. A link could point outside, and reading a pipe could block
 * without end.
 */
import { closeSync, constants, fstatSync, openSync, type ReadStream } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { RunFolderError } from '../report/folder/run-folder-error.js';

// Windows has neither.
const { O_NOFOLLOW = 0, O_NONBLOCK = 0, O_RDONLY, O_WRONLY, O_CREAT, O_APPEND, O_TRUNC } = constants;

const HOW = {
  read: O_RDONLY,
  append: O_WRONLY | O_CREAT | O_APPEND,
  overwrite: O_WRONLY | O_CREAT | O_TRUNC,
} as const;

/** Error codes of the system for a link, and for a pipe or device without a reader. */
const NOT_REGULAR: ReadonlySet<string | undefined> = new Set(['ELOOP', 'ENXIO']);

/** Rejects with a `RunFolderError` for what is no regular file, and otherwise as `open` does. */
export async function openOwn(path: string, how: keyof typeof HOW): Promise<FileHandle> {
  const file = await open(path, HOW[how] | O_NOFOLLOW | O_NONBLOCK, 0o600).catch((error: unknown) => {
    throw reasonFor(path, error);
  });
  const stat = await file.stat();
  if (stat.isFile()) return file;
  await file.close();
  throw stat.isDirectory() ? isDirectory(path) : notRegular(path);
}

/** The same at once; gives the descriptor. */
export function openOwnSync(path: string, how: keyof typeof HOW): number {
  let descriptor: number;
  try {
    descriptor = openSync(path, HOW[how] | O_NOFOLLOW | O_NONBLOCK, 0o600);
  } catch (error) {
    throw reasonFor(path, error);
  }
  const stat = fstatSync(descriptor);
  if (stat.isFile()) return descriptor;
  closeSync(descriptor);
  throw stat.isDirectory() ? isDirectory(path) : notRegular(path);
}

/** Rejects as `openOwn` does. */
export async function readOwn(path: string): Promise<string> {
  const file = await openOwn(path, 'read');
  try {
    return await file.readFile('utf8');
  } finally {
    await file.close();
  }
}

/** Rejects as `openOwn` does. */
export async function streamOwn(path: string): Promise<ReadStream> {
  return (await openOwn(path, 'read')).createReadStream();
}

function reasonFor(path: string, error: unknown): unknown {
  return NOT_REGULAR.has((error as NodeJS.ErrnoException).code) ? notRegular(path) : error;
}

/** What `open` answers for a folder opened for writing; for reading it opens the folder. */
function isDirectory(path: string): Error {
  return Object.assign(new Error(`EISDIR: illegal operation on a directory, open '${path}'`), { code: 'EISDIR' });
}

function notRegular(path: string): RunFolderError {
  return new RunFolderError(
    `${path} is a link, a pipe or something else that no run makes; expected a file. Take it away, and give the same command again.`,
  );
}
