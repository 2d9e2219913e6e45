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

/**
 * @template Row
 * @param {ListOptions<Row>} options
 */
export function createVirtualList({ element, load, cells, rowClass, onChoose, onEnter, onTotal }) {
  const inner = el('div', { class: 'list-inner', role: 'presentation' });
  element.append(inner);
  /** @type {Map<number, Row[]>} */
  let pages = new Map();
  /** @type {Map<number, HTMLElement>} */
  const shown = new Map();
  /** @type {Set<number>} */
  const wanted = new Set();
  let total = 0;
  let chosen = -1;
  let isTold = true;
  let controller = new AbortController();

  /** @param {number} index */
  const rowAt = (index) => pages.get(Math.floor(index / PAGE))?.[index % PAGE];

  /** @param {number} page */
  async function ask(page) {
    if (wanted.has(page)) return;
    wanted.add(page);
    const { signal } = controller;
    try {
      const answer = await load(page * PAGE, PAGE, signal);
      if (signal.aborted) return;
      pages.set(page, answer.rows);
      if (pages.size > MOST_PAGES) pages.delete([...pages.keys()].find((key) => Math.abs(key - page) > 2) ?? -1);
      setTotal(answer.total);
      draw(true);
      tellChosen();
    } catch (error) {
      if (!signal.aborted) report(error);
    } finally {
      if (!signal.aborted) wanted.delete(page);
    }
  }

  /** @param {number} value */
  function setTotal(value) {
    total = value;
    inner.style.height = `${total * ROW_HEIGHT}px`;
    if (chosen >= total) chosen = -1;
    onTotal?.(total);
  }

  function range() {
    const first = Math.max(0, Math.floor(element.scrollTop / ROW_HEIGHT) - OVERSCAN);
    const last = Math.min(total - 1, Math.ceil((element.scrollTop + element.clientHeight) / ROW_HEIGHT) + OVERSCAN);
    return { first, last };
  }

  /** @param {boolean} anew whether to draw visible rows again */
  function draw(anew) {
    const { first, last } = range();
    const indexes = new Set();
    for (let index = first; index <= last; index++) indexes.add(index);
    // The chosen row stays in the page even if it is not visible: the listbox refers to it.
    if (chosen >= 0) indexes.add(chosen);
    for (const [index, row] of shown) {
      if (anew || !indexes.has(index)) {
        row.remove();
        shown.delete(index);
      }
    }
    for (const index of indexes) {
      const row = rowAt(index);
      if (row === undefined) ask(Math.floor(index / PAGE));
      if (!shown.has(index)) shown.set(index, drawRow(index, row));
    }
    mark();
  }

  /** @param {number} index @param {Row | undefined} row */
  function drawRow(index, row) {
    const option = el('div', {
      id: `${element.id}-${index}`,
      class: `${rowClass} row`,
      role: 'option',
      'aria-setsize': total,
      'aria-posinset': index + 1,
      click: () => choose(index),
    });
    option.append(...(row === undefined ? [el('span', { class: 'muted' }, 'Loading…')] : cells(row)));
    option.style.transform = `translateY(${index * ROW_HEIGHT}px)`;
    // In list order, for screen readers.
    const behind = [...shown.keys()].filter((other) => other > index);
    inner.insertBefore(option, shown.get(Math.min(...behind)) ?? null);
    return option;
  }

  function mark() {
    for (const [index, row] of shown) row.setAttribute('aria-selected', String(index === chosen));
    if (chosen >= 0) element.setAttribute('aria-activedescendant', `${element.id}-${chosen}`);
    else element.removeAttribute('aria-activedescendant');
  }

  /** @param {number} index */
  function choose(index) {
    if (total === 0) return;
    chosen = Math.max(0, Math.min(total - 1, index));
    const top = chosen * ROW_HEIGHT;
    if (top < element.scrollTop) element.scrollTop = top;
    const bottom = top + ROW_HEIGHT - element.clientHeight;
    if (bottom > element.scrollTop) element.scrollTop = bottom;
    draw(false);
    isTold = false;
    tellChosen();
  }

  /** Now, or after the page with the row is loaded. */
  function tellChosen() {
    const row = rowAt(chosen);
    if (isTold || row === undefined) return;
    isTold = true;
    onChoose(row);
  }

  element.addEventListener('scroll', () => draw(false), { passive: true });
  new ResizeObserver(() => draw(false)).observe(element);
  element.addEventListener('keydown', (event) => {
    const page = Math.max(1, Math.floor(element.clientHeight / ROW_HEIGHT) - 1);
    const next = {
      ArrowDown: chosen + 1,
      ArrowUp: chosen - 1,
      PageDown: chosen + page,
      PageUp: chosen - page,
      Home: 0,
      End: total - 1,
    }[event.key];
    if (event.key === 'Enter' && chosen >= 0) onEnter();
    if (next === undefined || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    choose(next);
  });

  return {
    /**
     * Reloads the list. `shift` rows were added in front, so the choice moves by them; undefined clears the choice.
     * @param {{ shift?: number, toTop?: boolean }} [change]
     */
    async reload({ shift, toTop = false } = {}) {
      controller.abort();
      controller = new AbortController();
      wanted.clear();
      const before = pages;
      chosen = shift === undefined || chosen < 0 ? -1 : chosen + shift;
      if (toTop) element.scrollTop = 0;
      const page = Math.floor(range().first / PAGE);
      pages = new Map();
      await ask(page);
      // The request failed: the old rows stay.
      if (pages.size === 0 && total > 0) pages = before;
    },
    isAtTop: () => element.scrollTop < ROW_HEIGHT,
    isVisible: () => element.clientHeight > 0,
    draw: () => draw(true),
    focus: () => element.focus(),
  };
}
