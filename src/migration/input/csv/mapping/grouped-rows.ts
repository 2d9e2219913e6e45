/** Exports `GroupedRows`, the map of `groupRows` for a related file: it tells which of its keys the mapping asks for. */

/**
 * `get`, `has` and an iteration over values or entries tell `asked` the key: rows of other keys are in no record. `keys()` and `size` give no
 * row, and tell nothing.
 */
export class GroupedRows<Row> extends Map<string, Row[]> {
  #asked: (key: string) => void = () => {};

  /** Call it when the map has all rows. */
  onAsked(asked: (key: string) => void): void {
    this.#asked = asked;
  }

  override get(key: string): Row[] | undefined {
    this.#asked(key);
    return super.get(key);
  }

  override has(key: string): boolean {
    this.#asked(key);
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
