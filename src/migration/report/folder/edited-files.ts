/**
 * Exports `writeOver`, which writes result files again and first copies those that a person has changed: with corrections, answers or
 * notes. `noteAsKept` states that the present content needs no copy, `areAsWritten` whether the files have it.
 */
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import * as z from 'zod';
import { jsonIn, openOwn, readOwnIfThere, streamOwn } from '../../shared/regular-file.js';
import { writeWhole } from '../../shared/write-atomically.js';

/** A file of the run folder whose content a session replaces, and its copy. */
export interface KeptFile {
  /** The file. */
  source: string;
  /** Path of the copy in the run folder. */
  copy: string;
}

/** In the folder: the SHA-256 of each file as it was written last. Several folders may have one ledger. */
const WRITTEN = 'written.json';

const BLOCK_BYTES = 64 * 1024;

const WrittenSchema = z.record(z.string(), z.string());

/** As `writeWhole`. Calls `onKept` for each file that was copied as `edited-1-rejected.csv`, before anything is written. */
export async function writeOver<const Paths extends readonly string[], Written>(
  paths: Paths,
  write: Parameters<typeof writeWhole<Paths, Written>>[1],
  onKept: (file: KeptFile) => void,
): Promise<Written> {
  const known = await digestsFor(paths);
  for (const source of paths) {
    const now = await digestOf(source);
    if (now === undefined || now === known[basename(source)]) continue;
    const copy = freeName(source);
    await copyOwn(source, copy);
    onKept({ source, copy });
  }
  const { written, digests } = await writeWhole(paths, write);
  await store(paths, digests);
  return written;
}

/** Resolves with whether all of these files exist with the content that was written last. */
export async function areAsWritten(paths: readonly string[]): Promise<boolean> {
  const known = await digestsFor(paths);
  for (const path of paths) {
    const now = await digestOf(path);
    if (now === undefined || now !== known[basename(path)]) return false;
  }
  return true;
}

/** Copies a file of the run folder. Rejects with a `RunFolderError` if the copy cannot be written. */
export async function copyOwn(source: string, copy: string): Promise<void> {
  await writeWhole([copy], async ([write]) => {
    for await (const chunk of (await streamOwn(source)).setEncoding('utf8')) await write(chunk);
  });
}

/** The present content of these files is what a command has written, or a copy of it exists. */
export async function noteAsKept(paths: readonly string[]): Promise<void> {
  await store(paths, await Promise.all(paths.map(digestOf)));
}

async function store(paths: readonly string[], digests: readonly (string | undefined)[]): Promise<void> {
  const known = await digestsFor(paths);
  for (const [index, path] of paths.entries()) known[basename(path)] = digests[index] ?? '';
  await writeWhole([writtenFor(paths)], ([write]) => write(`${JSON.stringify(known, null, 2)}\n`));
}

const writtenFor = ([path = '']: readonly string[]) => join(dirname(path), WRITTEN);

async function digestsFor(paths: readonly string[]): Promise<Record<string, string>> {
  return WrittenSchema.safeParse(jsonIn((await readOwnIfThere(writtenFor(paths))) ?? '')).data ?? {};
}

/** Resolves with undefined if there is no such file. */
async function digestOf(path: string): Promise<string | undefined> {
  let file: FileHandle;
  try {
    file = await openOwn(path, 'read');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  const hash = createHash('sha256');
  const block = Buffer.allocUnsafe(BLOCK_BYTES);
  try {
    // Without a stream: most files are small, and a session reads each of them twice.
    for (;;) {
      const { bytesRead } = await file.read(block);
      if (bytesRead === 0) return hash.digest('hex');
      hash.update(block.subarray(0, bytesRead));
    }
  } finally {
    await file.close();
  }
}

function freeName(source: string): string {
  for (let number = 1; ; number++) {
    const copy = join(dirname(source), `edited-${number}-${basename(source)}`);
    if (!existsSync(copy)) return copy;
  }
}
