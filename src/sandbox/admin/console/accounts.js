// @ts-check
/** Exports the Accounts tab: the list of accounts by stage, and the details of one account. */
import { pathOf, post, read } from './api.js';
import { chip, counted, el, find, readable, replaceChildren, valuesOf } from './dom.js';
import { jsonView } from './json-view.js';
import { attempt, report } from './messages.js';
import { fact } from './request-detail.js';
import { backButton, leaveWithEscape, TYPING_MS } from './requests.js';
import { createVirtualList } from './virtual-list.js';

/**
 * @typedef {{ supplier: string, external_account_number: string, stage: string, skipped: boolean,
 *   status: string | null, service_account_number: string | null, staged_at: string | null,
 *   account_created_at: string | null }} Row
 * @typedef {Row & { documents?: { path: string, location: string }[], payload?: unknown, operations_team_name?: string,
 *   open_period?: { from?: string, to: string }, notes?: unknown[], transactions?: unknown[], statements?: unknown[],
 *   payment_instructions?: unknown[] }} Account
 */

/** Next statuses of the industry switch by its current status (U8). @type {Record<string, readonly string[]>} */
const FOLLOWING = { PENDING: ['IN_PROGRESS'], IN_PROGRESS: ['COMPLETED', 'REJECTED'] };

/** @type {Record<string, 'good' | 'bad' | 'warn' | 'busy' | 'plain'>} */
const TONES = {
  'not staged': 'plain',
  staged: 'busy',
  imported: 'good',
  PENDING: 'plain',
  IN_PROGRESS: 'busy',
  COMPLETED: 'good',
  REJECTED: 'bad',
};

/** @param {string} text */
const stateChip = (text) => chip(text, TONES[text] ?? 'plain');

/** @param {{ showRequests: (account: string) => void, refresh: () => Promise<void> }} page */
export function createAccounts({ showRequests, refresh }) {
  const form = /** @type {HTMLFormElement} */ (find('#account-filters'));
  const detail = find('#account-detail');
  const panel = find('#accounts');
  let lookUp = new AbortController();

  const list = createVirtualList({
    element: find('#account-list'),
    rowClass: 'account-row',
    async load(offset, limit, signal) {
      const { total, accounts } = await read('accounts', { ...valuesOf(form), offset, limit }, signal);
      return { total, rows: accounts };
    },
    cells: (/** @type {Row} */ row) => [
      el('span', { class: 'clip figures' }, row.external_account_number),
      el('span', { class: 'clip' }, row.supplier),
      el('span', { class: 'clip' }, stateChip(row.stage), ' ', row.skipped && chip('skip', 'warn')),
      el('span', { class: 'clip' }, row.status && stateChip(row.status)),
      el('span', { class: 'clip figures' }, row.service_account_number ?? ''),
    ],
    onChoose: ({ supplier, external_account_number }) => show(supplier, external_account_number),
    onEnter: () => detail.focus(),
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
      replaceChildren(detail, [backButton(panel, () => list.focus()), ...contents(account)]);
      panel.classList.add('detail-open');
    } catch (error) {
      report(error);
    }
  }

  /** @param {Account} account */
  function contents(account) {
    const { supplier, external_account_number: number, stage, skipped, status, open_period, documents = [] } = account;
    const key = { supplier, external_account_number: number };
    /** @param {() => Promise<unknown>} task @param {string} done */
    const act = async (task, done) => {
      await attempt(task, done);
      await Promise.all([show(supplier, number), list.reload({ shift: 0 }), refresh()]);
    };
    const following = FOLLOWING[status ?? ''] ?? [];
    const moves = following.map((next) =>
      el(
        'button',
        {
          type: 'button',
          'data-key': `move-${next}`,
          click: () => act(() => post('transitions', { ...key, status: next }), `The switch is ${next}`),
        },
        `Switch to ${next}`,
      ),
    );
    const skip = () =>
      act(() => post('skip', { ...key, marked: !skipped }), skipped ? 'The mark is taken away' : 'Marked to skip');
    const facts = [
      fact('Supplier', el('span', {}, supplier)),
      fact('Stage', el('span', {}, stateChip(stage), ' ', skipped && chip('marked to skip', 'warn'))),
      status && fact('Industry switch', stateChip(status)),
      account.service_account_number &&
        fact('Service account', el('span', { class: 'figures' }, account.service_account_number)),
      account.staged_at && fact('Staged', el('span', { class: 'figures' }, readable(account.staged_at))),
      account.account_created_at &&
        fact('Created', el('span', { class: 'figures' }, readable(account.account_created_at))),
      account.operations_team_name && fact('Team', el('span', {}, account.operations_team_name)),
      open_period &&
        fact(
          'Open period',
          el('span', { class: 'figures' }, `${open_period.from ?? 'the beginning'} to ${open_period.to}`),
        ),
      documents.length > 0 &&
        fact(
          'Documents',
          el('ul', { class: 'bare' }, ...documents.map(({ location }) => el('li', {}, el('code', {}, location)))),
        ),
    ];
    const parts = [
      part('Transactions', account.transactions),
      part('Notes', account.notes),
      part('Statements', account.statements),
      part('Payment instructions', account.payment_instructions),
      account.payload !== undefined && jsonView('Payload of the last staging', account.payload),
    ];
    return [
      el('h2', {}, el('span', { class: 'figures' }, number)),
      el(
        'div',
        { class: 'actions start', role: 'group', 'aria-label': 'Change this account' },
        ...moves,
        el(
          'button',
          { type: 'button', 'data-key': 'skip', click: skip },
          skipped ? 'Take the skip mark away' : 'Mark to skip',
        ),
        el('button', { type: 'button', click: () => showRequests(number) }, 'Its requests'),
      ),
      el('dl', { class: 'facts' }, ...facts.filter((row) => row && typeof row !== 'string').flat()),
      ...parts.filter((node) => node !== false),
    ];
  }

  let timer = 0;
  const restart = () => list.reload({ toTop: true });
  form.addEventListener('input', () => {
    clearTimeout(timer);
    timer = setTimeout(restart, TYPING_MS);
  });
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    clearTimeout(timer);
    restart();
  });
  leaveWithEscape(detail, panel, () => list.focus());

  return {
    restart,
    reload: () => list.reload({ shift: 0 }),
    draw: list.draw,
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

/** @param {string} title @param {unknown[] | undefined} items */
function part(title, items) {
  return items !== undefined && items.length > 0 && jsonView(`${title} (${items.length})`, items);
}
