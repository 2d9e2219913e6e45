/** `dropNulls`: lines of JSON without the fields that are null, at every depth. */

const NULL = Buffer.from('":null');
const QUOTE = 0x22;
const COMMA = 0x2c;
/** In JSON without blanks, one of these lies between any two strings. A name that has one itself keeps its field. */
const NOT_IN_NAMES: ReadonlySet<number> = new Set(Buffer.from('\\:,{}[]'));

/**
 * Changes `bytes`, which DuckDB wrote, and returns the part of them that has the result. Exact, because a quote in a string is escaped:
 * what looks like a field in a text is not one.
 */
export function dropNulls(bytes: Buffer): Buffer {
  /** Up to here the bytes were read, and up to there they were written. */
  let read = 0;
  let written = 0;
  for (let at = bytes.indexOf(NULL); at >= 0; at = bytes.indexOf(NULL, at + 1)) {
    let start = startOfName(bytes, at);
    if (start < 0) continue;
    let end = at + NULL.length;
    // The comma before it may have gone with the field before it.
    if (bytes[start - 1] === COMMA && start > read) start--;
    else if (bytes[end] === COMMA) end++;
    if (written < read) bytes.copyWithin(written, read, start);
    written += start - read;
    read = end;
  }
  if (read === 0) return bytes;
  bytes.copyWithin(written, read);
  return bytes.subarray(0, written + bytes.length - read);
}

/** Where the quote before the name is; -1 if the quote at `end` ends no name. */
function startOfName(bytes: Buffer, end: number): number {
  for (let at = end - 1; at >= 0; at--) {
    const byte = bytes[at] ?? 0;
    if (byte === QUOTE) return at;
    if (NOT_IN_NAMES.has(byte)) return -1;
  }
  return -1;
}
