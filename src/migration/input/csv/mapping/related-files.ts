/**
 * Exports the facts of the CSV files that `readCsv` reads in this process: a command lists these files with those of its input. Rows that
 * cannot be read are rejected lines of that input.
 */
import { relative, resolve } from 'node:path';
import {
  allRows,
  createFileFacts,
  type FileFacts,
  type InputFile,
  type SomeRows,
  type UnaskedRows,
} from '../../input-file.js';
import type { Cell, InputLine } from '../../source.js';

const REGISTRY = Symbol.for('data-import-sdk.relatedFiles');
const COLLECTORS = Symbol.for('data-import-sdk.unreadableRows');

/** Facts of a file that `readCsv` reads. */
interface RelatedFacts extends FileFacts {
  /** Stores the rows of each key of this column, which has the name `shown`. Returns the function to call with each key that is asked for. */
  grouped(column: string, shown: string, rowsOfKey: Map<string, SomeRows>): (key: string) => void;
  /** For each column by which the rows are grouped. */
  neverAsked(): UnaskedRows[];
}

/** One for the process: a mapping module and the command line load this package separately. */
function registry(): Map<string, RelatedFacts> {
  const holder = globalThis as { [REGISTRY]?: Map<string, RelatedFacts> };
  holder[REGISTRY] ??= new Map();
  return holder[REGISTRY];
}

type Collect = (row: InputLine) => void;

/** One for the process, as the registry. */
function collectors(): Set<Collect> {
  const holder = globalThis as { [COLLECTORS]?: Set<Collect> };
  holder[COLLECTORS] ??= new Set();
  return holder[COLLECTORS];
}

/** Collects the rows that `readCsv` cannot read, so that they are rejected lines of an input and not the end of the command. */
export function collectUnreadableRows() {
  const rows: InputLine[] = [];
  const collect: Collect = (row) => void rows.push(row);
  collectors().add(collect);
  return { rows: rows as readonly InputLine[], end: () => void collectors().delete(collect) };
}

/** Returns whether an input has taken the row. */
export function rejectRow(row: InputLine): boolean {
  for (const collect of collectors()) collect(row);
  return collectors().size > 0;
}

const CELLS = Symbol.for('data-import-sdk.relatedCells');
const reading = globalThis as { [CELLS]?: Cell[] | undefined };

/** Stores a cell of a related file that the mapping reads for a row. `column`: with the name of the file. */
export function noteRelatedCell(column: string, text: string): void {
  reading[CELLS]?.push([column, text]);
}

/** Calls a function that reads no file asynchronously, and adds the cells of related files that it reads to `cells`. */
export function withRelatedCells<Result>(cells: Cell[], read: () => Result): Result {
  reading[CELLS] = cells;
  try {
    return read();
  } finally {
    reading[CELLS] = undefined;
  }
}

/** Returns the facts of this file. */
export function factsOfRelated(path: string): RelatedFacts {
  const absolute = resolve(path);
  const inFolder = relative('', absolute);
  const facts = registry().get(absolute) ?? createRelatedFacts(inFolder.startsWith('..') ? absolute : inFolder);
  registry().set(absolute, facts);
  return facts;
}

function createRelatedFacts(source: string): RelatedFacts {
  /** By column: the rows of each key that no pass has asked for. */
  const unasked = new Map<string, { column: string; rowsOfKey: Map<string, SomeRows> }>();
  return {
    ...createFileFacts(source, false),
    grouped(column, shown, rowsOfKey) {
      const known = unasked.get(column) ?? { column: shown, rowsOfKey };
      unasked.set(column, known);
      return (key) => void known.rowsOfKey.delete(key);
    },
    neverAsked: () =>
      [...unasked.values()].map(({ column, rowsOfKey }) => ({
        column,
        ...allRows(rowsOfKey.values()),
        values: rowsOfKey.size,
      })),
  };
}

/**
 * Returns a function that returns the files that `readCsv` has read since, without those in `inputs`. `isReadToEnd`: whether the input was:
 * only then they have the number of rows that the mapping never asked for.
 */
export function watchRelatedFiles(): (inputs: readonly string[], isReadToEnd?: boolean) => InputFile[] {
  const before = new Set(registry().keys());
  return (inputs, isReadToEnd = false) => {
    const known = new Set(inputs.map((path) => resolve(path)));
    const related = [...registry()].filter(([path]) => !before.has(path) && !known.has(path));
    // A related file without a row is no missing input.
    return related.map(([, facts]) => {
      const { empty: _, ...file } = facts.facts();
      const neverAsked = isReadToEnd ? facts.neverAsked() : [];
      return neverAsked.length === 0 ? file : { ...file, neverAsked };
    });
  };
}
