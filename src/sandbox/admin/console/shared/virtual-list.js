// @ts-check
/**
 * Exports a list of any length: only visible rows are in the page, and only the pages around them are loaded. A listbox
 * with one stop for the Tab key and arrow keys between rows; the chosen row is shown in a detail view.
 */
import { el } from './dom.js';
import { report } from './messages.js';

const ROW_HEIGHT = 30;
const PAGE = 100;
const OVERSCAN = 8;
/** Number of loaded pages that are kept. */
const MOST_PAGES = 20;

/**
 * @template Row
 * @typedef {object} ListOptions
 * @property {HTMLElement} element the listbox
 * @property {(offset: number, limit: number, signal: AbortSignal) => Promise<{ total: number, rows: Row[] }>} load
 * @property {(row: Row) => Node[]} cells
 * @property {string} rowClass
 * @property {(row: Row) => void} onChoose
 * @property {() => void} onEnter
 * @property {(total: number) => void} [onTotal]
 */

/** @template Row */
export class VirtualList {
  /** @type {ListOptions<Row>} */
  #options;
  #inner = el('div', { class: 'list-inner', role: 'presentation' });
  /** Loaded pages by number. @type {Map<number, Row[]>} */
  #pages = new Map();
  /** Rows in the page by index. @type {Map<number, HTMLElement>} */
  #shown = new Map();
  /** Pages that are being loaded. @type {Set<number>} */
  #loading = new Set();
  #total = 0;
  /** Index of the chosen row; -1 for none. */
  #chosen = -1;
  /** Whether `onChoose` was called for the chosen row. */
  #isReported = true;
  #controller = new AbortController();

