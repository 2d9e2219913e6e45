/** A ledger held against platforms that answer 404 where a supplier has nothing (U4). */
import { DataImportClient } from 'data-import-sdk';
import { createSandbox } from 'data-import-sdk/sandbox';
import { expect, test } from 'vitest';
import { compareWithPlatform } from '../../src/migration/verify.js';
import { ledgerOf, record } from './ledger/records.js';

const nothingThere = () => {
  const sandbox = createSandbox({ settings: { unmatchedList: 'not-found' } });
  const fetch = (url: string, init: RequestInit) => sandbox.fetch(new Request(url, init));
  return new DataImportClient({ baseUrl: 'http://127.0.0.1', token: sandbox.token, fetch });
};

test('U4 a list that is not found is empty where the ledger has nothing created either', async () => {
  const ledger = await ledgerOf([record('A-1', { end: 'rejected' }), record('A-2')]);
  expect(await compareWithPlatform(ledger, nothingThere())).toMatchObject({
    same: 0,
    notImported: 2,
    differences: [],
  });
});

test('U4 a list that is not found is told of where the ledger has accounts in it: perhaps the address is wrong', async () => {
  const ledger = await ledgerOf([record('A-1', { end: 'created', platformNumber: '0012' })]);
  await expect(compareWithPlatform(ledger, nothingThere())).rejects.toMatchObject({
    name: 'NotFoundError',
    status: 404,
  });
});
