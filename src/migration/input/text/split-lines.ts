/**
 * Splits a file into lines of bytes; decoding is left to the reader of a line. A line ends with LF or CRLF; the last
 * line may end without. Several times faster than readline, with constant memory.
 */

export interface Line {
  /** Counted from 1. */
  number: number;
  /** Where its bytes begin: how many come before them, a byte order mark with them. */
  start: number;
  /** Without its end. Of a line that is too long, the beginning. */
  bytes: Buffer;
  /** What is wrong with it, if anything. `damaged`: the file cannot be read beyond. */
  flaw?: 'tooLong' | 'damaged';
}

/** A part of a file; `damaged` where it cannot be read beyond. */
export type Chunk = Buffer | 'damaged';

/** Bytes of a line, without its end: an account with some 20,000 transactions. A longer one would block the event loop while it is parsed. */
export const LONGEST_LINE = 4 * 1024 * 1024;

/** Bytes that are kept of a line that is too long: enough to find it again. */
const KEPT = 1024;

const LF = 10;
const CR = 13;
const SPACE = 32;
const BOM = [0xef, 0xbb, 0xbf];

/** As many at a time as one part of the file ends: a promise for every line would cost more than the line. */
export async function* splitLines(chunks: AsyncIterable<Chunk>, longest = LONGEST_LINE): AsyncGenerator<Line[]> {
  let number = 1;
  /** Of this chunk. */
  let position = 0;
  let begun = beginLine(longest);
  for await (const chunk of chunks) {
    if (chunk === 'damaged') {
      // Also if the line is empty so far: the reader must learn that the rest of the file is missing.
      yield [{ ...begun.end(number), flaw: 'damaged' }];
      return;
    }
    const lines: Line[] = [];
    let start = 0;
    for (let end = chunk.indexOf(LF); end >= 0; end = chunk.indexOf(LF, start)) {
      // Most lines lie in one chunk, and need none of what one in parts needs.
      if (number > 1 && !begun.hasBytes() && end - start <= longest) {
        const bytes = chunk.subarray(start, end > start && chunk[end - 1] === CR ? end - 1 : end);
        lines.push({ number, start: position + start, bytes });
      } else {
        begun.add(chunk.subarray(start, end), position + start);
        lines.push(begun.end(number));
        begun = beginLine(longest);
      }
      number++;
      start = end + 1;
    }
    if (start < chunk.length) begun.add(chunk.subarray(start), position + start);
    position += chunk.length;
    yield lines;
  }
  if (begun.hasBytes()) yield [begun.end(number)];
}

/** Nothing in it but what JSON and CSV leave out of account. */
export function isBlank(bytes: Buffer): boolean {
  const [first = 0] = bytes;
  return first <= SPACE && bytes.every((byte) => byte <= SPACE);
}

/** A line that comes in parts, one for each chunk that it touches. */
function beginLine(longest: number) {
  // Its BOM and its CR do not count, and are known only at the end.
  const most = longest + BOM.length + 1;
  let parts: Buffer[] = [];
  let length = 0;
  let position = 0;
  return {
    hasBytes: () => length > 0,
    add(part: Buffer, at: number): void {
      if (length === 0) position = at;
      length += part.length;
      parts.push(part);
      if (length > most) parts = [Buffer.concat(parts).subarray(0, KEPT)];
    },
    end(number: number): Line {
      let bytes = parts.length === 1 && parts[0] !== undefined ? parts[0] : Buffer.concat(parts);
      if (length <= most && bytes.at(-1) === CR) bytes = bytes.subarray(0, -1);
      const hasBom = number === 1 && BOM.every((byte, index) => bytes[index] === byte);
      if (hasBom) bytes = bytes.subarray(BOM.length);
      const start = hasBom ? position + BOM.length : position;
      if (length <= most && bytes.length <= longest) return { number, start, bytes };
      return { number, start, bytes: bytes.subarray(0, KEPT), flaw: 'tooLong' };
    },
  };
}
