/** openai-node, the best known SDK of its generator, through its generic method for any path. Retries and timeout as documented. */
import OpenAI from 'openai';
import { PATH, PROCESS_PATH } from '../wire/accounts.js';
import type { Peer } from '../wire/peer.js';

export function open(origin: string, token: string): Peer {
  const client = new OpenAI({ apiKey: token, baseURL: origin, maxRetries: 3, timeout: 60_000 });
  return {
    stage: (account) => client.post(PATH, { body: account }),
    process: (payload) => client.post(PROCESS_PATH, { body: payload }),
  };
}
