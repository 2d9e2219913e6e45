// @ts-check
/** Exports helpers that create elements. Data is always inserted as text: no code of the console parses HTML. */

/**
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {Record<string, unknown>} [props] attributes; a function is a listener; undefined, null and false are ignored
 * @param {...(Node | string | null | undefined | false)} children
 * @returns {HTMLElementTagNameMap[Tag]}
 */
export function el(tag, props = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(props)) {
    if (value === undefined || value === null || value === false) continue;
    if (typeof value === 'function') element.addEventListener(name, /** @type {EventListener} */ (value));
    else element.setAttribute(name, value === true ? '' : String(value));
  }
  for (const child of children) if (child) element.append(child);
  return element;
}

/**
 * Returns an element of the page. Throws if it is missing.
 * @template {Element} [Kind=HTMLElement]
 * @param {string} selector
 * @param {ParentNode} [root]
 * @returns {Kind}
 */
export function find(selector, root = document) {
  const element = root.querySelector(selector);
  if (element === null) throw new Error(`The page has no ${selector}.`);
  return /** @type {Kind} */ (element);
}

/**
 * Replaces the children, and restores the focus on the element with the same `data-key`.
 * @param {Element} parent
 * @param {readonly Node[]} children
 */
export function replaceChildren(parent, children) {
  const focused = parent.contains(document.activeElement) ? document.activeElement?.getAttribute('data-key') : null;
  parent.replaceChildren(...children);
  if (!focused) return;
  for (const element of parent.querySelectorAll('[data-key]')) {
    if (element.getAttribute('data-key') === focused) /** @type {HTMLElement} */ (element).focus();
  }
}

/**
 * Returns the fields of a form by name, without empty fields.
 * @param {HTMLFormElement} form
 * @returns {Record<string, string>}
 */
export function valuesOf(form) {
  /** @type {Record<string, string>} */
  const values = {};
  for (const [name, value] of new FormData(form)) if (typeof value === 'string' && value !== '') values[name] = value;
  return values;
}

/**
 * Returns a coloured label; its text has the same meaning as the colour.
 * @param {string} text
 * @param {'good' | 'bad' | 'warn' | 'busy' | 'plain'} tone
 */
export function chip(text, tone) {
  return el('span', { class: `chip ${tone}` }, text);
}

const numbers = new Intl.NumberFormat('en');

/** @param {number} value */
export function count(value) {
  return numbers.format(value);
}

/**
 * `1 account`, `2 accounts`
 * @param {number} value
 * @param {string} noun
 */
export function counted(value, noun) {
  return `${count(value)} ${noun}${value === 1 ? '' : 's'}`;
}

/**
 * `2026-01-15 09:00:00`
 * @param {string} datetime
 */
export function readable(datetime) {
  return datetime.slice(0, 19).replace('T', ' ');
}

/**
 * A time of the machine in the reader's time zone: `14:05:09.123`, with the day `2026-01-15 14:05:09.123`.
 * @param {string} datetime
 * @param {boolean} withDay
 */
export function localTime(datetime, withDay = false) {
  const at = new Date(datetime);
  const local = new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString();
  return withDay ? `${local.slice(0, 10)} ${local.slice(11, 23)}` : local.slice(11, 23);
}
