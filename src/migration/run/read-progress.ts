/** Exports `createReadProgress`: up to which line of which file an input was read. */
import type { InputLine } from '../input/source.js';

type Place = Pick<InputLine, 'source' | 'line'>;

export interface ReadProgress {
  add(item: Place): void;
  /** Returns whether the line at this place was read. */
  has(place: Place): boolean;
  /** Returns whether reading of the file has started. */
  hasSource(source: string): boolean;
}

/** Returns the progress of one pass. Files are read one after the other. */
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
