/** `sandbox.keepIn` and `listen({ file })`: a state that outlives its process. */
import type { Space } from './spaces.js';

/** A file that keeps the state of a sandbox. */
export interface KeptState {
  /** Changes are not written any more. */
  close(): void;
}

/** Rejects with an error that names the file, where it cannot be used. */
export async function keepIn(path: string, space: Space): Promise<KeptState> {
  if (space.isKept) throw new Error('sandbox.keepIn: a file keeps the state already; close that first.');
  // Loaded on demand: who keeps no state needs no file system.
  const { openStateFile } = await import('./state/state-file.js');
  const current = space.store().state;
  const { state, file } = openStateFile(path, current);
  // Calls that run have their effect where the state stays the one they began on.
  if (state !== current) space.replace(state);
  space.keepIn(file);
  return {
    close() {
      space.keepIn(undefined);
      file.close();
    },
  };
}
