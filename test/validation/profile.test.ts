/** A profile: what one deployment is known to demand beyond the document; data, not code (DESIGN 3). */
import { defineProfile, type Profile, validateAccount, validateTransactions } from 'data-import-sdk';
import { describe, expect, it } from 'vitest';

const account = { import_supplier: 'ACME', external_account_number: 'A-1' };
const transaction = { type: 'CHARGE', transaction_id: 'T', transaction_date: '2024-01-01', amount: 1 };
const check = (profile: Profile, change: object) =>
  validateAccount({ ...account, ...change }, { profile, warnings: false });

describe('required', () => {
  const profile = {
    required: { Account: ['billing_postcode', 'customers.*.email', 'supply_addresses.*.supply_points.*.identifier'] },
  };

  it('a path must be present wherever its parent is', () => {
    expect(
      check(profile, { customers: [{ email: 'a@example.com' }, {}], supply_addresses: [{ supply_points: [{}] }] }),
    ).toEqual({
      ok: false,
      findings: [
        { attr: 'billing_postcode', code: 'required', detail: 'Required by the profile.', severity: 'error' },
        { attr: 'customers.1.email', code: 'required', detail: 'Required by the profile.', severity: 'error' },
        {
          attr: 'supply_addresses.0.supply_points.0.identifier',
          code: 'required',
          detail: 'Required by the profile.',
          severity: 'error',
        },
      ],
    });
  });

  it('fields of a missing parent are not required', () => {
    expect(check(profile, { billing_postcode: '', supply_addresses: [{}] })).toMatchObject({ ok: true, findings: [] });
  });

  it('inherited properties do not count', () => {
    const fields = { Account: { toString: 'string' as const } };
    expect(check({ required: { Account: ['toString'] }, fields }, {}).findings[0]).toMatchObject({
      attr: 'toString',
      code: 'required',
    });
  });
});

it('values: the only ones that a field may have', () => {
  const profile: Profile = {
    values: {
      Account: {
        sales_channel: ['WEB', 'PHONE'],
        'supply_addresses.*.supply_points.*.billing_frequency': [1, 2],
        unknown_occupier: [false],
      },
    },
  };
  expect(check(profile, { sales_channel: 'WEB', unknown_occupier: false }).ok).toBe(true);
  expect(check(profile, {}).ok).toBe(true);
  expect(
    check(profile, {
      sales_channel: 'SHOP',
      unknown_occupier: true,
      supply_addresses: [{ supply_points: [{ billing_frequency: 3 }] }],
    }).findings,
  ).toEqual([
    { attr: 'sales_channel', code: 'invalid_choice', detail: 'The profile allows WEB, PHONE.', severity: 'error' },
    {
      attr: 'supply_addresses.0.supply_points.0.billing_frequency',
      code: 'invalid_choice',
      detail: 'The profile allows 1, 2.',
      severity: 'error',
    },
    { attr: 'unknown_occupier', code: 'invalid_choice', detail: 'The profile allows false.', severity: 'error' },
  ]);
});

describe('fields that were agreed with the operator', () => {
  it.each([
    ['string', 'x', 7],
    ['number', 1.5, '1.5'],
    ['integer', 2, 2.5],
    ['boolean', false, 'false'],
    ['date', '2024-02-29', '2023-02-29'],
    ['datetime', '2024-02-29T10:00:00Z', '2024-02-29'],
    ['object', { any: [1] }, [1]],
    ['array', [1], { 0: 1 }],
  ] as const)('%s', (kind, right, wrong) => {
    const profile = { fields: { Account: { agreed: kind, 'customers.*.agreed': kind } } };
    expect(check(profile, { agreed: right, customers: [{ agreed: right }] })).toMatchObject({ ok: true, findings: [] });
    expect(check(profile, { agreed: wrong, customers: [{}, { agreed: wrong }] }).findings).toEqual([
      { attr: 'agreed', code: 'invalid_type', detail: `The profile expects: ${kind}.`, severity: 'error' },
      { attr: 'customers.1.agreed', code: 'invalid_type', detail: `The profile expects: ${kind}.`, severity: 'error' },
    ]);
  });

  it('other undocumented fields of the same object stay errors', () => {
    const profile: Profile = { fields: { Account: { agreed: 'string' } } };
    const { findings } = check(profile, { agreed: 'x', odd: 1, customers: [{ agreed: 'x' }] });
    expect(findings.map(({ attr, code }) => `${attr} ${code}`)).toEqual([
      'customers.0.agreed unknown_field',
      'odd unknown_field',
    ]);
  });

  it('of one payload are not agreed for another', () => {
    const profile: Profile = { fields: { Account: { agreed: 'string' } } };
    const payload = { ...account, transactions: [transaction], agreed: 'x' };
    expect(validateTransactions(payload, { profile }).findings.map(({ attr }) => attr)).toEqual(['agreed']);
  });
});

