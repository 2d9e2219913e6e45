/** A client and the server of a sandbox are closed at the end of the block that declared them with `await using`. */
import { DataImportClient } from 'data-import-sdk';
import { createSandbox } from 'data-import-sdk/sandbox';
import { expect, it } from 'vitest';
import { account } from '../helpers/calls.js';
import { errorOf } from '../helpers/client-of.js';

it('both are closed in the order of their declaration, the last one first', async () => {
  const sandbox = createSandbox();
  let after: DataImportClient;
  let url: string;
  {
    await using server = await sandbox.listen();
    await using client = new DataImportClient({ baseUrl: server.url, token: sandbox.token });
    expect(await client.imports.all('SANDBOX_SUPPLIER')).toEqual([]);
    after = client;
    url = server.url;
  }
  expect((await errorOf(after.accounts.stage(account))).message).toContain('the client is closed');
  await expect(fetch(url)).rejects.toThrow('fetch failed');
});

it('what a client keeps for itself is neither listed nor printed', () => {
  const client = new DataImportClient({ baseUrl: 'https://api.example.com', token: 'T-1' });
  expect(Object.keys(client).sort()).toEqual([
    ...['accounts', 'baseUrl', 'businesses', 'historicalStatements', 'host', 'imports', 'notes', 'paymentInstructions'],
    ...['supplyPoints', 'transactions'],
  ]);
});
