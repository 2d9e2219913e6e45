/**
 * Exports `GroupedRows`, the map of `groupRows` for a related file: it tells which of its keys the mapping asks for, and refuses a key of
 * which a row could not be read.
 */
import { incompleteInWords } from '../../incomplete-records.js';
import { IncompleteRowError } from './mapping-error.js';

/** A file whose rows are grouped. */
interface GroupedFile {
  name: string;
  /** Called with each key that the mapping asks for. */
  asked: (key: string) => void;
  /** The lines of the rows that could not be read, by key. */
  unreadable: ReadonlyMap<string, number>;
}

/**
 * `get`, `has` and an iteration over values or entries tell `asked` the key: rows of other keys are in no record. `keys()` and `size` give no
 * row, and tell nothing. `get` and `has` throw an `IncompleteRowError` for a key of a row that could not be read.
 */
export class GroupedRows<Row> extends Map<string, Row[]> {
  readonly #file: GroupedFile;

  constructor(groups: ReadonlyMap<string, Row[]>, file: GroupedFile) {
    super(groups);
    this.#file = file;
  }

  #ask(key: string): void {
    const { name, asked, unreadable } = this.#file;
    asked(key);
    const line = unreadable.get(key);
    if (line !== undefined) throw new IncompleteRowError(incompleteInWords(`${name}:${line}`));
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
      this.#file.asked(entry[0]);
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
