/** Each advice rule: a case that fires, with its exact finding, and one that does not (DESIGN 4). */
import {
  validateAccount,
  validateBusiness,
  validateBusinessPaymentInstruction,
  validateHistoricalStatements,
  validateNotes,
  validatePaymentInstruction,
  validatePopulate,
  validateTransactions,
} from 'data-import-sdk';
import { describe, expect, it } from 'vitest';
import { ADVICE_RULES } from '../../src/validation/advice.js';

const ids = { import_supplier: 'ACME', external_account_number: 'A-1' };
const businessIds = { import_supplier_code: 'ACME', external_business_identifier: 'B-1' };

const onAccount = (fields: object) => validateAccount({ ...ids, ...fields });
const onPoint = (point: object) =>
  onAccount({ supply_addresses: [{}, { supply_points: [{ identifier: '01234567890123', ...point }] }] });
const onBusiness = (fields: object) => validateBusiness({ ...businessIds, business: fields });
const onContract = (contract: object) => onBusiness({ business_contracts: [{ identifier: 'C-1', ...contract }] });
const onAccountContract = (contract: object) => onAccount({ account_type: 'BUSINESS', account_contracts: [contract] });
const onTerm = (term: object) => onContract({ versions: [{ terms: [term] }] });
const onTransaction = (fields: object) =>
  validateTransactions({ ...ids, transactions: [{ type: 'CHARGE', transaction_id: 'T-1', ...fields }] });

const POINT = 'supply_addresses.1.supply_points.0';
const TERM = 'business.business_contracts.0.versions.0.terms.0';
const seen = (known: string) => `The document shows ${known}; others may be right, and may be misspelt.`;

type Check = (fields: object) => { ok: boolean; findings: unknown[] };

