/** How far a book was read: up to which line of which of its files. */
import type { InputLine } from '../input/source.js';

type Place = Pick<InputLine, 'source' | 'line'>;

export interface ReadProgress {
  add(item: Place): void;
  /** Whether the line at this place was read. */
  has(place: Place): boolean;
  /** Whether any of the file was read. */
  hasSource(source: string): boolean;
}

/** Of one reading, in its order: a file is read to its end where another follows. */
export function createReadProgress(): ReadProgress {
  const read = new Set<string>();
  let last: Place = { source: '', line: 0 };
  return {
    add(item) {
      if (item.source !== last.source) read.add(item.source);
      last = item;
    },
    hasSource: (source) => read.has(source),
    has: ({ source, line }) => read.has(source) && (source !== last.source || line <= last.line),
  };
}
