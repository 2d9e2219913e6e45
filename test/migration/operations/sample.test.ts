/** Sample inputs: what they contain, that the same options give the same input, and that the sandbox accepts them. */
import { describe, expect, test } from 'vitest';
import { openInput } from '../../../src/migration/input/open-input.js';
import { type SampleOptions, sampleRecords } from '../../../src/migration/operations/sample/sample.js';
import { checkRecord } from '../../../src/migration/record/steps/check-record.js';
import type { AccountRecord, BusinessRecord } from '../../../src/validation/records/import-record.js';
import { recordFindings } from '../../../src/validation/records/record-findings.js';
import { folderWith } from '../input/reading.js';
import { openRehearsal } from '../rehearsal.js';

const sampleLines = (options?: SampleOptions) => [...sampleRecords(options)];
const textOf = (options?: SampleOptions) =>
  sampleLines(options)
    .map(({ line }) => line)
    .join('\n');
const parsed = (options?: SampleOptions) =>
  sampleLines({ mistakes: 0, ...options }).map(
    ({ line }) => JSON.parse(line) as Partial<AccountRecord & BusinessRecord>,
  );

describe('what is in an input', () => {
  test('by default 3 businesses, then 200 accounts of the sandbox supplier, of which 12 have a mistake', () => {
    const lines = sampleLines();
    expect(lines).toHaveLength(203);
    expect(lines.slice(0, 4).map(({ line }) => line.slice(0, 12))).toEqual([
      '{"business":',
      '{"business":',
      '{"business":',
      '{"account":{',
    ]);
    expect(lines.filter(({ mistake }) => mistake !== undefined)).toHaveLength(12);
    expect(JSON.parse(lines[3]?.line ?? '')).toMatchObject({
      account: { import_supplier: 'SANDBOX_SUPPLIER', external_account_number: 'A-0000001' },
    });
  });

  test.each([
    [0, 3, 0],
    [1, 3, 1],
    [1499, 3, 1499],
    [2000, 4, 2000],
  ])('%i accounts come after %i businesses', (accounts, businesses, expected) => {
    const records = parsed({ accounts });
    expect(records.filter(({ business }) => business !== undefined)).toHaveLength(businesses);
    expect(records.slice(businesses).filter(({ account }) => account !== undefined)).toHaveLength(expected);
  });

  test('a line has about 3 kB, and no line end', () => {
    const lines = sampleLines({ accounts: 1000 }).map(({ line }) => line);
    const average = lines.reduce((sum, line) => sum + line.length, 0) / lines.length;
    expect(average).toBeGreaterThan(2700);
    expect(average).toBeLessThan(3600);
    expect(lines.filter((line) => line.includes('\n'))).toEqual([]);
  });

  test('has every field of the account payload, and every kind of contract term and transaction', () => {
    const records = parsed({ accounts: 100 });
    const fields = new Set(records.flatMap(({ account }) => Object.keys(account ?? {})));
    expect([...fields].sort()).toEqual([
      ...['account_campaigns', 'account_contracts', 'account_type', 'billing_address1', 'billing_address2'],
      ...['billing_address3', 'billing_address4', 'billing_postcode', 'business', 'customers'],
      ...['external_account_number', 'import_supplier', 'last_billed_to_date', 'metadata', 'notes', 'sales_channel'],
      ...['sales_subchannel', 'statements', 'supplementary_ledgers', 'supply_addresses', 'unknown_occupier'],
    ]);
    const contracts = records.flatMap(({ business }) => business?.business?.business_contracts ?? []);
    expect(contracts[0]?.versions?.[0]?.terms?.map(({ term_type }) => term_type)).toEqual([
      ...['CONTRACT_METADATA', 'PRODUCT_RATE_OVERRIDE_SCHEDULE', 'TERMINATION_FEE', 'ISSUANCE_FREQUENCY'],
      ...['GUARANTEE_OF_ORIGIN_CONFIGURATION', 'PAYS_BY_DIRECT_DEBIT', 'DELAYER_DAYS', 'RATE_GROUP_ELIGIBILITY'],
      ...['CHARACTERISTIC_OVERRIDE'],
    ]);
    const types = new Set(records.flatMap(({ transactions = [] }) => transactions.map(({ type }) => type)));
    expect([...types]).toEqual(['CHARGE', 'CREDIT', 'PAYMENT', 'REPAYMENT', 'SUPPLY_CHARGE']);
    const has = (part: 'notes' | 'statements' | 'payment_instruction') => records.some((record) => record[part]);
    expect([has('notes'), has('statements'), has('payment_instruction')]).toEqual([true, true, true]);
  });

  test('all contacts are invented: e-mails end in example.com, telephone numbers are reserved for fiction', () => {
    const customers = parsed({ accounts: 300 }).flatMap(({ account }) => account?.customers ?? []);
    expect(customers).toHaveLength(300);
    for (const { email, mobile, landline } of customers) {
      expect(email).toMatch(/^customer\.\d+@example\.com$/);
      expect(mobile).toMatch(/^\+3363998\d{4}$/);
      expect(landline).toMatch(/^(\+3319900\d{4})?$/);
    }
  });

  test('has no account number and no supply point twice', () => {
    const accounts = parsed({ accounts: 3000 }).flatMap(({ account }) => account ?? []);
    const points = accounts.flatMap(({ supply_addresses: [address] = [] }) => address?.supply_points ?? []);
    const identifiers = points.map(({ identifier }) => identifier);
    expect(new Set(accounts.map(({ external_account_number }) => external_account_number)).size).toBe(3000);
    expect(new Set(identifiers).size).toBe(identifiers.length);
  });

  test('every account of a business names a contract that its business declares', () => {
    const records = parsed({ accounts: 2000 });
    const declared = new Map(
      records.flatMap(({ business }) =>
        (business?.business?.business_contracts ?? []).map(({ identifier }) => [identifier, business?.business?.siret]),
      ),
    );
    const linked = records.flatMap(({ account }) => account?.business ?? []);
    expect(linked).toHaveLength(400);
    expect(linked.filter(({ business_contract_identifier: id, siret }) => declared.get(id) !== siret)).toEqual([]);
  });
});

