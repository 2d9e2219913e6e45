/** The error of a ledger row that no version of this program wrote: it was changed by hand, or the disk is damaged. */

/** A row of the ledger is damaged. The message quotes no value of the row. */
export class DamagedRowError extends Error {
  override readonly name = 'DamagedRowError';

  /** `what`: the row, such as "row 17 of its table record". */
  constructor(what: string) {
    super(`${what} is damaged`);
  }
}
