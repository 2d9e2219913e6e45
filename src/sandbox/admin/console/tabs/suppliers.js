// @ts-check
/** Exports the Suppliers tab: the operator's import suppliers, teams and documents. */
import { patch, pathOf, post, remove } from '../shared/api.js';
import { count, el, find, replaceChildren, valuesOf } from '../shared/dom.js';
import { attempt } from '../shared/messages.js';

const STATUSES = ['Ongoing', 'Paused', 'Complete'];

/** @typedef {import('../shared/api.js').Overview} Overview */

/** @param {{ refresh: () => Promise<void> }} page */
export function createSuppliers({ refresh }) {
  /** @param {() => Promise<unknown>} task @param {string} done */
  const act = async (task, done) => {
    const isDone = await attempt(task, done);
    await refresh();
    return isDone;
  };

  /**
   * @param {string} selector
   * @param {(values: Record<string, string>) => Promise<unknown>} task
   * @param {string} done
   */
  function onSubmit(selector, task, done) {
    const form = /** @type {HTMLFormElement} */ (find(selector));
    form.addEventListener('submit', async (event) => {
      event.preventDefault();
      if (await act(() => task(valuesOf(form)), done)) form.reset();
    });
  }
  onSubmit('#supplier-form', (values) => post('suppliers', values), 'Supplier added');
  onSubmit('#team-form', (values) => post('teams', values), 'Team added');
  onSubmit(
    '#document-form',
    ({ supplier, path }) => post('documents', { supplier, paths: [path] }),
    'Document registered',
  );

  let shown = '';
  return {
    /** @param {Overview} overview */
    update({ suppliers, teams, documents }) {
      const now = JSON.stringify([suppliers, teams, documents]);
      if (now === shown) return;
      shown = now;
      replaceChildren(
        find('#supplier-rows'),
        suppliers.map((supplier) => supplierRow(supplier, act)),
      );
      replaceChildren(
        find('#team-list'),
        teams.map((name) => teamRow(name, act)),
      );
      find('#document-count').textContent =
        `${count(documents.registered)} registered in the bucket ${documents.bucket}. A path resolves to bucket, root and path.`;
      const select = /** @type {HTMLSelectElement} */ (find('#document-form [name=supplier]'));
      const { value } = select;
      select.replaceChildren(...suppliers.map(({ code }) => el('option', {}, code)));
      if (suppliers.some(({ code }) => code === value)) select.value = value;
    },
  };
}

/** @typedef {(task: () => Promise<unknown>, done: string) => Promise<boolean>} Act */

/** @param {import('../shared/api.js').Supplier} supplier @param {Act} act */
function supplierRow({ code, status, root, staged, imported, skipped, businesses }, act) {
  /** @param {Event} event */
  const change = (event) => {
    const { value } = /** @type {HTMLSelectElement} */ (event.target);
    return act(() => patch(`suppliers/${pathOf(code)}`, { status: value }), `${code} is ${value}`);
  };
  const options = STATUSES.map((name) => el('option', { selected: name === status }, name));
  const select = el('select', { 'data-key': `status-${code}`, 'aria-label': `Status of ${code}`, change }, ...options);
  return el(
    'tr',
    {},
    el('th', { scope: 'row', class: 'figures' }, code),
    el('td', {}, select),
    ...[staged, imported, skipped, businesses].map((value) => el('td', { class: 'number figures' }, count(value))),
    el('td', {}, root === '' ? el('span', { class: 'muted' }, 'none') : el('code', {}, root)),
  );
}

/** @param {string} name @param {Act} act */
function teamRow(name, act) {
  const click = () => act(() => remove(`teams/${pathOf(name)}`), `Team ${name} removed`);
  const button = el(
    'button',
    { type: 'button', class: 'small', 'data-key': `team-${name}`, click, 'aria-label': `Remove team ${name}` },
    'Remove',
  );
  return el('li', {}, el('span', {}, name), button);
}
