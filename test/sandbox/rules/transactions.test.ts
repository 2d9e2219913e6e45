import { describe, expect, test } from 'vitest';
import { added, answered, charge, existing, PATH, payload, resultsOf, withAccount } from '../support/billed-account.js';
import { invalid, refused } from '../support/refusals.js';
import { account, importAccount, openSandbox, STAGE } from '../support/requests.js';

describe('E8 transactions', () => {
  test('E8 transactions: 201, each echoed with its amount as a decimal string', async () => {
    const { post } = await withAccount();
    const paid = { transaction_id: 'T-2', type: 'PAYMENT', transaction_date: '2026-01-11', reference: 'P-1' };
    const supplied = {
      ...{ transaction_id: 'T-3', type: 'SUPPLY_CHARGE', transaction_date: '2026-01-12', product_code: 'ELEC' },
      line_items: [{ rate_band: 'DAY', number_of_units: 10.5, net_amount: 5.9, price_per_unit: 0.562, units: [10.5] }],
      tax_items: [{ amount: 1.2, tax_type: 'VAT', value_taxed: 6, rate: 0.2, unit_type: 'PROPORTION' }],
    };
    const notes = { display_note: 'For you', note: 'For us' };
    const body = payload(charge(notes), { ...paid, amount: 30 }, { ...supplied, amount: 7.125 });
    expect(await post(PATH, body)).toEqual({
      status: 201,
      body: {
        results: [
          added({ ...charge(notes), amount: '12.50' }),
          added({ ...paid, amount: '30.00' }),
          added({ ...supplied, amount: '7.125' }),
        ],
      },
    });
  });

  test.each([
    [0, '0.00'],
    [-0, '0.00'],
    [12.5, '12.50'],
    [-12.5, '-12.50'],
    [1234567890.0123456, '1234567890.0123456'],
    [0.1, '0.10'],
    [0.0000000001, '0.0000000001'],
    [-0.0000012345, '-0.0000012345'],
    [1e21, '1000000000000000000000.00'],
    [1.5e21, '1500000000000000000000.00'],
    [9999999999.99, '9999999999.99'],
  ])('E8 transactions: the amount %d comes back as "%s"', async (amount, text) => {
    const { post } = await withAccount();
    const [result] = resultsOf(await post(PATH, payload(charge({ amount }))));
    expect(result?.transaction_data['amount']).toBe(text);
  });

  test('E8 transactions: added before is TRANSACTION_ALREADY_EXISTS, and skipped (U15)', async () => {
    const { post, imported } = await withAccount();
    await post(PATH, payload(charge()));
    expect(await post(PATH, payload(charge({ amount: 99 }), charge({ transaction_id: 'T-2' })))).toEqual({
      status: 201,
      body: {
        results: [existing(answered()), added(answered({ transaction_id: 'T-2' }))],
      },
    });
    expect(imported()?.transactions.map(({ data }) => data.transaction_id)).toEqual(['T-1', 'T-2']);
  });

  test('E8 transactions: the same id twice in one batch is added once (U15)', async () => {
    const { post } = await withAccount();
    expect(resultsOf(await post(PATH, payload(charge(), charge()))).map(({ status }) => status)).toEqual([
      'TRANSACTION_ADDED_TO_ACCOUNT',
      'TRANSACTION_ALREADY_EXISTS',
    ]);
  });

  test('E8 transactions: the same id on another account is another transaction', async () => {
    const talk = await withAccount();
    await importAccount(talk, 'A-2');
    await talk.post(PATH, payload(charge()));
    const [result] = resultsOf(await talk.post(PATH, { ...payload(charge()), external_account_number: 'A-2' }));
    expect(result?.status).toBe('TRANSACTION_ADDED_TO_ACCOUNT');
  });

  test('E8 transactions: without an id the whole item is compared, in any order of its fields (U15)', async () => {
    const { post } = await withAccount();
    const statusOf = async (item: Record<string, unknown>) => resultsOf(await post(PATH, payload(item)))[0]?.status;
    expect(await statusOf({ type: 'CREDIT', amount: 5, tax_items: [{ rate: 1, amount: 2 }] })).toBe(
      'TRANSACTION_ADDED_TO_ACCOUNT',
    );
    expect(await statusOf({ amount: 5, tax_items: [{ amount: 2, rate: 1 }], type: 'CREDIT' })).toBe(
      'TRANSACTION_ALREADY_EXISTS',
    );
    expect(await statusOf({ type: 'CREDIT', amount: 5 })).toBe('TRANSACTION_ADDED_TO_ACCOUNT');
    expect(await statusOf({ type: 'CREDIT', amount: 6 })).toBe('TRANSACTION_ADDED_TO_ACCOUNT');
    expect(await statusOf({ type: 'CREDIT', amount: 6, transaction_id: 'T-9' })).toBe('TRANSACTION_ADDED_TO_ACCOUNT');
  });

  test.each(['false', 'False'])('E8 transactions: with check_previously_added=%s it is added again', async (no) => {
    const { post, imported } = await withAccount();
    await post(PATH, payload(charge()));
    const [again] = resultsOf(await post(`${PATH}?check_previously_added=${no}`, payload(charge())));
    expect(again?.status).toBe('TRANSACTION_ADDED_TO_ACCOUNT');
    expect(imported()?.transactions).toHaveLength(2);
  });

  test.each(['true', 'True', 'TRUE'])('E8 transactions: the flags written %s are the default', async (yes) => {
    const { post } = await withAccount();
    const query = `?check_previously_added=${yes}&force_add_to_current_statement=${yes}`;
    await post(PATH + query, payload(charge()));
    const results = resultsOf(
      await post(PATH + query, payload(charge(), charge({ transaction_id: 'T-2', transaction_date: '2020-01-01' }))),
    );
    expect(results.map(({ status }) => status)).toEqual(['TRANSACTION_ALREADY_EXISTS', 'TRANSACTION_ADDED_TO_ACCOUNT']);
  });

  test.each(['1', 'no', '', 'true&check_previously_added=false'])(
    'E8 transactions: the flag written "%s" is 400',
    async (value) => {
      const { post, unchanged } = await withAccount();
      expect(await unchanged(() => post(`${PATH}?check_previously_added=${value}`, payload(charge())))).toEqual(
        invalid('invalid_boolean', 'check_previously_added', 'Expected true or false, once.'),
      );
    },
  );

  test('E8 transactions: a wrong type is 400 with its attr, and the batch is not kept', async () => {
    const { post, unchanged } = await withAccount();
    const body = payload(charge(), charge({ transaction_id: 'T-2', type: 'GIFT', amount: '12.50' }));
    expect(await unchanged(() => post(PATH, body))).toMatchObject({
      status: 400,
      body: {
        code: 'validation_failed',
        errors: [
          { code: 'invalid_choice', attr: 'transactions.1.type' },
          { code: 'invalid_type', attr: 'transactions.1.amount' },
        ],
      },
    });
  });

  test('E8 transactions: an account that is unknown or only staged is 400 (U14)', async () => {
    const { post, unchanged } = openSandbox();
    await post(STAGE, account('A-1'));
    const staged = 'The account is only staged; process it first.';
    expect(await unchanged(() => post(PATH, payload(charge())))).toEqual(
      refused('account_not_found', 'external_account_number', staged),
    );
    const unknown = { ...payload(charge()), external_account_number: 'A-2' };
    expect(await unchanged(() => post(PATH, unknown))).toMatchObject({
      status: 400,
      body: { code: 'account_not_found', detail: 'No account of this import supplier has this number.' },
    });
    const unknownSupplier = { ...payload(charge()), import_supplier: 'UNKNOWN' };
    expect(await unchanged(() => post(PATH, unknownSupplier))).toEqual(
      invalid('import_supplier_not_found', 'import_supplier'),
    );
  });
});
