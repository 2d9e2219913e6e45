/** Exports `checkDisk`: whether the run folder is writable and has enough free space. */
import { existsSync } from 'node:fs';
import { mkdtemp, rmdir, stat, statfs } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { whyUnusable } from '../../report/folder/run-folder-error.js';
import { type Check, resultOf } from './check.js';
import type { InputSample } from './input-sample.js';

const MB = 1024 * 1024;
const LEAST_FREE = 50 * MB;
const LEDGER_BYTES_PER_RECORD = 1024;
/** Of the input, for its lines in the ledger until their records have ended. */
const STORED_SHARE = 1.3;
/** Approximate compression factor of JSON and CSV of accounts. */
const COMPRESSION_FACTOR = 8;

/** Estimates the bytes of ledger and result files; undefined if the input was not read. */
export async function neededBytes(sample: InputSample | undefined, hasLedger: boolean): Promise<number | undefined> {
  if (sample === undefined || sample.lines === 0) return undefined;
  let inputBytes = sample.bytes;
  if (!sample.isWhole) {
    const sizes = await Promise.all([...sample.files].map(sizeOf));
    inputBytes = Math.max(
      sample.bytes,
      ...sizes,
      sizes.reduce((sum, size) => sum + size, 0),
    );
  }
  const records = sample.isWhole ? sample.lines : inputBytes / (sample.bytes / sample.lines);
  // In the worst case every line is in a result file.
  return Math.round(inputBytes + (hasLedger ? STORED_SHARE * inputBytes + records * LEDGER_BYTES_PER_RECORD : 0));
}

async function sizeOf(path: string): Promise<number> {
  const { size } = await stat(path).catch(() => ({ size: 0 }));
  return path.endsWith('.gz') ? size * COMPRESSION_FACTOR : size;
}

export type FreeSpace = (path: string) => Promise<{ bavail: number; bsize: number }>;

/** Checks the run folder, or its future parent, by creating and removing an empty folder in it. */
export async function checkDisk(
  folder: string,
  needed: number | undefined,
  freeSpace: FreeSpace = (path) => statfs(path),
): Promise<Check> {
  let path = resolve(folder);
  while (!existsSync(path) && dirname(path) !== path) path = dirname(path);
  const as = resultOf('disk');
  const space = await freeSpace(path).catch((error: NodeJS.ErrnoException) => error);
  const free = 'bavail' in space ? space.bavail * space.bsize : Number.POSITIVE_INFINITY;
  const found = `${inMegabytes(free)} free at ${folder}`;
  if (free < LEAST_FREE) {
    const detail = `${found}; a run needs at least ${inMegabytes(LEAST_FREE)}`;
    return as('failed', detail, 'Free some disk space, or choose another folder with --run.');
  }
  try {
    await rmdir(await mkdtemp(join(path, '.data-import-check-')));
  } catch (error) {
    const [reason, remedy] = whyUnusable(error as NodeJS.ErrnoException);
    return as('failed', `cannot write in ${path} (${reason})`, remedy);
  }
  if (!('bavail' in space)) {
    return as('cannotTell', `cannot read the free space at ${folder} (${space.code ?? 'unknown reason'})`);
  }
  if (needed !== undefined && free < needed) {
    const detail = `${found}; this input may take about ${inMegabytes(needed)}`;
    const remedy = 'Free some disk space. A run on a full disk stops; the same command resumes it once there is space.';
    return as('warning', detail, remedy);
  }
  return as('ok', found);
}

function inMegabytes(bytes: number): string {
  return bytes >= 10 * 1024 * MB ? `${Math.floor(bytes / 1024 / MB)} GB` : `${Math.floor(bytes / MB)} MB`;
}
