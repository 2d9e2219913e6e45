/**
 * Exports `identifyEncoding`, `decodeText` and `decodedLines`: the character encoding of an input file, from the user or a byte order
 * mark. Text in another encoding is an error before anything is sent, or rejects its line.
 */
import { isAscii, isUtf8 } from 'node:buffer';
import { InputError } from '../input-error.js';
import { decoded, isSingleByte, streamDecoder } from './code-pages.js';
import { isUtf8ReadAs, linesOf, linesWithAccents, MULTIBYTE, plausibleEncodings } from './plausible-encodings.js';
import { type Chunk, type Line, splitLines } from './split-lines.js';

const UTF8 = 'utf-8';

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

/** A first line, after a byte order mark, that ends inside a list or an object, or is a list and the only line. */
const OVER_LINES = /^[\xef\xbb\xbf\xfe\xff]*\s*(?:(?:\{(?:.*[[{])?|\[(?:.*[^\]\s])?)[ \t]*\r?\n|\[[^\n]*(?:\n\s*)?$)/;

/** The beginning of a file, and what its user said about it. */
export interface FirstBytes {
  format: 'csv' | 'json' | 'jsonl';
  first: Buffer;
  /** The encoding that the user named. */
  given: string | undefined;
  /** Whether a message may have a line of the file. */
  showPersonalData?: boolean;
}

/**
 * Returns the encoding of the file `name`. A byte order mark decides, or characters of UTF-8 without any other bytes; otherwise `given`;
 * otherwise UTF-8. Throws an `InputError`
 * for a file that is not text, for JSON over several lines, for text that `given` would decode wrongly, and for a CSV file that is
 * certainly not UTF-8.
 */
export function identifyEncoding(name: string, { format, first, given, showPersonalData = false }: FirstBytes): string {
  const [, what] = NOT_TEXT.find(([bytes]) => beginsWith(first, bytes)) ?? [];
  if (what !== undefined) {
    throw new InputError(
      `${name}: the file is ${what}; expected text. Export it from its program as CSV, in UTF-8, and give that file.`,
    );
  }
  if (format === 'jsonl' && OVER_LINES.test(first.toString('latin1').replaceAll('\0', ''))) {
    throw new InputError(
      `${name}: the file is a list, or has JSON over several lines; expected one record on each line. Convert it, for example with jq -c '.[]' if it is a list of records, or jq -c . if it is one record after the other, and give the new file.`,
    );
  }
  const [, marked] = MARKS.find(([bytes]) => beginsWith(first, bytes)) ?? [];
  if (marked !== undefined) return marked;
  const utf16 = utf16Of(first);
  const isUtf8Text = utf16 === undefined && isUtf8Start(first);
  if (given !== undefined && given !== UTF8) {
    if (isUtf8Text && first.toString('latin1').search(MULTIBYTE) >= 0 && !given.startsWith('utf-16')) {
      // The encoding is meant for another file of the input, or for the export of this rejected.jsonl.
      if (format !== 'csv' || isSingleByte(given)) return UTF8;
      // Two characters of Shift JIS or GBK may be one of UTF-8.
      throw new InputError(
        `${name}: the file is in UTF-8, which ${given} would misread. Leave the encoding out, or convert the other files to UTF-8.`,
      );
    }
    return given;
  }
  if (utf16 !== undefined && isLineOfUtf8(first)) {
    throw new InputError(`${name}: the first line of the file is in UTF-8, and later ones are in UTF-16. ${JOINED}`);
  }
  if (utf16 !== undefined || (format === 'csv' && !isUtf8Text && !isMostlyUtf8(first))) {
    const plausible = likelyEncodings(first);
    refuseTwoEncodings(name, first);
    throw new InputError(
      `${name}${howItReads(first, plausible, showPersonalData)}. Name its encoding with --encoding ${plausible.join(' or ')} (encoding of openInput), or export it in UTF-8.`,
    );
  }
  return UTF8;
}

/** Throws an `InputError` if some lines are in UTF-8 and others are not: no encoding is that of the whole file. */
export function refuseTwoEncodings(name: string, first: Buffer): void {
  const lines = linesOf(first);
  const others = lines.filter((line) => !isUtf8(line));
  const [other] = others;
  if (other === undefined || isMostlyUtf8(first)) return;
  const plausible = plausibleEncodings(Buffer.concat(others));
  const inUtf8 = lines.findIndex((line) => isUtf8(line) && plausible.every((encoding) => isUtf8ReadAs(encoding, line)));
  if (inUtf8 < 0) return;
  throw new InputError(
    `${name}: the file has lines in two encodings: line ${inUtf8 + 1} is in UTF-8, and line ${lines.indexOf(other) + 1} is not (it is probably in ${plausible.join(' or ')}). Convert the file to one encoding, and give that file. ${JOINED}`,
  );
}

/** Returns how the encodings read one character of a line; with personal data, how they read the line. */
function howItReads(first: Buffer, encodings: readonly string[], showPersonalData: boolean): string {
  const [found] = linesWithAccents(first, encodings, 1);
  if (found === undefined || encodings[0]?.startsWith('utf-16'))
    return `: the file is not in UTF-8; it is probably in ${encodings.join(' or ')}`;
  const { number, bytes } = found;
  const accents = [...bytes].filter((byte) => byte > 0x7f).map((byte) => Buffer.of(byte));
  const differing = accents.find((byte) => new Set(encodings.map((name) => decoded(name, byte))).size > 1);
  const shown = showPersonalData ? bytes : (differing ?? accents[0] ?? bytes);
  const what = showPersonalData ? 'the line' : `byte 0x${shown.toString('hex')}`;
  const readings = encodings.map((name) => `${JSON.stringify(decoded(name, shown)?.trimEnd() ?? '')} in ${name}`);
  const are =
    encodings.length > 1 ? `${encodings.length} encodings are plausible` : `it is probably in ${encodings[0]}`;
  return `:${number}: the file is not in UTF-8; ${are}: ${what} is ${readings.join(', ')}`;
}

function beginsWith(first: Buffer, bytes: readonly number[]): boolean {
  return bytes.every((byte, index) => first[index] === byte);
}

/** In text of UTF-16, nearly every second byte is 0. */
const LEAST_ZEROS = 0.2;

/** Returns the encodings that a file with these first bytes may have, the most likely first. Several: only a person can decide. */
export function likelyEncodings(first: Buffer): [string, ...string[]] {
  const [, marked] = MARKS.find(([bytes]) => beginsWith(first, bytes)) ?? [];
  const certain = marked ?? utf16Of(first);
  if (certain !== undefined) return [certain];
  return isUtf8Start(first) || isMostlyUtf8(first) ? [UTF8] : plausibleEncodings(first);
}

/** Returns whether the text has characters of UTF-8, and as many as others: another program may have damaged some of either kind. */
function isMostlyUtf8(first: Buffer): boolean {
  const text = first.toString('latin1');
  const others = text.replace(MULTIBYTE, '').match(/[\x80-\xff]/g)?.length ?? 0;
  const count = text.match(MULTIBYTE)?.length ?? 0;
  return count > 0 && count >= others;
}

/** Returns the kind of UTF-16 without a byte order mark. */
function utf16Of(first: Buffer): string | undefined {
  const zeros = [0, 0];
  // A file that was cut off may end with zeros.
  const text = first.subarray(0, first.findLastIndex((byte) => byte !== 0) + 1);
  for (const [at, byte] of text.entries()) if (byte === 0) zeros[at % 2] = (zeros[at % 2] ?? 0) + 1;
  const [even = 0, odd = 0] = zeros;
  if (even + odd <= LEAST_ZEROS * text.length) return undefined;
  return odd > even ? 'utf-16le' : 'utf-16be';
}

/** Letters of UTF-16 have control characters in their bytes, if they are of Europe. */
function isLineOfUtf8(first: Buffer): boolean {
  const line = first.subarray(0, first.indexOf(LINE_END));
  return isUtf8(line) && line.every((byte) => byte >= 0x20 || byte === 0x09 || byte === 0x0d);
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

interface DecodedLinesOptions {
  encoding: string;
  /** Maximum size of a line in bytes. */
  longest?: number | undefined;
  /** Converts other line ends to LF, in text with one byte for CR and for LF. */
  withEnds?: (text: AsyncIterable<Chunk>) => AsyncIterable<Chunk>;
}

/**
 * Yields the lines in UTF-8. A line whose bytes are not in the encoding has a flaw. In UTF-16 and the like the line is unknown:
 * rejects with an `InputError`.
 */
export async function* decodedLines(
  name: string,
  chunks: AsyncIterable<Chunk>,
  { encoding, longest, withEnds = (text) => text }: DecodedLinesOptions,
): AsyncGenerator<Line[]> {
  if (encoding === UTF8 || !isSingleByte(encoding)) {
    yield* splitLines(withEnds(decodeText(name, chunks, encoding)), longest);
    return;
  }
  for await (const lines of splitLines(withEnds(chunks), longest)) yield inUtf8(lines, encoding);
}

/** Decodes the lines together, which takes a third of the time of one by one, and one by one if there is a flaw. */
function inUtf8(lines: Line[], encoding: string): Line[] {
  const others = lines.filter(({ flaw, bytes }) => flaw === undefined && !isAscii(bytes));
  if (others.length === 0) return lines;
  const joined = Buffer.concat(others.flatMap(({ bytes }) => [bytes, LINE_END]));
  const text = decoded(encoding, joined);
  if (text === undefined || isUtf8ReadAs(encoding, joined)) return lines.map((line) => decodedLine(line, encoding));
  const texts = text.split('\n');
  let next = 0;
  return lines.map((line) => (line === others[next] ? { ...line, bytes: Buffer.from(texts[next++] ?? '') } : line));
}

const LINE_END = Buffer.from('\n');

function decodedLine(line: Line, encoding: string): Line {
  const { bytes, flaw } = line;
  if (flaw !== undefined || isAscii(bytes)) return line;
  const text = decoded(encoding, bytes);
  if (text === undefined) return { ...line, flaw: 'undecodable' };
  // A line with other bytes too is no UTF-8: a program has damaged its text before, of which the local check warns.
  return isUtf8(bytes) && isUtf8ReadAs(encoding, bytes)
    ? { ...line, flaw: 'misread' }
    : { ...line, bytes: Buffer.from(text) };
}

/** Yields the text as UTF-8. Rejects with an `InputError` if the bytes are invalid in the encoding, or are those of UTF-8. */
export async function* decodeText(name: string, chunks: AsyncIterable<Chunk>, encoding: string): AsyncGenerator<Chunk> {
  if (encoding === UTF8) yield* chunks;
  else if (isSingleByte(encoding)) yield* textOf(name, chunks, encoding);
  else yield* decodedWhole(name, chunks, encoding);
}

/** By line, so that an error names its line. */
async function* textOf(name: string, chunks: AsyncIterable<Chunk>, encoding: string): AsyncGenerator<Chunk> {
  for await (const lines of decodedLines(name, chunks, { encoding, longest: Number.POSITIVE_INFINITY })) {
    for (const { number, flaw } of lines) {
      if (flaw !== undefined && flaw !== 'damaged')
        throw new InputError(`${name}:${number}: ${inWords(flaw, encoding)}`);
    }
    yield Buffer.concat(lines.flatMap(({ bytes }) => [bytes, LINE_END]));
    if (lines.at(-1)?.flaw === 'damaged') yield 'damaged';
  }
}

async function* decodedWhole(name: string, chunks: AsyncIterable<Chunk>, encoding: string): AsyncGenerator<Chunk> {
  const decoder = streamDecoder(encoding);
  const decode = (bytes?: Buffer) => {
    try {
      const text = decoder(bytes);
      if (encoding.startsWith('utf-16') || !text.includes('\ufffd')) return Buffer.from(text);
    } catch (error) {
      throw new InputError(`${name}: ${inWords('undecodable', encoding)}`, { cause: error });
    }
    throw new InputError(`${name}: ${inWords('undecodable', encoding)}`);
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

function inWords(flaw: Line['flaw'], encoding: string): string {
  return flaw === 'misread'
    ? `the line is in UTF-8, which ${encoding} would misread. Leave the encoding out, or convert the file to one encoding.`
    : `the file has bytes that are invalid in ${encoding}. Name another encoding with --encoding (encoding of openInput), or export it in UTF-8. ${JOINED}`;
}

const JOINED = 'If it was joined from several files, convert each of them to UTF-8 and join them again.';
