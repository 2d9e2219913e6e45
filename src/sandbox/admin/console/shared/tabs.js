// @ts-check
/** Exports the tabs, by the ARIA pattern: one stop for the Tab key, arrow keys between the tabs. */
import { find } from './dom.js';

/**
 * @param {(name: string) => void} onShow called with the name of the panel that is shown
 * @returns {{ show: (name: string) => void, current: () => string }}
 */
export function createTabs(onShow) {
  const tabs = /** @type {HTMLElement[]} */ ([...find('#tabs').children]);
  const names = tabs.map((tab) => tab.getAttribute('aria-controls') ?? '');
  let shown = '';

  /** @param {string} name */
  function show(name) {
    shown = names.includes(name) ? name : (names[0] ?? '');
    tabs.forEach((tab, index) => {
      const isShown = names[index] === shown;
      tab.setAttribute('aria-selected', String(isShown));
      tab.tabIndex = isShown ? 0 : -1;
      find(`#${names[index]}`).hidden = !isShown;
    });
    onShow(shown);
  }

  tabs.forEach((tab, index) => {
    tab.addEventListener('click', () => show(names[index] ?? ''));
  });
  find('#tabs').addEventListener('keydown', (event) => {
    const at = names.indexOf(shown);
    const next = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: tabs.length - 1 }[event.key];
    if (next === undefined) return;
    event.preventDefault();
    const index = (next + tabs.length) % tabs.length;
    show(names[index] ?? '');
    tabs[index]?.focus();
  });
  return { show, current: () => shown };
}
