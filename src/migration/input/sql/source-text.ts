/**
 * Exports `identifySource`, which returns format and columns of a source, and `copySource`, which creates the copy for DuckDB. Delimited text
 * is read as a mapping reads it: DuckDB gets only rows that have the columns of the header, all written in one way.
 */
import { type FileHandle, open, stat } from 'node:fs/promises';
import { DEEPEST, excessOf } from '../../../validation/json-scan.js';
import { isExact } from '../../../validation/parse-json.js';
import { createRowReader, placesOfSameName } from '../csv/check-rows.js';
import { lookLikeData } from '../csv/csv-row.js';
import { csvLines } from '../csv/line-ends.js';
import { delimiterIn, type PlainRows, splitRowsOrPlain } from '../csv/split-rows.js';
import { InputError, reasonOf, whyNotRead } from '../input-error.js';
import { addRow, type FileReading } from '../input-file.js';
import type { InputLine } from '../source.js';
import { encodingOf } from '../text/code-pages.js';
import { decodeText } from '../text/identify-encoding.js';
import { openText, type TextFile } from '../text/open-text.js';
import { detailOf, problem, problemItem } from '../text/parse-record.js';
import { firstBytes, readChunks } from '../text/read-chunks.js';
import { DELIMITERS, type DeclaredSource } from './declarations.js';

/** A source whose first bytes were read. */
export type IdentifiedSource = { declared: DeclaredSource; bytes: number } & (
  | { kind: 'csv'; text: SourceText; columns: string[] }
  | { kind: 'json'; text: SourceText }
  | { kind: 'parquet' }
);

type CsvSource = Extract<IdentifiedSource, { kind: 'csv' }>;

type SourceText = TextFile & SourceDefaults;

/** What the copy of a source has, besides the facts of its file. */
export interface CopiedSource {
  /** Rows of delimited text that cannot be read: not copied. */
  unreadable: InputLine[];
  /** Maximum size of a copied row of delimited text in bytes. */
  longest: number;
  /** Whether JSON has an integer that a DOUBLE would round. */
  hasLongInteger: boolean;
}

/** What the options of `openInput` say about sources that are declared without it. */
export interface SourceDefaults {
  encoding: string | undefined;
  /** Maximum size of a row in bytes. */
  longestLine: number | undefined;
}

const JSON_NAMES = /\.(?:json|jsonl|ndjson)(?:\.gz)?$/i;
const PARQUET = Buffer.from('PAR1');

/** Rejects with an `InputError` for a file that is missing, empty, or not what its declaration says. */
export async function identifySource(declared: DeclaredSource, defaults: SourceDefaults): Promise<IdentifiedSource> {
  const { path, file } = declared;
  const bytes = await sizeOf(declared);
  const stored = await firstBytes(readChunks(path));
  if (stored.length === 0)
    throw at(declared, `${file} is an empty file; expected a header with the names of its columns`);
  if (stored.subarray(0, PARQUET.length).equals(PARQUET)) return { kind: 'parquet', declared, bytes };
  if (/\.parquet$/i.test(file))
    throw at(declared, `${file} is not a Parquet file. Export it again, or correct its name`);
  const kind = JSON_NAMES.test(file) ? 'json' : 'csv';
  const text = { ...(await textIn(declared, kind, defaults.encoding)), longestLine: defaults.longestLine };
  if (kind === 'json') return { kind, declared, bytes, text };
  return { kind, declared, bytes, text, columns: await headerOf(declared, text) };
}

async function sizeOf({ path, file, declaredAt, name }: DeclaredSource): Promise<number> {
  const place = `${declaredAt}: source ${name}: ${file}`;
  const found = await stat(path).catch((error: unknown) => {
    const why = reasonOf(error) === 'ENOENT' ? 'there is no such file' : `it cannot be read (${whyNotRead(error)})`;
    const message = `${place}: ${why}; expected the path of a file, from the folder of the declaration.`;
    throw new InputError(message, { cause: error });
  });
  if (found.isFile()) return found.size;
  throw new InputError(`${place} is not a file; expected the path of a file.`);
}

function at({ declaredAt, name }: DeclaredSource, what: string): InputError {
  return new InputError(`${declaredAt}: source ${name}: ${what}.`);
}

