/**
 * Each warning rule, with its places and what is no case of it: warning-rules.txt. A line is a check, what it is given (as an
 * object, or a field with several values, one at a time) and the path of the only finding, or "nothing".
 */
import { readFileSync } from 'node:fs';
import {
  validateAccount,
  validateBusiness,
  validateBusinessPaymentInstruction,
  validateHistoricalStatements,
  validateNotes,
  validatePaymentInstruction,
  validatePopulate,
  validateProcess,
  validateTransactions,
} from 'data-import-sdk';
import { describe, expect, it } from 'vitest';
import { VALUE_RULES } from '../../../src/validation/warnings/rules.js';

type Fields = Record<string, unknown>;

const ids = { import_supplier: 'ACME', external_account_number: 'A-1' };
const businessIds = { import_supplier_code: 'ACME', external_business_identifier: 'B-1' };
const processIds = { external_account_number: 'A-1', import_supplier_code: 'ACME', operations_team_name: 'M' };
const dated = { transaction_date: '2024-01-01', amount: 1 };

const account = (fields: object) => validateAccount({ ...ids, ...fields });
const point = (fields: object) =>
  account({ supply_addresses: [{}, { supply_points: [{ identifier: '01234567890123', ...fields }] }] });
const business = (fields: object) => validateBusiness({ ...businessIds, business: fields });
const contract = (fields: object) => business({ business_contracts: [{ identifier: 'C-1', ...fields }] });
const businessAccount = (fields: object) =>
  account({ account_type: 'BUSINESS', business: { business_contract_identifier: 'C-1' }, ...fields });
const accountContract = (fields: object) => businessAccount({ account_contracts: [fields] });
const transactions = (fields: object) => validateTransactions({ ...ids, ...fields });
const transaction = (fields: object) =>
  transactions({ transactions: [{ type: 'CHARGE', transaction_id: 'T-1', ...dated, ...fields }] });
const statements = (fields: object) => validateHistoricalStatements({ ...ids, ...fields });
const notes = (list: unknown) => validateNotes({ ...ids, notes: list });

const CHECKS: Record<string, (fields: Fields) => { ok: boolean; findings: unknown[] }> = {
  ...{
    account,
    point,
    business,
    contract,
    businessAccount,
    accountContract,
    transactions,
    transaction,
    statements,
    notes,
  },
  note: (fields) => notes([fields]),
  wholeNotes: (fields) => validateNotes({ ...ids, ...fields }),
  wholeBusiness: (fields) => validateBusiness({ ...businessIds, ...fields }),
  term: (fields) => contract({ versions: [{ terms: [fields] }] }),
  accountTerm: (fields) => accountContract({ versions: [{ terms: [fields] }] }),
  supplyCharge: (fields) => transaction({ type: 'SUPPLY_CHARGE', product_code: 'P', line_items: [{}], ...fields }),
  payment: (fields) => transaction({ type: 'PAYMENT', reference: 'R-1', ...fields }),
  statement: (fields) => statements({ statements: [{ statement_id: 'S-1', ...fields }] }),
  customer: (fields) => account({ customers: [fields] }),
  schedule: (fields) => point({ payment_schedules: [{ amount: 24.5, ...fields }] }),
  instruction: (fields) => validatePaymentInstruction({ ...ids, vendor: 'V', reference: 'R', ...fields }),
  businessInstruction: (fields) =>
    validateBusinessPaymentInstruction({ ...businessIds, vendor: 'V', reference: 'R', ...fields }),
  process: (fields) => validateProcess({ ...processIds, ...fields }),
  populate: (fields) => validatePopulate(fields),
};

interface Case {
  code: string;
  detail: string;
  check: string;
  given: Fields[];
  /** Undefined where nothing is found. */
  attr: string | undefined;
}

