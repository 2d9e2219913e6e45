/** A client generated from this project's OpenAPI document (generate.mjs); zod checks its requests and answers. */
import type { Account } from 'data-import-sdk';
import type { Peer } from '../wire/peer.js';

interface Generated {
  accountsStage(options: { client: unknown; body: Account; throwOnError: true }): Promise<{ data: unknown }>;
  createClient(config: object): unknown;
}

export async function open(origin: string, token: string): Promise<Peer> {
  const { accountsStage, createClient }: Generated = await import(
    new URL('../generated/client.mjs', import.meta.url).href
  );
  const client = createClient({ baseUrl: origin, auth: `Token ${token}` });
  return {
    async stage(account) {
      const { data } = await accountsStage({ client, body: account, throwOnError: true });
      return data;
    },
  };
}
