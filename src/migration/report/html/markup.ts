/** Exports `html`, a template tag that escapes every text. */

/** Markup that is not escaped. Only `html` and `raw` create it. */
export interface Markup {
  readonly markup: string;
}

type Part = Markup | string | number | readonly Markup[];

export function html(strings: TemplateStringsArray, ...parts: readonly Part[]): Markup {
  return {
    markup: strings.map((text, index) => text + (index < parts.length ? render(parts[index] ?? '') : '')).join(''),
  };
}

/** Returns markup without escaping, only for constants of this package: the style sheet. */
export function raw(markup: string): Markup {
  return { markup };
}

export const NOTHING: Markup = { markup: '' };

function render(part: Part): string {
  if (typeof part === 'string' || typeof part === 'number') return escaped(String(part));
  if ('markup' in part) return part.markup;
  return part.map(({ markup }) => markup).join('');
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Escapes the text. Shows invisible and direction characters as their codes, because they can make a text look like another one. */
function escaped(text: string): string {
  return text
    .replace(/[&<>"']/g, (character) => ENTITIES[character] ?? '')
    .replace(/[\p{Cc}\p{Cf}]/gu, (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`);
}
