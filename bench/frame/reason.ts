/** Formats the reason of a failure for a cell of the table. */

const MOST_CHARACTERS = 200;

/** Returns the beginning of the error message, on one line. */
export function reasonOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return message.replaceAll(/\s+/g, ' ').slice(0, MOST_CHARACTERS);
}