/** Code, what is checked, a case that fires, where, what it says, and cases that do not fire. */
const rules: [string, Check, object, string, string, object[]][] = [
  [
    'siret_check_digit',
    (business) => onAccount({ account_type: 'BUSINESS', business }),
    { siret: '73282932000075' },
    'business.siret',
    'A SIRET has 14 digits, the last of which is a check digit; this one does not fit.',
    [{ siret: '73282932000074' }, {}],
  ],
  [
    'siret_check_digit',
    onBusiness,
    { siret: '732829320' },
    'business.siret',
    'A SIRET has 14 digits, the last of which is a check digit; this one does not fit.',
    [{ siret: '40483304800022' }],
  ],
  [
    'point_id_length',
    onPoint,
    { identifier: '1234567890123' },
    `${POINT}.identifier`,
    'Point ids usually have 14 characters; a leading zero may have been lost.',
    [{ identifier: '01234567890123' }, { identifier: 'GI000000000001' }],
  ],
  [
    'point_id_length',
    validatePopulate,
    { prm_ids: ['01234567890123', '1'] },
    'prm_ids.1',
    'Point ids usually have 14 characters; a leading zero may have been lost.',
    [{ prm_ids: ['01234567890123'] }, { prm_ids: [] }],
  ],
  [
    'point_id_length',
    validatePopulate,
    { pce_ids: [''] },
    'pce_ids.0',
    'Point ids usually have 14 characters; a leading zero may have been lost.',
    [{ pce_ids: ['GI000000000001'] }],
  ],
  [
    'supply_point_without_identifier',
    onPoint,
    { identifier: undefined },
    `${POINT}.identifier`,
    'A supply point without identifier names no point.',
    [{}],
  ],
  [
    'consent_of_other_supply_type',
    onPoint,
    { supply_type: 'GAS', consent_data: { ELEC_CURVES: true } },
    `${POINT}.consent_data.ELEC_CURVES`,
    'This consent belongs to the other supply type: ELEC_* to ELECTRICITY, GAS_* to GAS.',
    [
      { supply_type: 'ELECTRICITY', consent_data: { ELEC_CURVES: true, ELEC_INDEXES: false } },
      { supply_type: 'GAS', consent_data: { GAS_INDEXES: true } },
      { consent_data: { ELEC_CURVES: true, GAS_INDEXES: true } },
      { supply_type: 'GAS' },
    ],
  ],
  [
    'consent_of_other_supply_type',
    onPoint,
    { supply_type: 'ELECTRICITY', consent_data: { GAS_INDEXES: false } },
    `${POINT}.consent_data.GAS_INDEXES`,
    'This consent belongs to the other supply type: ELEC_* to ELECTRICITY, GAS_* to GAS.',
    [],
  ],
  [
    'consent_never_seen',
    onPoint,
    { consent_data: { ELEC_CURVE: true } },
    `${POINT}.consent_data.ELEC_CURVE`,
    'The document shows ELEC_CURVES, ELEC_INDEXES, GAS_INDEXES; this name may be misspelt.',
    [{ consent_data: { ELEC_INDEXES: true } }, { consent_data: {} }],
  ],
  [
    'unpin_without_pin',
    (note) => onAccount({ notes: [{ body: 'x', ...note }] }),
    { unpin_at: '2024-01-01T00:00:00Z' },
    'notes.0.unpin_at',
    'unpin_at is given and is_pinned is not true.',
    [{ unpin_at: '2024-01-01T00:00:00Z', is_pinned: true }, { is_pinned: false }],
  ],
  [
    'unpin_without_pin',
    (note) => validateNotes({ ...ids, notes: [{ body: 'x', ...note }] }),
    { unpin_at: '2024-01-01T00:00:00Z', is_pinned: false },
    'notes.0.unpin_at',
    'unpin_at is given and is_pinned is not true.',
    [{}],
  ],
  [
    'empty_note',
    (note) => validateNotes({ ...ids, notes: [note] }),
    { body: '' },
    'notes.0',
    'The note has neither text nor documents.',
    [
      { body: 'x' },
      { document_paths: [{ document_path: 'a.pdf' }] },
      { body: '', document_paths: [{ document_path: 'a.pdf' }] },
    ],
  ],
  [
    'empty_note',
    (note) => onAccount({ notes: [note] }),
    { document_paths: [] },
    'notes.0',
    'The note has neither text nor documents.',
    [{ body: 'x', document_paths: [] }],
  ],
  [
    'business_fields_on_domestic_account',
    onAccount,
    { business: {} },
    'business',
    'Only business accounts have this; account_type is missing.',
    [{ account_type: 'BUSINESS', business: {}, account_contracts: [] }, {}],
  ],
  [
    'business_fields_on_domestic_account',
    onAccount,
    { account_contracts: [] },
    'account_contracts',
    'Only business accounts have this; account_type is missing.',
    [],
  ],
  [
    'contract_without_identifier',
    onContract,
    { identifier: undefined },
    'business.business_contracts.0.identifier',
    'Without identifier no account can be linked to this contract.',
    [{}],
  ],
  [
    'transaction_without_id',
    onTransaction,
    { transaction_id: undefined },
    'transactions.0.transaction_id',
    'Without transaction_id the service may not recognise this transaction when it is sent again.',
    [{}],
  ],
  [
    'agreement_dates_out_of_order',
    (agreement) => onPoint({ agreements: [agreement] }),
    { effective_from: '2024-03-02', effective_to: '2024-03-01' },
    `${POINT}.agreements.0.effective_to`,
    'effective_to lies before effective_from.',
    [
      { effective_from: '2024-03-01', effective_to: '2024-03-01' },
      { effective_from: '2024-03-01' },
      { effective_to: '2024-03-01' },
    ],
  ],
  [
    'bill_period_out_of_order',
    (statement) => onAccount({ statements: [statement] }),
    { bill_period_from_date: '2024-03-02', bill_period_to_date: '2024-03-01' },
    'statements.0.bill_period_to_date',
    'bill_period_to_date lies before bill_period_from_date.',
    [{ bill_period_from_date: '2024-03-01', bill_period_to_date: '2024-03-31' }],
  ],
  [
    'bill_period_out_of_order',
    (statement) => validateHistoricalStatements({ ...ids, statements: [statement] }),
    { bill_period_from_date: '2024-03-02', bill_period_to_date: '2023-12-31' },
    'statements.0.bill_period_to_date',
    'bill_period_to_date lies before bill_period_from_date.',
    [{ bill_period_from_date: '2024-03-01', bill_period_to_date: '2024-03-31' }],
  ],
  [
    'protection_out_of_order',
    (cheque) => onAccount({ supplementary_ledgers: [{ energy_cheques: [cheque] }] }),
    { protection_from: '2024-03-02', protection_to: '2024-03-01' },
    'supplementary_ledgers.0.energy_cheques.0.protection_to',
    'protection_to lies before protection_from.',
    [{ protection_from: '2024-03-01', protection_to: '2024-03-02' }],
  ],
  [
    'line_item_dates_out_of_order',
    (item) => onTransaction({ line_items: [item] }),
    { start_date: '2024-03-31', end_date: '2024-03-01' },
    'transactions.0.line_items.0.end_date',
    'end_date lies before start_date.',
    [{ start_date: '2024-03-01', end_date: '2024-03-31' }],
  ],
  [
    'contract_signed_after_start',
    onContract,
    { signed_at_date: '2024-03-02', valid_from_date: '2024-03-01' },
    'business.business_contracts.0.valid_from_date',
    'valid_from_date lies before signed_at_date.',
    [{ signed_at_date: '2024-03-01', valid_from_date: '2024-03-01' }],
  ],
  [
    'contract_signed_after_start',
    onAccountContract,
    { signed_at_date: '2024-03-02', valid_from_date: '2024-03-01' },
    'account_contracts.0.valid_from_date',
    'valid_from_date lies before signed_at_date.',
    [{ signed_at_date: '2024-02-01', valid_from_date: '2024-03-01' }],
  ],
  [
    'value_never_seen',
    onAccount,
    { account_type: 'PROFESSIONAL' },
    'account_type',
    seen('BUSINESS'),
    [{ account_type: 'BUSINESS' }, {}],
  ],
  [
    'value_never_seen',
    (schedule) => onPoint({ payment_schedules: [schedule] }),
    { frequency: 'Monthly' },
    `${POINT}.payment_schedules.0.frequency`,
    seen('MONTHLY'),
    [{ frequency: 'MONTHLY' }, {}],
  ],
  [
    'value_never_seen',
    (schedule) => onPoint({ payment_schedules: [schedule] }),
    { means: 'CARD' },
    `${POINT}.payment_schedules.0.means`,
    seen('DD'),
    [{ means: 'DD' }],
  ],
  [
    'value_never_seen',
    (instruction) => onPoint({ payment_instructions: [instruction] }),
    { type: 'CARD' },
    `${POINT}.payment_instructions.0.type`,
    seen('DIRECT_DEBIT'),
    [{ type: 'DIRECT_DEBIT' }],
  ],
  [
    'value_never_seen',
    (fields) => validatePaymentInstruction({ ...ids, vendor: 'V', reference: 'R', ...fields }),
    { type: 'CASH' },
    'type',
    seen('CARD'),
    [{ type: 'CARD' }, {}],
  ],
  [
    'value_never_seen',
    (fields) => validateBusinessPaymentInstruction({ ...businessIds, vendor: 'V', reference: 'R', ...fields }),
    { type: 'CASH' },
    'type',
    seen('CARD'),
    [{ type: 'CARD' }],
  ],
  [
    'value_never_seen',
    onTransaction,
    { reason: 'BALANCE' },
    'transactions.0.reason',
    seen('IMPORTED_CHARGE, IMPORTED_CREDIT, ACCOUNT_CHARGE_PAYMENT, FULL_CREDIT_REFUND, GENERAL_CREDIT'),
    [{ reason: 'GENERAL_CREDIT' }],
  ],
  [
    'value_never_seen',
    onTransaction,
    { payment_type: 'CHEQUE' },
    'transactions.0.payment_type',
    seen('DD_REGULAR_COLLECTION, DIRECT_CREDIT, DEBIT_CARD'),
    [{ payment_type: 'DEBIT_CARD' }],
  ],
  [
    'value_never_seen',
    (item) => onTransaction({ tax_items: [item] }),
    { tax_type: 'TVA' },
    'transactions.0.tax_items.0.tax_type',
    seen('VAT'),
    [{ tax_type: 'VAT' }],
  ],
  [
    'value_never_seen',
    (item) => onTransaction({ tax_items: [item] }),
    { unit_type: 'PERCENT' },
    'transactions.0.tax_items.0.unit_type',
    seen('PROPORTION'),
    [{ unit_type: 'PROPORTION' }],
  ],
  [
    'value_never_seen',
    (term) => onTerm({ term_type: 'TERMINATION_FEE', ...term }),
    { fee_type: 'PERCENT' },
    `${TERM}.fee_type`,
    seen('FLAT'),
    [{ fee_type: 'FLAT' }],
  ],
  [
    'value_never_seen',
    (term) => onTerm({ term_type: 'TERMINATION_FEE', ...term }),
    { supply_type: 'WATER' },
    `${TERM}.supply_type`,
    seen('ELECTRICITY, GAS'),
    [{ supply_type: 'GAS' }],
  ],
  [
    'value_never_seen',
    (term) => onTerm({ term_type: 'ISSUANCE_FREQUENCY', ...term }),
    { frequency: 'YEARLY' },
    `${TERM}.frequency`,
    seen('MONTHLY'),
    [{ frequency: 'MONTHLY' }],
  ],
  [
    'value_never_seen',
    (term) => onTerm({ term_type: 'DELAYER_DAYS', ...term }),
    { strategy: 'LATER' },
    `${TERM}.strategy`,
    seen('FIXED'),
    [{ strategy: 'FIXED' }],
  ],
  [
    'value_never_seen',
    (term) => onAccountContract({ versions: [{ terms: [{ term_type: 'DELAYER_DAYS', ...term }] }] }),
    { strategy: 'LATER' },
    'account_contracts.0.versions.0.terms.0.strategy',
    seen('FIXED'),
    [{ strategy: 'FIXED' }],
  ],
];

