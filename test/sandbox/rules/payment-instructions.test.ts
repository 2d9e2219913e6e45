import { describe, expect, test } from 'vitest';
import { failed, invalid, refused } from '../support/refusals.js';
import { account, importAccount, openSandbox, STAGE, type Talk } from '../support/requests.js';

const FLAKY = failed(500, 'payment_vendor_unavailable', 'The payment vendor did not answer this time. Retry as it is.');
const PERSISTENT = refused(
  'payment_vendor_failure',
  'reference',
  'The payment vendor could not be reached for this instruction. Do not retry it unchanged.',
);

/** Everything but the count of the vendor's failures, which is the outside world's and not the service's. */
const stored = ({ sandbox }: Talk) => structuredClone(sandbox.state.suppliers);

describe('E3 business payment instruction', () => {
  const PATH = 'business-payment-instruction/create/';
  const instruction = (more: Record<string, unknown> = {}) => ({
    import_supplier_code: 'SANDBOX_SUPPLIER',
    external_business_identifier: 'B-1',
    vendor: 'VENDOR',
    reference: 'R-1',
    type: 'CARD',
    accounts: [{ external_account_number: 'A-1' }],
    ...more,
  });
  const withBusiness = async () => {
    const talk = openSandbox();
    await talk.post('business/', { import_supplier_code: 'SANDBOX_SUPPLIER', external_business_identifier: 'B-1' });
    await importAccount(talk, 'A-1');
    return talk;
  };

  test('E3 business payment instruction: 201 with reference and identifier, stored once', async () => {
    const { post, sandbox } = await withBusiness();
    expect(await post(PATH, instruction())).toEqual({
      status: 201,
      body: { reference: 'R-1', external_business_identifier: 'B-1' },
    });
    expect(sandbox.state.suppliers[0]?.businesses[0]?.payment_instructions).toEqual([
      { vendor: 'VENDOR', reference: 'R-1', type: 'CARD', accounts: [{ external_account_number: 'A-1' }] },
    ]);
  });

  test('E3 business payment instruction: an unreachable vendor is 400 on every try, and nothing is stored', async () => {
    const { post, unchanged } = await withBusiness();
    const body = instruction({ reference: 'sbx-vendor-persistent' });
    for (const _ of [1, 2, 3]) expect(await unchanged(() => post(PATH, body))).toEqual(PERSISTENT);
  });

  test('E3 business payment instruction: a vendor that fails twice is 500 twice, then the same body is stored once', async () => {
    const talk = await withBusiness();
    const body = instruction({ reference: 'sbx-vendor-flaky-2' });
    const before = stored(talk);
    expect(await talk.post(PATH, body)).toEqual(FLAKY);
    expect(await talk.post(PATH, body)).toEqual(FLAKY);
    expect(stored(talk)).toEqual(before);
    expect(await talk.post(PATH, body)).toEqual({
      status: 201,
      body: { reference: 'sbx-vendor-flaky-2', external_business_identifier: 'B-1' },
    });
    expect(talk.sandbox.state.suppliers[0]?.businesses[0]?.payment_instructions).toHaveLength(1);
  });

  const numbered = (...numbers: string[]) => numbers.map((number) => ({ external_account_number: number }));
  const UNKNOWN_ACCOUNT = 'No account of this import supplier has this number.';

  test.each<[what: string, more: object, code: string, attr: string, detail: string]>([
    [
      'an unknown business',
      { external_business_identifier: 'B-2' },
      'business_not_found',
      'external_business_identifier',
      'No business of this import supplier has this identifier; create it first.',
    ],
    [
      'an account that is unknown',
      { accounts: numbered('A-1', 'A-3') },
      'account_not_found',
      'accounts.1.external_account_number',
      UNKNOWN_ACCOUNT,
    ],
    [
      'an unknown account before one that is known',
      { accounts: numbered('A-9', 'A-1') },
      'account_not_found',
      'accounts.0.external_account_number',
      UNKNOWN_ACCOUNT,
    ],
  ])('E3 business payment instruction: %s is 400 (U21)', async (_, more, code, attr, detail) => {
    const { post, unchanged } = await withBusiness();
    expect(await unchanged(() => post(PATH, instruction({ ...more })))).toEqual(refused(code, attr, detail));
  });

  test('E3 business payment instruction: an account that is only staged is known: 201, stored with it (U21)', async () => {
    const { post, sandbox } = await withBusiness();
    await post(STAGE, account('A-2'));
    const accounts = numbered('A-1', 'A-2');
    expect((await post(PATH, instruction({ accounts }))).status).toBe(201);
    expect(sandbox.state.suppliers[0]?.businesses[0]?.payment_instructions).toEqual([
      { vendor: 'VENDOR', reference: 'R-1', type: 'CARD', accounts },
    ]);
  });

  test('E3 business payment instruction: if several businesses share the identifier, the first gets it', async () => {
    const { post, sandbox } = await withBusiness();
    await post('business/', {
      import_supplier_code: 'SANDBOX_SUPPLIER',
      external_business_identifier: 'B-1',
      business: { company_name: 'Hill Bakery' },
    });
    await post(PATH, instruction());
    const counts = sandbox.state.suppliers[0]?.businesses.map(
      ({ payment_instructions }) => payment_instructions.length,
    );
    expect(counts).toEqual([1, 0]);
  });

  test('E3 business payment instruction: an unknown supplier or a missing reference is 400', async () => {
    const { post, unchanged } = await withBusiness();
    expect(await unchanged(() => post(PATH, instruction({ import_supplier_code: 'UNKNOWN' })))).toEqual(
      invalid('import_supplier_not_found', 'import_supplier_code'),
    );
    expect(await unchanged(() => post(PATH, instruction({ reference: undefined })))).toEqual(
      invalid('required', 'reference'),
    );
  });
});

