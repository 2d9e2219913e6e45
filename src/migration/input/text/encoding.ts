/**
 * Exports `encodingOf`, `identifyEncoding` and `decodeText`: the character encoding of an input file, from the user or the first bytes
 * of the file. Text in another encoding is an error before anything is sent.
 */
import { InputError } from '../input-error.js';
import { singleByteDecoder } from './single-byte.js';
import type { Chunk } from './split-lines.js';

/** Number of bytes of a file that `identifyEncoding` reads. */
export const IDENTIFIED_BYTES = 64 * 1024;

const UTF8 = 'utf-8';

/**
 * Returns the name of an encoding in the Encoding Standard of WHATWG: `windows-1252` for `latin1`. Throws an `InputError` for a
 * label that the standard does not have.
 */
export function encodingOf(label: string): string {
  try {
    return new TextDecoder(label).encoding;
  } catch {
    throw new InputError(
      `encoding ${JSON.stringify(label)}: unknown; expected a name such as utf-8, windows-1252, latin1, iso-8859-15, macintosh or utf-16le.`,
    );
  }
}

/** Byte order marks and their encodings. */
const MARKS = [
  [[0xef, 0xbb, 0xbf], UTF8],
  [[0xff, 0xfe], 'utf-16le'],
  [[0xfe, 0xff], 'utf-16be'],
] as const;

/** First bytes of files that are not text. */
const NOT_TEXT = [
  [[0x50, 0x4b, 0x03, 0x04], 'an Excel workbook (.xlsx) or another ZIP archive'],
  [[0xd0, 0xcf, 0x11, 0xe0], 'an Excel workbook of an old format (.xls)'],
  [[0x25, 0x50, 0x44, 0x46], 'a PDF document'],
] as const;

/**
 * Returns the encoding of the file `name`. A byte order mark decides; otherwise `given`; otherwise UTF-8. Throws an `InputError`
 * for a file that is not text, for text that `given` would decode wrongly, and for a CSV file that is certainly not UTF-8.
 */
export function identifyEncoding(
  name: string,
  { format, first, given }: { format: 'csv' | 'json'; first: Buffer; given: string | undefined },
): string {
  const [, what] = NOT_TEXT.find(([bytes]) => beginsWith(first, bytes)) ?? [];
  if (what !== undefined) {
    throw new InputError(
      `${name}: the file is ${what}; expected text. Export it from its program as CSV, in UTF-8, and give that file.`,
    );
  }
  const [, marked] = MARKS.find(([bytes]) => beginsWith(first, bytes)) ?? [];
  if (marked !== undefined) return marked;
  const { isUtf8, hasMultibyte, likely } = looksLike(first);
  if (given !== undefined && given !== UTF8) {
    if (isUtf8 && hasMultibyte && !given.startsWith('utf-16')) {
      // The encoding is meant for the export, and this file is another one, such as rejected.jsonl.
      if (format === 'json') return UTF8;
      throw new InputError(
        `${name}: the file is in UTF-8, which ${given} would misread. Leave the encoding out, or convert the other files to UTF-8.`,
      );
    }
    return given;
  }
  if (likely.startsWith('utf-16') || (format === 'csv' && !isUtf8 && !hasMultibyte)) {
    throw new InputError(
      `${name}: the file is not in UTF-8; it is probably in ${likely}. Name its encoding with --encoding ${likely} (encoding of openInput), or export it in UTF-8.`,
    );
  }
  return UTF8;
}

function beginsWith(first: Buffer, bytes: readonly number[]): boolean {
  return bytes.every((byte, index) => first[index] === byte);
}

/** A sequence of two or more bytes that is one character in UTF-8. */
const MULTIBYTE = /[\xc2-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xf4][\x80-\xbf]{3}/;
/** Small letters with accents. Quotation marks of `windows-1252` have the bytes of other letters of `macintosh`. */
const LETTERS = { macintosh: /[\x88-\x90\x9d\x9e]/g, windows: /[\xe0-\xff]/g };
/** In text of UTF-16, nearly every second byte is 0. */
const LEAST_ZEROS = 0.2;

/** Returns the encoding that a file with these first bytes probably has. */
export function likelyEncoding(first: Buffer): string {
  const [, marked] = MARKS.find(([bytes]) => beginsWith(first, bytes)) ?? [];
  if (marked !== undefined) return marked;
  const { isUtf8, hasMultibyte, likely } = looksLike(first);
  return likely.startsWith('utf-16') || (!isUtf8 && !hasMultibyte) ? likely : UTF8;
}

function looksLike(first: Buffer): { isUtf8: boolean; hasMultibyte: boolean; likely: string } {
  const text = first.toString('latin1');
  const hasMultibyte = MULTIBYTE.test(text);
  const zeros = [0, 0];
  for (const [at, byte] of first.entries()) if (byte === 0) zeros[at % 2] = (zeros[at % 2] ?? 0) + 1;
  const [even = 0, odd = 0] = zeros;
  if (even + odd > LEAST_ZEROS * first.length) {
    return { isUtf8: false, hasMultibyte: false, likely: odd > even ? 'utf-16le' : 'utf-16be' };
  }
  const count = (letters: RegExp) => text.match(letters)?.length ?? 0;
  const likely = count(LETTERS.macintosh) > count(LETTERS.windows) ? 'macintosh' : 'windows-1252';
  return { isUtf8: isUtf8Start(first), hasMultibyte, likely };
}

/** Returns whether the bytes are UTF-8; the last character may be incomplete. */
function isUtf8Start(first: Buffer): boolean {
  try {
    new TextDecoder(UTF8, { fatal: true }).decode(first, { stream: true });
    return true;
  } catch {
    return false;
  }
}

/** The last call, without bytes, throws if a character is incomplete. */
function multiByteDecoder(encoding: string): (bytes: Buffer | undefined) => Buffer {
  const decoder = new TextDecoder(encoding, { fatal: true });
  return (bytes) => Buffer.from(bytes === undefined ? decoder.decode() : decoder.decode(bytes, { stream: true }));
}

/** Yields the text as UTF-8. Rejects with an `InputError` if the bytes are invalid in the encoding. */
export async function* decodeText(name: string, chunks: AsyncIterable<Chunk>, encoding: string): AsyncGenerator<Chunk> {
  if (encoding === UTF8) {
    yield* chunks;
    return;
  }
  const decoder = singleByteDecoder(encoding) ?? multiByteDecoder(encoding);
  const decode = (bytes?: Buffer) => {
    try {
      return decoder(bytes);
    } catch (error) {
      throw new InputError(
        `${name}: the file has bytes that are invalid in ${encoding}. Name its encoding with --encoding (encoding of openInput), or export it in UTF-8.`,
        { cause: error },
      );
    }
  };
  for await (const chunk of chunks) {
    if (chunk === 'damaged') {
      yield chunk;
      return;
    }
    yield decode(chunk);
  }
  yield decode();
}
