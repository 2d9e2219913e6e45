// @ts-check
/** Exports messages of the page: visible errors, and announcements for screen readers. */
import { counted, el, find } from './dom.js';

/** Shortest time between two announcements of new requests, in ms. */
const QUIET_MS = 10_000;

/** @param {unknown} error */
export function report(error) {
  if (error instanceof DOMException && error.name === 'AbortError') return;
  const text = error instanceof Error ? error.message : String(error);
  const alert = find('#alert');
  const close = el('button', { type: 'button', click: () => alert.replaceChildren() }, 'Close');
  alert.replaceChildren(el('p', {}, text), close);
}

/** @param {string} text */
export function announce(text) {
  find('#alert').replaceChildren();
  find('#status').textContent = text;
}

/**
 * Runs the task of a button, and reports its result.
 * @param {() => Promise<unknown>} task
 * @param {string} done
 * @returns {Promise<boolean>} whether it was done
 */
export async function attempt(task, done) {
  try {
    await task();
    announce(done);
    return true;
  } catch (error) {
    report(error);
    return false;
  }
}

let fresh = 0;
let lastAnnounced = Number.NEGATIVE_INFINITY;

/** Announces new requests, several at once. Calls with 0 announce requests that were held back. @param {number} more */
export function announceNew(more) {
  fresh += more;
  const now = performance.now();
  if (fresh === 0 || now - lastAnnounced < QUIET_MS) return;
  find('#status').textContent = counted(fresh, 'new request');
  fresh = 0;
  lastAnnounced = now;
}