describe('E10 payment instruction', () => {
  const PATH = 'payment-instruction/create/';
  const instruction = (more: Record<string, unknown> = {}) => ({
    import_supplier: 'SANDBOX_SUPPLIER',
    external_account_number: 'A-1',
    vendor: 'VENDOR',
    reference: 'R-1',
    type: 'CARD',
    ...more,
  });

  test('E10 payment instruction: 201 with the account number and the reference, stored', async () => {
    const talk = openSandbox();
    const service_account_number = await importAccount(talk, 'A-1');
    expect(await talk.post(PATH, instruction())).toEqual({
      status: 201,
      body: { service_account_number, reference: 'R-1' },
    });
    expect(talk.sandbox.state.suppliers[0]?.accounts[0]?.imported?.payment_instructions).toEqual([
      { vendor: 'VENDOR', reference: 'R-1', type: 'CARD' },
    ]);
  });

  test('E10 payment instruction: an unreachable vendor is 400 on every try, and nothing is stored', async () => {
    const talk = openSandbox();
    await importAccount(talk, 'A-1');
    const body = instruction({ reference: 'sbx-vendor-persistent' });
    for (const _ of [1, 2, 3]) expect(await talk.unchanged(() => talk.post(PATH, body))).toEqual(PERSISTENT);
  });

  test('E10 payment instruction: a vendor that fails once is 500 once for each instruction, then 201, stored once', async () => {
    const talk = openSandbox();
    await importAccount(talk, 'A-1');
    await importAccount(talk, 'A-2');
    const body = instruction({ reference: 'sbx-vendor-flaky-1' });
    const before = stored(talk);
    expect(await talk.post(PATH, body)).toEqual(FLAKY);
    expect(await talk.post(PATH, { ...body, external_account_number: 'A-2' })).toEqual(FLAKY);
    expect(await talk.post(PATH, { ...body, vendor: 'OTHER' })).toEqual(FLAKY);
    expect(stored(talk)).toEqual(before);
    expect((await talk.post(PATH, body)).status).toBe(201);
    const imported = talk.sandbox.state.suppliers[0]?.accounts.map((record) => record.imported?.payment_instructions);
    expect(imported).toEqual([[{ vendor: 'VENDOR', reference: 'sbx-vendor-flaky-1', type: 'CARD' }], []]);
  });

  test('E10 payment instruction: an account that is unknown or only staged is 400 (U14)', async () => {
    const { post, unchanged } = openSandbox();
    await post(STAGE, account('A-1'));
    expect(await unchanged(() => post(PATH, instruction()))).toEqual(
      refused('account_not_found', 'external_account_number', 'The account is only staged; process it first.'),
    );
    expect(await unchanged(() => post(PATH, instruction({ external_account_number: 'A-2' })))).toMatchObject({
      status: 400,
      body: { code: 'account_not_found', detail: 'No account of this import supplier has this number.' },
    });
    expect(await unchanged(() => post(PATH, instruction({ import_supplier: 'UNKNOWN' })))).toEqual(
      invalid('import_supplier_not_found', 'import_supplier'),
    );
  });

  test('E10 payment instruction: a missing field is 400', async () => {
    const { post, unchanged } = openSandbox();
    const body = { import_supplier: 'SANDBOX_SUPPLIER', external_account_number: 'A-1' };
    expect(await unchanged(() => post(PATH, body))).toMatchObject({
      status: 400,
      body: {
        code: 'validation_failed',
        errors: [
          { code: 'required', attr: 'vendor' },
          { code: 'required', attr: 'reference' },
        ],
      },
    });
  });
});
