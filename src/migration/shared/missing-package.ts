/** Exports `MissingPackageError`. */
import { ofAnyCopy } from './error-of-any-copy.js';

/** An optional package that the user's input or ledger needs is not installed. The message has the command that installs it. */
export class MissingPackageError extends Error {
  /** Discriminates this class. */
  override readonly name = 'MissingPackageError';
}
ofAnyCopy(MissingPackageError, 'MissingPackageError');
