/** Task: resume after a crash. The first process is killed with SIGKILL during the run; the second one finishes the run. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { DataImportClient } from 'data-import-sdk';
import { inputFromRecords, runMigration } from 'data-import-sdk/migration';
import { SANDBOX_SUPPLIER, SANDBOX_TEAM } from 'data-import-sdk/sandbox';
import { newFolder } from './run-folder.js';
import { startSandbox } from './sandbox-client.js';

const { SERVICE_URL, TOKEN = '', RUN_FOLDER = '' } = process.env;
await (SERVICE_URL === undefined ? runTwice() : migrate(SERVICE_URL));

/** The migration. The code is the same in the first and in every later session. */
async function migrate(baseUrl: string): Promise<void> {
  const client = new DataImportClient({ baseUrl, token: TOKEN });
  const accounts = Array.from({ length: 60 }, (_, index) => ({
    account: { import_supplier: SANDBOX_SUPPLIER, external_account_number: `A-${index + 1}` },
    notes: [{ body: 'Moved from the legacy system.', created_at: '2026-01-10T08:00:00Z' }],
  }));
  const { summary } = await runMigration({
    client,
    input: inputFromRecords(accounts),
    folder: RUN_FOLDER,
    team: SANDBOX_TEAM,
    onEvent: (_, { type }) => process.send?.(type),
  });
  console.log(summary.balance.text);
  await client.close();
  process.disconnect?.();
}

async function runTwice(): Promise<void> {
  const { sandbox, url, stop } = await startSandbox();
  const folder = await newFolder();
  const begin = () => {
    const env = { ...process.env, SERVICE_URL: url, TOKEN: sandbox.token, RUN_FOLDER: folder.path };
    return fork(fileURLToPath(import.meta.url), { env });
  };

  const first = begin();
  let ended = 0;
  first.on('message', (type) => type === 'ended' && ++ended === 20 && first.kill('SIGKILL'));
  console.log('first session:', (await once(first, 'exit'))[1]);

  const [code] = await once(begin(), 'exit');
  console.log('second session: exit code', code);

  // The service's log covers both sessions.
  const created = sandbox.requests().filter(({ change }) => change === 'staged → imported');
  console.log('created by the service:', created.length, 'of', new Set(created.map(({ account }) => account)).size);
  await folder.remove();
  await stop();
}
