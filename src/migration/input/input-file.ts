/** Exports `createFileFacts`: facts about an input file, collected while it is read: columns that the mapping never reads, and whether it is empty. */
import { createHash } from 'node:crypto';
import { lookLikeData } from './csv/csv-row.js';
import type { Chunk } from './text/split-lines.js';

/** One file of the input, from the part read so far. */
export interface InputFile {
  /** File name as the user gave it, for a folder with its name; `-` for standard input. */
  source: string;
  /** Size in bytes after decompression; missing if it was not read to its end. */
  bytes?: number;
  /** SHA-256 of these bytes in hexadecimal digits. */
  sha256?: string;
  /** For a CSV file, after its header was read, and for each source of a query. */
  csv?: CsvColumns;
  /** What the file has instead of records, such as `a header and no row`; missing if it has a record or was not read to its end. */
  empty?: string;
}

/** Rows of a file, with the first places. */
export interface SomeRows {
  /** Number of rows. */
  rows: number;
  /** The first three lines, counted from 1. */
  lines: number[];
}

/** How the mapping function uses the columns of a CSV file, or the query those of its source. */
export interface CsvColumns {
  /** Number of columns. */
  columns: number;
  /** Rows for which the mapping did not throw, in the longest pass. */
  rows: number;
  /** Rows without data, which were skipped: only delimiters and spaces, or the header again. */
  rowsWithoutData?: SomeRows;
  /** Rows for which the mapping returned no record, if there are any. */
  unmapped?: SomeRows;
  /** Names of the columns that the mapping read for no row, or the query not at all. Each is `*` if names look like data: the file may have no header. */
  neverRead: string[];
  /** Missing for a mapping. */
  reader?: 'query';
}

/** One pass over one file. */
export type FileReading = ReturnType<ReturnType<typeof createFileFacts>['beginReading']>;

const MOST_LINES = 3;

/** Counts a row of this line. */
export function addRow(to: SomeRows, line: number): void {
  to.rows++;
  if (to.lines.length < MOST_LINES) to.lines.push(line);
}

const beginPass = () => ({
  ...{ bytes: 0, rows: 0, items: 0 },
  withoutData: { rows: 0, lines: [] } as SomeRows,
  unmapped: { rows: 0, lines: [] } as SomeRows,
});

/** Collects the facts of one file over all its passes, of which several may run at the same time. */
export function createFileFacts(source: string, showPersonalData: boolean) {
  const read = new Set<string>();
  let columns: readonly string[] | undefined;
  const passes: ReturnType<typeof beginPass>[] = [];
  let empty: string | undefined;
  let content: { bytes: number; sha256: string } | undefined;
  return {
    /** Its reader counts `rows`, for which the mapping did not throw, `items`, rows `withoutData`, and `unmapped` rows, for which the mapping returned no record. */
    beginReading() {
      // Computed in the first pass only.
      const digest = content === undefined ? createHash('sha256') : undefined;
      let hasHeader = false;
      const pass = Object.assign(beginPass(), {
        /** Counts and yields the chunks. */
        async *chunks(chunks: AsyncIterable<Chunk>): AsyncGenerator<Chunk> {
          for await (const chunk of chunks) {
            pass.bytes += chunk.length;
            digest?.update(chunk);
            yield chunk;
          }
        },
        /** Stores the columns of a CSV file. Returns the set to which the columns that are read are added. */
        header(names: readonly string[]): Set<string> {
          hasHeader = true;
          columns = names;
          return read;
        },
        /** Call it at the end of the file. */
        end(): void {
          empty = pass.items > 0 ? undefined : inPlaceOfRecords(pass, hasHeader);
          if (digest !== undefined) content ??= { bytes: pass.bytes, sha256: digest.digest('hex') };
        },
      });
      passes.push(pass);
      return pass;
    },
    facts() {
      // The pass that has come furthest.
      const [longest = beginPass()] = passes.sort((one, other) => countOf(other) - countOf(one));
      return {
        source,
        ...content,
        ...(columns !== undefined && {
          csv: {
            columns: columns.length,
            rows: longest.rows,
            ...(longest.withoutData.rows > 0 && { rowsWithoutData: longest.withoutData }),
            ...(longest.unmapped.rows > 0 && { unmapped: longest.unmapped }),
            neverRead: columns
              .filter((name) => !read.has(name))
              .map(showPersonalData || !lookLikeData(columns) ? String : () => '*'),
          },
        }),
        ...(empty !== undefined && { empty }),
      };
    },
  };
}

const countOf = ({ rows, withoutData }: ReturnType<typeof beginPass>) => rows + withoutData.rows;

function inPlaceOfRecords({ bytes, rows }: { bytes: number; rows: number }, hasHeader: boolean): string {
  if (bytes === 0) return 'an empty file';
  if (!hasHeader) return 'blank lines only';
  if (rows === 0) return 'a header and no row';
  return `${rows} ${rows === 1 ? 'row' : 'rows'}, for none of which the mapping returned a record`;
}
