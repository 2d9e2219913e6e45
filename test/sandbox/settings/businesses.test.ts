/** U20, U21 and U24: businesses that come again, their payment instructions, and supply points. */
import { describe, expect, test } from 'vitest';
import type { SandboxSettings } from '../../../src/sandbox/index.js';
import { invalid, refused } from '../support/refusals.js';
import { account, importAccount, openSandbox, STAGE } from '../support/requests.js';

const BUSINESS = {
  import_supplier_code: 'SANDBOX_SUPPLIER',
  external_business_identifier: 'B-1',
  business: { business_type: 'LTD', company_name: 'Placeholder Mills', siret: '12345678901234' },
};

describe('U20 businessAgain', () => {
  test("U20 by default, or 'refuse', the same business again is 400", async () => {
    const detail = 'A business with this external identifier, name, number and type was created before.';
    const code = 'business_already_exists';
    for (const settings of [{}, { businessAgain: 'refuse' as const }]) {
      const { post, unchanged } = openSandbox({ settings });
      await post('business/', BUSINESS);
      expect(await unchanged(() => post('business/', BUSINESS))).toEqual(
        refused(code, 'external_business_identifier', detail),
      );
    }
  });

  test("U20 with 'same-id' it is answered as before, and changes nothing; another business is another one", async () => {
    const { post, unchanged } = openSandbox({ settings: { businessAgain: 'same-id' } });
    const first = await post('business/', BUSINESS);
    const more = { ...BUSINESS, business: { ...BUSINESS.business, business_contracts: [{ identifier: 'C-1' }] } };
    expect(first.status).toBe(201);
    expect(await unchanged(() => post('business/', more))).toEqual(first);
    const other = await post('business/', { ...BUSINESS, business: { ...BUSINESS.business, business_type: 'PLC' } });
    expect(other.status).toBe(201);
    expect(other.body).not.toEqual(first.body);
  });
});

describe('U21 businessInstructionNotFound', () => {
  const PATH = 'business-payment-instruction/create/';
  const sent = (more: Record<string, unknown> = {}) => ({
    import_supplier_code: 'SANDBOX_SUPPLIER',
    external_business_identifier: 'B-1',
    vendor: 'VENDOR',
    reference: 'R-1',
    ...more,
  });
  const CASES: [what: string, code: string, attr: string, more: Record<string, unknown>][] = [
    ['business', 'business_not_found', 'external_business_identifier', { external_business_identifier: 'B-2' }],
    [
      'account',
      'account_not_found',
      'accounts.1.external_account_number',
      { accounts: [{ external_account_number: 'A-1' }, { external_account_number: 'A-3' }] },
    ],
    ['supplier', 'import_supplier_not_found', 'import_supplier_code', { import_supplier_code: 'UNKNOWN' }],
  ];
  const prepared = async (settings: Partial<SandboxSettings>) => {
    const talk = openSandbox({ settings });
    await talk.post('business/', BUSINESS);
    await importAccount(talk, 'A-1');
    return talk;
  };

  test.each(CASES)('U21 by default, or 400, an unknown %s is 400 %s', async (_, code, attr, more) => {
    for (const settings of [{}, { businessInstructionNotFound: 400 as const }]) {
      const { post, unchanged } = await prepared(settings);
      expect(await unchanged(() => post(PATH, sent(more)))).toMatchObject({
        status: 400,
        body: { errors: [{ code, attr }] },
      });
    }
  });

  test.each(CASES)('U21 with 404 an unknown %s is 404 %s', async (_, code, __, more) => {
    const { post, unchanged } = await prepared({ businessInstructionNotFound: 404 });
    const answer = await unchanged(() => post(PATH, sent(more)));
    expect(answer).toEqual({ status: 404, body: { detail: expect.any(String), code } });
  });

  test.each([{}, { accounts: [] }])("U21 by default, or 'optional', accounts may be left out: %j", async (more) => {
    for (const settings of [{}, { businessInstructionAccounts: 'optional' as const }]) {
      const { post } = await prepared(settings);
      expect((await post(PATH, sent(more))).status).toBe(201);
    }
  });

  test.each([{}, { accounts: [] }])("U21 with 'required' at least one account must be named: %j", async (more) => {
    const { post, unchanged } = await prepared({ businessInstructionAccounts: 'required' });
    const detail = 'Name at least one account of the business.';
    expect(await unchanged(() => post(PATH, sent(more)))).toEqual(invalid('required', 'accounts', detail));
    expect((await post(PATH, sent({ accounts: [{ external_account_number: 'A-1' }] }))).status).toBe(201);
  });
});

