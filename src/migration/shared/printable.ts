/** Exports `printable` and `oneLine`, which make text of an input, the service or a user safe for a terminal, a log or a list. */

/**
 * Control characters (C0 and C1) but tabs and ends of lines, and characters that change the text direction or end a line for some
 * programs: these make a text look like another one.
 */
const NOT_PRINTABLE = /[^\P{Cc}\t\r\n]|\r(?!\n)|[\u061C\u200E\u200F\u2028-\u202E\u2066-\u2069]/gu;

/** Returns the text with codes in place of control characters. JSON remains the same JSON: the codes are those of its strings. */
export function printable(text: string): string {
  return text.replace(NOT_PRINTABLE, codeOf);
}

/** The same for a value within a line: it has no ends of lines and no tabs either. */
export function oneLine(text: string): string {
  return printable(text).replace(/[\t\r\n]/g, codeOf);
}

function codeOf(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
