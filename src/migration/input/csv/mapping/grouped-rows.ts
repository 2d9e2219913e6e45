/**
 * Exports `GroupedRows`, the map of `groupRows` for related files: it tells which of its keys the mapping asks for, and refuses a key of
 * which a row could not be read.
 */
import { incompleteInWords } from '../../incomplete-records.js';
import { IncompleteRowError } from './mapping-error.js';

/** The files whose rows are grouped. */
interface GroupedFiles {
  /** Called with each key that the mapping asks for. */
  asked: (key: string) => void;
  /** The places of the rows that could not be read, by key. */
  unreadable: ReadonlyMap<string, string>;
}

/**
 * `get`, `has` and an iteration over values or entries tell `asked` the key: rows of other keys are in no record. `keys()` and `size` give no
 * row, and tell nothing. `get` and `has` throw an `IncompleteRowError` for a key of a row that could not be read.
 */
export class GroupedRows<Row> extends Map<string, Row[]> {
  readonly #files: GroupedFiles;

  constructor(groups: ReadonlyMap<string, Row[]>, files: GroupedFiles) {
    super(groups);
    this.#files = files;
  }

  #ask(key: string): void {
    const { asked, unreadable } = this.#files;
    asked(key);
    const place = unreadable.get(key);
    if (place !== undefined) throw new IncompleteRowError(incompleteInWords(place));
  }

  override get(key: string): Row[] | undefined {
    this.#ask(key);
    return super.get(key);
  }

  override has(key: string): boolean {
    this.#ask(key);
    return super.has(key);
  }

  override *entries(): MapIterator<[string, Row[]]> {
    for (const entry of super.entries()) {
      this.#files.asked(entry[0]);
      yield entry;
    }
  }

  override *values(): MapIterator<Row[]> {
    for (const [, rows] of this.entries()) yield rows;
  }

  override [Symbol.iterator](): MapIterator<[string, Row[]]> {
    return this.entries();
  }

  override forEach(callback: (rows: Row[], key: string, map: Map<string, Row[]>) => void, self?: unknown): void {
    for (const [key, rows] of this.entries()) callback.call(self, rows, key, this);
  }
}
