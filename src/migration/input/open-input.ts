/** Opening a book: files, folders and standard input as one source, in one order. */
import { createHash } from 'node:crypto';
import { tmpdir } from 'node:os';
import type { Readable } from 'node:stream';
import { countMapFailures, type MapFailures, readCsvRecords } from './csv/csv-records.js';
import { withLineFeeds } from './csv/line-ends.js';
import type { RowMap } from './csv/mapping.js';
import { createFileFacts, type FileReading, type InputFile } from './input-file.js';
import type { Input, InputLine, MappedContent } from './source.js';
import { type InputPath, inputPaths, STDIN } from './text/input-files.js';
import { readJsonLines } from './text/json-lines.js';
import { oneByOne } from './text/one-by-one.js';
import { decompressed, isGzip, readChunks } from './text/read-chunks.js';
import { splitLines } from './text/split-lines.js';
import { spool } from './text/spool-stdin.js';

/** Of `openInput(paths, options)`. */
export interface OpenInputOptions {
  /** Makes records of rows; needed for CSV. With it, standard input is CSV as well. */
  map?: RowMap | undefined;
  /**
   * What `-` stands for. It is read to its end before `openInput` resolves, into a file that is gone when the book is
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
   * Bytes of a line, and of a CSV row of several lines; a longer one is a problem.
   * @default 4 MiB
   */
  longestLine?: number;
  /**
   * Whether messages about rows that the mapping function refuses may quote values of the row.
   * @default false
   */
  showPersonalData?: boolean | undefined;
}

/** A book of files; close it when nobody reads it any more. */
export interface OpenInput extends Input {
  /** What is known of each file from what was read of it so far, in their order: its columns, and whether it is empty. */
  files(): InputFile[];
  /** Only a book from standard input has something to give back. It cannot be read any more. */
  close(): Promise<void>;
}

/**
 * Each path is a file (`.jsonl`, `.ndjson`, `.json` with a record a line, `.csv`; each also with `.gz`), a folder of
 * such files, or `-`. What is gzip is decompressed under any name, and from standard input. Rejects with a `InputError` that says which path cannot be meant, and what to do.
 */
export async function openInput(paths: readonly string[], options: OpenInputOptions = {}): Promise<OpenInput> {
  const { map, stdin = process.stdin, spoolFolder = tmpdir(), longestLine, showPersonalData = false } = options;
  const files = await inputPaths(paths, map !== undefined);
  const spooled = files.some(({ name }) => name === STDIN) ? await spool(stdin, spoolFolder) : undefined;
  const known = files.map((file) => ({ file, facts: createFileFacts(file.name, showPersonalData) }));
  return {
    [Symbol.asyncIterator]: () => oneByOne(itemsOf()),
    files: () => known.map(({ facts }) => facts.facts()),
    mappedContents,
    close: async () => spooled?.close(),
  };

  function bytesOf({ name }: InputPath): AsyncGenerator<Buffer> {
    return name === STDIN && spooled !== undefined ? spooled.read() : readChunks(name);
  }

  async function mappedContents(): Promise<MappedContent[]> {
    const contents: MappedContent[] = [];
    for (const file of files) {
      if (file.format !== 'csv') continue;
      const content = createHash('sha256');
      for await (const chunk of bytesOf(file)) content.update(chunk);
      contents.push({ source: file.name, sha256: content.digest('hex') });
    }
    return contents;
  }

  async function* itemsOf(): AsyncGenerator<InputLine[]> {
    const failures = countMapFailures();
    for (const { file, facts } of known) {
      const reading = facts.beginReading();
      for await (const items of itemsIn(file, reading, failures)) {
        reading.items(items.length);
        yield items;
      }
      reading.end();
    }
  }

  async function* itemsIn(file: InputPath, reading: FileReading, failures: MapFailures): AsyncGenerator<InputLine[]> {
    const isStdin = file.name === STDIN;
    const read = () => bytesOf(file);
    const isCompressed = file.isCompressed || (await isGzip(read()));
    const chunks = reading.chunks(isCompressed ? decompressed(read) : read());
    if (file.format === 'csv' && map !== undefined) {
      const mapping = { map, failures, isPersonalDataShown: showPersonalData };
      yield* readCsvRecords(
        file.name,
        splitLines(withLineFeeds(chunks), longestLine),
        { ...mapping, longestLine },
        reading,
      );
    } else {
      const isPlain = !isStdin && !isCompressed;
      yield* readJsonLines(file.name, splitLines(chunks, longestLine), { isPlain });
    }
  }
}
