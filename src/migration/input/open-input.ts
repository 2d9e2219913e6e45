/** `openInput` opens files, folders, queries, modules and standard input as one input, in one order. */
import { createHash, hash } from 'node:crypto';
import { statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, resolve } from 'node:path';
import type { Readable } from 'node:stream';
import { checkOptionKinds, expectKind, type OptionKinds } from '../../validation/option-kinds.js';
import { csvLines } from './csv/line-ends.js';
import { type FormattedMap, mappingIn, mapsOf, type OpenMap, type RowMap } from './csv/load-mapping.js';
import { readCsvRecords } from './csv/map-rows.js';
import type { RelatedFiles } from './csv/mapping/related-files.js';
import { createFileFacts, type InputFile } from './input-file.js';
import { inputFromModule } from './records-input.js';
import type { Input, InputLine, MappedContent } from './source.js';
import type { ConfiguredSources } from './sql/declarations.js';
import { openSqlInput } from './sql/open-sql.js';
import { encodingOf } from './text/code-pages.js';
import { decodedLines } from './text/identify-encoding.js';
import { addedFiles, type InputPath, inputPaths, pathOf, STDIN } from './text/input-files.js';
import { readJsonLines } from './text/json-lines.js';
import { openText, type TextFile } from './text/open-text.js';
import { readChunks } from './text/read-chunks.js';
import { spool } from './text/spool-stdin.js';

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
  longestLine?: number | undefined;
  /**
   * Whether messages about errors of the mapping function may quote values of the row.
   * @default false
   */
  showPersonalData?: boolean | undefined;
}

const KINDS: OptionKinds<OpenInputOptions> = {
  map: 'any?',
  encoding: 'string?',
  sources: 'object?',
  stdin: 'object?',
  spoolFolder: 'string?',
  longestLine: 'number?',
  showPersonalData: 'boolean?',
};

/** A file, a module or a query of an input. */
interface Part {
  lines(): AsyncGenerator<InputLine[]>;
  files?(): InputFile[];
  /** The related files that the mapping of a file, or a module, reads. */
  related?(): RelatedFiles[];
  /** Identifies its files and how they are read; undefined if no file does. */
  identity?(): unknown;
  contents?(): Promise<MappedContent[]>;
  /** Sources that no query reads, as lines that are rejected. */
  unreadSources?(): InputLine[];
  close?(): Promise<void>;
}

