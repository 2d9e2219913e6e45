/**
 * Exports functions that open and read files of a run folder, only regular ones: a link could point outside the folder, and reading a pipe could
 * block forever.
 */
import { closeSync, constants, fstatSync, lstatSync, openSync, type ReadStream } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { splitLines } from '../input/text/split-lines.js';
import { cannotRead, cannotWrite, RunFolderError } from '../report/folder/run-folder-error.js';

// Windows has neither O_NOFOLLOW nor O_NONBLOCK.
const { O_NOFOLLOW = 0, O_NONBLOCK = 0, O_RDONLY, O_WRONLY, O_CREAT, O_APPEND, O_TRUNC } = constants;

const HOW = {
  read: O_RDONLY,
  append: O_WRONLY | O_CREAT | O_APPEND,
  overwrite: O_WRONLY | O_CREAT | O_TRUNC,
} as const;

/** Error codes for a link, and for a pipe or device without a reader. */
const NOT_REGULAR: ReadonlySet<string | undefined> = new Set(['ELOOP', 'ENXIO']);

/** Opens a file. Rejects with a `RunFolderError`; with that of `open` if there is no such file. */
export async function openOwn(path: string, how: keyof typeof HOW): Promise<FileHandle> {
  const refused = how === 'read' ? cannotRead : cannotWrite;
  const file = await open(path, HOW[how] | O_NOFOLLOW | O_NONBLOCK, 0o600).catch((error: unknown) => {
    throw isMissing(error) ? error : refused(path, reasonFor(path, error));
  });
  const stat = await file.stat();
  if (stat.isFile()) return file;
  await file.close();
  throw stat.isDirectory() ? refused(path, isDirectory(path)) : notRegular(path);
}

/** Opens a file synchronously. Returns the file descriptor. Throws a `RunFolderError` if it is not a regular file, otherwise as `openSync`. */
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

/** Throws a `RunFolderError` if there is something else than a regular file, for a file that a library opens. */
export function refuseIrregular(path: string): void {
  if (lstatSync(path, { throwIfNoEntry: false })?.isFile() === false) throw notRegular(path);
}

/** Reads a file. Rejects as `openOwn`. */
export async function readOwn(path: string): Promise<string> {
  const file = await openOwn(path, 'read');
  try {
    return await file.readFile('utf8');
  } finally {
    await file.close();
  }
}

/** Opens a stream of a file. Rejects as `openOwn`. */
export async function streamOwn(path: string): Promise<ReadStream> {
  return (await openOwn(path, 'read')).createReadStream();
}

/** Resolves with the text of a file; undefined if there is none. Rejects with a `RunFolderError`. */
export async function readOwnIfThere(path: string): Promise<string | undefined> {
  return readOwn(path).catch((error: unknown) => ifMissing(path, error));
}

/** Yields the lines of a file, of any length; none if it does not exist. Rejects with a `RunFolderError`. */
export async function* linesOfOwn(path: string): AsyncGenerator<string> {
  try {
    for await (const lines of splitLines(await streamOwn(path), Number.POSITIVE_INFINITY)) {
      for (const { bytes } of lines) yield bytes.toString();
    }
  } catch (error) {
    ifMissing(path, error);
  }
}

/** Returns the value of a JSON text that this program has written; undefined for another text. */
export function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function ifMissing(path: string, error: unknown): undefined {
  if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw cannotRead(path, error);
}

/** Whether there is no such file, or its folder is none. */
function isMissing(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return code === 'ENOENT' || code === 'ENOTDIR';
}

function reasonFor(path: string, error: unknown): unknown {
  return NOT_REGULAR.has((error as NodeJS.ErrnoException).code) ? notRegular(path) : error;
}

/** Returns the error that `open` has for a folder opened for writing. For reading, `open` would succeed. */
function isDirectory(path: string): Error {
  return Object.assign(new Error(`EISDIR: illegal operation on a directory, open '${path}'`), { code: 'EISDIR' });
}

function notRegular(path: string): RunFolderError {
  return new RunFolderError(
    `${path} is a link, a pipe or a device; expected a file. Remove it, and repeat the command.`,
  );
}
