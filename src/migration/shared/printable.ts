/** Exports `printable`, which makes text of an input, the service or a user safe for a terminal or a log. */

/**
 * Control characters (C0 and C1) except the line feed, other line breaks, and characters that change the text direction: they control a
 * terminal, or make a text look like another one.
 */
const NOT_PRINTABLE = /[^\P{Cc}\n]|[\u061C\u200E\u200F\u2028-\u202E\u2066-\u2069]/gu;

/** Returns the text with U+FFFD in place of these characters. */
export function printable(text: string): string {
  return text.replace(NOT_PRINTABLE, '\uFFFD');
}
