/**
 * A file that a sandbox's state is kept in, so that a server that is started again goes on where it was. The file is
 * a snapshot: `restore` takes it, and what `snapshot` gives may be put in its place.
 */
import { open, readFile, rename, rm } from 'node:fs/promises';
import { checkSnapshot, snapshotText } from './snapshot.js';
import type { SandboxState } from './state.js';

/** The state in the file; undefined where there is no file. Rejects with an error that names the file. */
export async function readStateFile(path: string): Promise<SandboxState | undefined> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw new Error(`sandbox: cannot read the state file ${path} (${codeOf(error)}).`, { cause: error });
  }
  try {
    return checkSnapshot(JSON.parse(text));
  } catch (error) {
    // Without its cause: a SyntaxError quotes what stands in the file.
    const why = error instanceof SyntaxError ? 'it is no JSON.' : (error as Error).message;
    throw new Error(
      `sandbox: the state file ${path} holds no state: ${why} Give another file, or delete it to begin anew.`,
    );
  }
}

/** Whole or not at all: written beside the file, synced, and put in its place. Readable by its owner alone. */
export async function writeStateFile(path: string, state: SandboxState): Promise<void> {
  const beside = `${path}.${process.pid}.tmp`;
  try {
    // Made anew: a link that somebody else put there would be followed, and a file would keep its permissions.
    await rm(beside, { force: true });
    const file = await open(beside, 'wx', 0o600);
    try {
      await file.writeFile(snapshotText(state));
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(beside, path);
  } catch (error) {
    await rm(beside, { force: true });
    throw new Error(`sandbox: cannot write the state file ${path} (${codeOf(error)}).`, { cause: error });
  }
}

function codeOf(error: unknown): string {
  return String((error as NodeJS.ErrnoException).code ?? error);
}
