// @ts-check
/** Exports modal dialogs, which keep the focus inside and then restore it. */
import { find } from './dom.js';

/**
 * @param {string} selector
 * @returns {Promise<string>} value of the button that ended it; '' for Escape
 */
export function ask(selector) {
  const dialog = /** @type {HTMLDialogElement} */ (find(selector));
  dialog.returnValue = '';
  dialog.showModal();
  return new Promise((resolve) => {
    dialog.addEventListener('close', () => resolve(dialog.returnValue), { once: true });
  });
}

/**
 * @param {{ title: string, text: string, yes: string }} question
 * @returns {Promise<boolean>}
 */
export async function confirm({ title, text, yes }) {
  find('#confirm-title').textContent = title;
  find('#confirm-text').textContent = text;
  find('#confirm-yes').textContent = yes;
  return (await ask('#confirm')) === 'yes';
}
