/** got, configured to retry POST, with the keep-alive agent that its documentation recommends. */
import { Agent } from 'node:http';
import got from 'got';
import { HEADERS, PATH } from '../wire/accounts.js';
import type { Peer } from '../wire/peer.js';

export function open(origin: string): Peer {
  const http = new Agent({ keepAlive: true });
  const client = got.extend({
    prefixUrl: origin,
    headers: HEADERS,
    timeout: { request: 60_000 },
    retry: { limit: 3, methods: ['POST'] },
    agent: { http },
  });
  const path = PATH.slice(1);
  return { stage: (account) => client.post(path, { json: account }).json(), close: () => http.destroy() };
}
