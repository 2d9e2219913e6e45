/** The package that fills a fleet's ledger, where it is not installed. */
import { expect, test } from 'vitest';
import { loadCopy } from '../../../src/migration/distributed/postgres-copy.js';
import { LedgerDatabaseError } from '../../../src/migration/ledger/postgres/database-error.js';

test('says what to install', async () => {
  const cause = new Error("Cannot find package 'pg-copy-streams'");
  const refused = await loadCopy(() => Promise.reject(cause)).catch((error: unknown) => error);
  expect(refused).toBeInstanceOf(LedgerDatabaseError);
  expect(refused).toMatchObject({
    message:
      'ledger: a fleet’s ledger is filled by the package pg-copy-streams. Install it with "npm install pg-copy-streams@7".',
    cause,
  });
});
