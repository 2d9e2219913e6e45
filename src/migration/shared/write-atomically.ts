/** Exports `writeWhole`: writes files atomically, to a temporary file that is synced and then renamed. */
import { createHash } from 'node:crypto';
import { open, rename, rm } from 'node:fs/promises';
import { cannotWrite } from '../report/folder/run-folder-error.js';

/** Bytes per write: one write per line would be a system call each. */
const BLOCK = 64 * 1024;

type WholeFile = Awaited<ReturnType<typeof openWholeFile>>;

async function openWholeFile(path: string) {
  const temporary = `${path}.part`;
  const inPlace = async <T>(task: Promise<T>): Promise<T> => {
    try {
      return await task;
    } catch (error) {
      throw cannotWrite(path, error);
    }
  };
  const create = () => open(temporary, 'wx', 0o600);
  const replace = async (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
    // A link would be followed, and a file would keep its permissions.
    await rm(temporary, { force: true });
    return create();
  };
  const file = await inPlace(create().catch(replace));
  const hash = createHash('sha256');
  let block = '';
  const flush = async () => {
    hash.update(block);
    // writeFile continues at the end of the last write and never writes only a part of its data.
    await inPlace(file.writeFile(block));
    block = '';
  };
  return {
    async write(text: string): Promise<void> {
      block += text;
      if (block.length >= BLOCK) await flush();
    },
    /** Resolves when all of it is on disk. */
    async sync(): Promise<void> {
      await flush();
      await inPlace(file.sync());
    },
    /** Replaces the former file. Call it after `sync`. */
    async finish(): Promise<void> {
      await file.close();
      await inPlace(rename(temporary, path));
    },
    /** The SHA-256 of the file in hexadecimal digits. Call it once, after `sync`. */
    digest: () => hash.digest('hex'),
    /** Removes the temporary file; the former file stays. */
    async abandon(): Promise<void> {
      await file.close();
      await rm(temporary, { force: true });
    },
  };
}

/**
 * Calls `write` with a writer per path, and resolves with its result and the SHA-256 of each file, in the order of the paths. If it fails,
 * the former files stay.
 */
export async function writeWhole<const Paths extends readonly string[], Written>(
  paths: Paths,
  write: (files: { [Index in keyof Paths]: WholeFile['write'] }) => Promise<Written>,
): Promise<{ written: Written; digests: string[] }> {
  const files: WholeFile[] = [];
  let written: Written;
  try {
    for (const path of paths) files.push(await openWholeFile(path));
    written = await write(files.map((file) => file.write) as { [Index in keyof Paths]: WholeFile['write'] });
    await Promise.all(files.map((file) => file.sync()));
  } catch (error) {
    for (const file of files) await file.abandon();
    throw error;
  }
  for (const file of files) await file.finish();
  return { written, digests: files.map((file) => file.digest()) };
}
