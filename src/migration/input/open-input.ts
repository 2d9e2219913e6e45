/** `openInput` opens files, folders, queries, modules and standard input as one input, in one order. */
import { createHash, hash } from 'node:crypto';
import { statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { resolve } from 'node:path';
import type { Readable } from 'node:stream';
import { countMapFailures, type MapFailures, readCsvRecords } from './csv/csv-records.js';
import { csvLines } from './csv/line-ends.js';
import { type FormattedMap, mappingIn, mapsOf, type OpenMap, type RowMap } from './csv/load-mapping.js';
import type { RelatedFiles } from './csv/mapping/related-files.js';
import { createFileFacts, type FileFacts, type FileReading, type InputFile } from './input-file.js';
import { inputFromModule, type ModuleInput } from './records-input.js';
import type { Input, InputLine, MappedContent } from './source.js';
import type { ConfiguredSources } from './sql/declarations.js';
import { openSqlInput, type SqlInput } from './sql/open-sql.js';
import { encodingOf } from './text/code-pages.js';
import { decodedLines } from './text/encoding.js';
import { type FileText, identifyText } from './text/identify-text.js';
import { type InputPath, inputPaths, STDIN } from './text/input-files.js';
import { readJsonLines } from './text/json-lines.js';
import { oneByOne } from './text/one-by-one.js';
import { decompressed, readChunks } from './text/read-chunks.js';
import { type Spool, spool } from './text/spool-stdin.js';

/** Options of `openInput`. */
export interface OpenInputOptions {
  /**
   * Converts rows to records; required for CSV: a function, or with the format of the file `{ map, delimiter, skipLines, quote }`. One
   * mapping for all CSV files, with which standard input is CSV too; or one for each file, by its name in `paths` or the last part of that:
   * `{ 'customers.csv': mapCustomers }`.
   */
  map?: RowMap | FormattedMap | Readonly<Record<string, RowMap | FormattedMap>> | undefined;
  /**
   * Encoding of files without a byte order mark: a name of the WHATWG Encoding Standard, such as
   * `windows-1252`, `latin1`, `iso-8859-15` or `utf-16le`, or of iconv-lite, such as `cp850`.
   * @default 'utf-8'
   */
  encoding?: string | undefined;
  /** Sources of queries (`.sql`), in addition to those that a query declares in its first comments. */
  sources?: ConfiguredSources | undefined;
  /**
   * The stream for `-`. `openInput` copies it to a temporary file, which is removed when the input is closed or the process ends.
   * @default process.stdin
   */
  stdin?: Readable;
  /**
   * Folder of that file, and of the temporary files of queries.
   * @default the temporary folder of the system
   */
  spoolFolder?: string;
  /**
   * Maximum size of a line, or of a CSV row, in bytes. A longer one is rejected.
   * @default 4 MiB
   */
  longestLine?: number;
  /**
   * Whether messages about errors of the mapping function may quote values of the row.
   * @default false
   */
  showPersonalData?: boolean | undefined;
}

interface OpenFile {
  file: InputPath;
  /** The mapping of a CSV file. */
  map: OpenMap | undefined;
  text: FileText;
  facts: FileFacts;
}

interface OpenModule {
  module: ModuleInput;
}

interface OpenSql {
  sql: SqlInput;
}

type OpenPart = OpenFile | OpenModule | OpenSql;

/** An input that reads files. Call `close` after the last pass. */
export interface OpenInput extends Input {
  /**
   * Facts about each file (columns, whether it is empty), from the part read so far, in the order of the files; then those of the related
   * files that a module reads with `readCsv`.
   */
  files(): InputFile[];
  /** Returns whether a pass has read all files to their ends. */
  isReadToEnd(): boolean;
  /** Removes the copy of standard input and the temporary files of queries. The input cannot be read any more. */
  close(): Promise<void>;
}

/**
 * Opens an input of files. Each path is a file (`.jsonl`, `.ndjson`, `.json` with a record per line, `.csv`; each
 * also with `.gz`), a folder of such files, a query whose rows are records (`.sql`; needs `@duckdb/node-api`), a module that
 * exports records (`.mjs`, `.js`, `.cjs`, `.ts`: its code is run), or `-` for standard input. Gzip is recognised by content, under any name. Rejects with an `InputError` that
 * names the invalid path and the remedy.
 */
export function openInput(paths: readonly string[], options: OpenInputOptions = {}): Promise<OpenInput> {
  return openLines(paths, options, true);
}

/** As `openInput`, for corrected lines, which are a part of an input: rows of related files that no record has are not rejected. */
export function openCorrectedLines(paths: readonly string[], options: OpenInputOptions = {}): Promise<OpenInput> {
  return openLines(paths, options, false);
}

async function openLines(paths: readonly string[], options: OpenInputOptions, isWhole: boolean): Promise<OpenInput> {
  const { map, stdin = process.stdin, spoolFolder = tmpdir() } = options;
  const encoding = options.encoding === undefined ? undefined : encodingOf(options.encoding);
  const files = await inputPaths(paths, mappingIn(map) !== undefined);
  const maps = mapsOf(files, map);
  const spooled = files.some(({ name }) => name === STDIN) ? await spool(stdin, spoolFolder) : undefined;
  const reader = new FileReader(options, encoding, spooled, isWhole);
  const parts: OpenPart[] = [];
  const close = async () => {
    await spooled?.close();
    for (const part of parts) if ('sql' in part) await part.sql.close();
  };
  try {
    for (const file of files) parts.push(await reader.open(file, maps.get(file.name)));
  } catch (error) {
    await close();
    throw error;
  }
  return {
    [Symbol.asyncIterator]: () => oneByOne(reader.linesOf(parts)),
    files: () => [...parts.flatMap(filesOf), ...relatedFiles(parts, isWhole && reader.isReadToEnd)],
    isReadToEnd: () => reader.isReadToEnd,
    identity: () => identityOf(parts, options),
    mappedContents: () => reader.mappedContents(parts.filter((part) => 'text' in part)),
    queryContents: () => parts.flatMap((part) => ('sql' in part ? contentsOf(part.sql) : [])),
    close,
  };
}

/** Reads the parts of an input. */
class FileReader {
  readonly #options: OpenInputOptions;
  readonly #showPersonalData: boolean;
  readonly #encoding: string | undefined;
  readonly #spooled: Spool | undefined;
  readonly #isWhole: boolean;
  /** Whether a pass has read all parts to their ends. */
  isReadToEnd = false;

  /** `encoding`: of files without a byte order mark. `spooled`: standard input, if it is one of the files. `isWhole`: whether they are the whole input. */
  constructor(options: OpenInputOptions, encoding: string | undefined, spooled: Spool | undefined, isWhole: boolean) {
    this.#isWhole = isWhole;
    this.#options = options;
    this.#showPersonalData = options.showPersonalData ?? false;
    this.#encoding = encoding;
    this.#spooled = spooled;
  }

  async open(file: InputPath, map: OpenMap | undefined): Promise<OpenPart> {
    const { name, format } = file;
    const showPersonalData = this.#showPersonalData;
    if (format === 'module') return { module: await inputFromModule(name, showPersonalData) };
    if (format === 'sql') {
      const { sources, spoolFolder = tmpdir(), longestLine } = this.#options;
      const encoding = this.#encoding;
      return { sql: await openSqlInput(name, { sources, encoding, longestLine, spoolFolder, showPersonalData }) };
    }
    const text = await identifyText({ ...file, format, given: this.#encoding, showPersonalData }, () =>
      this.#bytesOf(file),
    );
    return { file, map, text, facts: createFileFacts(name, showPersonalData) };
  }

  /** All lines, in the order of the parts. */
  async *linesOf(parts: readonly OpenPart[]): AsyncGenerator<InputLine[]> {
    const failures = countMapFailures();
    let isEmpty = true;
    for (const part of parts) {
      if ('module' in part) {
        for await (const item of part.module) {
          isEmpty = false;
          yield [item];
        }
        continue;
      }
      if ('sql' in part) {
        for await (const items of part.sql.lines()) {
          isEmpty &&= items.length === 0;
          yield items;
        }
        continue;
      }
      const reading = part.facts.beginReading();
      for await (const items of this.#linesOfFile(part, reading, failures)) {
        reading.items(items.length);
        isEmpty &&= items.length === 0;
        yield items;
      }
      reading.end();
    }
    for (const { unreadable } of new Set(parts.flatMap((part) => ('map' in part ? relatedTo(part) : []))))
      yield [...unreadable];
    // An input without a record is an error of another kind.
    if (this.#isWhole && !isEmpty) yield unaskedRows(parts);
    this.isReadToEnd = true;
  }

  /** Checksums of the CSV files. */
  async mappedContents(files: readonly OpenFile[]): Promise<MappedContent[]> {
    const contents: MappedContent[] = [];
    for (const { file, map, text } of files) {
      if (map === undefined) continue;
      const content = createHash('sha256');
      for await (const chunk of this.#bytesOf(file)) content.update(chunk);
      const reading = [map.module?.sha256, text.encoding, this.#options.longestLine].join(' ');
      const mapping = map.module === undefined ? undefined : hash('sha256', reading);
      contents.push({ source: file.name, sha256: content.digest('hex'), mapping });
    }
    return contents;
  }

  #bytesOf({ name }: InputPath): AsyncGenerator<Buffer> {
    return name === STDIN && this.#spooled !== undefined ? this.#spooled.read() : readChunks(name);
  }

  async *#linesOfFile(
    { file, map, text: { isCompressed, encoding } }: OpenFile,
    reading: FileReading,
    failures: MapFailures,
  ): AsyncGenerator<InputLine[]> {
    const { longestLine } = this.#options;
    const read = () => this.#bytesOf(file);
    const chunks = reading.chunks(isCompressed ? decompressed(read) : read());
    const options = { encoding, longest: longestLine };
    if (file.format === 'csv' && map !== undefined) {
      const { related } = map.module ?? {};
      const isPersonalDataShown = this.#showPersonalData;
      const mapping = { map: map.map, format: map, failures, related, isPersonalDataShown, longestLine };
      yield* readCsvRecords(file.name, csvLines(file.name, chunks, options), mapping, reading);
    } else {
      yield* readJsonLines(file.name, decodedLines(file.name, chunks, options));
    }
  }
}

/** Returns the related files that the mapping of a file, or a module, reads. */
function relatedTo(part: OpenPart): RelatedFiles[] {
  if ('module' in part) return part.module.related();
  return 'map' in part && part.map?.module !== undefined ? [part.map.module.related] : [];
}

function inputsIn(parts: readonly OpenPart[]): string[] {
  return parts.flatMap((part) => filesOf(part).map(({ source }) => source));
}

/** Returns the related files, each once. */
function relatedFiles(parts: readonly OpenPart[], isReadToEnd: boolean): InputFile[] {
  const files = parts.flatMap(relatedTo).flatMap((related) => related.files(inputsIn(parts), isReadToEnd));
  return [...new Map(files.map((file) => [file.source, file])).values()];
}

/** Returns the rows of related files for which no mapping and no module asked, each once, and the sources that no query reads. */
function unaskedRows(parts: readonly OpenPart[]): InputLine[] {
  const rows = parts.flatMap((part) =>
    'sql' in part ? part.sql.unreadSources() : relatedTo(part).flatMap((related) => related.unasked(inputsIn(parts))),
  );
  return [...new Map(rows.map((row) => [`${row.source}:${row.line}`, row])).values()];
}

function filesOf(part: OpenPart): InputFile[] {
  if ('sql' in part) return part.sql.files();
  return 'facts' in part ? [part.facts.facts()] : [];
}

function contentsOf(sql: SqlInput): MappedContent[] {
  return sql.files().map(({ source, sha256 = '' }) => ({ source, sha256 }));
}

function identityOf(parts: readonly OpenPart[], options: OpenInputOptions): string | undefined {
  const { encoding, longestLine, sources } = options;
  const each = parts.map((part) => {
    if ('module' in part) return undefined;
    if ('sql' in part) return contentsOf(part.sql).map(({ source, sha256 }) => [resolve(source), sha256]);
    const { file, map, text } = part;
    // The code of a mapping of a program is not known.
    if (file.name === STDIN || (map !== undefined && map.module === undefined)) return undefined;
    const found = statSync(file.name, { throwIfNoEntry: false });
    const { module, delimiter, skipLines, quote } = map ?? {};
    const reading = [text.encoding, module?.sha256, delimiter, skipLines, quote];
    return found && [resolve(file.name), found.size, found.mtimeMs, found.ino, reading];
  });
  if (each.includes(undefined)) return undefined;
  return hash('sha256', JSON.stringify([each, encoding, longestLine, sources]));
}