describe.each(rules)('%s %#', (code, check, fires, attr, detail, quiet) => {
  it('fires, once, and does not block', () => {
    expect(check(fires)).toEqual({ ok: true, findings: [{ code, attr, detail, severity: 'advice' }] });
  });

  it.each(quiet)('is quiet on %o', (fields) => {
    expect(check(fields)).toEqual({ ok: true, findings: [] });
  });
});

it('no rule of the table is without a case', () => {
  const places = ADVICE_RULES.flatMap(({ code, at }) =>
    Object.values(at)
      .flat()
      .map((pattern) => `${code} ${pattern}`),
  );
  const proven = rules.map(([code, , , attr]) => `${code} ${attr}`);
  const unproven = places.filter((place) => {
    const [code = '', pattern = ''] = place.split(' ');
    const path = new RegExp(`^${code} ${pattern.replaceAll('.', '\\.').replaceAll('*', '\\d+')}`);
    return !proven.some((attr) => path.test(attr));
  });
  // Terms of accounts and of businesses are looked at by one rule; one of them is proven for accounts.
  expect(unproven).toEqual([
    'value_never_seen account_contracts.*.versions.*.terms.*.fee_type',
    'value_never_seen account_contracts.*.versions.*.terms.*.frequency',
    'value_never_seen account_contracts.*.versions.*.terms.*.supply_type',
  ]);
});

it('every rule says why it exists and where that is written', () => {
  for (const { code, detail, source } of ADVICE_RULES) {
    expect(code).toMatch(/^[a-z_]+$/);
    expect(detail).toMatch(/\.$/);
    expect(source).toMatch(/^(document|relatives): \S/);
  }
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
])('advice looks into %j without failing', (payload) => {
  expect(() => validateAccount(payload)).not.toThrow();
  expect(() => validateBusiness(payload)).not.toThrow();
  expect(() => validateTransactions(payload)).not.toThrow();
});
