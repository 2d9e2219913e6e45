/** Exports `identifyText`, which finds how the bytes of a file become text, and `firstText`, its first bytes. */
import { IDENTIFIED_BYTES, identifyEncoding } from './encoding.js';
import { decompressed, firstBytes, isGzip } from './read-chunks.js';

/** How the bytes of a file are decoded. */
export interface FileText {
  isCompressed: boolean;
  encoding: string;
}

/** A file that was not read yet. */
interface UnreadFile {
  name: string;
  format: 'csv' | 'json';
  /** Whether it must be compressed. Other files may be too: their first bytes decide. */
  isCompressed: boolean;
  /** The encoding that the user named. */
  given: string | undefined;
  /** Whether a message may have a line of the file. */
  showPersonalData?: boolean;
}

/** Reads the first bytes of a file. Rejects with an `InputError` if it is no text, or its encoding is not clear. */
export async function identifyText(file: UnreadFile, read: () => AsyncIterable<Buffer>): Promise<FileText> {
  const { isCompressed, first } = await firstText(file, read);
  return { isCompressed, encoding: identifyEncoding(file.name, { ...file, first }) };
}

/** Reads the first bytes of a file, decompressed if it is compressed. */
export async function firstText(
  file: Pick<UnreadFile, 'isCompressed'>,
  read: () => AsyncIterable<Buffer>,
): Promise<{ isCompressed: boolean; first: Buffer }> {
  const stored = await firstBytes(read(), IDENTIFIED_BYTES);
  const isCompressed = file.isCompressed || isGzip(stored);
  return { isCompressed, first: isCompressed ? await firstBytes(decompressed(read), IDENTIFIED_BYTES) : stored };
}
