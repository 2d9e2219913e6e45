/** axios with axios-retry, which its users usually add, and a keep-alive agent. */
import { Agent } from 'node:http';
import axios from 'axios';
import axiosRetry from 'axios-retry';
import { HEADERS, PATH } from '../wire/accounts.js';
import type { Peer } from '../wire/peer.js';

export function open(origin: string): Peer {
  const httpAgent = new Agent({ keepAlive: true });
  const client = axios.create({ baseURL: origin, timeout: 60_000, headers: HEADERS, httpAgent });
  axiosRetry(client, { retries: 3, retryDelay: axiosRetry.exponentialDelay });
  return {
    async stage(account) {
      const { data } = await client.post(PATH, account);
      return data;
    },
    close: () => httpAgent.destroy(),
  };
}
