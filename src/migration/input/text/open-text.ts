/** Exports `openText`, which finds how the bytes of a file become text, and `firstText`, its first bytes. */
import { type FirstBytes, identifyEncoding } from './identify-encoding.js';
import { decompressed, firstBytes, isGzip } from './read-chunks.js';
import type { Chunk } from './split-lines.js';

/** A file of text. */
export interface TextFile {
  encoding: string;
  /** Yields its bytes, without compression. */
  chunks(): AsyncIterable<Chunk>;
}

/** A file that was not read yet. */
type UnreadFile = { name: string } & Omit<FirstBytes, 'first'>;

/** Reads the first bytes of a file. Rejects with an `InputError` if it is no text, or its encoding is not clear. */
export async function openText(file: UnreadFile, read: () => AsyncIterable<Buffer>): Promise<TextFile> {
  const { isCompressed, first } = await firstText(read);
  return {
    encoding: identifyEncoding(file.name, { ...file, first }),
    chunks: () => (isCompressed ? decompressed(read) : read()),
  };
}

/** Reads the first bytes of a file, decompressed if they show that it is compressed, whatever its name. */
export async function firstText(read: () => AsyncIterable<Buffer>): Promise<{ isCompressed: boolean; first: Buffer }> {
  const stored = await firstBytes(read());
  const isCompressed = isGzip(stored);
  return { isCompressed, first: isCompressed ? await firstBytes(decompressed(read)) : stored };
}
