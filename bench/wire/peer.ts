/** Loads another library in its usual configuration. The files in `peers/` need packages that only `npm run bench` installs. */
import { fileURLToPath } from 'node:url';
import type { Stage } from './accounts.js';

export interface Peer {
  stage: Stage;
  /** Processes an account; only libraries in the measurement of the whole path have it. */
  process?(payload: object): Promise<unknown>;
  close?(): unknown;
}

/** The export of a file in `peers/`: opens the library for the service at this address. */
type Open = (origin: string, token: string) => Peer | Promise<Peer>;

/** Throws if the package is not installed. */
export async function openPeer(name: string, origin: string, token: string): Promise<Peer> {
  // A computed path, because the type checker could not resolve peers that are not installed.
  const file = fileURLToPath(new URL(`../peers/${name}.ts`, import.meta.url));
  const { open }: { open: Open } = await import(file);
  return open(origin, token);
}
