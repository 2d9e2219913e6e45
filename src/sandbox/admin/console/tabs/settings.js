// @ts-check
/** Exports the Settings tab: the settings with their register entries. */
import { chip, el, find } from '../shared/dom.js';

/** @param {readonly import('../shared/api.js').Setting[]} settings */
export function showSettings(settings) {
  const rows = settings.map(({ name, settles, value, default: usual }) => {
    const [own, other] = [JSON.stringify(value), JSON.stringify(usual)];
    return el(
      'tr',
      {},
      el('td', { class: 'figures' }, settles),
      el('th', { scope: 'row' }, name),
      el('td', {}, el('code', {}, shortened(own)), ' ', own !== other && chip('changed', 'busy')),
      el('td', { class: 'muted' }, el('code', {}, shortened(other))),
    );
  });
  find('#setting-rows').replaceChildren(...rows);
}

/** A profile may be long. @param {string} text */
function shortened(text) {
  return text.length <= 200 ? text : `${text.slice(0, 200)}…`;
}
