/** Records as JSON Lines. A line is decoded and parsed only on access: a resumed run skips most lines. */
import { isAscii, isUtf8 } from 'node:buffer';
import { hash } from 'node:crypto';
import type { InputLine, ReadRecord } from '../source.js';
import { parseRecord, problem, problemItem } from './parse-record.js';
import { isBlank, type Line } from './split-lines.js';

/** Yields the lines. */
export async function* readJsonLines(source: string, lines: AsyncIterable<Line[]>): AsyncGenerator<InputLine[]> {
  for await (const some of lines) {
    const items: InputLine[] = [];
    for (const line of some) {
      if (line.flaw !== undefined) items.push(flawedItem(source, line));
      else if (!isBlank(line.bytes)) items.push(new LineItem(source, line.number, line.bytes));
    }
    yield items;
  }
}

/** A class, because there are millions of instances: own getters on each object would cost as much as the line. */
export class LineItem implements InputLine {
  #hash: string | undefined;

  constructor(
    readonly source: string,
    readonly line: number,
    readonly bytes: Buffer,
  ) {}

  get text(): string {
    return this.bytes.toString();
  }

  get hash(): string {
    this.#hash ??= hash('sha256', this.bytes);
    return this.#hash;
  }

  read(): ReadRecord {
    return recordOf(this.bytes);
  }
}

/** Returns the record of a line. */
function recordOf(bytes: Buffer): ReadRecord {
  // Twice as fast as decoding UTF-8.
  if (isAscii(bytes)) return parseRecord(bytes.toString('latin1'));
  return isUtf8(bytes) ? parseRecord(bytes.toString()) : NOT_UTF8;
}

export const NOT_UTF8 = problem(
  'invalid_encoding',
  'The line is not in UTF-8. Name the encoding of the file, for example --encoding windows-1252 (encoding of openInput), or export it in UTF-8. If other lines of the file are in UTF-8, convert it to one encoding.',
);

/** Problems of lines that could not be read completely. */
const FLAWS = {
  tooLong: problem(
    'line_too_long',
    'The line is longer than the longest line that is read (4 MiB by default). Write one record per line; for a record that is ' +
      'longer, raise --longest-line (longestLine of openInput).',
  ),
  damaged: problem(
    'damaged_file',
    'The file is incomplete or damaged here (a compressed file that was cut off, or NUL bytes in place of text); the rest was not ' +
      'read. Create the file again, and repeat the command.',
  ),
  undecodable: problem(
    'invalid_encoding',
    'The line has bytes that are not in the encoding of the file. Name the right one with --encoding (encoding of openInput), or export it in UTF-8.',
  ),
  misread: problem(
    'invalid_encoding',
    'The line is in UTF-8, which the encoding of the file would misread. Name the right one with --encoding (encoding of openInput), or convert the file to one encoding.',
  ),
};

/** Returns an item for a line that could not be read completely. */
export function flawedItem(source: string, { number, bytes, flaw = 'damaged' }: Line): InputLine {
  return problemItem(source, number, `${bytes.toString()}${flaw === 'tooLong' ? '…' : ''}`, FLAWS[flaw]);
}
