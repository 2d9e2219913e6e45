// @ts-check
/** Entry of the console: creates the tabs and refreshes them. */

import { createHeader } from './header.js';
import { read } from './shared/api.js';
import { ask } from './shared/dialogs.js';
import { find } from './shared/dom.js';
import { report } from './shared/messages.js';
import { createTabs } from './shared/tabs.js';
import { createAccounts } from './tabs/accounts.js';
import { createFaults } from './tabs/faults.js';
import { RequestsTab } from './tabs/requests.js';
import { showSettings } from './tabs/settings.js';
import { createSnapshots } from './tabs/snapshots.js';
import { createSuppliers } from './tabs/suppliers.js';

const POLL_MS = 1000;
const POLL_HIDDEN_MS = 10_000;
const PARTS = ['requests', 'accounts', 'suppliers', 'faults', 'snapshots', 'settings'];

/** @type {import('./shared/api.js').Overview | undefined} */
let overview;
let codes = '';

const header = createHeader({ refresh, onReset: startAnew });
const requests = new RequestsTab({ settings: () => overview?.settings ?? [], openAccount });
const accounts = createAccounts({ showRequests, refresh });
const suppliers = createSuppliers({ refresh });
const faults = createFaults({ refresh });
const snapshots = createSnapshots({ onRestore: startAnew });
const tabs = createTabs((name) => {
  history.replaceState(null, '', `#/${name}`);
  if (name === 'requests') requests.draw();
  if (name === 'accounts') accounts.reload();
  if (name === 'faults') faults.poll().catch(report);
  if (name === 'snapshots') snapshots.show().catch(report);
});

async function refresh() {
  const isFirst = overview === undefined;
  overview = await read('overview');
  if (overview === undefined) return;
  header.update(overview);
  suppliers.update(overview);
  const now = overview.suppliers.map(({ code }) => code);
  if (codes !== now.join()) accounts.offer(now);
  codes = now.join();
  if (!isFirst) return;
  showSettings(overview.settings);
  requests.offer(overview.operations);
  faults.offer(overview.operations);
}

/** Refreshes all tabs after the state was replaced. */
async function startAnew() {
  await Promise.all([refresh(), requests.restart(), accounts.restart()]);
}

/** @param {string} supplier @param {string} number */
function openAccount(supplier, number) {
  tabs.show('accounts');
  accounts.show(supplier, number);
  find('#account-detail').focus();
}

/** @param {string} account */
function showRequests(account) {
  tabs.show('requests');
  requests.filterByAccount(account).catch(report);
  find('#request-list').focus();
}

/** Refreshes the page repeatedly. Stops when the server refuses a request, because polling would not help. */
async function tick() {
  try {
    await refresh();
    if (tabs.current() === 'requests') await requests.poll();
    if (tabs.current() === 'faults') await faults.poll();
    find('#offline').hidden = true;
  } catch (error) {
    // fetch rejects with a TypeError if there is no connection.
    if (!(error instanceof TypeError)) return report(error);
    find('#offline').hidden = false;
  }
  setTimeout(tick, document.hidden ? POLL_HIDDEN_MS : POLL_MS);
}

const help = () => ask('#help-dialog');
const singleKeys = /** @type {HTMLInputElement} */ (find('#single-keys'));
singleKeys.checked = localStorage.getItem('single-keys') !== 'off';
singleKeys.addEventListener('change', () => {
  localStorage.setItem('single-keys', singleKeys.checked ? 'on' : 'off');
});
find('#help').addEventListener('click', help);

document.addEventListener('keydown', (event) => {
  const { key, target, altKey, ctrlKey, metaKey } = event;
  const isTyping = target instanceof Element && target.closest('input, select, textarea, dialog') !== null;
  if (!singleKeys.checked || isTyping || altKey || ctrlKey || metaKey) return;
  const part = PARTS[Number(key) - 1];
  if (part !== undefined) {
    tabs.show(part);
    find(`#tab-${part}`).focus();
  } else if (key === '/') {
    const current = tabs.current() === 'accounts' ? 'accounts' : 'requests';
    if (current !== tabs.current()) tabs.show(current);
    find(`#${current} [data-search]`).focus();
  } else if (key === 'l') requests.toggleLive();
  else if (key === '?') help();
  else return;
  event.preventDefault();
});

/** The hash is `#/name`, not the id of the panel: the browser would move the Tab key there and skip the skip link. */
function partInAddress() {
  return location.hash.slice(2);
}

window.addEventListener('hashchange', () => {
  if (PARTS.includes(partInAddress())) tabs.show(partInAddress());
});

// A table wider than the page must be scrollable by keyboard.
for (const frame of document.querySelectorAll('.table-frame')) frame.setAttribute('tabindex', '0');
tabs.show(partInAddress());
requests.restart().catch(report);
tick();
