/** Exports `createReadProgress`, up to which line a session has read its input, and `countIgnoredLines`, the corrected lines that it ignored. */
import type { InputLine } from '../../input/source.js';
import { addPlace, type CountedPlaces, nowhere } from '../../shared/counted-places.js';
import { placeInWords } from '../../shared/place.js';
import type { IgnoredReason } from '../run-context.js';

type Place = Pick<InputLine, 'source' | 'line'>;

export type ReadProgress = ReturnType<typeof createReadProgress>;

/** Returns the progress of one pass. Files are read one after the other. */
export function createReadProgress() {
  const read = new Set<string>();
  let last: Place = { source: '', line: 0 };
  let lines = 0;
  let isOver = false;
  return {
    /** Number of lines. */
    get lines(): number {
      return lines;
    },
    /** Whether these are all. */
    get isOver(): boolean {
      return isOver;
    },
    /** Call it with the number of lines when all are read, or are stored by an earlier session. */
    end(all: number): void {
      [lines, isOver] = [all, true];
    },
    add(item: Place): void {
      lines++;
      if (item.source !== last.source) read.add(item.source);
      last = item;
    },
    /** Returns whether reading of the file has started. */
    hasSource: (source: string) => read.has(source),
    /** Returns whether the line at this place was read. */
    has: ({ source, line }: Place) => read.has(source) && (source !== last.source || line <= last.line),
  };
}

/** Ignored corrected lines by reason; up to three places of each as `file:line`. */
export type IgnoredLineCounts = Partial<Record<IgnoredReason, CountedPlaces>>;

/** Counts corrected lines that `retry` ignores, by reason, with the places of some of them. */
export function countIgnoredLines(): { add(item: InputLine, why: IgnoredReason): void; counts: IgnoredLineCounts } {
  const counts: IgnoredLineCounts = {};
  return {
    counts,
    add(item, why) {
      counts[why] ??= nowhere();
      addPlace(counts[why], placeInWords(item));
    },
  };
}
