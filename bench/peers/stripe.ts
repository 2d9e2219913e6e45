/** stripe-node, the SDK most similar to the client. Retries, timeout and keep-alive are its defaults; `/v2` makes it send JSON. */
import Stripe from 'stripe';
import { PATH } from '../wire/accounts.js';
import type { Peer } from '../wire/peer.js';

export function open(origin: string, token: string): Peer {
  const { hostname, port } = new URL(origin);
  const stripe = new Stripe(token, { host: hostname, port, protocol: 'http', maxNetworkRetries: 3 });
  return { stage: (account) => stripe.rawRequest('POST', `/v2${PATH}`, { ...account }) };
}
