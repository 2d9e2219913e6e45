/** Exports `Input` and `InputLine`: the lines of an input, each with its place. */
import type { ImportRecord } from '../../validation/records/import-record.js';
import type { InputFile } from './input-file.js';

/** One record, or a line that is not a record. */
export interface InputLine {
  /** File name as the user gave it (for a folder, with its name), `-` for standard input, `input` for records from code. */
  source: string;
  /** Line of the file, or record of the iterable, counted from 1. For a row of several lines, the first. */
  line: number;
  /** What a message names in place of the line, where that is no line of a file: `account A-17` of a row of a query. */
  label?: string;
  /**
   * What `rejected.jsonl` stores for correction: the line of the file; for a CSV row its record, or the row if it has none; for a
   * line that is too long its beginning and `…`.
   */
  text: string;
  /** For a line of JSON Lines, the bytes of `text` in the file. They can be searched without decoding. */
  bytes?: Buffer | undefined;
  /** SHA-256 of the bytes of `text` in the file, in hexadecimal digits. */
  hash: string;
  /** For a row of a CSV file: returns its cells. None if the names of the columns look like data. */
  cells?(): Cells;
  /** For a row of a CSV file that cannot be read: returns the texts that may be its cells. */
  texts?(): readonly string[];
  /** For a corrected line: `hash` of the line before its correction, if that had no readable record. */
  corrects?: string;
  /** Returns the record of the line. Parses it on demand: a resumed run skips most lines by their hashes. */
  read(): ReadRecord;
}

/**
 * The cells of a row, and those of related files that the mapping read for it, each with the name of its column: `Start`, of a related
 * file `meters.csv: Start`; empty for one that must not be shown.
 */
export type Cells = readonly (readonly [column: string, text: string])[];

/** One cell. */
export type Cell = Cells[number];

/** The record of a line, or why it has none. */
export type ReadRecord = { record: ImportRecord } | { problem: Problem };

/** Why a line has no record. */
export interface Problem {
  /** What kind of problem. */
  code: ProblemCode;
  /** Path in the record; empty for the whole line. For `map_failed`, the place in the mapping module: `map.mjs:12`. */
  attr: string;
  /** Text for people, without values of the line unless `showPersonalData` is set. */
  detail: string;
}

/** Errors of a line before its record is checked. */
export type ProblemCode =
  /** The line is not JSON. */
  | 'invalid_json'
  /** A name stands twice in an object, of which only one value would be sent. */
  | 'duplicate_key'
  /** A number has more digits than JavaScript can hold. */
  | 'inexact_number'
  /** A name is one escaped character, such as `"\u00e9"`, which some versions of Node read as a backslash. */
  | 'escaped_name'
  /** A record from code has a value that JSON cannot represent, such as NaN or a Map. The local check has the same code for it. */
  | 'invalid_json_value'
  /** The bytes are not in the encoding of the file. */
  | 'invalid_encoding'
  /** The number or the supplier code has a lone surrogate, which neither UTF-8 nor the ledger can represent. */
  | 'invalid_unicode'
  /** JSON, but neither a business, an account nor supply points. The local check has the same code for it. */
  | 'invalid_type'
  /** The line is too long. */
  | 'line_too_long'
  /** The line has too many names and values. */
  | 'too_many_values'
  /** Lists and objects are nested too deeply. */
  | 'too_deep'
  /** A file is incomplete or damaged. The part before was read. */
  | 'damaged_file'
  /** A CSV row with unbalanced quotes or another number of fields, or a header without column names. */
  | 'invalid_csv'
  /** The mapping module threw. */
  | 'map_failed'
  /** A row that seems to belong to the record cannot be read. */
  | 'incomplete_record'
  /** A row of a related file for which the mapping never asked. */
  | 'row_in_no_record';

/** Can be iterated several times, from the beginning each time. Memory use does not depend on the size of the input. */
export interface Input extends AsyncIterable<InputLine> {
  /** Whether it can be read only once. Then only the run reads it, and no check before the run. */
  readonly isReadOnce?: boolean;
  /**
   * Facts about each file, from the part read so far, in the order of the files. Only inputs that read files have it.
   */
  files?(): InputFile[];
  /** Identifies the files and how they are read, as they are now; undefined for an input that no file identifies, such as a module. */
  identity?(): string | undefined;
  /** Returns the files that were added to a folder of the input since it was opened. */
  addedFiles?(): string[];
  /** Returns whether the path of a file is in a folder of the input, also if the file is gone. */
  isInFolder?(name: string): boolean;
  /** Returns the content of each file with a mapping, of each query, and of each file that a query reads. Reads files with a mapping to their end. */
  mappedContents?(): Promise<MappedContent[]>;
}

/** Identifies the content of a file. */
export interface MappedContent {
  /** File name as the user gave it; `-` for standard input. */
  source: string;
  /** SHA-256 of the bytes on disk, of a file that a query reads after decompression, in hexadecimal digits. */
  sha256: string;
  /** Identifies the mapping module and how it reads the file, or the query with all of its files; undefined for a mapping of a program. */
  mapping?: string | undefined;
}
