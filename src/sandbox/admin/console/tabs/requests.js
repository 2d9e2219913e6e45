// @ts-check
/** Exports the Requests tab: the log of requests, live, filtered, newest first. */
import { read, remove } from '../shared/api.js';
import { chip, count, el, find, localTime, valuesOf } from '../shared/dom.js';
import { announceNew, attempt } from '../shared/messages.js';
import { VirtualList } from '../shared/virtual-list.js';
import { showRequest, statusChip } from './request-detail.js';

/** Delay between a key press and the request to the server, in ms. */
const TYPING_MS = 120;

/**
 * @typedef {import('./request-detail.js').Entry} Entry
 * @typedef {import('../shared/api.js').Setting} Setting
 */

export class RequestsTab {
  #form = /** @type {HTMLFormElement} */ (find('#request-filters'));
  #detail = find('#request-detail');
  #panel = find('#requests');
  #newer = find('#request-new');
  /** Newest id in the list; later requests appear when the list is reloaded. */
  #top = 0;
  /** Number of later requests that were announced. */
  #announced = 0;
  #restarts = 0;
  /** @type {VirtualList<Entry>} */
  #list;

  /** @param {{ settings: () => readonly Setting[], openAccount: (supplier: string, account: string) => void }} page */
  constructor({ settings, openAccount }) {
    this.#list = new VirtualList({
      element: find('#request-list'),
      rowClass: 'request-row',
      load: (offset, limit, signal) => this.#load(offset, limit, signal),
      cells,
      onChoose: (entry) => {
        showRequest(this.#detail, entry, settings(), openAccount);
        this.#panel.classList.add('detail-open');
        this.#detail.prepend(backButton(this.#panel, () => this.#list.focus()));
      },
      onEnter: () => {
        this.#panel.classList.add('detail-open');
        this.#detail.focus();
      },
      onTotal: (total) => {
        find('#request-empty').hidden = total > 0;
      },
    });
    onFilter(this.#form, () => this.restart());
    this.#newer.addEventListener('click', async () => {
      await this.restart();
      this.#list.focus();
    });
    const clear = async () => {
      if (await attempt(() => remove('requests'), 'The log is empty')) await this.restart();
    };
    this.#form.append(el('button', { type: 'button', class: 'small', click: clear }, 'Clear log'));
    leaveWithEscape(this.#detail, this.#panel, () => this.#list.focus());
  }

  /** Reloads the list from the newest request. */
  restart() {
    this.#restarts++;
    this.#top = 0;
    this.#announced = 0;
    this.#newer.hidden = true;
    return this.#list.reload({ toTop: true });
  }

  /** Loads new requests. */
  async poll() {
    const asked = this.#restarts;
    const { last, total } = await read('requests', { ...this.#filters(), after: this.#top, limit: 1 });
    // The filter has changed since the request.
    if (asked !== this.#restarts) return;
    if (last < this.#top) return this.restart();
    announceNew(total - this.#announced);
    this.#announced = total;
    if (total === 0) return;
    if (this.#isLive() && this.#list.isAtTop()) {
      this.#top = last;
      this.#announced = 0;
      this.#newer.hidden = true;
      return this.#list.reload({ shift: total });
    }
    this.#newer.textContent = `${count(total)} new`;
    this.#newer.hidden = false;
  }

  draw() {
    this.#list.draw();
  }

  /** Shows the requests of one account. @param {string} account */
  filterByAccount(account) {
    this.#form.reset();
    find('[name=account]', this.#form).setAttribute('value', account);
    /** @type {HTMLInputElement} */ (find('[name=account]', this.#form)).value = account;
    return this.restart();
  }

  /** @param {readonly string[]} operations */
  offer(operations) {
    const select = find('[name=operation]', this.#form);
    for (const name of [...operations, 'token']) select.append(el('option', {}, name));
    select.append(el('option', { value: 'none' }, 'no operation'));
  }

  toggleLive() {
    const box = /** @type {HTMLInputElement} */ (find('[name=live]', this.#form));
    box.checked = !box.checked;
  }

  /** @param {number} offset @param {number} limit @param {AbortSignal} signal */
  async #load(offset, limit, signal) {
    const range = this.#top === 0 ? {} : { before: this.#top + 1 };
    const query = { ...this.#filters(), ...range, offset, limit };
    const { entries, last, total } = await read('requests', query, signal);
    if (this.#top === 0) this.#top = last;
    return { total, rows: entries.reverse() };
  }

  #filters() {
    const { live: _, ...query } = valuesOf(this.#form);
    return query;
  }

  #isLive() {
    return valuesOf(this.#form)['live'] !== undefined;
  }
}

/** @param {Entry} entry */
function cells(entry) {
  return [
    el('span', { class: 'number figures' }, String(entry.id)),
    el('span', { class: 'clip figures muted' }, localTime(entry.received_at)),
    statusChip(entry.status),
    el('span', { class: 'number figures muted' }, count(entry.took_ms)),
    el('span', { class: 'clip' }, entry.operation ?? `${entry.method} ${entry.path}`),
    el('span', { class: 'clip figures' }, entry.account ?? ''),
    el('span', { class: 'clip' }, ...marks(entry)),
  ];
}

/**
 * Calls `restart` when a filter changes: soon after a key press, at once when the form is submitted.
 * @param {HTMLFormElement} form
 * @param {() => void} restart
 */
export function onFilter(form, restart) {
  let timer = 0;
  form.addEventListener('input', (event) => {
    if (/** @type {HTMLInputElement} */ (event.target).name === 'live') return;
    clearTimeout(timer);
    timer = setTimeout(restart, TYPING_MS);
  });
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    clearTimeout(timer);
    restart();
  });
}

/** Separated by spaces, for screen readers. @param {Entry} entry */
function marks({ change, assumed, faults, unlisted }) {
  const shown = [
    ...faults.map((id) => chip(`fault ${id}`, 'bad')),
    ...(change === null ? [] : [el('span', { class: 'change' }, change)]),
    ...assumed.map((id) => chip(id, 'plain')),
    ...(unlisted.length === 0 ? [] : [chip('unlisted', 'busy')]),
  ];
  return shown.flatMap((mark) => [mark, ' ']);
}

/**
 * Closes the detail, which takes a part of the list's width; on a narrow page all of it.
 * @param {Element} panel
 * @param {() => void} focusList
 */
export function backButton(panel, focusList) {
  const back = () => {
    panel.classList.remove('detail-open');
    focusList();
  };
  return el('button', { type: 'button', class: 'back', click: back }, '← Back to the list');
}

/** @param {HTMLElement} detail @param {Element} panel @param {() => void} focusList */
export function leaveWithEscape(detail, panel, focusList) {
  detail.addEventListener('keydown', (event) => {
    if (event.key !== 'Escape') return;
    panel.classList.remove('detail-open');
    focusList();
  });
}
