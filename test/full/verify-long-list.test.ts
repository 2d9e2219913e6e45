/** `verify` against a list of 300,000 accounts, which is larger than the largest answer that is read at once, in flat memory. */
import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { openSqliteLedger } from '../../src/migration/ledger/sqlite/sqlite-ledger.js';
import { newFolder } from '../helpers/folder.js';
import { record } from '../migration/ledger/records.js';
import { startImportService } from '../support/import-service.js';

const COMMAND = fileURLToPath(new URL('../../dist/cli.js', import.meta.url));
const PRINT_MEMORY = 'data:text/javascript,process.on("exit",()=>console.error(process.resourceUsage().maxRSS))';
const LISTED = 300_000;
const IN_LEDGER = 20_000;

const numberOf = (index: number) => `ACC-${String(index).padStart(9, '0')}`;

function* entries() {
  for (let index = 0; index < LISTED; index++) {
    const service_account_number = `S-${index}`;
    yield {
      ...{ external_account_number: numberOf(index), service_account_number },
      ...{ account_created_at: '2026-01-15T09:00:00+00:00', account_type: 'DOMESTIC', status: 'PENDING' },
    };
  }
}

async function makeRunFolder(folder: string): Promise<void> {
  // A run folder is recognised by this file.
  writeFileSync(join(folder, '.gitignore'), '*\n');
  const ledger = await openSqliteLedger(join(folder, 'ledger.sqlite'), { thread: 'never' });
  const supplier = 'ACME';
  const records = Array.from({ length: IN_LEDGER }, (_, index) =>
    record(numberOf(index), { supplier, outcome: 'created', serviceNumber: `S-${index}` }),
  );
  // One that the service lacks, and one that has another number there.
  records.push(record('GONE', { supplier, outcome: 'created', serviceNumber: 'S-GONE' }));
  records[7] = record(numberOf(7), { supplier, outcome: 'created', serviceNumber: 'other' });
  await Promise.all(records.map((one) => ledger.write(one)));
  await ledger.close();
}

test('a list of 300,000 accounts is compared to its end in less than 250 MB', async () => {
  const folder = newFolder('verify-');
  await makeRunFolder(folder);
  const service = await startImportService({ list: () => ({ entries: entries() }) });
  onTestFinished(() => service.close());
  const command = ['--import', PRINT_MEMORY, COMMAND, 'verify', '--run', folder, '--json', '--limit', '3'];
  const env = { ...process.env, DATA_IMPORT_TOKEN: 'token', DATA_IMPORT_BASE_URL: service.url };
  const { code, out, err } = await new Promise<{ code: unknown; out: string; err: string }>((resolve) =>
    execFile(process.execPath, command, { env }, (error, out, err) => resolve({ code: error?.code, out, err })),
  );
  expect({ code, ...JSON.parse(out) }).toMatchObject({
    ...{ code: 5, same: IN_LEDGER - 1, differing: LISTED - IN_LEDGER + 2, notShown: LISTED - IN_LEDGER - 1 },
    byKind: { missing: 1, otherNumber: 1, notInLedger: LISTED - IN_LEDGER },
  });
  expect(service.requests).toEqual([
    'GET all-account-import-processes/ACME/',
    // A list may leave an account out.
    'GET account-transfer-status/ACME/GONE/',
  ]);
  const kibibytes = Number(err.trim().split('\n').at(-1));
  expect(kibibytes).toBeGreaterThan(0);
  expect(kibibytes * 1024).toBeLessThan(250_000_000);
});
