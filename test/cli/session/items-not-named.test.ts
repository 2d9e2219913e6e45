/** Items that a gateway refused: nothing in them is wrong, and the file is sent as it is. */
import { expect, onTestFinished, test, vi } from 'vitest';
import { startImportService } from '../../support/import-service.js';
import { account, openFolder, run } from '../typed.js';

const { at, inputFile } = openFolder();

const HTML = '<html><head><title>404 Not Found</title></head></html>';

test('transactions that got a page in HTML: Next says that the file is sent as it is, and that works', async () => {
  let isLost = true;
  const service = await startImportService({
    fault: ({ path }) =>
      isLost && path === 'transactions/create/'
        ? { status: 404, body: HTML, headers: { 'content-type': 'text/html' } }
        : undefined,
  });
  onTestFinished(() => service.close());
  for (const [name, value] of Object.entries({ TOKEN: 't', TEAM: 'N', BASE_URL: service.url, MAX_RETRIES: '0' })) {
    vi.stubEnv(`DATA_IMPORT_${name}`, value);
  }
  onTestFinished(() => void vi.unstubAllEnvs());
  const charge = { transaction_id: 'T-1', transaction_date: '2026-01-02', amount: 5, type: 'CHARGE' };
  const input = inputFile('in.jsonl', { ...account('A-1'), transactions: [charge] });
  const { code, out } = await run('run', input, '--run', at('run'));
  expect(code).toBe(3);
  expect(out).toMatch(/^Next \(1 with rejected items\): the service names no error in them/m);
  isLost = false;
  expect(await run('retry', at('run/incomplete.jsonl'), '--run', at('run'))).toMatchObject({ code: 0 });
  expect(service.accounts.get('SANDBOX_SUPPLIER/A-1')?.transactions).toEqual(['T-1']);
});
