/** U12 and U22: forms of error bodies, codes under other names. */
import { describe, expect, test } from 'vitest';
import { LANDLINE } from '../support/payloads.js';
import { failed, invalidFields, refused } from '../support/refusals.js';
import { account, importAccount, openSandbox, PROCESS, posted, processing, STAGE } from '../support/requests.js';

const INSTRUCTION = 'payment-instruction/create/';

describe('U12 errorBodies', () => {
  const { detail } = LANDLINE;
  const SENT = account('A-1', { customers: [{ landline: 'none' }] });

  test("U12 by default, or 'documented', errors are {detail, code, errors}", async () => {
    for (const settings of [{}, { errorBodies: 'documented' as const }]) {
      const { post, unchanged } = openSandbox({ settings });
      expect(await unchanged(() => post('validate-account/', SENT))).toEqual(
        invalidFields('account_failed_validation', LANDLINE),
      );
    }
  });

  test("U12 with 'nested' each error is at the path of its field", async () => {
    const { post, unchanged } = openSandbox({ settings: { errorBodies: 'nested' } });
    expect(await unchanged(() => post('validate-account/', SENT))).toEqual({
      status: 400,
      body: { customers: { '0': { landline: [detail] } } },
    });
  });

  test("U12 with 'nested' other errors are in non_field_errors, and a 404 has a detail", async () => {
    const { get, post, unchanged } = openSandbox({ settings: { errorBodies: 'nested' } });
    expect(await unchanged(() => post(PROCESS, processing('A-1')))).toEqual({
      status: 400,
      body: { non_field_errors: ['No data is staged for this account; stage it first.'] },
    });
    expect(await get('account-transfer-status/SANDBOX_SUPPLIER/A-1/')).toEqual({
      status: 404,
      body: { detail: 'No import process exists for this supplier and account number.' },
    });
  });

  test('U12 an account that is imported: with documented bodies only process returns both numbers', async () => {
    const talk = openSandbox();
    const service_account_number = await importAccount(talk, 'A-1');
    expect((await talk.post('validate-account/', account('A-1'))).status).toBe(200);
    const stage = await talk.unchanged(() => talk.post(STAGE, account('A-1')));
    expect(Object.keys(stage.body as object)).toEqual(['detail', 'code', 'errors']);
    expect((await talk.post(PROCESS, processing('A-1'))).body).toMatchObject({ service_account_number });
  });

  test("U12 an account that is imported: with 'nested' validate, stage and process all name both numbers", async () => {
    const talk = openSandbox({ settings: { errorBodies: 'nested' } });
    const service_account_number = await importAccount(talk, 'A-1');
    const numbers = { external_account_number: 'A-1', service_account_number };
    const noLonger = 'The account was already imported; its data can no longer be staged.';
    const refusal = (message: string) => ({ status: 400, body: { non_field_errors: [message], ...numbers } });
    expect(await talk.unchanged(() => talk.post('validate-account/', account('A-1')))).toEqual(refusal(noLonger));
    expect(await talk.unchanged(() => talk.post(STAGE, account('A-1')))).toEqual(refusal(noLonger));
    expect(await talk.unchanged(() => talk.post(PROCESS, processing('A-1')))).toEqual(
      refusal(`The account was already imported as ${service_account_number}.`),
    );
  });
});

describe('U12 nested bodies of unusual field names', () => {
  const NOT_DOCUMENTED = 'This field is not documented; only documented fields may be sent.';

  test.each(['__proto__', 'constructor', 'toString'])(
    'U12 a field %s is an error at its own place, and nowhere else',
    async (field) => {
      const { request, sandbox } = openSandbox({ settings: { errorBodies: 'nested' } });
      const body = `{"import_supplier": "SANDBOX_SUPPLIER", "external_account_number": "A-1", "${field}": {"x": 1}}`;
      const response = await request('validate-account/', posted(sandbox, body));
      expect([response.status, await response.text()]).toEqual([400, `{"${field}":["${NOT_DOCUMENTED}"]}`]);
      expect('non_field_errors' in {}).toBe(false);
    },
  );
});

