import { expect, test } from 'vitest';
import { invalid, refused } from '../support/refusals.js';
import { openSandbox } from '../support/requests.js';

const business = (more: Record<string, unknown> = {}) => ({
  import_supplier_code: 'SANDBOX_SUPPLIER',
  external_business_identifier: 'B-1',
  business: {
    business_type: 'LTD',
    company_name: 'Harbour Bakery',
    siret: '12345678901234',
    details: [{ key: 'floor', value: '2' }],
    business_contracts: [{ identifier: 'C-1', valid_from_date: '2026-01-01', signed_at_date: '2025-12-01' }],
    ...more,
  },
});

test('E2 business: 201 with an integer service_business_id and the identifier', async () => {
  const { post } = openSandbox();
  const answer = await post('business/', business());
  expect(answer).toEqual({
    status: 201,
    body: { service_business_id: expect.any(Number), external_business_identifier: 'B-1' },
  });
  expect(Number.isSafeInteger((answer.body as { service_business_id: number }).service_business_id)).toBe(true);
});

test('E2 business: the business is stored with all its contracts', async () => {
  const { post, sandbox } = openSandbox();
  await post('business/', business());
  expect(sandbox.state.suppliers[0]?.businesses).toEqual([
    {
      service_business_id: expect.any(Number),
      external_business_identifier: 'B-1',
      created_at: '2026-01-15T09:00:00Z',
      business: {
        business_type: 'LTD',
        company_name: 'Harbour Bakery',
        siret: '12345678901234',
        details: [{ key: 'floor', value: '2' }],
        business_contracts: [{ identifier: 'C-1', valid_from_date: '2026-01-01', signed_at_date: '2025-12-01' }],
      },
      payment_instructions: [],
    },
  ]);
});

test('E2 business: an invalid one is 400 with the path of the invalid field', async () => {
  const { post, unchanged } = openSandbox();
  const wrong = business({ business_contracts: [{ identifier: 'C-1', signed_at_date: '2025-02-30' }] });
  expect(await unchanged(() => post('business/', wrong))).toEqual(
    invalid('invalid_date', 'business.business_contracts.0.signed_at_date', 'Expected a calendar date, YYYY-MM-DD.'),
  );
});

test('E2 business: the same identifier, name, number and type again is 400 (U20)', async () => {
  const { post, unchanged } = openSandbox();
  await post('business/', business());
  expect(await unchanged(() => post('business/', business({ details: [] })))).toEqual(
    refused(
      'business_already_exists',
      'external_business_identifier',
      'A business with this external identifier, name, number and type was created before.',
    ),
  );
});

test.each([{ company_name: 'Hill Bakery' }, { siret: '12345678901235' }, { business_type: 'SOLE' }])(
  'E2 business: the same identifier with another key attribute %j is another business',
  async (more) => {
    const { post } = openSandbox();
    const first = await post('business/', business());
    const second = await post('business/', business(more));
    expect(second.status).toBe(201);
    expect(second.body).not.toEqual(first.body);
  },
);

test('E2 business: two suppliers may have the same business', async () => {
  const { post } = openSandbox({ suppliers: [{ code: 'NORTH' }, { code: 'SOUTH' }] });
  const north = await post('business/', { ...business(), import_supplier_code: 'NORTH' });
  const south = await post('business/', { ...business(), import_supplier_code: 'SOUTH' });
  expect([north.status, south.status]).toEqual([201, 201]);
  expect(south.body).not.toEqual(north.body);
});

test('E2 business: a business without further data, and an unknown supplier', async () => {
  const { post, unchanged } = openSandbox();
  const bare = { import_supplier_code: 'SANDBOX_SUPPLIER', external_business_identifier: 'B-2' };
  expect((await post('business/', bare)).status).toBe(201);
  expect(await unchanged(() => post('business/', { ...bare, import_supplier_code: 'UNKNOWN' }))).toEqual(
    invalid(
      'import_supplier_not_found',
      'import_supplier_code',
      'No import supplier has the code "UNKNOWN". This sandbox knows: SANDBOX_SUPPLIER. ' +
        'Add one with createSandbox({ suppliers: [{ code: "UNKNOWN" }] }).',
    ),
  );
});
