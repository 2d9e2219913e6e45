// @ts-check
/** Exports a view of JSON: indented, with coloured keys and values, inserted as text. */
import { el } from './dom.js';
import { attempt } from './messages.js';

/** Longer texts are truncated in the page; Copy copies the whole text. */
const MOST_CHARACTERS = 200_000;
/** Longer texts have one colour: thousands of elements make a page slow. */
const MOST_COLOURED = 30_000;

/** A string that is not closed ends with the text: otherwise each of its quotes would be tried as the beginning of another one. */
const TOKEN = /("(?:[^"\\]|\\[\s\S])*(?:"|\\?$))(\s*:)?|\b(?:true|false|null)\b|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;

/**
 * @param {string} title
 * @param {unknown} value
 */
export function jsonView(title, value) {
  const text = typeof value === 'string' ? value : JSON.stringify(value, null, 2);
  const shown = text.slice(0, MOST_CHARACTERS);
  const pre = el('pre', { tabindex: '0', 'aria-label': title, role: 'region' });
  if (shown.length > MOST_COLOURED) pre.append(shown);
  else pre.append(...coloured(shown));
  const cut =
    text.length > shown.length &&
    el('p', { class: 'muted' }, `Cut at ${MOST_CHARACTERS} of ${text.length} characters.`);
  return el(
    'section',
    { class: 'json' },
    el('div', { class: 'json-head' }, el('h3', {}, title), copyButton(title, text)),
    pre,
    cut,
  );
}

/**
 * @param {string} what
 * @param {string} text
 */
export function copyButton(what, text) {
  const copy = () => attempt(() => navigator.clipboard.writeText(text), `${what} copied`);
  return el('button', { type: 'button', class: 'small', click: copy, 'aria-label': `Copy: ${what}` }, 'Copy');
}

/** @param {string} text */
function coloured(text) {
  return [...tokensOf(text)].map(([token, kind]) =>
    kind === '' ? token : el('span', { class: `json-${kind}` }, token),
  );
}

/**
 * Yields the parts of a text with their kinds: `''` for what is between keys and values.
 * @param {string} text
 * @returns {Generator<[token: string, kind: '' | 'key' | 'string' | 'value']>}
 */
export function* tokensOf(text) {
  let at = 0;
  for (const match of text.matchAll(TOKEN)) {
    const [token, string, colon = ''] = match;
    yield [text.slice(at, match.index), ''];
    yield [string ?? token, colon !== '' ? 'key' : string !== undefined ? 'string' : 'value'];
    yield [colon, ''];
    at = match.index + token.length;
  }
  yield [text.slice(at), ''];
}
