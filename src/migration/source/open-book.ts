/** Opening a book: files, folders and standard input as one source, in one order. */
import { tmpdir } from 'node:os';
import type { Readable } from 'node:stream';
import { chunksOf, decompressed, isGzip } from './chunks.js';
import { csvRecords } from './csv.js';
import { bookFiles, STDIN } from './files.js';
import { jsonLines } from './json-lines.js';
import { withLineFeeds } from './line-ends.js';
import { linesOf } from './lines.js';
import type { RowMap } from './map.js';
import { oneByOne } from './one-by-one.js';
import type { Source, SourceItem } from './source.js';
import { spool } from './spool.js';

/** Of `openBook(paths, options)`. */
export interface OpenBookOptions {
  /** Makes records of rows; needed for CSV. With it, standard input is CSV as well. */
  map?: RowMap | undefined;
  /**
   * What `-` stands for. It is read to its end before `openBook` resolves, into a file that is gone when the book is
   * closed or the process ends.
   * @default process.stdin
   */
  stdin?: Readable;
  /**
   * Folder of that file.
   * @default the system's folder of temporary files
   */
  spoolFolder?: string;
  /**
   * Bytes of a line; a longer one is a problem.
   * @default 16 MiB
   */
  longestLine?: number;
}

/** A book of files; close it when nobody reads it any more. */
export interface OpenBook extends Source {
  /** Only a book from standard input has something to give back. It cannot be read any more. */
  close(): Promise<void>;
}

/**
 * Each path is a file (`.jsonl`, `.ndjson`, `.json` with a record a line, `.csv`; each also with `.gz`), a folder of
 * such files, or `-`. What is gzip is decompressed under any name, and from standard input. Rejects with a `BookError` that says which path cannot be meant, and what to do.
 */
export async function openBook(paths: readonly string[], options: OpenBookOptions = {}): Promise<OpenBook> {
  const { map, stdin = process.stdin, spoolFolder = tmpdir(), longestLine } = options;
  const files = await bookFiles(paths, map !== undefined);
  const spooled = files.some(({ name }) => name === STDIN) ? await spool(stdin, spoolFolder) : undefined;
  return {
    [Symbol.asyncIterator]: () => oneByOne(itemsOf()),
    close: async () => spooled?.close(),
  };

  async function* itemsOf(): AsyncGenerator<SourceItem[]> {
    for (const file of files) {
      const isStdin = file.name === STDIN;
      const read = () => (isStdin && spooled !== undefined ? spooled.read() : chunksOf(file.name));
      const isCompressed = file.isCompressed || (await isGzip(read()));
      const chunks = isCompressed ? decompressed(read) : read();
      if (file.format === 'csv' && map !== undefined) {
        yield* csvRecords(file.name, linesOf(withLineFeeds(chunks), longestLine), map);
      } else {
        const isPlain = !isStdin && !isCompressed;
        yield* jsonLines(file.name, linesOf(chunks, longestLine), { isPlain });
      }
    }
  }
}
