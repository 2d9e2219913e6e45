/**
 * Exports `toColumn` and `fromColumn`. PostgreSQL rejects the character U+0000 in text, and SQLite ends the text there. A damaged line
 * may have it in its number, so it is stored as a pair of other characters.
 */

const ESCAPE = '\u0001';
const NUL = '\0';

export function toColumn(text: string): string {
  if (!text.includes(NUL) && !text.includes(ESCAPE)) return text;
  return text.replaceAll(ESCAPE, `${ESCAPE}1`).replaceAll(NUL, `${ESCAPE}0`);
}

export function fromColumn(text: string): string {
  return text.includes(ESCAPE) ? text.replaceAll(`${ESCAPE}0`, NUL).replaceAll(`${ESCAPE}1`, ESCAPE) : text;
}
