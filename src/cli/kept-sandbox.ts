/**
 * The service of a rehearsal (`--sandbox`) ends with its command; its state stays in the run folder, so that the next
 * command on that run finds what the ledger says is there.
 */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { readStateFile, writeStateFile } from '../sandbox/file.js';
import type { Sandbox } from '../sandbox/index.js';
import { takeSnapshot } from '../sandbox/snapshot.js';
import { type Surroundings, UsageError } from './surroundings.js';

const FILE = 'sandbox.json';

/** Puts back what the run left; false where it left nothing. Rejects with a UsageError for a file that is no state. */
export async function putBack(sandbox: Sandbox, folder: string): Promise<boolean> {
  try {
    const state = await readStateFile(join(folder, FILE));
    if (state !== undefined) sandbox.restore(takeSnapshot(state));
    return state !== undefined;
  } catch (error) {
    throw new UsageError((error as Error).message, { cause: error });
  }
}

/**
 * Around work that changes the service, with the folder's lock held. While it goes on the file is away: a command that
 * is killed leaves none, and not one that has fallen behind the ledger.
 */
export async function keeping(
  sandbox: Sandbox,
  { folder, hasRecords }: { folder: string; hasRecords: boolean },
  { err }: Pick<Surroundings, 'err'>,
  work: () => Promise<void>,
): Promise<void> {
  if (!(await putBack(sandbox, folder)) && hasRecords) {
    err(
      'data-import: the sandbox of this run is gone with a command that was killed; the new one holds nothing of what ' +
        'the ledger tells. To rehearse that, start "data-import sandbox" in another terminal and give --base-url.\n',
    );
  }
  await rm(join(folder, FILE), { force: true });
  try {
    await work();
  } finally {
    // The run is over and stands, whether there can be another on this sandbox or not.
    await writeStateFile(join(folder, FILE), sandbox.snapshot().state).catch((error: Error) =>
      err(`data-import: ${error.message}\n`),
    );
  }
}
