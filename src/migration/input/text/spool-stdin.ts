/**
 * Standard input can be read once, and a book is read several times. So it is copied first: to a file that only its
 * owner may read, and that has no name from the start, so that it is gone with the process, however that ends.
 */
import { randomUUID } from 'node:crypto';
import { type FileHandle, open, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { InputError, reasonOf } from '../input-error.js';

export interface Spool {
  /** From the beginning, with every call. */
  read(): AsyncGenerator<Buffer>;
  close(): Promise<void>;
}

const AT_ONCE = 256 * 1024;

/** Resolves when `input` has ended and all of it is in the file. */
export async function spool(input: Readable, folder: string): Promise<Spool> {
  const path = join(folder, `.stdin-${randomUUID()}`);
  let file: FileHandle | undefined;
  try {
    file = await open(path, 'wx+', 0o600);
    // Where a file in use keeps its name (Windows), it is removed when it is closed.
    await rm(path).catch(() => undefined);
    await writeFile(file, input);
  } catch (error) {
    await file?.close();
    await rm(path, { force: true });
    throw new InputError(
      `-: standard input cannot be copied to a file in ${folder} (${reasonOf(error)}); expected room for all of it. Make room, or give the book as a file.`,
      { cause: error },
    );
  }
  const spooled = file;
  return {
    read: () => partsOf(spooled),
    async close() {
      await spooled.close();
      await rm(path, { force: true });
    },
  };
}

async function* partsOf(file: FileHandle): AsyncGenerator<Buffer> {
  for (let position = 0; ; ) {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(AT_ONCE), 0, AT_ONCE, position);
    if (bytesRead === 0) return;
    yield buffer.subarray(0, bytesRead);
    position += bytesRead;
  }
}
