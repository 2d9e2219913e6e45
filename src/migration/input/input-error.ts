/** A book, or a mapping module, that cannot be used as it was given: what is wrong, what was expected, what to do. */
export class InputError extends Error {
  override readonly name: string = 'InputError';
}

/** The mapping module does not fit the input: correcting the module helps, and running again does not. */
export class MappingError extends InputError {
  override readonly name = 'MappingError';
}

/** Why the system refused, in the few letters that say it best: `ENOENT`. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return (error as NodeJS.ErrnoException).code ?? error.message;
}
