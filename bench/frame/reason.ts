/** Why something failed, in a cell of the table. */

const MOST_CHARACTERS = 200;

/** The beginning of an error, on one line. */
export function reasonOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return message.replaceAll(/\s+/g, ' ').slice(0, MOST_CHARACTERS);
}
