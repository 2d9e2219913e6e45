/** Items that a gateway refused: nothing in them is wrong, and the file is sent as it is. */
import { expect, test } from 'vitest';
import { account, openFolder, openImportService, run } from '../typed.js';

const { at, inputFile } = openFolder();

const HTML = '<html><head><title>404 Not Found</title></head></html>';

test('transactions that got a page in HTML: Next says that the file is sent as it is, and that works', async () => {
  let isLost = true;
  const page = { status: 404, body: HTML, headers: { 'content-type': 'text/html' } };
  const service = await openImportService(
    { fault: ({ path }) => (isLost && path === 'transactions/create/' ? page : undefined) },
    { MAX_RETRIES: '0' },
  );
  const charge = { transaction_id: 'T-1', transaction_date: '2026-01-02', amount: 5, type: 'CHARGE' };
  const input = inputFile('in.jsonl', { ...account('A-1'), transactions: [charge] });
  const { code, out } = await run('run', input, '--run', at('run'));
  expect(code).toBe(3);
  expect(out).toMatch(/^Next \(1 with rejected items\): the service names no error in them/m);
  isLost = false;
  expect(await run('retry', at('run/incomplete.jsonl'), '--run', at('run'))).toMatchObject({ code: 0 });
  expect(service.accounts.get('SANDBOX_SUPPLIER/A-1')?.transactions).toEqual(['T-1']);
});