async function textIn(declared: DeclaredSource, format: 'csv' | 'json', given: string | undefined): Promise<TextFile> {
  const { file: name, path, encoding } = declared;
  try {
    const named = encoding === undefined ? given : encodingOf(encoding);
    return await openText({ name, format, given: named }, () => readChunks(path));
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    // The declaration names the encoding here, and not a flag.
    const message = error.message.replace(
      /Name its encoding with --encoding ([^(]*) \(encoding of openInput\)/,
      `Declare it: "-- source ${declared.name}: ${declared.file}, encoding $1"`,
    );
    throw new InputError(`${declared.declaredAt}: source ${declared.name}: ${message}`, { cause: error });
  }
}

/** Reads the file up to its header. */
async function headerOf(declared: DeclaredSource, text: SourceText) {
  const { file, path, delimiter } = declared;
  const readRow = createRowReader(path);
  for await (const row of rowsOf(declared, text)) {
    if ('plain' in row) break;
    const place = `${file}:${row.lines[0].number}`;
    const read = readRow(row);
    if ('problem' in read) throw new InputError(`${place}: ${detailOf(read.problem)}`);
    if (!('columns' in read)) continue;
    const names = read.columns.map((name) => name.trim());
    expectDifferentNames(place, names);
    const better = delimiterIn(row.text);
    if (names.length === 1 && delimiter !== undefined && better !== delimiter && row.text.includes(better))
      throw new InputError(
        `${place}: the header has 1 column with the delimiter ${JSON.stringify(delimiter)}; expected several. Declare "delimiter ${Object.keys(DELIMITERS).find((name) => DELIMITERS[name] === better)}".`,
      );
    return names;
  }
  throw new InputError(
    `${file}: the file has no header; expected the names of its columns. Export it again with a header.`,
  );
}

/** Names in SQL are not case-sensitive. */
function expectDifferentNames(place: string, columns: readonly string[]): void {
  const [one, other] = placesOfSameName(columns.map((name) => name.toLowerCase())) ?? [];
  if (one === undefined || other === undefined) return;
  const name = lookLikeData(columns) ? 'of one name' : JSON.stringify(columns[other - 1]);
  throw new InputError(
    `${place}: the header has two columns ${name} (${one} and ${other}); expected different names; names in SQL are not case-sensitive. Rename one in the file.`,
  );
}

function rowsOf(declared: DeclaredSource, text: SourceText, chunks = text.chunks()) {
  const { encoding, longestLine: longest } = text;
  const { delimiter, skipLines, quote } = declared;
  const lines = csvLines(declared.file, chunks, { encoding, longest });
  return splitRowsOrPlain(lines, { delimiter, skipLines, quote, longest });
}

/** Writes the rows of delimited text, or all of a JSON file, to `copy`. Rejects with an `InputError` if the file is damaged. */
export async function copySource(
  source: Exclude<IdentifiedSource, { kind: 'parquet' }>,
  copy: string,
  reading: FileReading,
): Promise<CopiedSource> {
  const { declared, text } = source;
  const file = await open(copy, 'wx', 0o600);
  try {
    if (source.kind === 'csv') return await copyRows(source, reading, file);
    const json = jsonReader(declared.file);
    for await (const chunk of decodeText(declared.file, reading.chunks(text.chunks()), text.encoding)) {
      if (chunk === 'damaged') throw damaged(declared);
      json.read(chunk);
      await writeWhole(file, chunk);
    }
    return { ...NOTHING_COPIED, hasLongInteger: json.hasLongInteger };
  } finally {
    await file.close();
  }
}

export const NOTHING_COPIED: CopiedSource = { unreadable: [], longest: 0, hasLongInteger: false };

function damaged(declared: DeclaredSource): InputError {
  return at(declared, `${declared.file} is incomplete or damaged. Create the file again`);
}

async function writeWhole(file: FileHandle, bytes: Buffer): Promise<void> {
  for (let done = 0; done < bytes.length; ) done += (await file.write(bytes, done)).bytesWritten;
}

/** Delimiter of the copy: texts rarely have it, so that few fields need quotes. */
export const COPY_DELIMITER = '\u0001';

/** Of a code unit of UTF-16 in UTF-8, at most. */
const BYTES_OF_A_CHARACTER = 3;
const WRITTEN_AT_ONCE = 1024 * 1024;
/** Size of unreadable rows that are kept, about 200,000 rows. */
const MOST_UNREADABLE = 64 * 1024 * 1024;

async function copyRows(source: CsvSource, reading: FileReading, file: FileHandle): Promise<CopiedSource> {
  const { declared, text } = source;
  const copied: CopiedSource = { ...NOTHING_COPIED, unreadable: [] };
  let unreadableBytes = 0;
  const readRow = createRowReader(declared.path);
  const reject = (line: InputLine) => {
    copied.unreadable.push(line);
    unreadableBytes += 200 + line.text.length;
    if (unreadableBytes > MOST_UNREADABLE) throw tooManyUnreadable(source, copied.unreadable);
  };
  /** A cell may be JSON, which DuckDB reads too. */
  const isTooDeep = (number: number, row: string, cells: readonly string[]) => {
    const isDeep = cells.some((cell) => excessOf(cell, Number.POSITIVE_INFINITY) === 'tooDeep');
    if (isDeep) reject(problemItem(declared.path, number, row, TOO_DEEP));
    return isDeep;
  };
  let waiting = '';
  for await (const row of rowsOf(declared, text, reading.chunks(text.chunks()))) {
    if (waiting.length > WRITTEN_AT_ONCE || 'plain' in row) {
      await writeWhole(file, Buffer.from(waiting));
      waiting = '';
    }
    if ('plain' in row) {
      const plain = row.plain.filter(({ number, bytes }) => {
        copied.longest = Math.max(copied.longest, bytes.length);
        return bytes.length < FEWEST_OF_DEEP || !isTooDeep(number, bytes.toString(), [bytes.toString()]);
      });
      reading.rows += plain.length;
      await writeWhole(file, plainRowsOf({ ...row, plain }));
      continue;
    }
    if (row.text.length >= FEWEST_OF_DEEP && isTooDeep(row.lines[0].number, row.text, row.fields ?? [])) continue;
    const read = readRow(row);
    if ('isWithoutData' in read) addRow(reading.withoutData, row.lines[0].number);
    else if ('fields' in read) {
      const line = rowOf(read.fields);
      reading.rows++;
      copied.longest = Math.max(copied.longest, BYTES_OF_A_CHARACTER * line.length);
      waiting += line;
    } else if ('problem' in read) {
      if (row.lines[0].flaw === 'damaged') throw damaged(declared);
      reject(read.problem);
    }
  }
  await writeWhole(file, Buffer.from(waiting));
  return copied;
}

/** DuckDB reads some thousand levels. */
const FEWEST_OF_DEEP = 2000;
const TOO_DEEP = problem('too_deep', `The row has a cell nested deeper than ${DEEPEST} levels, and no record is.`);

function plainRowsOf({ plain, delimiter }: PlainRows): Buffer {
  const rows = Buffer.allocUnsafe(plain.reduce((sum, { bytes }) => sum + bytes.length + 1, 0));
  let at = 0;
  for (const { bytes } of plain) {
    for (const byte of bytes) rows[at++] = byte === delimiter ? SEPARATOR : byte;
    rows[at++] = LF;
  }
  return rows;
}

const SEPARATOR = COPY_DELIMITER.charCodeAt(0);
const LF = 10;

function tooManyUnreadable({ declared: { file } }: CsvSource, unreadable: readonly InputLine[]): InputError {
  const [first] = unreadable;
  return new InputError(
    `${file}:${first?.line}: ${first === undefined ? '' : detailOf(first)} More than ${unreadable.length - 1} rows of the file cannot be read; check delimiter, quote and encoding of its declaration.`,
  );
}

function rowOf(fields: readonly string[]): string {
  return `${fields.map(fieldOf).join(COPY_DELIMITER)}\n`;
}

function fieldOf(field: string): string {
  const isPlain = !/["\r\n]/.test(field) && !field.includes(COPY_DELIMITER);
  return isPlain ? field : `"${field.replaceAll('"', '""')}"`;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

const NEWLINE = 0x0a;
/** A point, signs and an exponent. */
const IN_NUMBER: ReadonlySet<number> = new Set(Buffer.from('.+-eE'));
/** The further digits of a longer number change nothing: it is inexact. */
const LONGEST_NUMBER = 1000;
const ZERO = 0x30;
const NINE = 0x39;
/** An integer with more digits may be another one as a DOUBLE. */
const EXACT_DIGITS = 15;

/** Reads a JSON text part by part. `read` throws an `InputError` for a depth at which DuckDB would end the process. */
function jsonReader(file: string) {
  let depth = 0;
  let isText = false;
  let isEscaped = false;
  let line = 1;
  let number = '';
  const endNumber = () => {
    if (!/[.e]/i.test(number)) reader.hasLongInteger ||= number.length > EXACT_DIGITS;
    else if (!isExact(number))
      throw new InputError(
        `${file}:${line}: a number with decimals has more digits than DuckDB can hold, and would be rounded. Write it as a text, or with at most ${EXACT_DIGITS} digits.`,
      );
    number = '';
  };
  const reader = {
    hasLongInteger: false,
    read(bytes: Buffer): void {
      for (const byte of bytes) {
        if (isText) {
          if (isEscaped) isEscaped = false;
          else if (byte === BACKSLASH) isEscaped = true;
          else if (byte === QUOTE) isText = false;
          continue;
        }
        if ((byte >= ZERO && byte <= NINE) || (number !== '' && IN_NUMBER.has(byte))) {
          if (number.length < LONGEST_NUMBER) number += String.fromCharCode(byte);
          continue;
        }
        if (number !== '') endNumber();
        if (byte === QUOTE) isText = true;
        else if (byte === NEWLINE) line++;
        // The codes of a brace differ from those of a bracket in one bit.
        else if ((byte | 0x20) === 0x7b) {
          if (++depth > DEEPEST)
            throw new InputError(
              `${file}: a value is nested deeper than ${DEEPEST} levels, and no record is. Remove it from the file.`,
            );
        } else if ((byte | 0x20) === 0x7d) depth--;
      }
    },
  };
  return reader;
}
