/** Exports `identifySource`, which returns format and header of a source, and `copySource`, which creates the UTF-8 copy for DuckDB. */
import { createHash } from 'node:crypto';
import { open, stat } from 'node:fs/promises';
import { lookLikeData } from '../csv/csv-row.js';
import { withLineFeeds } from '../csv/line-ends.js';
import { InputError, reasonOf, SqlError } from '../input-error.js';
import { encodingOf } from '../text/code-pages.js';
import { decodeText, IDENTIFIED_BYTES, identifyEncoding } from '../text/encoding.js';
import { decompressed, firstBytes, isGzip, readChunks } from '../text/read-chunks.js';
import type { Chunk } from '../text/split-lines.js';
import { parseHeader } from './csv-header.js';
import type { DeclaredSource } from './declarations.js';

/** A source whose first bytes were read. */
export type IdentifiedSource = CsvSource | JsonSource | ParquetSource;

interface Identified {
  declared: DeclaredSource;
  bytes: number;
}

export interface CsvSource extends Identified {
  kind: 'csv';
  text: SourceText;
  columns: string[];
  delimiter: string;
  /** Lines up to the first row, and their bytes in UTF-8. */
  headLines: number;
  headBytes: number;
  /** Whether the header looks like a row, so that it may contain personal data. */
  isHeaderSuspect: boolean;
}

export interface JsonSource extends Identified {
  kind: 'json';
  text: SourceText;
}

interface ParquetSource extends Identified {
  kind: 'parquet';
}

interface SourceText {
  encoding: string;
  isCompressed: boolean;
}

/** Facts about the copy of a source. */
export interface CopiedSource {
  /** Of the file as it is stored. */
  sha256: string;
  bytes: number;
}

const JSON_NAMES = /\.(?:json|jsonl|ndjson)(?:\.gz)?$/i;
const PARQUET = Buffer.from('PAR1');

/** Rejects with a `SqlError` for a file that is missing, empty, or not what its declaration says. `given`: the encoding of undeclared ones. */
export async function identifySource(declared: DeclaredSource, given: string | undefined): Promise<IdentifiedSource> {
  const { path, file } = declared;
  const { size: bytes } = await sizeOf(declared);
  const stored = await firstBytes(readChunks(path), IDENTIFIED_BYTES);
  if (stored.length === 0)
    throw at(declared, `${file} is an empty file; expected a header with the names of its columns`);
  if (stored.subarray(0, PARQUET.length).equals(PARQUET)) return { kind: 'parquet', declared, bytes };
  if (/\.parquet$/i.test(file))
    throw at(declared, `${file} is not a Parquet file. Export it again, or correct its name`);
  const isCompressed = isGzip(stored);
  const first = isCompressed
    ? await firstBytes(
        decompressed(() => readChunks(path)),
        IDENTIFIED_BYTES,
      )
    : stored;
  const kind = JSON_NAMES.test(file) ? 'json' : 'csv';
  const text = { isCompressed, encoding: encodingIn(declared, { format: kind, first, given }) };
  if (kind === 'json') return { kind, declared, bytes, text };
  const head = await firstBytes(textOf(declared, text, readChunks(path)), IDENTIFIED_BYTES);
  return { kind, declared, bytes, text, ...headerOf(declared, head.toString()) };
}

async function sizeOf({ path, file, declaredAt, name }: DeclaredSource): Promise<{ size: number }> {
  try {
    const found = await stat(path);
    if (found.isFile()) return found;
  } catch (error) {
    const why = reasonOf(error) === 'ENOENT' ? 'there is no such file' : `it cannot be read (${reasonOf(error)})`;
    throw new SqlError(
      `${declaredAt}: source ${name}: ${file}: ${why}; expected the path of a file, from the folder of the declaration.`,
      {
        cause: error,
      },
    );
  }
  throw new SqlError(`${declaredAt}: source ${name}: ${file} is not a file; expected the path of a file.`);
}

