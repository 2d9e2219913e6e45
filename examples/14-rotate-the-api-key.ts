/** Task: replace the API key during a migration. Nothing is restarted, and no call fails. */
import { readFile, writeFile } from 'node:fs/promises';
import { DataImportClient, graphqlToken, type TokenFunction } from 'data-import-sdk';
import { createSandbox, SANDBOX_API_KEY, SANDBOX_SUPPLIER, SANDBOX_TOKEN } from 'data-import-sdk/sandbox';
import { newFolder } from './run-folder.js';

// The key is in a file, as mounted secrets are; a vault works too.
const folder = await newFolder();
const keyFile = folder.at('api-key');
await writeFile(keyFile, 'the-old-key');

/** Called whenever a token is needed, and reads the key each time. Use the address and the mutation of your service. */
function tokenFrom(url: string): TokenFunction {
  return async (context) => {
    const apiKey = (await readFile(keyFile, 'utf8')).trim();
    console.log('asks for a token with', apiKey);
    const fetchToken = graphqlToken({
      url,
      apiKey,
      document: 'mutation ($apiKey: String!) { obtainToken(input: { apiKey: $apiKey }) { token } }',
      select: (data) => data.obtainToken.token,
    });
    return fetchToken(context);
  };
}

const sandbox = createSandbox({ settings: { apiKeyVariable: 'apiKey' } });
const server = await sandbox.listen();
const client = new DataImportClient({ baseUrl: server.url, token: tokenFrom(server.url + sandbox.graphqlPath) });
const stage = async (number: string) => {
  const { callOutcome } = await client.accounts.stage({
    external_account_number: number,
    import_supplier: SANDBOX_SUPPLIER,
  });
  console.log(`${number}: ${callOutcome}`);
};

// The sandbox accepts only the new key. A fault answers for the old key, as if it had been valid until now.
const answer = { data: { obtainToken: { token: SANDBOX_TOKEN } } };
sandbox.faults.add({ match: { operation: 'token' }, effect: { status: 200, body: answer }, times: 1 });
await stage('A-1');

// Stores the new key; then the old key and its token are revoked.
await writeFile(keyFile, SANDBOX_API_KEY);
sandbox.faults.add({ match: { account: 'A-2' }, effect: { status: 401 }, times: 1 });
await stage('A-2');
await stage('A-3');

await client.close();
await server.close();
await folder.remove();
