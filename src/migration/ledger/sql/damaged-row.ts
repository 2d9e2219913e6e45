/** A row of a ledger that no version of this program wrote: somebody changed it, or a disk did. */

/** Quotes nothing of the row. */
export class DamagedRowError extends Error {
  override readonly name = 'DamagedRowError';

  /** `what`: the row, such as "row 17 of its table record". */
  constructor(what: string) {
    super(`${what} is damaged`);
  }
}