  /** @param {ListOptions<Row>} options */
  constructor(options) {
    const { element } = options;
    this.#options = options;
    element.append(this.#inner);
    element.addEventListener('scroll', () => this.#draw(false), { passive: true });
    new ResizeObserver(() => this.#draw(false)).observe(element);
    element.addEventListener('keydown', (event) => this.#onKey(event));
  }

  /**
   * Reloads the list. `shift` rows were added in front, so the choice moves by them; undefined clears the choice.
   * @param {{ shift?: number, toTop?: boolean }} [change]
   */
  async reload({ shift, toTop = false } = {}) {
    this.#controller.abort();
    this.#controller = new AbortController();
    this.#loading.clear();
    const before = this.#pages;
    this.#chosen = shift === undefined || this.#chosen < 0 ? -1 : this.#chosen + shift;
    if (toTop) this.#options.element.scrollTop = 0;
    const page = Math.floor(this.#range().first / PAGE);
    this.#pages = new Map();
    await this.#loadPage(page);
    // The request failed: the old rows stay.
    if (this.#pages.size === 0 && this.#total > 0) this.#pages = before;
  }

  isAtTop() {
    return this.#options.element.scrollTop < ROW_HEIGHT;
  }

  /** Draws all visible rows again. */
  draw() {
    this.#draw(true);
  }

  focus() {
    this.#options.element.focus();
  }

  /** @param {number} index */
  #rowAt(index) {
    return this.#pages.get(Math.floor(index / PAGE))?.[index % PAGE];
  }

  /** @param {number} page */
  async #loadPage(page) {
    if (this.#loading.has(page)) return;
    this.#loading.add(page);
    const { signal } = this.#controller;
    try {
      const answer = await this.#options.load(page * PAGE, PAGE, signal);
      if (signal.aborted) return;
      const pages = this.#pages;
      pages.set(page, answer.rows);
      if (pages.size > MOST_PAGES) pages.delete([...pages.keys()].find((key) => Math.abs(key - page) > 2) ?? -1);
      this.#setTotal(answer.total);
      this.#draw(true);
      this.#reportChoice();
    } catch (error) {
      if (!signal.aborted) report(error);
    } finally {
      if (!signal.aborted) this.#loading.delete(page);
    }
  }

  /** @param {number} total */
  #setTotal(total) {
    this.#total = total;
    this.#inner.style.height = `${total * ROW_HEIGHT}px`;
    if (this.#chosen >= total) this.#chosen = -1;
    this.#options.onTotal?.(total);
  }

  /** The rows to draw: the visible ones, and some more on both sides. */
  #range() {
    const { scrollTop, clientHeight } = this.#options.element;
    const first = Math.max(0, Math.floor(scrollTop / ROW_HEIGHT) - OVERSCAN);
    const last = Math.min(this.#total - 1, Math.ceil((scrollTop + clientHeight) / ROW_HEIGHT) + OVERSCAN);
    return { first, last };
  }

  /** @param {boolean} anew whether to draw visible rows again */
  #draw(anew) {
    const { first, last } = this.#range();
    const indexes = new Set();
    for (let index = first; index <= last; index++) indexes.add(index);
    // The chosen row stays in the page even if it is not visible: the listbox refers to it.
    if (this.#chosen >= 0) indexes.add(this.#chosen);
    for (const [index, row] of this.#shown) {
      if (!anew && indexes.has(index)) continue;
      row.remove();
      this.#shown.delete(index);
    }
    for (const index of indexes) {
      const row = this.#rowAt(index);
      if (row === undefined) this.#loadPage(Math.floor(index / PAGE));
      if (!this.#shown.has(index)) this.#shown.set(index, this.#drawRow(index, row));
    }
    this.#markChosen();
  }

  /** @param {number} index @param {Row | undefined} row */
  #drawRow(index, row) {
    const { element, rowClass, cells } = this.#options;
    const option = el('div', {
      id: `${element.id}-${index}`,
      class: `${rowClass} row`,
      role: 'option',
      'aria-setsize': this.#total,
      'aria-posinset': index + 1,
      click: () => this.#choose(index),
    });
    option.append(...(row === undefined ? [el('span', { class: 'muted' }, 'Loading…')] : cells(row)));
    option.style.transform = `translateY(${index * ROW_HEIGHT}px)`;
    // In list order, for screen readers.
    const behind = [...this.#shown.keys()].filter((other) => other > index);
    this.#inner.insertBefore(option, this.#shown.get(Math.min(...behind)) ?? null);
    return option;
  }

  #markChosen() {
    const { element } = this.#options;
    for (const [index, row] of this.#shown) row.setAttribute('aria-selected', String(index === this.#chosen));
    if (this.#chosen >= 0) element.setAttribute('aria-activedescendant', `${element.id}-${this.#chosen}`);
    else element.removeAttribute('aria-activedescendant');
  }

  /** @param {number} index */
  #choose(index) {
    if (this.#total === 0) return;
    const { element } = this.#options;
    this.#chosen = Math.max(0, Math.min(this.#total - 1, index));
    const top = this.#chosen * ROW_HEIGHT;
    if (top < element.scrollTop) element.scrollTop = top;
    const bottom = top + ROW_HEIGHT - element.clientHeight;
    if (bottom > element.scrollTop) element.scrollTop = bottom;
    this.#draw(false);
    this.#isReported = false;
    this.#reportChoice();
  }

  /** Calls `onChoose` now, or after the page with the row is loaded. */
  #reportChoice() {
    const row = this.#rowAt(this.#chosen);
    if (this.#isReported || row === undefined) return;
    this.#isReported = true;
    this.#options.onChoose(row);
  }

  /** @param {KeyboardEvent} event */
  #onKey(event) {
    const chosen = this.#chosen;
    const page = Math.max(1, Math.floor(this.#options.element.clientHeight / ROW_HEIGHT) - 1);
    const next = {
      ArrowDown: chosen + 1,
      ArrowUp: chosen - 1,
      PageDown: chosen + page,
      PageUp: chosen - page,
      Home: 0,
      End: this.#total - 1,
    }[event.key];
    if (event.key === 'Enter' && chosen >= 0) this.#options.onEnter();
    if (next === undefined || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    this.#choose(next);
  }
}
