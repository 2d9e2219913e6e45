/** A book as it is read: records one after another, each with the place where it stands. */
import type { BookRecord } from '../../validation/book.js';

/** One record, or what stands in its place and cannot be one. */
export interface SourceItem {
  /** Name of the file as it was given, `-` for standard input, `book` for what code hands over. */
  source: string;
  /** Line of the file, or record of the iterable, counted from 1. */
  line: number;
  /** The line as it stands, for `rejected.jsonl`. */
  text: string;
  /** SHA-256 of `text`, in hexadecimal. */
  hash: string;
  /** The record in it. Asked for only where it is needed: a book that is continued is mostly skipped by its hashes. */
  read(): ReadRecord;
}

/** A line that holds no record says why, as one finding. */
export type ReadRecord = { record: BookRecord } | { problem: { code: string; attr: string; detail: string } };

/** May be read from the beginning as often as it is asked for. Memory stays flat, however long it is. */
export type Source = AsyncIterable<SourceItem>;
