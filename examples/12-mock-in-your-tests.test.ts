/** Task: test your own code without the service. The sandbox answers in memory, so no call has to be mocked; a double of one method can. */
import { type Accounts, callPromise, DataImportClient, ValidationError } from 'data-import-sdk';
import { sandboxHandlers } from 'data-import-sdk/msw';
import { createSandbox, SANDBOX_SUPPLIER, SANDBOX_TEAM } from 'data-import-sdk/sandbox';
import { setupServer } from 'msw/node';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';

/** The code under test. */
async function move(client: { accounts: Pick<Accounts, 'stage' | 'process'> }, number: string): Promise<string> {
  await client.accounts.stage({ external_account_number: number, import_supplier: SANDBOX_SUPPLIER });
  const { service_account_number } = await client.accounts.process({
    external_account_number: number,
    import_supplier_code: SANDBOX_SUPPLIER,
    operations_team_name: SANDBOX_TEAM,
  });
  return service_account_number;
}

const sandbox = createSandbox();
beforeEach(() => sandbox.reset());

describe('in process: hand the sandbox to the client as its fetch', () => {
  const client = new DataImportClient({
    baseUrl: 'https://api.example.com',
    token: sandbox.token,
    fetch: sandbox.fetch,
  });

  test('an account is imported once, with the number of the service', async () => {
    const number = await move(client, 'A-1');
    expect(sandbox.state.suppliers[0]?.accounts[0]?.imported?.service_account_number).toBe(number);
  });

  test('a paused supplier is a ValidationError, and nothing is imported', async () => {
    sandbox.setSupplierStatus(SANDBOX_SUPPLIER, 'Paused');
    await expect(move(client, 'A-1')).rejects.toBeInstanceOf(ValidationError);
    expect(sandbox.state.suppliers[0]?.accounts).toEqual([]);
  });
});

describe('behind MSW: for code that makes its own client, or calls global fetch', () => {
  const server = setupServer(...sandboxHandlers(sandbox, { baseUrl: 'https://api.example.com' }));
  beforeAll(() => server.listen({ onUnhandledRequest: 'error' }));
  afterAll(() => server.close());

  test('an answer that got lost makes no second account', async () => {
    sandbox.faults.add({ match: { operation: 'accounts.process' }, effect: 'drop', phase: 'afterCommit', times: 1 });
    // MSW intercepts global fetch, but not undici, which the client uses by default.
    const client = new DataImportClient({ baseUrl: 'https://api.example.com', token: sandbox.token, fetch });
    expect(await move(client, 'A-1')).toMatch(/^\d+$/);
    expect(sandbox.requests().filter(({ change }) => change === 'staged → imported')).toHaveLength(1);
  });
});

test('a double of a method answers, or rejects, as the client does', async () => {
  const process = vi.fn<Accounts['process']>();
  const stage = () => callPromise({ customers: [{ landline: [{ code: 'invalid_phone_number' }] }] }, { status: 400 });
  await expect(move({ accounts: { stage, process } }, 'A-1')).rejects.toBeInstanceOf(ValidationError);
  expect(process).not.toHaveBeenCalled();
});
