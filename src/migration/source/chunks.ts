/** The bytes of a file in parts, decompressed where it is compressed. Read anew with every call. */
import { createReadStream } from 'node:fs';
import { createGunzip, type Gunzip } from 'node:zlib';
import { BookError, reasonOf } from './book-error.js';
import type { Chunk } from './lines.js';

/**
 * A part stays for as long as a record of it is under way. Larger ones are read faster, but come to be old, and for every
 * few MB of such buffers V8 looks through the whole heap (decision 11).
 */
const AT_ONCE = 64 * 1024;

/** What a damaged part has in it is lost, up to this much. */
const INFLATED_AT_ONCE = 64 * 1024;

/** Rejects with a `BookError` where the file cannot be read to its end; a run goes on when it can. */
export async function* chunksOf(path: string): AsyncGenerator<Buffer> {
  try {
    for await (const chunk of createReadStream(path, { highWaterMark: AT_ONCE })) yield chunk as Buffer;
  } catch (error) {
    throw new BookError(
      `${path}: reading stopped (${reasonOf(error)}); expected a file that stays as it is. Mend it and run the same command again.`,
      { cause: error },
    );
  }
}

/** What is there of a file that was cut off or damaged is given, and then `damaged`. */
export async function* decompressed(chunks: AsyncIterable<Buffer>): AsyncGenerator<Chunk> {
  const gunzip = createGunzip({ chunkSize: INFLATED_AT_ONCE });
  let failure: { error: unknown } | undefined;
  const fed = feed(chunks, gunzip).catch((error) => {
    failure = { error };
    gunzip.destroy();
  });
  try {
    yield* readableOf(gunzip);
    if (gunzip.errored !== null) yield 'damaged';
  } finally {
    gunzip.destroy();
    await fed;
  }
  if (failure !== undefined) throw failure.error;
}

/**
 * Part by part, each inflated before the next: only so has everything come out by the time when the end shows that
 * something is missing.
 */
async function feed(chunks: AsyncIterable<Buffer>, gunzip: Gunzip): Promise<void> {
  const next = waiterFor(gunzip, ['end', 'close']);
  for await (const chunk of chunks) {
    // Where more follows that is no gzip, the stream may end and never answer this write: hence the events.
    await next((inflated) => gunzip.write(chunk, inflated));
    if (hasEnded(gunzip)) return;
  }
  gunzip.end();
}

/** Unlike its own iterator, this gives what came before an error. */
async function* readableOf(gunzip: Gunzip): AsyncGenerator<Buffer> {
  const next = waiterFor(gunzip, ['readable', 'end', 'close', 'error']);
  for (;;) {
    const chunk: Buffer | null = gunzip.read();
    if (chunk !== null) yield chunk;
    else if (hasEnded(gunzip)) return;
    else await next();
  }
}

function hasEnded(gunzip: Gunzip): boolean {
  return gunzip.destroyed || gunzip.readableEnded;
}

/** One listener an event for the whole file, however many parts it has. */
function waiterFor(gunzip: Gunzip, events: readonly string[]) {
  let wake = () => {};
  for (const event of events) gunzip.on(event, () => wake());
  return (begin?: (done: () => void) => void) =>
    new Promise<void>((resolve) => {
      wake = resolve;
      begin?.(resolve);
    });
}
