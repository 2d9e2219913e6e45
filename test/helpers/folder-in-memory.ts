/**
 * Where tests put their files: a ledger waits for the disk after each write, which is a third of the time of a suite. What
 * tests show, a killed process included, holds without a disk as well.
 */
import { chmodSync, mkdtempSync, rmSync, statfsSync } from 'node:fs';

const MEMORY = '/dev/shm';
const GIB = 2 ** 30;

/** The variables for it: none where the caller names a folder, or where the memory has less room than that. */
export function temporaryFolderInMemory(roomGiB: number): { TMPDIR?: string } {
  if (process.env['TMPDIR'] !== undefined || room() < roomGiB * GIB) return {};
  const folder = mkdtempSync(`${MEMORY}/data-import-sdk-`);
  // Servers of the tests run as other users.
  chmodSync(folder, 0o1777);
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
  return { TMPDIR: folder };
}

function room(): number {
  try {
    const { bavail, bsize } = statfsSync(MEMORY);
    return bavail * bsize;
  } catch {
    return 0;
  }
}
