/** An input or a mapping module cannot be used. The message has what was found, what was expected, and the remedy. */
export class InputError extends Error {
  override readonly name: string = 'InputError';
}

/** Returns the error code of the system, such as `ENOENT`. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return (error as NodeJS.ErrnoException).code ?? error.message;
}

const READ_ERRORS: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  ENOTDIR: 'there is no such file',
  EISDIR: 'it is a folder',
  EACCES: 'no permission',
  EPERM: 'no permission',
};

/** Returns why a file cannot be read, such as `it is a folder`; without words for it, the error code of the system. */
export function whyNotRead(error: unknown): string {
  const reason = reasonOf(error);
  return READ_ERRORS[reason] ?? reason;
}
