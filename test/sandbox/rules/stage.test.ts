import { describe, expect, test } from 'vitest';
import { BUSINESS, CONTRACT, DOMESTIC, LANDLINE } from '../support/payloads.js';
import { fieldError, invalidFields, refused } from '../support/refusals.js';
import { account, importAccount, openSandbox, STAGE } from '../support/requests.js';

describe('E5 stage', () => {
  test('E5 stage: the first is 201, later ones are 200, both with supplier and account number', async () => {
    const { post } = openSandbox();
    const body = { import_supplier: 'SANDBOX_SUPPLIER', external_account_number: '0001' };
    expect(await post(STAGE, DOMESTIC)).toEqual({ status: 201, body });
    expect(await post(STAGE, DOMESTIC)).toEqual({ status: 200, body });
    expect(await post(STAGE, account('0001'))).toEqual({ status: 200, body });
  });

  test('E5 stage: the second replaces the whole payload: fields that it omits are removed', async () => {
    const { post, sandbox } = openSandbox();
    await post(STAGE, DOMESTIC);
    sandbox.clock.advance(60_000);
    await post(STAGE, account('0001', { sales_channel: 'WEB' }));
    expect(sandbox.state.suppliers[0]?.accounts).toEqual([
      {
        external_account_number: '0001',
        staged_at: '2026-01-15T09:00:00Z',
        data: { import_supplier: 'SANDBOX_SUPPLIER', external_account_number: '0001', sales_channel: 'WEB' },
        documents: [],
        imported: null,
      },
    ]);
  });

  test('E5 stage: the same number under another supplier is another account', async () => {
    const { post } = openSandbox({ suppliers: [{ code: 'NORTH' }, { code: 'SOUTH' }] });
    expect((await post(STAGE, account('A-1', { import_supplier: 'NORTH' }))).status).toBe(201);
    expect((await post(STAGE, account('A-1', { import_supplier: 'SOUTH' }))).status).toBe(201);
  });

  test('E5 stage: an invalid payload is 400 by the same rules as validate, and the staged data stay', async () => {
    const { post, unchanged } = openSandbox();
    await post(STAGE, DOMESTIC);
    const body = { ...DOMESTIC, customers: [{ landline: 'none' }] };
    expect(await unchanged(() => post(STAGE, body))).toEqual(invalidFields('account_failed_validation', LANDLINE));
  });

  test('E5 stage: an account that was imported is 400', async () => {
    const talk = openSandbox();
    await importAccount(talk, 'A-1');
    const detail = 'The account was already imported; its data can no longer be staged.';
    expect(await talk.unchanged(() => talk.post(STAGE, account('A-1')))).toEqual(
      refused('account_already_imported', 'external_account_number', detail),
    );
  });

  test('E5 stage: an account that is marked to skip is 400, staged before or not (U23)', async () => {
    const { post, sandbox, unchanged } = openSandbox();
    await post(STAGE, account('A-1'));
    sandbox.skip('SANDBOX_SUPPLIER', 'A-1');
    sandbox.skip('SANDBOX_SUPPLIER', 'A-2');
    const detail = 'The account is marked to skip; its data cannot be staged.';
    for (const number of ['A-1', 'A-2']) {
      expect(await unchanged(() => post(STAGE, account(number)))).toEqual(
        refused('account_marked_to_skip', 'external_account_number', detail),
      );
    }
    expect((await post(STAGE, account('A-3'))).status).toBe(201);
  });

  test('E5 stage: an unknown supplier is 400 account_failed_validation', async () => {
    const { post, unchanged } = openSandbox();
    expect(await unchanged(() => post(STAGE, account('A-1', { import_supplier: 'UNKNOWN' })))).toMatchObject({
      status: 400,
      body: {
        code: 'account_failed_validation',
        errors: [{ code: 'import_supplier_not_found', attr: 'import_supplier' }],
      },
    });
  });

  test('E5 stage: a business_contract_identifier without such a contract is 400, with it 201 (U13)', async () => {
    const { post, unchanged } = openSandbox();
    const detail = 'No business of this import supplier was created with a contract of this identifier.';
    const error = fieldError('business_contract_not_found', 'business.business_contract_identifier', detail);
    expect(await unchanged(() => post(STAGE, BUSINESS))).toEqual(invalidFields('account_failed_validation', error));
    await post('business/', CONTRACT);
    expect((await post(STAGE, BUSINESS)).status).toBe(201);
  });

  test('E5 stage: a contract of another supplier does not count (U13)', async () => {
    const { post, unchanged } = openSandbox({ suppliers: [{ code: 'SANDBOX_SUPPLIER' }, { code: 'SOUTH' }] });
    await post('business/', { ...CONTRACT, import_supplier_code: 'SOUTH' });
    expect((await unchanged(() => post(STAGE, BUSINESS))).status).toBe(400);
  });
});
