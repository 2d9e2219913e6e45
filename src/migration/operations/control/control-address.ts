/**
 * Exports the functions for the address of a run's control socket: `control.sock` in its folder. Systems limit the path of a socket to
 * about a hundred bytes, so for a longer path the socket is in a temporary folder, and `control.path` in the run folder
 * contains its path. On Windows it is a named pipe.
 */
import { createHash } from 'node:crypto';
import { mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { readOwn } from '../../shared/regular-file.js';

const MOST_BYTES = 100;
const SOCKET = 'control.sock';
const NOTE = 'control.path';
const TEMPORARY = 'data-import-';

/** Resolves with the address at which a run in this folder may listen; undefined if there is none. */
export async function findAddress(folder: string): Promise<string | undefined> {
  const whole = await realpath(folder);
  if (process.platform === 'win32') return pipeOf(whole);
  return (await noted(whole)) ?? (isShort(join(whole, SOCKET)) ? join(whole, SOCKET) : undefined);
}

/** Resolves with an address to listen at. Writes `control.path` if the socket is not in the run folder. */
export async function newAddress(folder: string): Promise<string> {
  const whole = await realpath(folder);
  if (process.platform === 'win32') return pipeOf(whole);
  const address = join(whole, SOCKET);
  if (isShort(address)) return address;
  // Created by mkdtemp, so no other user can have put a file there or can read it.
  const elsewhere = join(await mkdtemp(join(tmpdir(), TEMPORARY)), SOCKET);
  // Deleted first: writing would follow an existing link.
  await rm(join(whole, NOTE), { force: true });
  await writeFile(join(whole, NOTE), elsewhere, { flag: 'wx', mode: 0o600 });
  return elsewhere;
}

/** Removes the socket and `control.path` of a run. */
export async function forgetAddress(folder: string): Promise<void> {
  if (process.platform === 'win32') return;
  const whole = await realpath(folder);
  const elsewhere = await noted(whole);
  // Removes only a folder that newAddress has created, whatever `control.path` contains.
  if (elsewhere !== undefined) await rm(dirname(elsewhere), { recursive: true, force: true });
  await rm(join(whole, NOTE), { force: true });
  await rm(join(whole, SOCKET), { force: true });
}

async function noted(folder: string): Promise<string | undefined> {
  const address = await readOwn(join(folder, NOTE)).catch(() => undefined);
  if (address === undefined) return undefined;
  const isOurs = basename(address) === SOCKET && basename(dirname(address)).startsWith(TEMPORARY);
  return isOurs && dirname(dirname(address)) === tmpdir() ? address : undefined;
}

function isShort(address: string): boolean {
  return Buffer.byteLength(address) <= MOST_BYTES;
}

function pipeOf(folder: string): string {
  return `\\\\.\\pipe\\data-import-${createHash('sha256').update(folder).digest('hex').slice(0, 32)}`;
}
