/**
 * Exports `openWorkFolder`: a temporary folder that only its owner can read, for copies of the sources and for results. The folder of a
 * killed process is removed by the next process that opens one.
 */
import { hash } from 'node:crypto';
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { InputError, reasonOf } from '../input-error.js';

export type WorkFolder = Awaited<ReturnType<typeof openWorkFolder>>;

/** Containers may share a temporary folder, and each has its own process ids. */
const PREFIX = `data-import-sql-${hash('sha256', hostname()).slice(0, 8)}-`;
const NAME = new RegExp(`^${PREFIX}(?<pid>\\d+)-`);

/** Creates the folder. Rejects with an `InputError` if it cannot be created in `parent`. */
export async function openWorkFolder(parent: string) {
  await removeAbandoned(parent);
  let path: string;
  try {
    path = await mkdtemp(join(parent, `${PREFIX}${process.pid}-`));
  } catch (error) {
    throw new InputError(
      `${parent}: cannot create a temporary folder there (${reasonOf(error)}). Free some disk space, or set TMPDIR to another folder.`,
      { cause: error },
    );
  }
  return {
    path,
    at: (name: string) => join(path, name),
    /** Removes it with all that is in it. */
    remove: () => rm(path, { recursive: true, force: true }),
  };
}

async function removeAbandoned(parent: string): Promise<void> {
  for (const name of await readdir(parent).catch(() => [])) {
    const { pid } = NAME.exec(name)?.groups ?? {};
    if (pid === undefined) continue;
    const path = join(parent, name);
    // The folder of another user cannot be removed.
    if (await isAbandoned(path, Number(pid))) await rm(path, { recursive: true, force: true }).catch(() => {});
  }
}

async function isAbandoned(path: string, pid: number): Promise<boolean> {
  if (pid !== process.pid) return !isAlive(pid);
  // In a container, each process may get the same number. Another thread of this process may have created it just now.
  const began = Date.now() - process.uptime() * 1000;
  const made = await stat(path).catch(() => undefined);
  return made !== undefined && made.mtimeMs < began - CLOCK_MARGIN_MS;
}

const CLOCK_MARGIN_MS = 1000;

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