/** An input that reads files. Call `close` after the last pass. */
export interface OpenInput extends Input {
  /**
   * Facts about each file (columns, whether it is empty), from the part read so far, in the order of the files; then those of the related
   * files that a module reads with `readCsv`.
   */
  files(): InputFile[];
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

/** As `openInput`. `isWhole`: false for corrected lines, which are a part of an input: rows of related files that no record has are not rejected. */
export async function openLines(
  paths: readonly string[],
  options: OpenInputOptions,
  isWhole: boolean,
): Promise<OpenInput> {
  if (!Array.isArray(paths)) throw new TypeError('openInput: expected a list of paths.');
  for (const path of paths) expectKind('openInput: a path', path, 'string');
  checkOptionKinds('openInput', options, KINDS);
  const { map, sources, longestLine, stdin = process.stdin, spoolFolder = tmpdir() } = options;
  const { showPersonalData = false } = options;
  const encoding = options.encoding === undefined ? undefined : encodingOf(options.encoding);
  const files = await inputPaths(paths, mappingIn(map) !== undefined);
  const maps = mapsOf(files, map);
  const spooled = files.some(({ name }) => name === STDIN) ? await spool(stdin, spoolFolder) : undefined;
  const parts: Part[] = [];

  const close = async () => {
    await spooled?.close();
    for (const part of parts) await part.close?.();
  };
  const open = async (file: InputPath): Promise<Part> => {
    const { name, format } = file;
    if (format === 'module') return inputFromModule(name, showPersonalData);
    if (format === 'sql') return openSqlInput(name, { sources, encoding, longestLine, spoolFolder, showPersonalData });
    const read = name === STDIN && spooled !== undefined ? spooled.read : () => readChunks(name);
    const text = await openText({ ...file, format, given: encoding, showPersonalData }, read);
    return filePart(name, text, read, maps.get(name), { longestLine, showPersonalData });
  };
  async function* lines(): AsyncGenerator<InputLine> {
    let isEmpty = true;
    for (const part of parts) {
      for await (const items of part.lines()) {
        isEmpty &&= items.length === 0;
        for (const item of items) yield item;
      }
    }
    const ofMappings = [...maps.values()].flatMap(({ module }) => module?.related ?? []);
    for (const related of new Set(ofMappings)) yield* related.unreadable;
    // An input without a record is an error of another kind.
    if (isWhole && !isEmpty) yield* unaskedRows(parts);
  }

  try {
    for (const file of files) parts.push(await open(file));
  } catch (error) {
    await close();
    throw error;
  }
  return {
    [Symbol.asyncIterator]: lines,
    files: () => [...filesOf(parts), ...relatedFiles(parts)],
    identity() {
      const each = parts.map((part) => part.identity?.());
      const reading = [each, options.encoding, longestLine, sources];
      return each.includes(undefined) ? undefined : hash('sha256', JSON.stringify(reading));
    },
    addedFiles: () => addedFiles(paths, files),
    isInFolder: (name) => paths.some((path) => pathOf(path) === dirname(pathOf(name))),
    async mappedContents() {
      const contents: MappedContent[] = [];
      for (const part of parts) contents.push(...((await part.contents?.()) ?? []));
      return contents;
    },
    close,
  };
}

/** `read`: reads the stored bytes. `map`: the mapping of a CSV file. */
function filePart(
  name: string,
  text: TextFile,
  read: () => AsyncGenerator<Buffer>,
  map: OpenMap | undefined,
  { longestLine, showPersonalData }: { longestLine: number | undefined; showPersonalData: boolean },
): Part {
  const facts = createFileFacts(name, showPersonalData);
  const { related, sha256: ofModule } = map?.module ?? {};
  return {
    async *lines() {
      const reading = facts.beginReading();
      const chunks = reading.chunks(text.chunks());
      const options = { encoding: text.encoding, longest: longestLine };
      const records =
        map === undefined
          ? readJsonLines(name, decodedLines(name, chunks, options))
          : readCsvRecords(name, csvLines(name, chunks, options), { ...map, showPersonalData, longestLine }, reading);
      for await (const items of records) {
        reading.items += items.length;
        yield items;
      }
      reading.end();
    },
    files: () => [facts.facts()],
    related: () => (related === undefined ? [] : [related]),
    identity() {
      // The code of a mapping of a program is not known.
      if (name === STDIN || (map !== undefined && map.module === undefined)) return undefined;
      const found = statSync(name, { throwIfNoEntry: false });
      const reading = [text.encoding, ofModule, map?.delimiter, map?.skipLines, map?.quote];
      return found && [resolve(name), found.size, found.mtimeMs, found.ino, reading];
    },
    async contents() {
      if (map === undefined) return [];
      const content = createHash('sha256');
      for await (const chunk of read()) content.update(chunk);
      const reading = [ofModule, text.encoding, longestLine].join(' ');
      const mapping = ofModule === undefined ? undefined : hash('sha256', reading);
      return [{ source: name, sha256: content.digest('hex'), mapping }];
    },
  };
}

function filesOf(parts: readonly Part[]): InputFile[] {
  return parts.flatMap((part) => part.files?.() ?? []);
}

/** Returns the related files, each once. */
function relatedFiles(parts: readonly Part[]): InputFile[] {
  const inputs = filesOf(parts).map(({ source }) => source);
  const files = relatedOf(parts).flatMap((one) => one.files(inputs));
  return [...new Map(files.map((file) => [file.source, file])).values()];
}

function relatedOf(parts: readonly Part[]): RelatedFiles[] {
  return parts.flatMap((part) => part.related?.() ?? []);
}

/** Returns the rows of related files for which no mapping and no module asked, each once, and the sources that no query reads. */
function unaskedRows(parts: readonly Part[]): InputLine[] {
  const inputs = filesOf(parts).map(({ source }) => source);
  const rows = parts.flatMap((part) => [
    ...relatedOf([part]).flatMap((related) => related.unasked(inputs)),
    ...(part.unreadSources?.() ?? []),
  ]);
  return [...new Map(rows.map((row) => [`${row.source}:${row.line}`, row])).values()];
}
