/**
 * Exports `GroupedRows`, the map of `groupRows` for a related file: it tells which of its keys the mapping asks for, and refuses a key of
 * which a row could not be read.
 */
import { incompleteInWords } from '../../incomplete-records.js';
import { IncompleteRowError } from './mapping-error.js';

/**
 * `get`, `has` and an iteration over values or entries tell `asked` the key: rows of other keys are in no record. `keys()` and `size` give no
 * row, and tell nothing. `get` and `has` throw an `IncompleteRowError` for a key of a row that could not be read.
 */
export class GroupedRows<Row> extends Map<string, Row[]> {
  #asked: (key: string) => void = () => {};
  #lines: ReadonlyMap<string, number> = new Map();
  #file = '';

  /** Call it when the map has all rows. */
  onAsked(asked: (key: string) => void): void {
    this.#asked = asked;
  }

  /** `lines`: the lines of the rows that could not be read, by key. Call it when the map has all rows. */
  withoutRows(lines: ReadonlyMap<string, number>, file: string): void {
    this.#lines = lines;
    this.#file = file;
  }

  #ask(key: string): void {
    this.#asked(key);
    const line = this.#lines.get(key);
    if (line === undefined) return;
    throw new IncompleteRowError(incompleteInWords(`${this.#file}:${line}`));
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
      this.#asked(entry[0]);
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
