import { describe, expect, test } from 'vitest';
import { invalid, refused } from '../support/refusals.js';
import { account, importAccount, openSandbox, PROCESS, processing, STAGE } from '../support/requests.js';

const DRY_RUN = {
  status: 400,
  body: {
    detail: 'Account would successfully import. Rolled back due to Dry Run.',
    code: 'dry_run',
    errors: [],
  },
};

const BUSINESS_ACCOUNT = account('A-1', {
  account_type: 'BUSINESS',
  business: { business_contract_identifier: 'C-1' },
});

describe('E6 process', () => {
  test('E6 process: 201 with the service_account_number, and staged becomes imported', async () => {
    const { post, sandbox } = openSandbox();
    await post(STAGE, account('A-1'));
    sandbox.clock.advance(1500);
    const answer = await post(PROCESS, processing('A-1'));
    expect(answer).toEqual({ status: 201, body: { service_account_number: expect.stringMatching(/^\d{16}$/) } });
    const { service_account_number } = answer.body as { service_account_number: string };
    expect(sandbox.state.suppliers[0]?.accounts[0]?.imported).toEqual({
      service_account_number,
      account_created_at: '2026-01-15T09:00:01Z',
      operations_team_name: 'SANDBOX_TEAM',
      status: 'PENDING',
      notes: [],
      transactions: [],
      statements: [],
      payment_instructions: [],
    });
  });

  test('E6 process: the keys are import_supplier_code and operations_team_name', async () => {
    const { post, unchanged } = openSandbox();
    await post(STAGE, account('A-1'));
    const body = { import_supplier: 'SANDBOX_SUPPLIER', external_account_number: 'A-1', team: 'SANDBOX_TEAM' };
    expect(await unchanged(() => post(PROCESS, body))).toMatchObject({
      status: 400,
      body: {
        code: 'validation_failed',
        errors: [
          { code: 'required', attr: 'import_supplier_code' },
          { code: 'required', attr: 'operations_team_name' },
          { code: 'unknown_field', attr: 'import_supplier' },
          { code: 'unknown_field', attr: 'team' },
        ],
      },
    });
  });

  test('E6 process: nothing staged is 400', async () => {
    const { post, unchanged } = openSandbox();
    await post('validate-account/', account('A-1'));
    const detail = 'No data is staged for this account; stage it first.';
    expect(await unchanged(() => post(PROCESS, processing('A-1')))).toEqual(
      refused('account_not_staged', 'external_account_number', detail),
    );
  });

  test('E6 process: staged accounts of another supplier do not count', async () => {
    const { post, unchanged } = openSandbox({ suppliers: [{ code: 'SANDBOX_SUPPLIER' }, { code: 'SOUTH' }] });
    await post(STAGE, account('A-1', { import_supplier: 'SOUTH' }));
    expect(await unchanged(() => post(PROCESS, processing('A-1')))).toMatchObject({
      status: 400,
      body: { code: 'account_not_staged' },
    });
  });

  test('E6 process: an unknown team is 400, and the detail lists the known ones and how to add one', async () => {
    const { post, unchanged } = openSandbox({ teams: ['EAST', 'WEST'] });
    await post(STAGE, account('A-1'));
    const detail =
      'No operations team has the name "SANDBOX_TEAM". This sandbox knows: EAST, WEST. ' +
      'Add one with createSandbox({ teams: ["SANDBOX_TEAM"] }).';
    expect(await unchanged(() => post(PROCESS, processing('A-1')))).toEqual(
      invalid('operations_team_not_found', 'operations_team_name', detail),
    );
    expect((await post(PROCESS, processing('A-1', { operations_team_name: 'WEST' }))).status).toBe(201);
  });

  test('E6 process: an account that was imported is 400, and the body also carries both numbers', async () => {
    const talk = openSandbox();
    const service_account_number = await importAccount(talk, 'A-1');
    const detail = `The account was already imported as ${service_account_number}.`;
    expect(await talk.unchanged(() => talk.post(PROCESS, processing('A-1')))).toEqual({
      status: 400,
      body: {
        detail,
        code: 'account_already_imported',
        errors: [{ detail, code: 'account_already_imported', attr: 'external_account_number' }],
        external_account_number: 'A-1',
        service_account_number,
      },
    });
  });

  test('E6 process: an unknown supplier is 400', async () => {
    const { post, unchanged } = openSandbox();
    expect(await unchanged(() => post(PROCESS, processing('A-1', { import_supplier_code: 'UNKNOWN' })))).toEqual(
      invalid('import_supplier_not_found', 'import_supplier_code'),
    );
  });

  test('E6 process: a contract that is missing is 400 account_failed_validation, found at process (U13)', async () => {
    const { post, unchanged } = openSandbox({ settings: { missingBusinessContract: 'process' } });
    expect((await post(STAGE, BUSINESS_ACCOUNT)).status).toBe(201);
    expect(await unchanged(() => post(PROCESS, processing('A-1')))).toMatchObject({
      status: 400,
      body: {
        code: 'account_failed_validation',
        errors: [{ code: 'business_contract_not_found', attr: 'business.business_contract_identifier' }],
      },
    });
    const contract = { business_contracts: [{ identifier: 'C-1' }] };
    const business = {
      import_supplier_code: 'SANDBOX_SUPPLIER',
      external_business_identifier: 'B-1',
      business: contract,
    };
    await post('business/', business);
    expect((await post(PROCESS, processing('A-1'))).status).toBe(201);
  });

  test("E6 process: with the setting 'never' a missing contract is no error (U13)", async () => {
    const { post } = openSandbox({ settings: { missingBusinessContract: 'never' } });
    expect((await post(STAGE, BUSINESS_ACCOUNT)).status).toBe(201);
    expect((await post(PROCESS, processing('A-1'))).status).toBe(201);
  });

  test('E6 process: the order of the checks is imported, supplier, staged, team, dry run (U11)', async () => {
    const talk = openSandbox();
    const { post, sandbox } = talk;
    const wrongTeam = { operations_team_name: 'UNKNOWN', dry_run: true };
    const codeFor = async (number: string) => {
      const { body } = await talk.unchanged(() => post(PROCESS, processing(number, wrongTeam)));
      const { code, errors } = body as { code: string; errors: { code: string }[] };
      return errors[0]?.code ?? code;
    };
    await importAccount(talk, 'A-1');
    await post(STAGE, account('A-2'));
    sandbox.setSupplierStatus('SANDBOX_SUPPLIER', 'Paused');
    expect(await codeFor('A-1')).toBe('account_already_imported');
    expect(await codeFor('A-2')).toBe('import_supplier_not_ongoing');
    expect(await codeFor('A-3')).toBe('import_supplier_not_ongoing');
    sandbox.setSupplierStatus('SANDBOX_SUPPLIER', 'Ongoing');
    expect(await codeFor('A-3')).toBe('account_not_staged');
    expect(await codeFor('A-2')).toBe('operations_team_not_found');
  });
});

