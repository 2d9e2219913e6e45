/** ky, configured to retry POST. */
import ky from 'ky';
import { HEADERS, PATH } from '../wire/accounts.js';
import type { Peer } from '../wire/peer.js';

export function open(origin: string): Peer {
  const client = ky.create({
    prefixUrl: origin,
    headers: HEADERS,
    timeout: 60_000,
    retry: { limit: 3, methods: ['post'] },
  });
  // ky joins a prefix with paths that do not begin with a slash.
  const path = PATH.slice(1);
  return { stage: (account) => client.post(path, { json: account }).json() };
}
