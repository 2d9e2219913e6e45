/** An optional package that the user's input or ledger needs is not installed. The message has the command that installs it. */
export class MissingPackageError extends Error {
  override readonly name = 'MissingPackageError';
}