describe('E6 dry run', () => {
  test('E6 process: a dry run that would succeed answers 400 with the message and creates nothing', async () => {
    const { post, get, unchanged } = openSandbox();
    await post(STAGE, account('A-1'));
    expect(await unchanged(() => post(PROCESS, processing('A-1', { dry_run: true })))).toEqual(DRY_RUN);
    expect(await get('account-transfer-status/SANDBOX_SUPPLIER/A-1/')).toEqual({
      status: 200,
      body: { status: 'UNKNOWN', service_account_number: '' },
    });
  });

  test('E6 process: a dry run uses up no number', async () => {
    const rehearsed = openSandbox();
    await rehearsed.post(STAGE, account('A-1'));
    await rehearsed.post(PROCESS, processing('A-1', { dry_run: true }));
    expect(await rehearsed.post(PROCESS, processing('A-1', { dry_run: false }))).toEqual({
      status: 201,
      body: { service_account_number: await importAccount(openSandbox(), 'A-1') },
    });
  });

  test('E6 process: a dry run that would fail is the ordinary 400', async () => {
    const talk = openSandbox();
    const { post, unchanged } = talk;
    await importAccount(talk, 'A-1');
    await post(STAGE, account('A-2'));
    expect(await unchanged(() => post(PROCESS, processing('A-1', { dry_run: true })))).toMatchObject({
      status: 400,
      body: { code: 'account_already_imported', external_account_number: 'A-1' },
    });
    expect(await unchanged(() => post(PROCESS, processing('A-3', { dry_run: true })))).toMatchObject({
      status: 400,
      body: { code: 'account_not_staged' },
    });
    const wrongTeam = { dry_run: true, operations_team_name: 'UNKNOWN' };
    expect(await unchanged(() => post(PROCESS, processing('A-2', wrongTeam)))).toMatchObject({
      status: 400,
      body: { code: 'validation_failed', errors: [{ code: 'operations_team_not_found' }] },
    });
  });
});
