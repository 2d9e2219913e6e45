/** Exports `readChunks`, which reads a file in chunks, and `decompressed`. */
import { createReadStream } from 'node:fs';
import { createGunzip } from 'node:zlib';
import { InputError, reasonOf } from '../input-error.js';
import type { Chunk } from './split-lines.js';

/**
 * A chunk stays in memory while a record of it is in flight. Larger chunks are read faster but survive more garbage
 * collections, and V8 scans the whole heap after every few MB of such buffers (decision 11).
 */
const AT_ONCE = 64 * 1024;

/** Output chunk of the decompression. A damaged chunk has no output. */
const INFLATED_AT_ONCE = 64 * 1024;

/**
 * Piece sizes of decompression: the output of a piece is in memory. After an error, smaller pieces are tried, down to one byte, to find the
 * damaged place.
 */
const PIECES = [16_384, 512, 1];

/**
 * Rejects with an `InputError` if the file cannot be read to its end. A later session can resume the run.
 */
export async function* readChunks(path: string): AsyncGenerator<Buffer> {
  try {
    for await (const chunk of createReadStream(path, { highWaterMark: AT_ONCE })) yield chunk as Buffer;
  } catch (error) {
    throw new InputError(
      `${path}: reading stopped (${reasonOf(error)}); expected a file that stays as it is. Correct it and run the same command again.`,
      { cause: error },
    );
  }
}

/** Returns whether a file with these first bytes is compressed, whatever its name: no text begins so. */
export function isGzip(first: Buffer): boolean {
  return first[0] === 0x1f && first[1] === 0x8b;
}

/** Number of bytes from which format and encoding of a file are found. */
const MOST_FIRST = 64 * 1024;

/** Returns the first bytes of a file. */
export async function firstBytes(chunks: AsyncIterable<Chunk>): Promise<Buffer> {
  const parts: Buffer[] = [];
  let length = 0;
  for await (const chunk of chunks) {
    if (chunk === 'damaged') break;
    parts.push(chunk);
    length += chunk.length;
    if (length >= MOST_FIRST) break;
  }
  return Buffer.concat(parts).subarray(0, MOST_FIRST);
}

/**
 * Yields the readable part of a truncated or damaged file, then `damaged`. To find the damaged place it reads the
 * file again, in smaller pieces from the chunk that failed.
 */
export async function* decompressed(read: () => AsyncIterable<Buffer>): AsyncGenerator<Chunk> {
  let given = 0;
  let from = 0;
  for (const size of PIECES) {
    let known = given;
    const reading: Reading = { isDamaged: false, writtenAt: undefined };
    for await (const part of inflated(inPieces(read(), from, size), reading)) {
      const isNew = part.subarray(Math.min(known, part.length));
      known -= part.length - isNew.length;
      given += isNew.length;
      if (isNew.length > 0) yield isNew;
    }
    if (!reading.isDamaged) return;
    if (reading.writtenAt === undefined) break;
    from = reading.writtenAt;
  }
  yield 'damaged';
}

/** One pass over a compressed file. */
interface Reading {
  isDamaged: boolean;
  /** Position of the last piece; undefined when all were decompressed. */
  writtenAt: number | undefined;
}

async function* inPieces(chunks: AsyncIterable<Buffer>, from: number, size: number): AsyncGenerator<Buffer> {
  let position = 0;
  for await (const chunk of chunks) {
    const whole = Math.min(Math.max(from - position, 0), chunk.length);
    if (whole > 0) yield chunk.subarray(0, whole);
    for (let at = whole; at < chunk.length; at += size) yield chunk.subarray(at, at + size);
    position += chunk.length;
  }
}

async function* inflated(chunks: AsyncIterable<Buffer>, reading: Reading): AsyncGenerator<Buffer> {
  const gunzip = createGunzip({ chunkSize: INFLATED_AT_ONCE });
  const output: Buffer[] = [];
  let wake = () => {};
  // Not by iteration, which does not yield the output before an error.
  gunzip.on('data', (part: Buffer) => output.push(part));
  gunzip.on('error', () => {
    reading.isDamaged = true;
  });
  // If data after the gzip stream is not gzip, the stream may end without a callback of the last write.
  for (const event of ['end', 'close']) gunzip.on(event, () => wake());
  const until = (begin: (done: () => void) => void) =>
    new Promise<void>((resolve) => {
      wake = resolve;
      begin(resolve);
    });
  let position = 0;
  try {
    // Each piece is decompressed completely before the next one, so that all output exists when the end of the file turns out to be missing.
    for await (const chunk of chunks) {
      reading.writtenAt = position;
      await until((done) => gunzip.write(chunk, done));
      yield* output.splice(0);
      if (gunzip.destroyed || gunzip.readableEnded) return;
      position += chunk.length;
    }
    reading.writtenAt = undefined;
    await until(() => gunzip.end());
    yield* output.splice(0);
  } finally {
    gunzip.destroy();
  }
}
