/** Records as JSON Lines. A line is decoded and parsed only when it is asked for: most of a continued book is not. */
import { isUtf8 } from 'node:buffer';
import { hash } from 'node:crypto';
import { isBlank, type Line } from './lines.js';
import { problem, problemItem, recordIn } from './record.js';
import type { SourceItem } from './source.js';

export async function* jsonLines(source: string, lines: AsyncIterable<Line[]>): AsyncGenerator<SourceItem[]> {
  for await (const some of lines) {
    yield some
      .filter(({ bytes, flaw }) => flaw !== undefined || !isBlank(bytes))
      .map((line) => (line.flaw === undefined ? lineItem(source, line) : flawedItem(source, line)));
  }
}

function lineItem(source: string, { number, bytes }: Line): SourceItem {
  return {
    source,
    line: number,
    get text() {
      return bytes.toString();
    },
    hash: hash('sha256', bytes),
    read: () => (isUtf8(bytes) ? recordIn(bytes.toString()) : NOT_UTF8),
  };
}

export const NOT_UTF8 = problem(
  'invalid_utf8',
  'The line is not in UTF-8. Convert the file, for example: iconv -f WINDOWS-1252 -t UTF-8.',
);

/** A line that was not read to its end. */
export function flawedItem(source: string, { number, bytes, flaw }: Line): SourceItem {
  if (flaw === 'tooLong') {
    const detail = 'The line is longer than a line may be. Is the whole book on one line? Write one record a line.';
    return problemItem(source, number, `${bytes.toString()}…`, problem('line_too_long', detail));
  }
  const detail =
    'The compressed file is cut off or damaged here: what follows in it was not read. Make the file anew and run again.';
  return problemItem(source, number, bytes.toString(), problem('damaged_file', detail));
}
