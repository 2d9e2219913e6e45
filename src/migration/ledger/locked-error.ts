/** Exports `LedgerLockedError`: another run has the lock of the ledger. */

export class LedgerLockedError extends Error {
  override readonly name = 'LedgerLockedError';

  /** `isWithoutCoordinator`: workers of a distributed run use the ledger, and wait for the command of the run. @internal */
  constructor(
    message: string,
    readonly isWithoutCoordinator = false,
  ) {
    super(message);
  }
}

export interface Holder {
  pid: number;
  host: string;
  /** An ISO datetime. */
  since: string;
}

/** Returns the error. `where`: the file or the database. `holder`: undefined if it has not stored its name yet. `more`: a further sentence. */
export function lockedError(where: string, holder: Holder | undefined, more = ''): LedgerLockedError {
  return new LedgerLockedError(
    `ledger: ${where} is in use by ${inWords(holder)}, and only one run at a time can use it. ` +
      `Wait until that run has ended, or end it. Then repeat the command.${more}`,
  );
}

export function inWords(holder: Holder | undefined): string {
  return holder === undefined ? 'another process' : `process ${holder.pid} on ${holder.host} since ${holder.since}`;
}
