/**
 * Texts of a book as databases keep them. PostgreSQL refuses the character of code 0 and SQLite ends the text there,
 * and a damaged line may have it in its number: it is kept as a pair of others, so that no two numbers become one.
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
