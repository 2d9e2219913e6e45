/** Text that comes from an input, from the service or from a user, for a terminal or a log that is read on one. */

/**
 * Controls (C0 and C1) but for the line break, further line breaks, and the characters that turn the direction of reading:
 * they steer a terminal, or make one text read as another.
 */
const NOT_PRINTABLE = /[^\P{Cc}\n]|[\u061C\u200E\u200F\u2028-\u202E\u2066-\u2069]/gu;

/** The text with U+FFFD in place of each character that a terminal obeys. */
export function printable(text: string): string {
  return text.replace(NOT_PRINTABLE, '\uFFFD');
}
