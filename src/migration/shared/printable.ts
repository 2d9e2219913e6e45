/** Exports `printable` and `oneLine`, which make text of an input, the service or a user safe for a terminal, a log or a list. */

/** Characters that change the text direction, or end a line for some programs: they make a text look like another one. */
const MISLEADING = '\\u061C\\u200E\\u200F\\u2028-\\u202E\\u2066-\\u2069';
/** Control characters (C0 and C1) but tabs and ends of lines, and those that mislead. */
const NOT_PRINTABLE = new RegExp(`[^\\P{Cc}\\t\\r\\n]|\\r(?!\\n)|[${MISLEADING}]`, 'gu');
const NOT_IN_A_LINE = new RegExp(`\\p{Cc}|[${MISLEADING}]`, 'gu');

/** Returns the text with codes in place of control characters. JSON remains the same JSON: the codes are those of its strings. */
export function printable(text: string): string {
  return text.replace(NOT_PRINTABLE, codeOf);
}

/** The same for a value within a line: it has no ends of lines and no tabs either. */
export function oneLine(text: string): string {
  return text.replace(NOT_IN_A_LINE, codeOf);
}

function codeOf(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
