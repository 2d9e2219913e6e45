/** The facts of one file of the input, collected while it is read: columns that the mapping never reads, and whether it is empty. */
import { createHash } from 'node:crypto';
import { lookLikeData } from './csv/csv-row.js';
import type { Chunk } from './text/split-lines.js';

/** One file of the input, as far as it was read. */
export interface InputFile {
  /** Name of the file as it was given, or with its folder; `-` for standard input. */
  source: string;
  /** Bytes of the file, after decompression; missing where it was not read to its end. */
  bytes?: number;
  /** SHA-256 of these bytes in hexadecimal digits. */
  sha256?: string;
  /** Of a CSV file, once its header was read. */
  csv?: CsvColumns;
  /** What the file holds in place of records, such as `a header and no row`; missing where it has one, or was not read to its end. */
  empty?: string;
}

/** How the mapping function uses the columns of a CSV file. */
export interface CsvColumns {
  /** Number of columns. */
  columns: number;
  /** Rows for which the mapping did not throw, in the longest reading. */
  rows: number;
  /** Names of the columns that the mapping read for no row. Each is `*` where names look like data: the file may have no header. */
  neverRead: string[];
}

/** Collects the facts of one file over all its readings, of which several may run at the same time. */
export interface FileFacts {
  beginReading(): FileReading;
  facts(): InputFile;
}

/** One reading of one file. */
export interface FileReading {
  /** The same chunks, counted. */
  chunks(chunks: AsyncIterable<Chunk>): AsyncGenerator<Chunk>;
  /** Receives the columns of a CSV file; returns the set that collects the columns that are read. */
  header(columns: readonly string[]): Set<string>;
  /** The mapping took one row, and did not throw. */
  row(): void;
  items(count: number): void;
  /** The file was read to its end. */
  end(): void;
}

export function createFileFacts(source: string, isPersonalDataShown: boolean): FileFacts {
  const read = new Set<string>();
  let columns: readonly string[] | undefined;
  let mostRows = 0;
  let empty: string | undefined;
  let content: { bytes: number; sha256: string } | undefined;
  return {
    beginReading() {
      const count = { bytes: 0, rows: 0, items: 0 };
      // Several readings take the same time as one that way.
      const digest = content === undefined ? createHash('sha256') : undefined;
      let hasHeader = false;
      return {
        async *chunks(chunks) {
          for await (const chunk of chunks) {
            count.bytes += chunk.length;
            digest?.update(chunk);
            yield chunk;
          }
        },
        header(names) {
          hasHeader = true;
          columns = names;
          return read;
        },
        row() {
          count.rows++;
          if (count.rows > mostRows) mostRows = count.rows;
        },
        items(more) {
          count.items += more;
        },
        end() {
          empty = count.items > 0 ? undefined : inPlaceOfRecords(count, hasHeader);
          if (digest !== undefined) content ??= { bytes: count.bytes, sha256: digest.digest('hex') };
        },
      };
    },
    facts: () => ({
      source,
      ...content,
      ...(columns !== undefined && {
        csv: {
          columns: columns.length,
          rows: mostRows,
          neverRead: columns
            .filter((name) => !read.has(name))
            .map(isPersonalDataShown || !lookLikeData(columns) ? String : () => '*'),
        },
      }),
      ...(empty !== undefined && { empty }),
    }),
  };
}

function inPlaceOfRecords({ bytes, rows }: { bytes: number; rows: number }, hasHeader: boolean): string {
  if (bytes === 0) return 'an empty file';
  if (!hasHeader) return 'blank lines only';
  if (rows === 0) return 'a header and no row';
  return `${rows} ${rows === 1 ? 'row' : 'rows'}, for none of which the mapping returned a record`;
}
