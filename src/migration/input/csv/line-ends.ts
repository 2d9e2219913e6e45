/**
 * Exports `csvLines`, the lines of a CSV file. They may end with CR, which spreadsheets still write ("CSV (Macintosh)"), if the first
 * line does: otherwise a CR is an ordinary character.
 */
import { decodedLines } from '../text/identify-encoding.js';
import type { Chunk, Line } from '../text/split-lines.js';

const LF = 10;
const CR = 13;
const QUOTE = 0x22;
const NOTHING = Buffer.alloc(0);

/** Yields the lines of the file `name` in UTF-8. `longest`: maximum size of a line in bytes. */
export function csvLines(
  name: string,
  chunks: AsyncIterable<Chunk>,
  options: { encoding: string; longest?: number | undefined },
): AsyncGenerator<Line[]> {
  return decodedLines(name, chunks, { ...options, withEnds: withLineFeeds });
}

/** Yields the chunks with LF for every CR and CRLF if the first line ends with CR without LF; otherwise unchanged. */
async function* withLineFeeds(chunks: AsyncIterable<Chunk>): AsyncGenerator<Chunk> {
  const isLoneCr = firstEnd();
  let isOld: boolean | undefined;
  /** A CR at the end of a chunk: the next chunk shows whether it is part of CRLF. */
  let held: Buffer = NOTHING;
  for await (const chunk of chunks) {
    if (chunk === 'damaged') {
      yield withLf(held);
      yield chunk;
      return;
    }
    const bytes = held.length > 0 ? Buffer.concat([held, chunk]) : chunk;
    isOld ??= isLoneCr(bytes);
    held = isOld !== false && bytes.at(-1) === CR ? bytes.subarray(-1) : NOTHING;
    const known = bytes.subarray(0, bytes.length - held.length);
    yield isOld === true ? withLf(known) : known;
  }
  yield withLf(held);
}

/** Returns a function that returns whether the first line ends with CR without LF; undefined until that is known. */
function firstEnd(): (bytes: Buffer) => boolean | undefined {
  let isQuoted = false;
  return (bytes) => {
    for (const [at, byte] of bytes.entries()) {
      if (byte === QUOTE) isQuoted = !isQuoted;
      if (isQuoted) continue;
      if (byte === LF) return false;
      if (byte === CR) return at + 1 === bytes.length ? undefined : bytes[at + 1] !== LF;
    }
    return undefined;
  };
}

function withLf(bytes: Buffer): Buffer {
  return Buffer.from(bytes.toString('latin1').replace(/\r\n?/g, '\n'), 'latin1');
}
