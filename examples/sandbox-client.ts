/** `startSandbox`: a sandbox on a free port, and a client that calls it over HTTP. */
import { DataImportClient, type DataImportClientOptions } from 'data-import-sdk';
import { createSandbox, type SandboxOptions } from 'data-import-sdk/sandbox';

export async function startSandbox(options: Partial<DataImportClientOptions> = {}, service: SandboxOptions = {}) {
  const sandbox = createSandbox(service);
  const server = await sandbox.listen();
  const client = new DataImportClient({
    baseUrl: server.url,
    token: sandbox.token,
    ...options,
    advanced: { retryBaseMs: 20, ...options.advanced },
  });
  const stop = async () => {
    await client.close();
    await server.close();
  };
  return { sandbox, client, url: server.url, stop };
}
