/** An input or a mapping module cannot be used. The message has what was found, what was expected, and the remedy. */
export class InputError extends Error {
  override readonly name: string = 'InputError';
}

/** The mapping module does not match the input. The module has to be corrected. */
export class WrongMappingError extends InputError {
  override readonly name = 'WrongMappingError';
}

/** A SQL file or one of its sources cannot be used until the user corrects it. */
export class SqlError extends InputError {
  override readonly name = 'SqlError';
}

/** Returns the error code of the system, such as `ENOENT`. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return (error as NodeJS.ErrnoException).code ?? error.message;
}
