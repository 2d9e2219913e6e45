/**
 * Exports `writeOver`, which writes result files again and first copies those that a person has changed: with corrections, answers or
 * notes. `noteAsKept` states that the present content needs no copy, `areAsWritten` whether the files have it.
 */
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import * as z from 'zod';
import type { Ledger } from '../../ledger/ledger.js';
import { jsonFact } from '../../ledger/stored-fact.js';
import { openOwn, streamOwn } from '../../shared/regular-file.js';
import { writeWhole } from '../../shared/write-atomically.js';

/** A file of the run folder whose content a session replaces, and its copy. */
export interface KeptFile {
  /** The file. */
  source: string;
  /** Path of the copy in the run folder. */
  copy: string;
}

type Facts = Pick<Ledger, 'fact' | 'setFact'>;

/** Name of the ledger fact: the SHA-256 of each file as it was written last. */
const WRITTEN = 'written files';

const BLOCK_BYTES = 64 * 1024;

const WrittenSchema = z.record(z.string(), z.string());

/** As `writeWhole`. Calls `onKept` for each file that was copied as `edited-1-rejected.csv`, before anything is written. */
export async function writeOver<const Paths extends readonly string[], Written>(
  paths: Paths,
  write: Parameters<typeof writeWhole<Paths, Written>>[1],
  ledger: Facts,
  onKept: (file: KeptFile) => void,
): Promise<Written> {
  const known = await digestsIn(ledger);
  for (const source of paths) {
    const now = await digestOf(source);
    if (now === undefined || now === known[basename(source)]) continue;
    const copy = freeName(source);
    await copyOwn(source, copy);
    onKept({ source, copy });
  }
  const { written, digests } = await writeWhole(paths, write);
  await store(new Map(paths.map((path, index) => [path, digests[index]])), ledger);
  return written;
}

/** Resolves with whether all of these files exist with the content that was written last. */
export async function areAsWritten(paths: readonly string[], ledger: Facts): Promise<boolean> {
  const known = await digestsIn(ledger);
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
export async function noteAsKept(paths: readonly string[], ledger: Facts): Promise<void> {
  const digests = new Map<string, string | undefined>();
  for (const path of paths) digests.set(path, await digestOf(path));
  await store(digests, ledger);
}

async function store(digests: ReadonlyMap<string, string | undefined>, ledger: Facts): Promise<void> {
  const known = await digestsIn(ledger);
  for (const [path, digest] of digests) if (digest !== undefined) known[basename(path)] = digest;
  await ledger.setFact(WRITTEN, JSON.stringify(known));
}

async function digestsIn(ledger: Facts): Promise<Record<string, string>> {
  const isDigests = (value: unknown): value is Record<string, string> => WrittenSchema.safeParse(value).success;
  return (await jsonFact(ledger, WRITTEN, isDigests)) ?? {};
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