describe('what a documented field holds, where the deployment takes something else', () => {
  const pointOf = (supply_type: string) => ({ supply_addresses: [{ supply_points: [{ supply_type }] }] });
  const at = 'supply_addresses.0.supply_points.0.supply_type';
  const profile: Profile = {
    values: {
      Account: { 'supply_addresses.*.supply_points.*.supply_type': ['ELECTRICITY', 'HEAT'], sales_channel: ['WEB'] },
      TransactionsPayload: { 'transactions.*.type': ['CHARGE', 'WRITE_OFF'] },
    },
    fields: { Account: { 'customers.*.landline': 'string', 'customers.*.date_of_birth': 'string' } },
  };

  it('values: an undocumented value', () => {
    expect(check({}, pointOf('HEAT')).findings).toMatchObject([{ attr: at, code: 'invalid_choice' }]);
    expect(check(profile, pointOf('HEAT'))).toMatchObject({ ok: true, findings: [] });
  });

  it('values: a value that neither lists is one error, and so is one that only the API specification lists', () => {
    for (const value of ['WATER', 'GAS']) {
      expect(check(profile, pointOf(value)).findings).toEqual([
        { attr: at, code: 'invalid_choice', detail: 'The profile allows ELECTRICITY, HEAT.', severity: 'error' },
      ]);
    }
  });

  it('values: a type of transactions', () => {
    const send = (type: string) =>
      validateTransactions({ ...account, transactions: [{ ...transaction, type }] }, { profile });
    expect(send('WRITE_OFF')).toMatchObject({ ok: true, findings: [] });
    expect(send('GIFT').findings.map(({ attr, code }) => `${attr} ${code}`)).toEqual([
      'transactions.0.type invalid_choice',
    ]);
  });

  it('values: a value that the profile lists has no warning value_never_seen', () => {
    const supply_addresses = [{ supply_points: [{ payment_schedules: [{ means: 'COIN' }] }] }];
    const withValues = (values: Profile['values']) =>
      validateAccount({ ...account, supply_addresses }, { profile: { values } });
    expect(withValues({}).findings.map(({ code }) => code)).toContain('value_never_seen');
    const path = 'supply_addresses.*.supply_points.*.payment_schedules.*.means';
    expect(withValues({ Account: { [path]: ['COIN'] } }).findings.map(({ code }) => code)).not.toContain(
      'value_never_seen',
    );
  });

  it('fields: a text of any form', () => {
    const customers = [{ landline: 'ask the neighbours', date_of_birth: '31/12/1980' }];
    expect(check({}, { customers }).findings.map(({ code }) => code)).toEqual(['invalid_phone_number', 'invalid_date']);
    expect(check(profile, { customers })).toMatchObject({ ok: true, findings: [] });
  });

  it('fields: a value of another type is one error', () => {
    expect(check(profile, { customers: [{ landline: 7 }] }).findings).toEqual([
      {
        attr: 'customers.0.landline',
        code: 'invalid_type',
        detail: 'Expected a string, found a number.',
        severity: 'error',
      },
    ]);
  });

  it('the fields that identify a record stay required, and strings', () => {
    const lifting: Profile = { fields: { Account: { external_account_number: 'integer' } } };
    expect(validateAccount({ ...account, external_account_number: 7 }, { profile: lifting }).findings).toMatchObject([
      { attr: 'external_account_number', code: 'invalid_type' },
    ]);
  });
});

it('lengths: characters as people count them, or items', () => {
  const profile: Profile = { lengths: { Account: { billing_postcode: 5, customers: 1, 'customers.*.given_name': 3 } } };
  expect(check(profile, { billing_postcode: '69003', customers: [{ given_name: '😀😀😀' }] }).ok).toBe(true);
  expect(check(profile, { billing_postcode: '690033', customers: [{ given_name: 'Jean' }, {}] }).findings).toEqual([
    { attr: 'billing_postcode', code: 'max_length', detail: 'The profile allows at most 5.', severity: 'error' },
    { attr: 'customers', code: 'max_length', detail: 'The profile allows at most 1.', severity: 'error' },
    { attr: 'customers.0.given_name', code: 'max_length', detail: 'The profile allows at most 3.', severity: 'error' },
  ]);
});

it('the documented rules hold in addition to the profile', () => {
  const { findings } = check({ required: { Account: ['sales_channel'] } }, { billing_postcode: 7 });
  expect(findings.map(({ attr, code }) => `${attr} ${code}`)).toEqual([
    'billing_postcode invalid_type',
    'sales_channel required',
  ]);
});

