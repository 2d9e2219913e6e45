/** The error of a ledger that another run has locked. */

export class LedgerLockedError extends Error {
  override readonly name = 'LedgerLockedError';
}

export interface Holder {
  pid: number;
  host: string;
  /** An ISO datetime. */
  since: string;
}

/** `where`: the file, or the place in a database. `holder`: undefined where it has not said its name yet. */
export function lockedError(where: string, holder: Holder | undefined): LedgerLockedError {
  return new LedgerLockedError(
    `ledger: ${where} is in use by ${inWords(holder)}, and one run at a time may work on it. ` +
      'Wait until that run has ended, or end it; then give the same command again.',
  );
}

export function inWords(holder: Holder | undefined): string {
  return holder === undefined ? 'another process' : `process ${holder.pid} on ${holder.host} since ${holder.since}`;
}
