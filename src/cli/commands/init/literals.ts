/** Exports `javascriptText` and others: text of an export as a literal of a language. Only so written, it cannot end a literal or a comment and run as code. */

/** Line ends, controls, characters that are not visible or change the direction of text, and halves of characters. */
const NOT_VISIBLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Cn}]/u;

/** Characters that end a comment, begin one, or begin an expression in a template: of JavaScript, SQL, HTML. */
const ENDS_TEXT = /`|\$(?=\{)|\*(?=\/)|\/(?=\*)|-(?=-)|<(?=[/!?])/;

const UNSAFE = new RegExp(`${NOT_VISIBLE.source}|${ENDS_TEXT.source}`, 'gu');

/** Returns whether the text is visible as it is. */
export function isVisible(text: string): boolean {
  return !NOT_VISIBLE.test(text);
}

/** Returns a string literal of JSON, which is one of JavaScript too. It has one line, and is safe in a comment, a template and a page. */
export function jsonText(text: string): string {
  return JSON.stringify(text).replace(UNSAFE, (found) =>
    Array.from({ length: found.length }, (_, at) => `\\u${found.charCodeAt(at).toString(16).padStart(4, '0')}`).join(
      '',
    ),
  );
}

/** Returns an expression of SQL with the value of the text, in one line: `'a' || chr(10) || 'b'`. */
export function sqlText(text: string): string {
  const parts = [''];
  let end = 0;
  for (const { 0: found, index } of text.matchAll(UNSAFE)) {
    parts.push(`${parts.pop()}${text.slice(end, index)}`, `${found.codePointAt(0)}`, '');
    end = index + found.length;
  }
  parts.push(`${parts.pop()}${text.slice(end)}`);
  const words = parts.map((part, at) => (at % 2 === 1 ? `chr(${part})` : `'${part.replaceAll("'", "''")}'`));
  return words.length === 1 ? String(words[0]) : `(${words.join(' || ')})`;
}

/** Returns a text in one line, for the terminal. */
export function inOneLine(text: string): string {
  return text.replace(/\s+/g, ' ');
}