describe('defineProfile', () => {
  it('accepts all JSON values, and returns them', () => {
    const profile: Profile = JSON.parse(
      '{"required":{"ProcessPayload":["dry_run"]},"values":{"Account":{"sales_channel":["WEB"]}},"fields":{"Account":{"x.*.y":"date"}},"lengths":{"BusinessPayload":{"business.company_name":255}}}',
    );
    expect(defineProfile(profile)).toEqual(profile);
    expect(defineProfile({})).toEqual({});
    const conditional = { required: { TransactionsPayload: ['transactions.*[type=CHARGE|CREDIT].reason'] } };
    expect(defineProfile(conditional)).toEqual(conditional);
  });

  it.each([
    [null, 'profile: expected an object of rules, found null.'],
    [[], 'profile: expected an object of rules, found a list.'],
    [{ requird: {} }, /^profile: no rule requird; did you mean required\?$/],
    [{ required: { Acount: ['x'] } }, /^profile: required\.Acount: /],
    [{ required: { Account: 'customers' } }, /^profile: required\.Account: /],
    [{ required: { Account: ['customers', 7] } }, /^profile: required\.Account\.1: /],
    [
      { required: { Account: ['customers', ''] } },
      /^profile: required\.Account\.1: Expected a path such as customers\.\*\.landline\.$/,
    ],
    [
      { values: { Account: { account_type: [{}] } } },
      /^profile: values\.Account\.account_type\.0: Expected a text, a number, true or false\.$/,
    ],
    [{ required: { Account: ['customers..email'] } }, /^profile: required\.Account\.0: Expected a path/],
    [{ required: { Account: ['customers[0].email x'] } }, /^profile: required\.Account\.0: Expected a path/],
    ...['*[type', '*[type]', '*[type=]', '*[type=A.B]', 'customers.*x', '[0]', 'a[type=A]', '.a', 'a.'].map(
      (path): [unknown, RegExp] => [
        { required: { TransactionsPayload: [path] } },
        /^profile: required\.TransactionsPayload\.0: Expected a path/,
      ],
    ),
    [{ values: { Account: { sales_channel: [] } } }, /^profile: values\.Account\.sales_channel: /],
    [{ values: { Account: { sales_channel: [{}] } } }, /^profile: values\.Account\.sales_channel\.0: /],
    [{ fields: { Account: { agreed: 'text' } } }, /^profile: fields\.Account\.agreed: /],
    [{ lengths: { Account: { billing_postcode: -1 } } }, /^profile: lengths\.Account\.billing_postcode: /],
    [
      { values: { Account: { billing_postcode: { length: { toString: 0 } } } } },
      /^profile: values\.Account\.billing_postcode: /,
    ],
    [{ lengths: { Account: { billing_postcode: '10' } } }, /^profile: lengths\.Account\.billing_postcode: /],
  ])('%j is refused with its path', (profile, message) => {
    const define = () => defineProfile(profile as never);
    expect(define).toThrow(TypeError);
    expect(define).toThrow(message);
  });
});

describe('a path that no payload can have is refused', () => {
  const declare = ' Declare a field of your deployment in fields.';

  it.each<[Profile, string]>([
    [
      { required: { Account: ['billing_poscode'] } },
      `required.Account: billing_poscode: no documented field billing_poscode; did you mean billing_postcode?${declare}`,
    ],
    [
      { values: { Account: { 'supply_addresses.*.supply_points.*.supply_typ': ['GAS'] } } },
      `values.Account: supply_addresses.*.supply_points.*.supply_typ: no documented field supply_typ; did you mean supply_type?${declare}`,
    ],
    [
      { lengths: { NotesPayload: { 'notes.body': 7 } } },
      `lengths.NotesPayload: notes.body: no documented field body; did you mean *.body?${declare}`,
    ],
    [
      { required: { ProcessPayload: ['toString'] } },
      `required.ProcessPayload: toString: no documented field toString; there are external_account_number, import_supplier_code, operations_team_name, dry_run.${declare}`,
    ],
    [
      { required: { TransactionsPayload: ['transactions.*[typ=PAYMENT].reference'] } },
      `required.TransactionsPayload: transactions.*[typ=PAYMENT].reference: no documented field typ; did you mean type?${declare}`,
    ],
    [
      { required: { Account: ['customers.*.loyalty'] }, fields: { Account: { 'notes.*.loyalty': 'integer' } } },
      'required.Account: customers.*.loyalty: no documented field loyalty; there are title, given_name,',
    ],
    [
      { required: { Account: ['billing_postcode.code'] } },
      'required.Account: billing_postcode.code: no documented field code. Declare a field of',
    ],
  ])('%j', (profile, message) => {
    expect(() => defineProfile(profile)).toThrow(TypeError);
    expect(() => defineProfile(profile)).toThrow(message);
  });

  it.each<Profile>([
    {
      required: { Account: ['loyalty', 'loyalty.level', 'customers.*.nick', 'customers.0.email'] },
      fields: { Account: { loyalty: 'object', 'customers.*.nick': 'string' } },
    },
    { required: { Account: ['more', 'more.level'] }, fields: { Account: { 'more.level': 'string' } } },
    { values: { Account: { 'supply_addresses.*.supply_points.*.consent_data.*': [true] } } },
    { values: { Account: { 'supply_addresses.*.supply_points.*.consent_data.OTHER': [true] } } },
    { lengths: { Account: { 'metadata.*.value.any.thing': 3, customers: 2, 'customers.*.*': 60 } } },
    { required: { TransactionsPayload: ['transactions.*[type=PAYMENT|REPAYMENT].reference'] } },
    {
      required: { BusinessPayload: ['business.business_contracts.*.versions.*.terms.*[term_type=DELAYER_DAYS].days'] },
    },
  ])('not %j', (profile) => {
    expect(defineProfile(profile)).toEqual(profile);
  });
});