describe('the same options give the same input', () => {
  test('from the same options, and by reading it twice', () => {
    const lines = sampleRecords({ accounts: 300, seed: 7 });
    expect([...lines]).toEqual([...lines]);
    expect(textOf({ accounts: 300, seed: 7 })).toBe(textOf({ accounts: 300, seed: 7 }));
  });

  test('another seed gives other data, and the same numbers and mistakes', () => {
    const [one, other] = [sampleLines({ seed: 1 }), sampleLines({ seed: 2 })];
    expect(one.map(({ mistake }) => mistake)).toEqual(other.map(({ mistake }) => mistake));
    expect(one.filter(({ line }, index) => line === other[index]?.line)).toEqual([]);
  });

  test('a longer input begins with the accounts of a shorter one', () => {
    expect(sampleLines({ accounts: 300 }).slice(0, 203)).toEqual(sampleLines({ accounts: 200 }));
  });
});

describe('records without a mistake', () => {
  test('pass the check, without so much as a warning', { tags: 'long' }, () => {
    for (const { line, mistake } of sampleRecords({ accounts: 1000, seed: 11 })) {
      if (mistake !== undefined) continue;
      expect([...recordFindings(JSON.parse(line), 0, { warnings: true })]).toEqual([]);
    }
  });
});

test('every business of an input of a million accounts passes the check, without so much as a warning', {
  tags: 'long',
}, () => {
  let businesses = 0;
  for (const { line } of sampleRecords({ accounts: 1_000_000 })) {
    const record = JSON.parse(line) as Partial<BusinessRecord>;
    if (record.business === undefined) break;
    businesses++;
    expect([...recordFindings(record, 0, { warnings: true })]).toEqual([]);
  }
  expect(businesses).toBe(2000);
});