describe('U12 errorCodes', () => {
  test("U12 with 'nested' each error is at the path of its field, for any names of codes", async () => {
    const errorCodes = { account_failed_validation: 'invalid', validation_failed: 'invalid' };
    const { post } = openSandbox({ settings: { errorBodies: 'nested', errorCodes } });
    expect((await post('supply-point/populate/', { prm_ids: 7 })).body).toEqual({
      prm_ids: ['Expected an array, found a number.'],
    });
  });

  test('U12 a code has the other name that it is given, in the body and in its items', async () => {
    const { post, unchanged } = openSandbox({ settings: { errorCodes: { account_not_staged: 'not_found' } } });
    const detail = 'No data is staged for this account; stage it first.';
    expect(await unchanged(() => post(PROCESS, processing('A-1')))).toEqual(
      refused('not_found', 'external_account_number', detail),
    );
    expect((await post(PROCESS, processing('A-1', { import_supplier_code: 'UNKNOWN' }))).body).toMatchObject({
      code: 'validation_failed',
    });
  });
});

describe('U22 vendorFailureBody', () => {
  const instruction = (reference: string) => account('A-1', { vendor: 'VENDOR', reference });
  const PERSISTENT = 'The payment vendor could not be reached for this instruction. Do not retry it unchanged.';
  const FLAKY = 'The payment vendor did not answer this time. Retry as it is.';

  test("U22 by default, or 'documented', the bodies are as of other errors", async () => {
    for (const settings of [{}, { vendorFailureBody: 'documented' as const }]) {
      const talk = openSandbox({ settings });
      await importAccount(talk, 'A-1');
      const code = 'payment_vendor_failure';
      expect(await talk.unchanged(() => talk.post(INSTRUCTION, instruction('sbx-vendor-persistent')))).toEqual(
        refused(code, 'reference', PERSISTENT),
      );
      expect(await talk.post(INSTRUCTION, instruction('sbx-vendor-flaky-1'))).toEqual(
        failed(500, 'payment_vendor_unavailable', FLAKY),
      );
    }
  });

  test("U22 with 'error_detail' they hold the identifiers of the call and the reference", async () => {
    const talk = openSandbox({ settings: { vendorFailureBody: 'error_detail' } });
    await importAccount(talk, 'A-1');
    const key = { import_supplier: 'SANDBOX_SUPPLIER', external_account_number: 'A-1' };
    expect(await talk.unchanged(() => talk.post(INSTRUCTION, instruction('sbx-vendor-persistent')))).toEqual({
      status: 400,
      body: { error_detail: PERSISTENT, ...key, reference: 'sbx-vendor-persistent' },
    });
    expect(await talk.post(INSTRUCTION, instruction('sbx-vendor-flaky-1'))).toEqual({
      status: 500,
      body: { error_detail: FLAKY, ...key, reference: 'sbx-vendor-flaky-1' },
    });
    expect((await talk.post(INSTRUCTION, instruction('sbx-vendor-flaky-1'))).status).toBe(201);
  });

  test("U22 with 'error_detail' those of a business hold its identifiers", async () => {
    const { post, unchanged } = openSandbox({ settings: { vendorFailureBody: 'error_detail' } });
    const key = { import_supplier_code: 'SANDBOX_SUPPLIER', external_business_identifier: 'B-1' };
    await post('business/', key);
    const sent = { ...key, vendor: 'VENDOR', reference: 'sbx-vendor-persistent' };
    expect(await unchanged(() => post('business-payment-instruction/create/', sent))).toEqual({
      status: 400,
      body: { error_detail: PERSISTENT, ...key, reference: 'sbx-vendor-persistent' },
    });
  });
});
