/** undocumented(answer): the fields of an answer that the API specification does not name, which its type leaves out. */
import { DataImportClient, undocumented, type ValidationError } from 'data-import-sdk';
import { describe, expect, it } from 'vitest';

const ids = { external_account_number: 'A-1', import_supplier: 'ACME' };
const key = { external_account_number: 'A-1', import_supplier_code: 'ACME', operations_team_name: 'TEAM' };

function answering(status: number, body: unknown): DataImportClient {
  return new DataImportClient({
    baseUrl: 'https://api.example.com',
    token: 't',
    fetch: async () => Response.json(body, { status }),
  });
}

describe('C8 an undocumented field of an answer can be read', () => {
  it('also if it is a documented field of other answers', async () => {
    const client = answering(201, { service_account_number: 'S-1', external_account_number: 'A-1', batch: 7 });
    expect(undocumented(await client.accounts.process(key))).toMatchObject({
      external_account_number: 'A-1',
      batch: 7,
    });
  });

  it('of an echoed account', async () => {
    const client = answering(200, { ...ids, customers: [], loyalty: 'gold' });
    expect(undocumented(await client.accounts.validate(ids))).toEqual({ loyalty: 'gold' });
  });

  it('of an object in the answer', async () => {
    const client = answering(201, {
      page: 1,
      results: [
        {
          status: 'TRANSACTION_ADDED_TO_ACCOUNT',
          ledger: 'main',
          transaction_data: { transaction_id: 'T-1', amount: '1.00', type: 'CHARGE', booked_by: 'import' },
        },
      ],
    });
    const answer = await client.transactions.create({ ...ids, transactions: [{ type: 'CHARGE', amount: 1 }] });
    expect(undocumented(answer)).toEqual({ page: 1 });
    expect(undocumented(answer.results[0])).toEqual({ ledger: 'main' });
    expect(undocumented(answer.results[0]?.transaction_data)).toEqual({ booked_by: 'import' });
  });

  it('of an entry of a list', async () => {
    const entry = { external_account_number: 'A-1', service_account_number: null, account_created_at: null };
    const client = answering(200, [{ ...entry, staged_at: '2026-01-01T00:00:00Z' }]);
    const [first] = await client.imports.all('ACME');
    expect(undocumented(first)).toEqual({ staged_at: '2026-01-01T00:00:00Z' });
  });

  it('of the body of an error', async () => {
    const body = { detail: 'Invalid.', code: 'account_failed_validation', errors: [], request_id: 'r-1' };
    const error: ValidationError = await answering(400, body)
      .accounts.stage(ids)
      .then(() => undefined as never)
      .catch((reason) => reason);
    expect(undocumented(error.body)).toEqual({ request_id: 'r-1' });
  });
});

it.each([[undefined], [null], ['text'], [[]], [[{ a: 1 }]], [7]])('%j has none', (value) => {
  expect(undocumented(value)).toEqual({});
});

it('of an object that resembles no answer, every field is undocumented', () => {
  expect(undocumented({ id: 'm-1' })).toEqual({ id: 'm-1' });
  expect(undocumented(JSON.parse('{"__proto__": 1, "toString": 2}'))).toEqual({ ['__proto__']: 1, toString: 2 });
});
