/** HTML in which every text is escaped, because there is no other way to put one in. */

/** Markup that stands as it is. Only `html` and `raw` make it. */
export interface Markup {
  readonly markup: string;
}

type Part = Markup | string | number | readonly Markup[];

export function html(strings: TemplateStringsArray, ...parts: readonly Part[]): Markup {
  return {
    markup: strings.map((text, index) => text + (index < parts.length ? render(parts[index] ?? '') : '')).join(''),
  };
}

/** For what this package wrote itself: the style sheet. */
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

/** Controls of direction and invisible ones are shown as what they are: they can make a text read as another. */
function escaped(text: string): string {
  return text
    .replace(/[&<>"']/g, (character) => ENTITIES[character] ?? '')
    .replace(/[\p{Cc}\p{Cf}]/gu, (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`);
}
