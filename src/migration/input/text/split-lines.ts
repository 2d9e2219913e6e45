/**
 * Splits a file into lines of bytes; decoding is left to the reader of a line. A line ends with LF or CRLF; the last
 * line may end without. Several times faster than readline, with constant memory.
 */

export interface Line {
  /** Counted from 1. */
  number: number;
  /** The bytes without line end; only the beginning of a line that is too long. */
  bytes: Buffer;
  /**
   * An error of the line. `damaged`: the rest of the file cannot be read. `undecodable`: bytes that are not in the encoding of the file.
   * `misread`: bytes of UTF-8 in a file of another encoding.
   */
  flaw?: 'tooLong' | 'damaged' | 'undecodable' | 'misread';
}

/** A part of a file; `damaged` if the rest cannot be read. */
export type Chunk = Buffer | 'damaged';

/** Default maximum size of a line: an account with about 20,000 transactions. Parsing a longer line would block the event loop. */
export const LONGEST_LINE = 4 * 1024 * 1024;

/** Number of bytes that are kept of a line that is too long, to identify it. */
const KEPT = 1024;

const LF = 10;
const CR = 13;
const SPACE = 32;
const BOM = [0xef, 0xbb, 0xbf];

/** Yields the lines that end in each chunk together: a promise per line would take longer than the line. */
export async function* splitLines(chunks: AsyncIterable<Chunk>, longest = LONGEST_LINE): AsyncGenerator<Line[]> {
  let number = 1;
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
      // Fast path for most lines, which are in one chunk.
      if (number > 1 && !begun.hasBytes() && end - start <= longest && chunk[start] !== BOM[0]) {
        const bytes = chunk.subarray(start, end > start && chunk[end - 1] === CR ? end - 1 : end);
        lines.push({ number, bytes });
      } else {
        begun.add(chunk.subarray(start, end));
        lines.push(begun.end(number));
        begun = beginLine(longest);
      }
      number++;
      start = end + 1;
    }
    if (start < chunk.length) begun.add(chunk.subarray(start));
    yield lines;
  }
  if (!begun.hasBytes()) return;
  const last = begun.end(number);
  // What a file system leaves of a file that was not written to its end.
  if (last.bytes.at(-1) === 0)
    yield [{ number, bytes: last.bytes.subarray(0, last.bytes.indexOf(0)), flaw: 'damaged' }];
  else yield [last];
}

/** Returns whether the line has only white space. */
export function isBlank(bytes: Buffer): boolean {
  const [first = 0] = bytes;
  return first <= SPACE && bytes.every((byte) => byte !== 0 && byte <= SPACE);
}

/** Collects a line that is in several chunks. */
function beginLine(longest: number) {
  // A byte order mark and the CR do not count, but are known only at the end.
  const most = longest + BOM.length + 1;
  let parts: Buffer[] = [];
  let length = 0;
  return {
    hasBytes: () => length > 0,
    add(part: Buffer): void {
      length += part.length;
      parts.push(part);
      if (length > most) parts = [Buffer.concat(parts).subarray(0, KEPT)];
    },
    end(number: number): Line {
      let bytes = parts.length === 1 && parts[0] !== undefined ? parts[0] : Buffer.concat(parts);
      if (length <= most && bytes.at(-1) === CR) bytes = bytes.subarray(0, -1);
      // Several files that were joined have one at the beginning of each.
      while (BOM.every((byte, index) => bytes[index] === byte)) bytes = bytes.subarray(BOM.length);
      if (length <= most && bytes.length <= longest) return { number, bytes };
      return { number, bytes: bytes.subarray(0, KEPT), flaw: 'tooLong' };
    },
  };
}
