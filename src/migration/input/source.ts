/** A book as it is read: records one after another, each with the place where it stands. */
import type { ImportRecord } from '../../validation/records/import-record.js';
import type { InputFile } from './input-file.js';

/** One record, or a line that is not a record. */
export interface InputLine {
  /** Name of the file as it was given (of a folder, with the folder's name), `-` for standard input, `book` for what code hands over. */
  source: string;
  /** Line of the file, or record of the iterable, counted from 1. Of a row of several lines, the first. */
  line: number;
  /** What a message names in place of the line, where that is no line of a file: `account A-17` of a row of a query. */
  label?: string;
  /**
   * What `rejected.jsonl` stores for correction: the line as it is in the file; for a CSV row the record made of it,
   * or the row if no record could be made; for a line that is too long its beginning and `…`.
   */
  text: string;
  /** Of a line of JSON Lines, `text` as it stood in the file: it can be searched without being decoded. */
  bytes?: Buffer | undefined;
  /** SHA-256 of the bytes of `text`, as they stood in the file, in hexadecimal. */
  hash: string;
  /**
   * Where those bytes stand in the file. Only of lines of JSON Lines in a file that is not compressed: others cannot be
   * found again without all that comes before them.
   */
  place?: LineSpan | undefined;
  /** The record in it. Asked for only where it is needed: a book that is continued is mostly skipped by its hashes. */
  read(): ReadRecord;
}

/** A part of a file: the line without its end, and without a byte order mark before it. */
export interface LineSpan {
  /** Bytes of the file before it. */
  start: number;
  /** Bytes of it. */
  length: number;
}

/** A line that holds no record says why, as one finding. */
export type ReadRecord = { record: ImportRecord } | { problem: Problem };

/** Why a line holds no record. */
export interface Problem {
  /** What kind of problem. */
  code: ProblemCode;
  /** Where in the record; empty for the line as a whole. Of `map_failed`, the place in the mapping module: `map.mjs:12`. */
  attr: string;
  /** For people. No value of the line, unless `showPersonalData` is set. */
  detail: string;
}

/** What can be wrong with a line before anything in it is looked at. */
export type ProblemCode =
  /** The line is no JSON, or the record cannot be written as JSON. */
  | 'invalid_json'
  /** The bytes are not UTF-8. */
  | 'invalid_utf8'
  /** The number or the supplier code has a lone surrogate: half a character, which neither the ledger nor UTF-8 can hold. */
  | 'invalid_unicode'
  /** JSON, and neither a business nor an account; the code is the one that the local check has for it. */
  | 'invalid_type'
  /** Longer than a line may be. */
  | 'line_too_long'
  /** More names and values than any record has. */
  | 'too_many_values'
  /** Lists and objects in one another, deeper than in any record. */
  | 'too_deep'
  /** A compressed file ends too early or is damaged; what came before was read. */
  | 'damaged_file'
  /** A row of CSV whose quotes or columns do not fit, or a header that names no columns. */
  | 'invalid_csv'
  /** The mapping module threw. */
  | 'map_failed';

/** Can be iterated several times, each time from the beginning. Memory use does not depend on the size of the input. */
export interface Input extends AsyncIterable<InputLine> {
  /** Whether it can be read only once: only the run reads it then, and no check before the run. */
  readonly isReadOnce?: boolean;
  /**
   * Facts about each file, from the part read so far, in the order of the files. Only inputs that read files have it.
   */
  files?(): InputFile[];
  /** The content of each file whose rows a mapping makes records of. Reads these files to their end. */
  mappedContents?(): Promise<MappedContent[]>;
  /** The content of each query, and of each file that it reads. */
  queryContents?(): MappedContent[];
}

/** What identifies the content of a file. */
export interface MappedContent {
  /** Name of the file as it was given; `-` for standard input. */
  source: string;
  /** SHA-256 of its bytes as they are stored, also where they are compressed, in hexadecimal digits. */
  sha256: string;
}
