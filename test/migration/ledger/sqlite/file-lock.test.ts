/** A run in another process has the ledger as long as that process lives. */
// @module-tag long
import { hostname } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openSqliteLedger } from '../../../../src/migration/ledger/sqlite/sqlite-ledger.js';
import { startWriter } from '../processes.js';
import { emptyFolder } from '../records.js';

test('another process has the lock until it is killed', async () => {
  const path = join(emptyFolder(), 'ledger.db');
  const writer = startWriter([path, 1]);
  await writer.said('A-0-19 3');
  await expect(openSqliteLedger(path)).rejects.toThrow(`in use by process ${writer.pid} on ${hostname()} since `);
  await writer.kill();
  const ledger = await openSqliteLedger(path);
  onTestFinished(() => ledger.close());
  expect(await ledger.counts()).toMatchObject({ total: 20 });
});
