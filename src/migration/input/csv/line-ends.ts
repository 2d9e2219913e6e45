/**
 * Lone CRs as line ends: spreadsheets still write them ("CSV (Macintosh)"), and the whole file would be one header. Only
 * where the first line ends so: elsewhere a CR is a character like any other.
 */
import type { Chunk } from '../text/split-lines.js';

const LF = 10;
const CR = 13;
const QUOTE = 0x22;
const NOTHING = Buffer.alloc(0);

/** With LF for every CR and CRLF where the first line ends with a lone CR; every other file as it is. */
export async function* withLineFeeds(chunks: AsyncIterable<Chunk>): AsyncGenerator<Chunk> {
  const isLoneCr = firstEnd();
  let isOld: boolean | undefined;
  /** A CR at the end of a part: what it is, the next part says. */
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

/** Whether the first line ends with a lone CR; undefined until that is known. */
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
