// @ts-check
/** Exports the details of one account: its state, the buttons that change it, and its items. */
import { post } from '../shared/api.js';
import { chip, el, readable } from '../shared/dom.js';
import { jsonView } from '../shared/json-view.js';
import { fact } from './request-detail.js';

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
export const stateChip = (text) => chip(text, TONES[text] ?? 'plain');

/**
 * @typedef {object} AccountActions
 * @property {(task: () => Promise<unknown>, done: string) => Promise<void>} act runs a task, and shows the account anew
 * @property {(account: string) => void} showRequests
 */

/**
 * Returns the elements of the detail view.
 * @param {Account} account
 * @param {AccountActions} actions
 */
export function accountDetail(account, actions) {
  return [
    el('h2', {}, el('span', { class: 'figures' }, account.external_account_number)),
    el(
      'div',
      { class: 'actions start', role: 'group', 'aria-label': 'Change this account' },
      ...buttons(account, actions),
    ),
    el('dl', { class: 'facts' }, ...facts(account).flat()),
    ...items(account),
  ];
}

/** @param {Account} account @param {AccountActions} actions */
function buttons({ supplier, external_account_number: number, skipped, status }, { act, showRequests }) {
  const key = { supplier, external_account_number: number };
  const moves = (FOLLOWING[status ?? ''] ?? []).map((next) => {
    const click = () => act(() => post('transitions', { ...key, status: next }), `The switch is ${next}`);
    return el('button', { type: 'button', 'data-key': `move-${next}`, click }, `Switch to ${next}`);
  });
  const skip = () =>
    act(() => post('skip', { ...key, marked: !skipped }), skipped ? 'The skip mark is removed' : 'Marked to skip');
  return [
    ...moves,
    el(
      'button',
      { type: 'button', 'data-key': 'skip', click: skip },
      skipped ? 'Remove the skip mark' : 'Mark to skip',
    ),
    el('button', { type: 'button', click: () => showRequests(number) }, 'Its requests'),
  ];
}

/** @param {Account} account */
function facts(account) {
  const { supplier, stage, skipped, status, open_period, documents = [] } = account;
  const rows = [
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
  return rows.filter((row) => row && typeof row !== 'string');
}

/** @param {Account} account */
function items(account) {
  const parts = [
    part('Transactions', account.transactions),
    part('Notes', account.notes),
    part('Statements', account.statements),
    part('Payment instructions', account.payment_instructions),
    account.payload !== undefined && jsonView('Payload of the last staging', account.payload),
  ];
  return parts.filter((node) => node !== false);
}

/** @param {string} title @param {unknown[] | undefined} items */
function part(title, items) {
  return items !== undefined && items.length > 0 && jsonView(`${title} (${items.length})`, items);
}