describe('U21 businessInstructionStaged', () => {
  const PATH = 'business-payment-instruction/create/';
  const INSTRUCTION = {
    import_supplier_code: 'SANDBOX_SUPPLIER',
    external_business_identifier: 'B-1',
    vendor: 'VENDOR',
    reference: 'R-1',
    accounts: [{ external_account_number: 'A-1' }],
  };
  const prepared = async (settings: Partial<SandboxSettings>) => {
    const talk = openSandbox({ settings });
    await talk.post('business/', BUSINESS);
    await talk.post(STAGE, account('A-1'));
    return talk;
  };

  test("U21 by default, or 'accept', an account that is only staged may be named", async () => {
    for (const settings of [{}, { businessInstructionStaged: 'accept' as const }]) {
      const { post, sandbox } = await prepared(settings);
      expect((await post(PATH, INSTRUCTION)).status).toBe(201);
      expect(sandbox.requests().at(-1)?.assumed).toEqual(['U21']);
    }
  });

  test("U21 with 'refuse' it is not found, and the detail says what is to be done", async () => {
    const detail = 'The account is only staged; process it first.';
    const attr = 'accounts.0.external_account_number';
    const code = 'account_not_found';
    const { post, unchanged } = await prepared({ businessInstructionStaged: 'refuse' });
    expect(await unchanged(() => post(PATH, INSTRUCTION))).toEqual(refused(code, attr, detail));
    const other = await prepared({ businessInstructionStaged: 'refuse', businessInstructionNotFound: 404 });
    expect(await other.unchanged(() => other.post(PATH, INSTRUCTION))).toEqual({ status: 404, body: { detail, code } });
  });
});

describe('U24 populate', () => {
  const PATH = 'supply-point/populate/';
  const lookupsOf = ({ sandbox }: ReturnType<typeof openSandbox>) =>
    sandbox.state.populate_batches[0]?.lookups.map(({ identifier, supply_type }) => `${supply_type} ${identifier}`);
  const TWICE = { prm_ids: ['1', '2', '1'], pce_ids: ['1'] };

  test.each([{}, { prm_ids: [], pce_ids: [] }])(
    "U24 by default, or 'accept', no supply point is taken: %j",
    async (body) => {
      for (const settings of [{}, { populateEmpty: 'accept' as const }]) {
        expect((await openSandbox({ settings }).post(PATH, body)).status).toBe(201);
      }
    },
  );

  test.each([{}, { prm_ids: [], pce_ids: [] }])("U24 with 'refuse' no supply point is 400: %j", async (body) => {
    const { post, unchanged } = openSandbox({ settings: { populateEmpty: 'refuse' } });
    const detail = 'Name at least one supply point, in prm_ids or pce_ids.';
    expect(await unchanged(() => post(PATH, body))).toEqual(invalid('required', 'prm_ids', detail));
    expect((await post(PATH, { pce_ids: ['1'] })).status).toBe(201);
  });

  test.each([
    [undefined, ['ELECTRICITY 1', 'ELECTRICITY 2', 'ELECTRICITY 1', 'GAS 1']],
    ['twice', ['ELECTRICITY 1', 'ELECTRICITY 2', 'ELECTRICITY 1', 'GAS 1']],
    ['once', ['ELECTRICITY 1', 'ELECTRICITY 2', 'GAS 1']],
  ] as const)('U24 with %s the lookups of points that come twice are %j', async (populateDuplicates, lookups) => {
    const talk = openSandbox({ settings: populateDuplicates === undefined ? {} : { populateDuplicates } });
    expect((await talk.post(PATH, TWICE)).status).toBe(201);
    expect(lookupsOf(talk)).toEqual(lookups);
  });

  test("U24 with 'refuse' each repetition is an error at its attr", async () => {
    const { post, unchanged } = openSandbox({ settings: { populateDuplicates: 'refuse' } });
    const detail = 'This supply point is in the list twice.';
    expect(await unchanged(() => post(PATH, TWICE))).toEqual(invalid('duplicate_supply_point', 'prm_ids.2', detail));
    expect((await post(PATH, { prm_ids: ['1'], pce_ids: ['1'] })).status).toBe(201);
  });

  test.each([
    [undefined, /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/],
    ['uuid-like', /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/],
    ['digits', /^\d{18}$/],
  ] as const)('U24 with %s a batch id has the form %s, each its own', async (batchIdForm, form) => {
    const { post } = openSandbox({ settings: batchIdForm === undefined ? {} : { batchIdForm } });
    const ids = [];
    for (let time = 0; time < 3; time++) {
      ids.push(((await post(PATH, { prm_ids: ['1'] })).body as { batch_id: string }).batch_id);
    }
    for (const id of ids) expect(id).toMatch(form);
    expect(new Set(ids).size).toBe(3);
  });
});