function at({ declaredAt, name }: DeclaredSource, what: string): SqlError {
  return new SqlError(`${declaredAt}: source ${name}: ${what}.`);
}

function encodingIn(
  declared: DeclaredSource,
  { format, first, given }: { format: 'csv' | 'json'; first: Buffer; given: string | undefined },
): string {
  try {
    const named = declared.encoding === undefined ? given : encodingOf(declared.encoding);
    return identifyEncoding(declared.file, { format, first, given: named });
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    // The declaration names the encoding here, and not a flag.
    const message = error.message.replace(
      /Name its encoding with --encoding ([^(]*) \(encoding of openInput\)/,
      `Declare it: "-- source ${declared.name}: ${declared.file}, encoding $1"`,
    );
    throw new SqlError(`${declared.declaredAt}: source ${declared.name}: ${message}`, { cause: error });
  }
}

function headerOf(declared: DeclaredSource, text: string) {
  const header = parseHeader(text, declared.delimiter);
  const place = `${declared.file}:${header.line}`;
  if (header.problem !== undefined) throw new SqlError(`${place}: ${header.problem}`);
  const seen = new Map<string, number>();
  for (const [index, column] of header.columns.entries()) {
    const other = seen.get(column.toLowerCase());
    if (other !== undefined) {
      const name = lookLikeData(header.columns) ? 'of one name' : JSON.stringify(column);
      throw new SqlError(
        `${place}: the header has two columns ${name} (${other + 1} and ${index + 1}); expected different names; names in SQL are not case-sensitive. Rename one in the file.`,
      );
    }
    seen.set(column.toLowerCase(), index);
  }
  return { ...header, isHeaderSuspect: lookLikeData(header.columns) };
}

/** Yields the text in UTF-8, with LF if the lines end with CR only. */
function textOf(
  { path, file }: DeclaredSource,
  { isCompressed, encoding }: SourceText,
  stored: AsyncIterable<Buffer>,
): AsyncGenerator<Chunk> {
  // A damaged part is looked for by further readings, of which none is counted.
  let isFirst = true;
  const read = () => {
    if (!isFirst) return readChunks(path);
    isFirst = false;
    return stored;
  };
  return withLineFeeds(decodeText(file, isCompressed ? decompressed(read) : read(), encoding));
}

/** Fewer reads and writes: no record holds these chunks in memory. */
const COPIED_AT_ONCE = 64 * 1024;

/** Writes the rows of a CSV file, or all of a JSON file, to `copy`. Rejects with a `SqlError` if the file is damaged. */
export async function copySource(source: CsvSource | JsonSource, copy: string): Promise<CopiedSource> {
  const { declared, text } = source;
  const digest = createHash('sha256');
  let bytes = 0;
  async function* counted(): AsyncGenerator<Buffer> {
    for await (const chunk of readChunks(declared.path, COPIED_AT_ONCE)) {
      digest.update(chunk);
      bytes += chunk.length;
      yield chunk;
    }
  }
  const file = await open(copy, 'wx', 0o600);
  try {
    let head = source.kind === 'csv' ? source.headBytes : 0;
    for await (const chunk of textOf(declared, text, counted())) {
      if (chunk === 'damaged') throw at(declared, `${declared.file} is incomplete or damaged. Create the file again`);
      const rest = head > 0 ? chunk.subarray(Math.min(head, chunk.length)) : chunk;
      head -= Math.min(head, chunk.length);
      for (let done = 0; done < rest.length; ) done += (await file.write(rest, done)).bytesWritten;
    }
  } finally {
    await file.close();
  }
  return { sha256: digest.digest('hex'), bytes };
}

/** Of a file that DuckDB reads by itself. */
export async function digestOf(path: string): Promise<CopiedSource> {
  const digest = createHash('sha256');
  let bytes = 0;
  for await (const chunk of readChunks(path)) {
    digest.update(chunk);
    bytes += chunk.length;
  }
  return { sha256: digest.digest('hex'), bytes };
}
