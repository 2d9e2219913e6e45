/**
 * How a member reads a line of the book again: out of the ledger's database, or by its place in a file. Whichever it is,
 * only the line that the run began with counts, and its hash tells.
 */
import { hash as hashOf } from 'node:crypto';
import { BookError } from '../input/input-error.js';
import type { ReadRecord } from '../input/source.js';
import { recordOf } from '../input/text/json-lines.js';
import type { LinePlace } from './distributed-ledger.js';
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

/** Where it was sought, the cause, and what to do. Nothing of the line, and no credential. */
interface LineFailure {
  failure: string;
  /** Whether the line may be had later without anybody doing something about it. */
  mayPass: boolean;
}

export interface LineReader {
  /** The record in the line whose SHA-256 is `hash`, in hexadecimal, or why that line is not to be had. */
  read(line: LinePlace, hash: string): Promise<ReadRecord | LineFailure>;
  /** What is being read is broken off. */
  close(): Promise<void>;
}

/** Throws a `BookError` for a URL that cannot be meant. */
export function createLineReader({ bookAt, ...rangeOptions }: LineReaderOptions = {}): LineReader {
  if (bookAt !== undefined) checkBookAt(bookAt);
  const files = createFileParts();
  const ranges = createRangeParts(rangeOptions);

  async function bytesOf(line: LinePlace): Promise<Buffer> {
    if ('text' in line) return Buffer.from(line.text);
    const address = addressOf(line.source, bookAt);
    return 'path' in address ? files.read(address.path, line) : ranges.read(address.url, line);
  }

  return {
    async read(line, hash) {
      try {
        const bytes = await bytesOf(line);
        if (hashOf('sha256', bytes) === hash) return recordOf(bytes);
        throw 'text' in line ? damagedLine() : bookChanged(line.source, line.start);
      } catch (error) {
        if (error instanceof LineError) return { failure: error.message, mayPass: error.mayPass };
        if (error instanceof BookError) return { failure: error.message, mayPass: false };
        throw error;
      }
    },
    async close() {
      ranges.close();
      await files.close();
    },
  };
}

function damagedLine(): LineError {
  return new LineError(
    'the line in the database is not the one that the run read. Load the book again: begin the run with the same command.',
    { mayPass: false },
  );
}
