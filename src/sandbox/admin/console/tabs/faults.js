// @ts-check
/** Exports the Faults tab: the fault rules with their counters, and the form for a new one. */
import { pathOf, post, read, remove } from '../shared/api.js';
import { count, el, find, replaceChildren } from '../shared/dom.js';
import { attempt } from '../shared/messages.js';
import { createFaultForm } from './fault-form.js';

/**
 * @typedef {{ id: string, match?: { operation?: string | string[], supplier?: string, account?: string },
 *   when?: string | Record<string, number>, effect: string | { status?: number, latencyMs?: number },
 *   phase?: string, times?: number, met: number, fired: number }} Rule
 */

/** @param {{ refresh: () => Promise<void> }} page */
export function createFaults({ refresh }) {
  let shown = '';

  async function poll() {
    const rules = await read('faults');
    const now = JSON.stringify(rules);
    if (now === shown) return;
    shown = now;
    const none = el(
      'tr',
      {},
      el('td', { colspan: 8, class: 'muted' }, 'No fault rules: every call is answered as usual.'),
    );
    replaceChildren(find('#fault-rows'), rules.length === 0 ? [none] : rules.map(row));
  }

  /** @param {() => Promise<unknown>} task @param {string} done */
  async function act(task, done) {
    const isDone = await attempt(task, done);
    await Promise.all([poll(), refresh()]);
    return isDone;
  }

  /** @param {Rule} rule */
  function row({ id, match = {}, when = 'every', effect, phase = 'before', times, met, fired }) {
    const click = async () => {
      await act(() => remove(`faults/${pathOf(id)}`), `Fault ${id} removed`);
      find('#fault-clear').focus();
    };
    return el(
      'tr',
      {},
      el('th', { scope: 'row' }, id),
      el('td', {}, Object.values(match).flat().join(', ') || 'every call'),
      el('td', {}, whenText(when) + (times === undefined ? '' : `, at most ${times} times`)),
      el('td', {}, effectText(effect)),
      el('td', {}, phase === 'afterCommit' ? 'after commit' : phase),
      el('td', { class: 'number figures' }, count(met)),
      el('td', { class: 'number figures' }, count(fired)),
      el(
        'td',
        {},
        el(
          'button',
          { type: 'button', class: 'small', 'data-key': `fault-${id}`, click, 'aria-label': `Remove fault ${id}` },
          'Remove',
        ),
      ),
    );
  }

  find('#fault-clear').addEventListener('click', () => act(() => remove('faults'), 'All fault rules removed'));
  const form = /** @type {HTMLFormElement} */ (find('#fault-form'));
  createFaultForm(form, (rule) => act(() => post('faults', rule), 'Fault rule added'));

  return {
    poll,
    /** @param {readonly string[]} operations */
    offer(operations) {
      find('[name=operation]', form).append(...[...operations, 'token'].map((name) => el('option', {}, name)));
    },
  };
}

/** @param {string | Record<string, number>} when */
function whenText(when) {
  if (typeof when === 'string') return when === 'every' ? 'every time' : 'the first time';
  const [[kind, value] = ['', 0]] = Object.entries(when);
  return { nth: `time no. ${value}`, every: `every ${value}. time`, probability: `probability ${value}` }[kind] ?? '';
}

/** @param {Rule['effect']} effect */
function effectText(effect) {
  if (typeof effect === 'string') return effect === 'drop' ? 'connection closed' : 'JSON cut half way';
  return effect.latencyMs === undefined ? `answer ${effect.status}` : `wait ${count(effect.latencyMs)} ms`;
}
