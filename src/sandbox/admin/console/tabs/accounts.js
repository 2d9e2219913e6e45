// @ts-check
/** Exports the Accounts tab: the list of accounts by stage, and the details of one account. */

import { pathOf, read } from '../shared/api.js';
import { chip, counted, el, find, replaceChildren, valuesOf } from '../shared/dom.js';
import { attempt, report } from '../shared/messages.js';
import { VirtualList } from '../shared/virtual-list.js';
import { accountDetail, stateChip } from './account-detail.js';
import { backButton, leaveWithEscape, onFilter } from './requests.js';

/** @typedef {import('./account-detail.js').Row} Row */

/** @param {{ showRequests: (account: string) => void, refresh: () => Promise<void> }} page */
export function createAccounts({ showRequests, refresh }) {
  const form = /** @type {HTMLFormElement} */ (find('#account-filters'));
  const detail = find('#account-detail');
  const panel = find('#accounts');
  let lookUp = new AbortController();

  const list = new VirtualList({
    element: find('#account-list'),
    rowClass: 'account-row',
    async load(offset, limit, signal) {
      const { total, accounts } = await read('accounts', { ...valuesOf(form), offset, limit }, signal);
      return { total, rows: accounts };
    },
    cells,
    onChoose: ({ supplier, external_account_number }) => show(supplier, external_account_number),
    onEnter: () => {
      panel.classList.add('detail-open');
      detail.focus();
    },
    onTotal: (total) => {
      find('#account-empty').hidden = total > 0;
      find('#account-total').textContent = counted(total, 'account');
    },
  });

  /** @param {string} supplier @param {string} number */
  async function show(supplier, number) {
    lookUp.abort();
    lookUp = new AbortController();
    const { signal } = lookUp;
    try {
      const account = await read(`accounts/${pathOf(supplier, number)}`, {}, signal);
      if (signal.aborted) return;
      replaceChildren(detail, [
        backButton(panel, () => list.focus()),
        ...accountDetail(account, actionsFor(supplier, number)),
      ]);
      panel.classList.add('detail-open');
    } catch (error) {
      report(error);
    }
  }

  /** @param {string} supplier @param {string} number */
  const actionsFor = (supplier, number) => ({
    showRequests,
    /** @param {() => Promise<unknown>} task @param {string} done */
    async act(task, done) {
      await attempt(task, done);
      await Promise.all([show(supplier, number), list.reload({ shift: 0 }), refresh()]);
    },
  });

  const restart = () => list.reload({ toTop: true });
  onFilter(form, restart);
  leaveWithEscape(detail, panel, () => list.focus());

  return {
    restart,
    reload: () => list.reload({ shift: 0 }),
    draw: () => list.draw(),
    show,
    /** @param {readonly string[]} codes */
    offer(codes) {
      const select = /** @type {HTMLSelectElement} */ (find('[name=supplier]', form));
      const { value } = select;
      select.replaceChildren(
        el('option', { value: '' }, 'all suppliers'),
        ...codes.map((code) => el('option', {}, code)),
      );
      select.value = value;
    },
  };
}

/** @param {Row} row */
function cells(row) {
  return [
    el('span', { class: 'clip figures' }, row.external_account_number),
    el('span', { class: 'clip' }, row.supplier),
    el('span', { class: 'clip' }, stateChip(row.stage), ' ', row.skipped && chip('skip', 'warn')),
    el('span', { class: 'clip' }, row.status && stateChip(row.status)),
    el('span', { class: 'clip figures' }, row.service_account_number ?? ''),
  ];
}
