/** The global fetch with a timeout for each request and no retries. */
import { HEADERS, PATH } from '../wire/accounts.js';
import type { Peer } from '../wire/peer.js';

export function open(origin: string): Peer {
  const url = `${origin}${PATH}`;
  return {
    async stage(account) {
      const signal = AbortSignal.timeout(60_000);
      const response = await fetch(url, { method: 'POST', headers: HEADERS, body: JSON.stringify(account), signal });
      if (!response.ok) throw new Error(`answered ${response.status}`);
      return response.json();
    },
  };
}
