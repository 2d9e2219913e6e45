/**
 * How a member reads a line of the book again: out of the ledger's database, or by its place in a file. Whichever it is,
 * only the line that the run began with counts, and its hash tells.
 */
import { hash as hashOf } from 'node:crypto';
import { recordOf } from '../source/json-lines.js';
import type { ReadRecord } from '../source/source.js';
import type { LinePlace } from './fleet-ledger.js';
import { addressOf, checkBookAt } from './line-address.js';
import { bookChanged, LineError } from './line-error.js';
import { createFileParts } from './line-file.js';
import { createRangeParts, type RangeOptions } from './line-range.js';

export interface LineReaderOptions extends RangeOptions {
  /**
   * Where the book is for this member, where that is not where the names in it say: a folder, or an https URL (http for
   * a loopback host), which may hold user and password or a query that lets it in. `addressOf` tells what is read.
   * @default the names as the run has them
   */
  bookAt?: string | undefined;
}

export interface LineReader {
  /**
   * The record in the line whose SHA-256 is `hash`, in hexadecimal. Rejects with a `LineError` where that line is not to
   * be had; its `mayPass` tells whether it may be later.
   */
  read(line: LinePlace, hash: string): Promise<ReadRecord>;
  /** What is being read is broken off. */
  close(): Promise<void>;
}

/** Throws a TypeError for a URL that cannot be meant. */
export function createLineReader({ bookAt, ...rangeOptions }: LineReaderOptions = {}): LineReader {
  if (bookAt !== undefined) checkBookAt(bookAt);
  const files = createFileParts();
  const ranges = createRangeParts(rangeOptions);
  return {
    async read(line, hash) {
      if ('text' in line) return recordIfSame(Buffer.from(line.text), hash, damagedLine);
      const { source, start } = line;
      const address = addressOf(source, bookAt);
      const bytes = await ('path' in address ? files.read(address.path, line) : ranges.read(address.url, line));
      return recordIfSame(bytes, hash, () => bookChanged(source, start));
    },
    async close() {
      ranges.close();
      await files.close();
    },
  };
}

function recordIfSame(bytes: Buffer, hash: string, problem: () => LineError): ReadRecord {
  if (hashOf('sha256', bytes) !== hash) throw problem();
  return recordOf(bytes);
}

function damagedLine(): LineError {
  return new LineError(
    'the line in the database is not the one that the run read. Load the book again: begin the run with the same command.',
    { mayPass: false },
  );
}
