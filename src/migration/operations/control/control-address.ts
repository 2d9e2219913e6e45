/**
 * Exports the functions for the address of a run's control socket: `control.sock` in its folder. Systems limit the path of a socket to
 * about a hundred bytes, so for a longer path the socket is in a temporary folder, whose name is derived from that path: a copy of the
 * run folder has another one, and no file says where it is. On Windows it is a named pipe.
 */
import { createHash } from 'node:crypto';
import { lstat, mkdir, realpath, rm, rmdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

const MOST_BYTES = 100;
const SOCKET = 'control.sock';

/** Resolves with the address at which a run in this folder may listen; undefined if there is none. */
export async function findAddress(folder: string): Promise<string | undefined> {
  const { address, temporary } = await addressesOf(folder);
  return temporary === undefined || (await isPrivate(temporary)) ? address : undefined;
}

/** Resolves with an address to listen at. Creates the temporary folder if the socket is not in the run folder. */
export async function newAddress(folder: string): Promise<string> {
  const { address, temporary } = await addressesOf(folder);
  // Rejects if another user has created it, who could then put another socket there.
  if (temporary !== undefined && !(await isPrivate(temporary))) await mkdir(temporary, { mode: 0o700 });
  return address;
}

/** Removes the socket of a run, and the temporary folder if there is nothing else in it. */
export async function forgetAddress(folder: string): Promise<void> {
  if (process.platform === 'win32') return;
  // The error that ends a run whose folder is gone is that of its ledger.
  const found = await addressesOf(folder).catch(() => undefined);
  if (found === undefined) return;
  const { address, temporary } = found;
  if (temporary !== undefined && !(await isPrivate(temporary))) return;
  await rm(address, { force: true });
  if (temporary !== undefined) await rmdir(temporary).catch(() => {});
}

/** `temporary`: the folder of the socket, if that is not the run folder. */
async function addressesOf(folder: string): Promise<{ address: string; temporary?: string }> {
  const whole = await realpath(folder);
  const name = `data-import-${createHash('sha256').update(whole).digest('hex').slice(0, 32)}`;
  if (process.platform === 'win32') return { address: `\\\\.\\pipe\\${name}` };
  const address = join(whole, SOCKET);
  if (Buffer.byteLength(address) <= MOST_BYTES) return { address };
  const elsewhere = join(tmpdir(), name, SOCKET);
  return { address: elsewhere, temporary: dirname(elsewhere) };
}

/** Whether this is a folder, not a link to one, that only this user can change. */
async function isPrivate(folder: string): Promise<boolean> {
  const stat = await lstat(folder).catch(() => undefined);
  return stat?.isDirectory() === true && stat.uid === process.getuid?.() && (stat.mode & 0o077) === 0;
}
