// @ts-check
/** Exports functions that call the admin interface, for the space of the page. */

export const space = new URLSearchParams(location.search).get('space') ?? '';

/**
 * @typedef {Record<string, string | number | undefined>} Query
 * @typedef {{ name: string, settles: string, default: unknown, value: unknown }} Setting
 * @typedef {{ code: string, status: string, root: string, staged: number, imported: number, skipped: number,
 *   businesses: number }} Supplier
 * @typedef {{ space: string, clock: { kind: string, now: string }, suppliers: Supplier[], teams: string[],
 *   requests: { first: number, last: number }, faults: number, processing: { held: boolean, waiting: number },
 *   documents: { bucket: string, registered: number }, personal_data_shown: boolean, operations: string[], settings: Setting[] }} Overview
 */

/**
 * Rejects with an error that can be shown: the reason of a refusal, or that the server does not answer.
 * @param {string} method
 * @param {string} path below `/__sandbox/`
 * @param {{ query?: Query, body?: unknown, signal?: AbortSignal }} [options]
 * @returns {Promise<any>} the body of the answer
 */
async function call(method, path, { query = {}, body, signal } = {}) {
  const url = new URL(path, location.origin + location.pathname);
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined && value !== '') url.searchParams.set(name, String(value));
  }
  if (space !== '') url.searchParams.set('space', space);
  const changes = method !== 'GET';
  const response = await fetch(url, {
    method,
    ...(changes && { headers: { 'Content-Type': 'application/json' } }),
    ...(body !== undefined && { body: JSON.stringify(body) }),
    ...(signal && { signal }),
  });
  const answer = await response.json();
  if (!response.ok) throw new Error(answer.detail ?? `The server answered ${response.status}.`);
  return answer;
}

/** @param {string} path @param {Query} [query] @param {AbortSignal} [signal] */
export const read = (path, query = {}, signal) => call('GET', path, { query, ...(signal && { signal }) });

/** @param {string} path @param {unknown} [body] */
export const post = (path, body = {}) => call('POST', path, { body });

/** @param {string} path @param {unknown} body */
export const patch = (path, body) => call('PATCH', path, { body });

/** @param {string} path */
export const remove = (path) => call('DELETE', path);

/** Returns an encoded path of these parts. @param {...string} parts */
export const pathOf = (...parts) => parts.map(encodeURIComponent).join('/');
