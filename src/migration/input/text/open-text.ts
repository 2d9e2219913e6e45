/** Exports `openText`, which finds how the bytes of a file become text, and `firstText`, its first bytes. */
import { type FirstBytes, identifyEncoding } from './identify-encoding.js';
import { decompressed, firstBytes, isGzip } from './read-chunks.js';
import type { Chunk } from './split-lines.js';

/** A file of text. */
export interface TextFile {
  encoding: string;
  /** Yields its bytes, without compression. `stored`: a reading of the file, if this one should use it. */
  chunks(stored?: AsyncIterable<Buffer>): AsyncIterable<Chunk>;
}

/** A file that was not read yet. `isCompressed`: whether it must be. Other files may be too: their first bytes decide. */
type UnreadFile = { name: string; isCompressed: boolean } & Omit<FirstBytes, 'first'>;

/** Reads the first bytes of a file. Rejects with an `InputError` if it is no text, or its encoding is not clear. */
export async function openText(file: UnreadFile, read: () => AsyncIterable<Buffer>): Promise<TextFile> {
  const { isCompressed, first } = await firstText(file, read);
  return {
    encoding: identifyEncoding(file.name, { ...file, first }),
    chunks(stored = read()) {
      // A damaged part is looked for by further readings.
      let next: AsyncIterable<Buffer> | undefined = stored;
      const readings = () => {
        const reading = next ?? read();
        next = undefined;
        return reading;
      };
      return isCompressed ? decompressed(readings) : stored;
    },
  };
}

/** Reads the first bytes of a file, decompressed if it is compressed. */
export async function firstText(
  file: Pick<UnreadFile, 'isCompressed'>,
  read: () => AsyncIterable<Buffer>,
): Promise<{ isCompressed: boolean; first: Buffer }> {
  const stored = await firstBytes(read());
  const isCompressed = file.isCompressed || isGzip(stored);
  return { isCompressed, first: isCompressed ? await firstBytes(decompressed(read)) : stored };
}