const cases: [line: string, of: Case][] = [];
let heading: readonly string[] = [];
for (const line of readFileSync(new URL('warning-rules.txt', import.meta.url), 'utf8')
  .trimEnd()
  .split('\n')) {
  if (!line.startsWith(' ')) heading = /^(\w+): (.*)$/.exec(line)?.slice(1) ?? [];
  else {
    const [code = '', detail = ''] = heading;
    const [, check = '', field = '', json = '', path = ''] =
      /^ {2}(\w+) (?:(\w+) )?([[{].*) -> (\S+)$/.exec(line) ?? [];
    const value = JSON.parse(json);
    const one = (each: unknown) => ({ [field]: each === '<missing>' ? undefined : each });
    const given: Fields[] = field === '' ? [value] : value.map(one);
    const attr = path === 'nothing' ? undefined : path.replace('(payload)', '');
    cases.push([`${code}:${line.slice(1)}`, { code, detail, check, given, attr }]);
  }
}

it.each(cases)('%s', (_, { code, detail, check, given, attr }) => {
  const severity = ['scientific_notation', 'unreadable_value'].includes(code) ? 'error' : 'warning';
  const ok = severity === 'warning';
  for (const fields of given) {
    const result = CHECKS[check]?.(fields);
    if (attr === undefined) expect([fields, result]).toMatchObject([fields, { ok: true, findings: [] }]);
    else if (ok) expect([fields, result]).toMatchObject([fields, { ok, findings: [{ code, attr, detail, severity }] }]);
    else {
      // Next to it there are warnings about the same text.
      expect(result?.ok).toBe(false);
      expect(result?.findings).toContainEqual({ code, attr, detail, severity });
    }
  }
});

it('a value that is wrong has no warning as well', () => {
  const transactions = [{ type: 'CHARGE', transaction_id: 'T-1', ...dated, reason: '⁇X' }];
  expect(validateTransactions({ ...ids, transactions }).findings).toEqual([
    {
      code: 'unreadable_value',
      attr: 'transactions.0.reason',
      severity: 'error',
      detail: 'The mapping or query could not read a value, and wrote ⁇ before it.',
    },
  ]);
});

it('the same statement_id twice in historical statements is an error', () => {
  const statements = [{ statement_id: 'S-1' }, {}, {}, { statement_id: 'S-1', number: '2' }, { statement_id: 'S-2' }];
  expect(validateHistoricalStatements({ ...ids, statements })).toMatchObject({
    ok: false,
    findings: [{ code: 'duplicate_statement', attr: 'statements.3.statement_id', severity: 'error' }],
  });
});

describe('scientific notation in an identifier', () => {
  it.each([
    ...['1.23E+13', '1,23E+13', '1.23e+13', '1.23E13', '1.0E7', '1E+13', ' 1.2E+13 ', '1.2345678901234E13', '2E+05'],
    ...['4.711E+03', '1.23E+04', '7E+00', '1.5E+2', '1.23456E+3', '12.3E+3', '0.5E+13', '1E+100'],
  ])('%j is one', (transaction_id) => {
    expect(transaction({ transaction_id })).toMatchObject({ ok: false });
  });

  it.each(['1E5', '1E13', '2E3', '1.23E', 'E+13', 'A1.23E+13', '1.2.3E+13', '1.23E-5'])(
    '%j is none: no program writes an identifier so',
    (transaction_id) => {
      expect(transaction({ transaction_id })).toMatchObject({ ok: true });
    },
  );

  it('two transactions with such an id are not called duplicates', () => {
    const charge = { type: 'CHARGE', transaction_id: '1.23457E+13', ...dated };
    const { findings } = validateTransactions({ ...ids, transactions: [charge, charge] });
    expect(findings.map(({ code }) => code)).toEqual(['scientific_notation', 'scientific_notation']);
  });

  it('a profile can allow it where the deployment has such identifiers', () => {
    const profile = { fields: { TransactionsPayload: { 'transactions.*.transaction_id': 'string' as const } } };
    const transactions = [{ type: 'CHARGE', transaction_id: '1.23457E+13', ...dated }];
    expect(validateTransactions({ ...ids, transactions }, { profile })).toMatchObject({ ok: true, findings: [] });
  });
});

it('each rule has a case for each of its places', () => {
  const places = VALUE_RULES.flatMap(({ code, at }) =>
    Object.values(at)
      .flat()
      .map((pattern) => `${code} ${pattern}`),
  );
  const proven = cases.map(([, { code, attr }]) => `${code} ${attr}`);
  // `**` is each text of the payload.
  const unproven = places.filter((place) => {
    const [code = '', pattern = ''] = place.split(' ');
    const parts = pattern
      .replace(/\[.*?\]/g, '')
      .replaceAll('.', '\\.')
      .replaceAll('**', '.+')
      .replaceAll('*', '\\d+');
    const path = new RegExp(`^${code} ${parts}`);
    return !proven.some((attr) => path.test(attr));
  });
  // Terms of accounts and of businesses are looked at by one rule; one of them is proven for accounts.
  expect(unproven).toEqual([
    'value_never_seen account_contracts.*.versions.*.terms.*.fee_type',
    'value_never_seen account_contracts.*.versions.*.terms.*.frequency',
    'value_never_seen account_contracts.*.versions.*.terms.*.supply_type',
  ]);
});

it('each rule has a code and a sentence', () => {
  for (const { code, detail } of VALUE_RULES) {
    expect(code).toMatch(/^[a-z_]+$/);
    expect(detail).toMatch(/\.$/);
  }
});

it('each rule has a comment with its source', () => {
  const lines = readFileSync('src/validation/warnings/rules.ts', 'utf8').split('\n');
  const rows = lines.flatMap((line, index) => (/^ {2}\{(?: \.\.\.|$)/.test(line) ? [index] : []));
  expect(rows).not.toEqual([]);
  for (const row of rows) expect(lines[row - 1]).toMatch(/^ {2}\/\/ (spec|relatives|exports): \S/);
});

it.each([
  undefined,
  null,
  7,
  'x',
  [],
  { notes: 7 },
  { notes: [null, 7] },
  { business: [] },
  { supply_addresses: { x: null } },
])('the warning rules accept a payload of any shape: %j', (payload) => {
  expect(() => validateAccount(payload)).not.toThrow();
  expect(() => validateBusiness(payload)).not.toThrow();
  expect(() => validateTransactions(payload)).not.toThrow();
});
