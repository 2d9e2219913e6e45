/** What is said where the client of PostgreSQL is not installed. */
import { expect, test } from 'vitest';
import { loadPg } from '../../../../src/migration/ledger/postgres/driver.js';

test('without pg, the error names the package to install', async () => {
  const load = () => Promise.reject(new Error('Cannot find package'));
  await expect(loadPg(load)).rejects.toThrow(
    'ledger: a ledger on PostgreSQL needs the package pg. Install it with "npm install pg@8".',
  );
});

test('the one that is installed here sends without waiting for each answer, as the ledger needs', async () => {
  const { Client } = await loadPg();
  expect(new Client({ pipeline: true })).toMatchObject({ pipeline: true });
});
