/** Another library, as its users would use it. The files in `peers/` need packages that only `npm run bench` installs. */
import { fileURLToPath } from 'node:url';
import type { Stage } from './accounts.js';

export interface Peer {
  stage: Stage;
  /** The same way to processing an account; only those that take part in the whole path have it. */
  process?(payload: object): Promise<unknown>;
  close?(): unknown;
}

/** What a file in `peers/` exports: everything that its users would set, for a service at this address. */
type Open = (origin: string, token: string) => Peer | Promise<Peer>;

/** Throws where the package is not installed. */
export async function openPeer(name: string, origin: string, token: string): Promise<Peer> {
  // Not resolved by the type checker: a bare machine has no peers.
  const file = fileURLToPath(new URL(`../peers/${name}.ts`, import.meta.url));
  const { open }: { open: Open } = await import(file);
  return open(origin, token);
}
