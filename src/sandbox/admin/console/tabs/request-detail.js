// @ts-check
/** Exports the details of one request: request, answer, reasons, and the command that sends it again. */
import { chip, count, el, localTime, readable, replaceChildren } from '../shared/dom.js';
import { copyButton, jsonView } from '../shared/json-view.js';

/**
 * @typedef {{ id: number, at: string, received_at: string, took_ms: number, rule: string, operation: string | null, method: string, path: string,
 *   supplier: string | null, account: string | null, request: unknown, status: number | null, answer: unknown,
 *   change: string | null, assumed: string[], unlisted: string[], faults: string[], curl: string }} Entry
 * @typedef {import('../shared/api.js').Setting} Setting
 */

/** @param {number | null} status */
export function statusChip(status) {
  if (status === null) return chip('none', 'bad');
  return chip(String(status), status >= 500 ? 'bad' : status >= 400 ? 'warn' : 'good');
}

/**
 * @param {HTMLElement} element
 * @param {Entry} entry
 * @param {readonly Setting[]} settings
 * @param {(supplier: string, account: string) => void} openAccount
 */
export function showRequest(element, entry, settings, openAccount) {
  const {
    id,
    at,
    received_at,
    took_ms,
    rule,
    operation,
    method,
    path,
    supplier,
    account,
    change,
    assumed,
    unlisted,
    faults,
  } = entry;
  const open = () => openAccount(supplier ?? '', account ?? '');
  const known = supplier !== null && account !== null;
  const facts = [
    fact('Path', el('code', {}, `${method} ${path}`)),
    fact('Received', figures(`${localTime(received_at, true)}, answered after ${count(took_ms)} ms`)),
    fact('Sandbox clock', figures(`${readable(at)} UTC`)),
    fact('Follows', el('span', {}, rule)),
    supplier !== null && fact('Supplier', el('span', {}, supplier)),
    account !== null &&
      fact(
        'Account',
        known ? el('button', { type: 'button', class: 'link', click: open }, account) : el('span', {}, account),
      ),
    fact('Changed', el('span', {}, change ?? 'nothing')),
    fact(
      'Assumed',
      assumed.length === 0 ? el('span', {}, 'nothing: the answer is documented') : assumptions(assumed, settings),
    ),
    unlisted.length > 0 && fact('Undocumented values', el('code', {}, unlisted.join(', '))),
    faults.length > 0 && fact('Faults', el('span', { class: 'bad-text' }, faults.join(', '))),
  ].filter((row) => row !== false);
  replaceChildren(element, [
    el('h2', {}, `#${id} ${operation ?? 'no operation'} `, statusChip(entry.status)),
    el('dl', { class: 'facts' }, ...facts.flat()),
    el(
      'section',
      { class: 'json' },
      el('div', { class: 'json-head' }, el('h3', {}, 'Again, with curl'), copyButton('curl line', entry.curl)),
      el('pre', { class: 'wrap', tabindex: '0', role: 'region', 'aria-label': 'curl line' }, entry.curl),
    ),
    ...(entry.request === null ? [] : [jsonView('Request body', entry.request)]),
    ...(entry.answer === null ? [] : [jsonView('Answer body', entry.answer)]),
  ]);
}

/** @param {string} text */
function figures(text) {
  return el('span', { class: 'figures' }, text);
}

/** @param {string} name @param {Node} value */
export function fact(name, value) {
  return [el('dt', {}, name), el('dd', {}, value)];
}

/**
 * Lists each register entry with its settings.
 * @param {readonly string[]} assumed
 * @param {readonly Setting[]} settings
 */
function assumptions(assumed, settings) {
  const items = assumed.map((entry) => {
    const deciding = settings.filter(({ settles }) => settles === entry);
    const values = deciding.map(({ name, value }) => `${name} = ${JSON.stringify(value)}`);
    return el('li', {}, el('b', {}, entry), ' ', el('code', {}, values.join(', ')));
  });
  return el('ul', { class: 'bare' }, ...items);
}
