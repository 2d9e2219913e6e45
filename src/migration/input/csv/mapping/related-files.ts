/**
 * Exports the facts of the CSV files that `readCsv` reads in this process: a command lists these files with those of its input. Rows that
 * cannot be read, and rows that are in no record, are rejected lines of that input.
 */
import { relative, resolve } from 'node:path';
import { createFileFacts, type InputFile } from '../../input-file.js';
import type { Cell, InputLine } from '../../source.js';
import { problem, problemItem } from '../../text/parse-record.js';

/** A row that can be read, with the text by which it is grouped. */
export interface GroupedRow {
  key: string;
  line: number;
  text: string;
}

/** Facts of a file that `readCsv` reads. */
type RelatedFacts = ReturnType<typeof createRelatedFacts>;

/** What `readCsv` has read while it is watched. */
interface Watch {
  paths: Set<string>;
  unreadable: InputLine[];
}

const SHARED = Symbol.for('data-import-sdk.relatedFiles');
const holder = globalThis as {
  [SHARED]?: { files: Map<string, RelatedFacts>; watches: Set<Watch>; cells: Cell[] | undefined };
};
holder[SHARED] ??= { files: new Map(), watches: new Set(), cells: undefined };
/** One for the process: a mapping module and the command line load this package separately. `cells`: of the row that is mapped. */
const shared = holder[SHARED];

/** Returns whether an input takes a row that cannot be read. */
export function rejectRow(row: InputLine): boolean {
  for (const { unreadable } of shared.watches) unreadable.push(row);
  return shared.watches.size > 0;
}

/** Stores a cell of a related file that the mapping reads for a row. `column`: with the name of the file. */
export function noteRelatedCell(column: string, text: string): void {
  shared.cells?.push([column, text]);
}

/** Calls a function that reads no file asynchronously, and adds the cells of related files that it reads to `cells`. */
export function withRelatedCells<Result>(cells: Cell[], read: () => Result): Result {
  shared.cells = cells;
  try {
    return read();
  } finally {
    shared.cells = undefined;
  }
}

/** Call it when a reading begins: files that are read at the same time are listed in this order, and not in that of the disk. */
export function noteRelatedFile(path: string): string {
  const absolute = resolve(path);
  for (const { paths } of shared.watches) paths.add(absolute);
  return absolute;
}

/** Returns the facts of this file. */
export function factsOfRelated(path: string): RelatedFacts {
  const absolute = noteRelatedFile(path);
  const inFolder = relative('', absolute);
  const facts = shared.files.get(absolute) ?? createRelatedFacts(inFolder.startsWith('..') ? absolute : inFolder);
  shared.files.set(absolute, facts);
  return facts;
}

function createRelatedFacts(source: string) {
  /** By column: the rows, in their order, and the keys that some pass has asked for. */
  const groups = new Map<string, { column: string; rows: readonly GroupedRow[]; asked: Set<string> }>();
  return {
    ...createFileFacts(source, false),
    /** Stores the rows by the keys of this column, which has the name `shown`. Returns the function to call with each key that is asked for. */
    grouped(column: string, shown: string, rows: readonly GroupedRow[]): (key: string) => void {
      const known = groups.get(column) ?? { column: shown, rows, asked: new Set() };
      groups.set(column, known);
      return (key) => void known.asked.add(key);
    },
    /** The rows that were asked for by no column, as lines that are rejected. */
    unaskedRows(): InputLine[] {
      const all = [...groups.values()];
      const unasked = all.map(({ rows, asked }) => rows.filter(({ key }) => !asked.has(key)));
      const [first = [], ...others] = unasked;
      const linesOf = others.map((rows) => new Set(rows.map(({ line }) => line)));
      const columns = [...new Set(all.map(({ column }) => column))].join(' or ');
      return first
        .filter(({ line }) => linesOf.every((lines) => lines.has(line)))
        .map(({ line, text }) => problemItem(source, line, text, inNoRecord(columns)));
    },
    /** Counts the rows of these keys as asked for. */
    ask(keys: readonly string[]): void {
      for (const { asked } of groups.values()) for (const key of keys) asked.add(key);
    },
  };
}

const inNoRecord = (columns: string) =>
  problem(
    'row_in_no_record',
    `No record of the input has the row, and it is not sent: the mapping never asked for its ${columns}.`,
  );

/** The files that `readCsv` reads for a mapping or a module that is an input. `inputs`: files of the input, which are none of these. */
export type RelatedFiles = ReturnType<typeof watchRelatedFiles>;

/** Watches what `readCsv` reads from now on. */
export function watchRelatedFiles() {
  const watch: Watch = { paths: new Set(), unreadable: [] };
  shared.watches.add(watch);
  const related = (inputs: readonly string[] = []) => {
    const known = new Set(inputs.map((path) => resolve(path)));
    return [...watch.paths].flatMap((path) => (known.has(path) ? [] : (shared.files.get(path) ?? [])));
  };
  return {
    /** Rows that cannot be read: rejected lines of the input, and not the end of the command. */
    unreadable: watch.unreadable as readonly InputLine[],
    files: (inputs: readonly string[]): InputFile[] =>
      // A related file without a row is no missing input.
      related(inputs).map((facts) => {
        const { empty: _, ...file } = facts.facts();
        return file;
      }),
    /** Returns the rows that were never asked for, as rejected lines. Call it when the whole input was read. */
    unasked: (inputs: readonly string[]): InputLine[] => related(inputs).flatMap((facts) => facts.unaskedRows()),
    /** Counts the rows of these keys as asked for: they belong to a row of the input that is rejected. */
    ask(keys: readonly string[]): void {
      for (const facts of related()) facts.ask(keys);
    },
    /** Later readings do not count. */
    end: () => void shared.watches.delete(watch),
  };
}
