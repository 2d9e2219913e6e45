/** On Bun requests go through its fetch: the undici that it brings has a Pool that sends nothing. */
import { DataImportClient } from 'data-import-sdk';
import { expect, it, onTestFinished, vi } from 'vitest';

it('without fetch and dispatcher, the global fetch sends', async () => {
  const { versions } = process;
  Object.defineProperty(process, 'versions', { value: { ...versions, bun: '1.4.5' }, configurable: true });
  onTestFinished(() => void Object.defineProperty(process, 'versions', { value: versions, configurable: true }));
  const fetch = vi.fn(async () => new Response('[]'));
  vi.stubGlobal('fetch', fetch);

  const client = new DataImportClient({ baseUrl: 'https://api.example.com', token: 'a-token' });
  expect(await client.imports.all('ACME')).toEqual([]);
  expect(fetch).toHaveBeenCalledWith(
    'https://api.example.com/v1/data-import/all-account-import-processes/ACME/',
    expect.objectContaining({ method: 'GET', redirect: 'manual' }),
  );
  await client.close();
});
