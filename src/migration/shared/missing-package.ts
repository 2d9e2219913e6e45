/** Marks the errors of all copies of this package: a mapping module in CommonJS loads another copy than the command. */
const BRAND = Symbol.for('data-import-sdk.missing-package-error');

/** An optional package that the user's input or ledger needs is not installed. The message has the command that installs it. */
export class MissingPackageError extends Error {
  /** Discriminates this class. */
  override readonly name = 'MissingPackageError';

  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    Object.defineProperty(this, BRAND, { value: true });
  }
}

/** Returns whether it is a `MissingPackageError`, from any copy of this package. */
export function isMissingPackageError(error: unknown): error is MissingPackageError {
  return error instanceof Error && BRAND in error;
}
