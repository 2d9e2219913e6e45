/** Where a line of the book is left, for whoever reads it again: which lines can be, and what to do about others. */
import { BookError } from '../input/input-error.js';
import type { SourceItem } from '../input/source.js';
import type { LinePlace } from './distributed-ledger.js';

/**
 * For a book that stays in its place. undefined where the line is none of an uncompressed file of JSON Lines, or was not
 * read to its end: `notInPlace` says what to do.
 */
export function placeOf({ source, place }: SourceItem): LinePlace | undefined {
  return place === undefined ? undefined : { source, ...place };
}

/** Of a line that has no place: what was found, what was expected, what to do. */
export function notInPlace(source: string): BookError {
  return new BookError(
    `${nameOf(source)}: its lines cannot be read one by one where they are, as a book that stays in its place is read; ` +
      'expected files of JSON Lines that are not compressed. Unpack or convert it, or keep the book in the database: --book-in database.',
  );
}

function nameOf(source: string): string {
  if (source === '-') return '- (standard input)';
  return source === 'book' ? 'book (handed over by code)' : source;
}
