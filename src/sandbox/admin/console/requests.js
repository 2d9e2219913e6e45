// @ts-check
/** Exports the Requests tab: the log of requests, live, filtered, newest first. */
import { read, remove } from './api.js';
import { chip, count, el, find, readable, valuesOf } from './dom.js';
import { announceNew, attempt } from './messages.js';
import { showRequest, statusChip } from './request-detail.js';
import { createVirtualList } from './virtual-list.js';

/** Delay between a key press and the request to the server, in ms. */
export const TYPING_MS = 120;

/**
 * @typedef {import('./request-detail.js').Entry} Entry
 * @typedef {import('./api.js').Setting} Setting
 */

/**
 * @param {{ settings: () => readonly Setting[], openAccount: (supplier: string, account: string) => void }} page
 */
export function createRequests({ settings, openAccount }) {
  const form = /** @type {HTMLFormElement} */ (find('#request-filters'));
  const detail = find('#request-detail');
  const panel = find('#requests');
  const newer = find('#request-new');
  /** Newest id in the list; later requests appear when the list is reloaded. */
  let top = 0;
  /** Number of later requests that were announced. */
  let announced = 0;
  let restarts = 0;

  const filters = () => {
    const { live: _, ...query } = valuesOf(form);
    return query;
  };
  const isLive = () => valuesOf(form)['live'] !== undefined;

  const list = createVirtualList({
    element: find('#request-list'),
    rowClass: 'request-row',
    async load(offset, limit, signal) {
      const range = top === 0 ? {} : { before: top + 1 };
      const { entries, last, total } = await read('requests', { ...filters(), ...range, offset, limit }, signal);
      if (top === 0) top = last;
      return { total, rows: entries.reverse() };
    },
    cells: (/** @type {Entry} */ entry) => [
      el('span', { class: 'number figures' }, String(entry.id)),
      el('span', { class: 'figures muted' }, readable(entry.at).slice(5)),
      statusChip(entry.status),
      el('span', { class: 'clip' }, entry.operation ?? `${entry.method} ${entry.path}`),
      el('span', { class: 'clip figures' }, entry.account ?? ''),
      el('span', { class: 'clip' }, ...marks(entry)),
    ],
    onChoose(entry) {
      showRequest(detail, entry, settings(), openAccount);
      panel.classList.add('detail-open');
      detail.prepend(backButton(panel, () => list.focus()));
    },
    onEnter: () => detail.focus(),
    onTotal: (total) => {
      find('#request-empty').hidden = total > 0;
    },
  });

  /** Reloads the list from the newest request. */
  function restart() {
    restarts++;
    top = 0;
    announced = 0;
    newer.hidden = true;
    return list.reload({ toTop: true });
  }

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
  newer.addEventListener('click', async () => {
    await restart();
    list.focus();
  });
  form.append(
    el(
      'button',
      {
        type: 'button',
        class: 'small',
        click: async () => {
          if (await attempt(() => remove('requests'), 'The log is empty')) await restart();
        },
      },
      'Clear log',
    ),
  );
  leaveWithEscape(detail, panel, () => list.focus());

  return {
    restart,
    /** Loads new requests. */
    async poll() {
      const asked = restarts;
      const { last, total } = await read('requests', { ...filters(), after: top, limit: 1 });
      // The filter has changed since the request.
      if (asked !== restarts) return;
      if (last < top) return restart();
      announceNew(total - announced);
      announced = total;
      if (total === 0) return;
      if (isLive() && list.isAtTop()) {
        top = last;
        announced = 0;
        newer.hidden = true;
        return list.reload({ shift: total });
      }
      newer.textContent = `${count(total)} new`;
      newer.hidden = false;
    },
    draw: list.draw,
    /** Shows the requests of one account. @param {string} account */
    filterByAccount(account) {
      form.reset();
      find('[name=account]', form).setAttribute('value', account);
      /** @type {HTMLInputElement} */ (find('[name=account]', form)).value = account;
      return restart();
    },
    /** @param {readonly string[]} operations */
    offer(operations) {
      const select = find('[name=operation]', form);
      for (const name of [...operations, 'token']) select.append(el('option', {}, name));
      select.append(el('option', { value: 'none' }, 'no operation'));
    },
    toggleLive() {
      const box = /** @type {HTMLInputElement} */ (find('[name=live]', form));
      box.checked = !box.checked;
    },
  };
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
 * On a narrow page the detail replaces the list.
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
