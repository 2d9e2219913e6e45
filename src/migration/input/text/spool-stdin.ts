/**
 * Exports `spool`, which copies standard input to a file, because a run reads its input several times. Only the owner may read the
 * file, and it is unlinked at once, so that it is gone when the process ends.
 */
import { randomUUID } from 'node:crypto';
import { type FileHandle, open, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { InputError, reasonOf } from '../input-error.js';

const AT_ONCE = 256 * 1024;

/** Resolves when all of `input` is in the file. Rejects with an `InputError` if it cannot be written. */
export async function spool(input: Readable, folder: string) {
  const path = join(folder, `.stdin-${randomUUID()}`);
  let file: FileHandle | undefined;
  try {
    file = await open(path, 'wx+', 0o600);
    // On Windows an open file cannot be removed; it is removed when it is closed.
    await rm(path).catch(() => undefined);
    await writeFile(file, input);
  } catch (error) {
    await file?.close();
    await rm(path, { force: true });
    throw new InputError(
      `-: standard input cannot be copied to a file in ${folder} (${reasonOf(error)}); expected enough space for all of it. Free disk space, or give the input as a file.`,
      { cause: error },
    );
  }
  const spooled = file;
  return {
    /** Reads the file from the beginning. */
    read: () => partsOf(spooled),
    async close(): Promise<void> {
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
