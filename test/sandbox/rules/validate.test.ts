import { describe, expect, test } from 'vitest';
import { BUSINESS, CONTRACT, DOMESTIC, LANDLINE } from '../support/payloads.js';
import { fieldError, invalidFields, unknownField } from '../support/refusals.js';
import { account, openSandbox, STAGE } from '../support/requests.js';

const VALIDATE = 'validate-account/';

describe('E4 validate', () => {
  test('E4 validate: a domestic account is 200 with the validated data, and nothing is stored', async () => {
    const { post, unchanged } = openSandbox();
    expect(await unchanged(() => post(VALIDATE, DOMESTIC))).toEqual({ status: 200, body: DOMESTIC });
  });

  test('E4 validate: a BUSINESS account is 200 with the validated data, and nothing is stored', async () => {
    const { post, unchanged } = openSandbox();
    await post('business/', CONTRACT);
    expect(await unchanged(() => post(VALIDATE, BUSINESS))).toEqual({ status: 200, body: BUSINESS });
  });

  test('E4 validate: a business_contract_identifier without such a contract is 400, in the words of stage (U13)', async () => {
    const { post, unchanged } = openSandbox();
    const detail = 'No business of this import supplier was created with a contract of this identifier.';
    const error = fieldError('business_contract_not_found', 'business.business_contract_identifier', detail);
    const refusal = invalidFields('account_failed_validation', error);
    expect(await unchanged(() => post(VALIDATE, BUSINESS))).toEqual(refusal);
    expect(await unchanged(() => post(STAGE, BUSINESS))).toEqual(refusal);
  });

  test.each(['process', 'never'] as const)(
    "E4 validate: with '%s' a missing contract is no error, as it is none at stage (U13)",
    async (missingBusinessContract) => {
      const { post, unchanged } = openSandbox({ settings: { missingBusinessContract } });
      expect(await unchanged(() => post(VALIDATE, BUSINESS))).toEqual({ status: 200, body: BUSINESS });
      expect((await post(STAGE, BUSINESS)).status).toBe(201);
    },
  );

  test('E4 validate: a bad landline is account_failed_validation, invalid_phone_number at customers.0.landline', async () => {
    const { post, unchanged } = openSandbox();
    const body = account('A-1', { customers: [{ landline: 'ask at the desk' }] });
    expect(await unchanged(() => post(VALIDATE, body))).toEqual(invalidFields('account_failed_validation', LANDLINE));
  });

  test('C3 validate: one error for each offending field, unknown keys included', async () => {
    const { post, unchanged } = openSandbox();
    const body = account('A-1', {
      customers: [{ landline: 'none', hobby: 'chess', shoe_size: 40 }, { date_of_birth: '1990-02-30' }],
      loyalty: true,
    });
    const errors = [
      LANDLINE,
      unknownField('customers.0.hobby'),
      unknownField('customers.0.shoe_size'),
      fieldError('invalid_date', 'customers.1.date_of_birth', 'Expected a calendar date, YYYY-MM-DD.'),
      unknownField('loyalty'),
    ];
    expect(await unchanged(() => post(VALIDATE, body))).toEqual(invalidFields('account_failed_validation', ...errors));
  });

  test.each([
    ['last_billed_to_date', '2025-02-29', 'invalid_date'],
    ['last_billed_to_date', '2025-2-1', 'invalid_date'],
    ['last_billed_to_date', '2025-01-01T00:00:00Z', 'invalid_date'],
    ['last_billed_to_date', null, 'null'],
    ['unknown_occupier', 'yes', 'invalid_type'],
  ])('C5 validate: %s %j is 400 %s', async (attr, value, code) => {
    const { post, unchanged } = openSandbox();
    expect(await unchanged(() => post(VALIDATE, account('A-1', { [attr]: value })))).toMatchObject({
      status: 400,
      body: { code: 'account_failed_validation', errors: [{ code, attr }] },
    });
  });

  test.each([
    ['2025-12-01T10:00:00Z', 200],
    ['2025-12-01T10:00:00+02:00', 200],
    ['2025-12-01T10:00:00', 400],
    ['2025-12-01', 400],
  ])('C5 validate: the datetime %s is %i', async (created_at, status) => {
    const { post, unchanged } = openSandbox();
    const body = account('A-1', { notes: [{ body: 'x', created_at }] });
    expect((await unchanged(() => post(VALIDATE, body))).status).toBe(status);
  });

  test('E4 validate: an own field named __proto__ is an unknown field', async () => {
    const { post, unchanged } = openSandbox();
    const body = JSON.parse('{"import_supplier":"SANDBOX_SUPPLIER","external_account_number":"A","__proto__":{"x":1}}');
    expect(await unchanged(() => post(VALIDATE, body))).toMatchObject({
      status: 400,
      body: { errors: [{ code: 'unknown_field', attr: '__proto__' }] },
    });
  });

  test('E4 validate: an unknown supplier is 400, and the detail lists the known ones and how to add one', async () => {
    const { post, unchanged } = openSandbox({ suppliers: [{ code: 'NORTH' }, { code: 'SOUTH' }] });
    const detail =
      'No import supplier has the code "SANDBOX_SUPPLIER". This sandbox knows: NORTH, SOUTH. ' +
      'Add one with createSandbox({ suppliers: [{ code: "SANDBOX_SUPPLIER" }] }).';
    expect(await unchanged(() => post(VALIDATE, account('A-1')))).toEqual(
      invalidFields('account_failed_validation', fieldError('import_supplier_not_found', 'import_supplier', detail)),
    );
  });
});
