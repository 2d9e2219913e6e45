// @ts-check
/** Exports the header above the tabs: space, clock, hold on process calls, reset. */
import { post, space } from './shared/api.js';
import { ask, confirm } from './shared/dialogs.js';
import { count, counted, find, readable } from './shared/dom.js';
import { announce, attempt, report } from './shared/messages.js';

/** @typedef {import('./shared/api.js').Overview} Overview */

/**
 * @param {{ refresh: () => Promise<void>, onReset: () => void }} page
 * @returns {{ update: (overview: Overview) => void }}
 */
export function createHeader({ refresh, onReset }) {
  /** @type {Overview | undefined} */
  let known;
  const input = /** @type {HTMLInputElement} */ (find('#space'));
  input.value = space;
  find('#space-form').addEventListener('submit', (event) => {
    event.preventDefault();
    location.search = input.value === '' ? '' : `?space=${encodeURIComponent(input.value)}`;
  });

  for (const button of document.querySelectorAll('[data-advance]')) {
    const ms = Number(button.getAttribute('data-advance'));
    button.addEventListener('click', () => move({ advance_ms: ms }));
  }
  find('#clock-set').addEventListener('click', async () => {
    const field = /** @type {HTMLInputElement} */ (find('#clock-input'));
    field.value = known?.clock.now.slice(0, 19) ?? '';
    if ((await ask('#clock-dialog')) === 'set') await move({ now: `${field.value.padEnd(19, ':00')}Z` });
  });

  /** @param {unknown} body */
  async function move(body) {
    try {
      await post('clock', body);
      await refresh();
      announce(`The time is now ${find('#clock').textContent}`);
    } catch (error) {
      report(error);
    }
  }

  find('#hold').addEventListener('click', async () => {
    const hold = !known?.processing.held;
    await attempt(() => post('processing', { hold }), hold ? 'Process calls are held' : 'Process calls continue');
    await refresh();
  });

  find('#reset').addEventListener('click', async () => {
    const accounts = accountsOf(known);
    const requests = known === undefined ? 0 : requestsOf(known);
    const question = {
      title: `Reset ${space === '' ? 'the shared space' : `space ${space}`}?`,
      text:
        `${counted(accounts, 'account')} and ${counted(requests, 'logged request')} will be deleted, and the clock ` +
        'is set to its start. Named snapshots are kept.',
      yes: 'Reset',
    };
    if (!(await confirm(question))) return;
    if (await attempt(() => post('reset'), 'The sandbox is reset')) onReset();
  });

  return {
    update(overview) {
      known = overview;
      const { clock, processing, personal_data_shown } = overview;
      const time = find('#clock');
      time.textContent = `${readable(clock.now)} UTC`;
      time.setAttribute('datetime', clock.now);
      time.title = clock.kind === 'fixed' ? 'Fixed until it is changed' : "Runs with the machine's clock";
      const hold = find('#hold');
      hold.setAttribute('aria-pressed', String(processing.held));
      const waiting = processing.waiting === 0 ? '' : ` (${count(processing.waiting)} waiting)`;
      hold.textContent = processing.held ? `Processing held${waiting}` : 'Hold processing';
      find('#masking').textContent = personal_data_shown ? 'Personal data shown' : 'Personal data masked';
      tell('requests', requestsOf(overview));
      tell('accounts', accountsOf(overview));
      tell('suppliers', overview.suppliers.length);
      tell('faults', overview.faults);
    },
  };
}

/** @param {string} name @param {number} value */
function tell(name, value) {
  find(`[data-count="${name}"]`).textContent = count(value);
}

/** @param {Overview | undefined} overview */
function accountsOf(overview) {
  return (overview?.suppliers ?? []).reduce((sum, { staged, imported }) => sum + staged + imported, 0);
}

/** @param {Overview} overview */
function requestsOf({ requests: { first, last } }) {
  return last === 0 ? 0 : last - first + 1;
}
