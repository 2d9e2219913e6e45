// @ts-check
/** What the page says: errors where everybody sees them, news where a screen reader hears them, and not too often. */
import { counted, el, find } from './dom.js';

/** A screen reader is told of new requests at most this often, in ms. */
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
 * Runs what a button does, and says how it went.
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
let lastTold = Number.NEGATIVE_INFINITY;

/** Tells of new requests, many at once; to be called now and then without any, for those that still wait. @param {number} more */
export function tellNew(more) {
  fresh += more;
  const now = performance.now();
  if (fresh === 0 || now - lastTold < QUIET_MS) return;
  find('#status').textContent = counted(fresh, 'new request');
  fresh = 0;
  lastTold = now;
}