describe('mistakes', () => {
  const EXPECTED: [name: string, shows: string, errors: { code: string; attr: string; didYouMean?: string }[]][] = [
    [
      'landline that is no telephone number',
      'check',
      [{ code: 'invalid_phone_number', attr: 'account.customers.0.landline' }],
    ],
    ['misspelt field', 'check', [{ code: 'unknown_field', attr: 'account.*', didYouMean: 'billing_postcode' }]],
    ['contract that no business has', 'service', []],
    ['date in another notation', 'check', [{ code: 'invalid_date', attr: 'account.last_billed_to_date' }]],
    ['payment instruction that the vendor does not confirm', 'service', []],
    [
      'mobile not in international form',
      'check',
      [{ code: 'invalid_phone_number', attr: 'account.customers.0.mobile' }],
    ],
    ['number of an earlier account', 'line', []],
    ['birthday that no calendar has', 'check', [{ code: 'invalid_date', attr: 'account.customers.0.date_of_birth' }]],
    [
      'unknown supply type',
      'check',
      [{ code: 'invalid_choice', attr: 'account.supply_addresses.0.supply_points.0.supply_type' }],
    ],
    ['line that is cut off', 'line', []],
    [
      'supply point as a number',
      'check',
      [{ code: 'invalid_type', attr: 'account.supply_addresses.0.supply_points.0.identifier' }],
    ],
    ['null instead of nothing', 'check', [{ code: 'null', attr: 'account.customers.0.email' }]],
    ['note without content', 'check', [{ code: 'required', attr: 'notes.0' }]],
    ['no account number', 'line', [{ code: 'required', attr: 'account.external_account_number' }]],
    ['transaction of an unknown type', 'check', [{ code: 'invalid_choice', attr: 'transactions.0.type' }]],
    [
      'amount as text',
      'check',
      [{ code: 'invalid_type', attr: 'account.supply_addresses.0.supply_points.0.payment_schedules.0.amount' }],
    ],
  ];

  test('are evenly spread, one kind after another, and each has its finding at the given field', () => {
    const made = sampleLines({ accounts: 160, mistakes: 0.1 }).filter(({ mistake }) => mistake !== undefined);
    expect(made.map(({ mistake }) => [mistake?.name, mistake?.shows])).toEqual(
      EXPECTED.map(([name, shows]) => [name, shows]),
    );
    const errors = made.map(({ line, mistake }) =>
      mistake?.name === 'line that is cut off' ? [] : checkRecord(JSON.parse(line), undefined),
    );
    expect(errors).toEqual(EXPECTED.map(([, , found]) => found));
  });

  test('are available in any share', () => {
    const count = (mistakes: number) =>
      sampleLines({ accounts: 1000, mistakes }).filter(({ mistake }) => mistake).length;
    expect([count(0), count(0.001), count(0.06), count(0.5), count(1)]).toEqual([0, 1, 60, 500, 1000]);
  });
});

test('the sandbox accepts all records except the deliberate mistakes', { tags: 'long' }, async () => {
  const { run, lines, sandbox } = openRehearsal();
  const { at } = await folderWith({ 'input.jsonl': textOf() });
  const ledger = await run([], undefined, { input: await openInput([at('input.jsonl')]) });
  // 3 businesses, 188 accounts without a mistake, and one of which only the payment instruction is refused.
  expect(await ledger.counts()).toEqual({
    total: 201,
    writes: expect.any(Number),
    unfinished: 0,
    intents: 0,
    ended: { created: 192, alreadyImported: 0, rejected: 9, unknown: 0 },
  });
  expect(lines.map(([line, { as, code }]) => [line, as, code])).toEqual([
    [120, 'skipped', 'contradicting_record'],
    [170, 'rejected', 'invalid_json'],
  ]);
  const refused: unknown[] = [];
  for await (const { number, outcome, errors } of ledger.list({ hasErrors: true })) {
    if (errors.some(({ step }) => step !== 'check')) refused.push([number, outcome, errors]);
  }
  expect(refused).toEqual([
    [
      'A-0000050',
      'rejected',
      [{ step: 'stage', code: 'business_contract_not_found', attr: 'business.business_contract_identifier' }],
    ],
    ['A-0000084', 'created', [{ step: 'paymentInstruction', code: 'payment_vendor_failure', attr: 'reference' }]],
  ]);
  expect(sandbox.state.suppliers[0]?.businesses).toHaveLength(3);
});

test.each<[SampleOptions, string]>([
  [{ accounts: -1 }, 'sampleRecords: accounts is -1; expected a whole number from 0.'],
  [{ accounts: 1.5 }, 'sampleRecords: accounts is 1.5; expected a whole number from 0.'],
  [{ accounts: Number.NaN }, 'sampleRecords: accounts is NaN; expected a whole number from 0.'],
  [{ seed: -3 }, 'sampleRecords: seed is -3; expected a whole number from 0.'],
  [{ supplier: '' }, 'sampleRecords: supplier is ; expected an import supplier code.'],
  [{ mistakes: 6 }, 'sampleRecords: mistakes is 6; expected a share from 0 to 1.'],
  [{ mistakes: Number.NaN }, 'sampleRecords: mistakes is NaN; expected a share from 0 to 1.'],
])('%j is refused', (options, message) => {
  expect(() => sampleRecords(options)).toThrow(new RangeError(message));
});
