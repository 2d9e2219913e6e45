// @ts-check
/** Exports the Snapshots tab, which takes, restores and deletes named snapshots. */
import { pathOf, post, read, remove } from '../shared/api.js';
import { confirm } from '../shared/dialogs.js';
import { count, el, find, readable, replaceChildren, valuesOf } from '../shared/dom.js';
import { attempt } from '../shared/messages.js';

/** @typedef {{ name: string, taken_at: string, accounts: number }} Snapshot */

/** @param {{ onRestore: () => Promise<void> }} page */
export function createSnapshots({ onRestore }) {
  async function show() {
    const snapshots = await read('snapshots');
    const none = el('tr', {}, el('td', { colspan: 4, class: 'muted' }, 'None yet. Take one before you try something.'));
    replaceChildren(find('#snapshot-rows'), snapshots.length === 0 ? [none] : snapshots.map(row));
  }

  /** @param {Snapshot} snapshot */
  function row({ name, taken_at, accounts }) {
    const restore = async () => {
      const task = () => post(`snapshots/${pathOf(name)}/restore`);
      if (await attempt(task, `Snapshot ${name} restored`)) await onRestore();
    };
    const drop = async () => {
      const question = { title: `Delete snapshot ${name}?`, text: 'It cannot be brought back.', yes: 'Delete' };
      if (!(await confirm(question))) return;
      await attempt(() => remove(`snapshots/${pathOf(name)}`), `Snapshot ${name} deleted`);
      await show();
      find('#snapshot-form [name=name]').focus();
    };
    return el(
      'tr',
      {},
      el('th', { scope: 'row' }, name),
      el('td', { class: 'figures' }, readable(taken_at)),
      el('td', { class: 'number figures' }, count(accounts)),
      el(
        'td',
        { class: 'row-actions' },
        el(
          'button',
          {
            type: 'button',
            class: 'small',
            'data-key': `restore-${name}`,
            click: restore,
            'aria-label': `Restore snapshot ${name}`,
          },
          'Restore',
        ),
        el(
          'button',
          {
            type: 'button',
            class: 'small',
            'data-key': `delete-${name}`,
            click: drop,
            'aria-label': `Delete snapshot ${name}`,
          },
          'Delete…',
        ),
      ),
    );
  }

  const form = /** @type {HTMLFormElement} */ (find('#snapshot-form'));
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    if (await attempt(() => post('snapshots', valuesOf(form)), 'Snapshot taken')) form.reset();
    await show();
  });
  return { show };
}
