/** Each warning rule: a case with its exact finding, and one without. */
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

const ids = { import_supplier: 'ACME', external_account_number: 'A-1' };
const businessIds = { import_supplier_code: 'ACME', external_business_identifier: 'B-1' };

const onAccount = (fields: object) => validateAccount({ ...ids, ...fields });
const onPoint = (point: object) =>
  onAccount({ supply_addresses: [{}, { supply_points: [{ identifier: '01234567890123', ...point }] }] });
const onBusiness = (fields: object) => validateBusiness({ ...businessIds, business: fields });
const onContract = (contract: object) => onBusiness({ business_contracts: [{ identifier: 'C-1', ...contract }] });
const business = { business_contract_identifier: 'C-1' };
const onBusinessAccount = (fields: object) => onAccount({ account_type: 'BUSINESS', business, ...fields });
const onAccountContract = (contract: object) => onBusinessAccount({ account_contracts: [contract] });
const onTerm = (term: object) => onContract({ versions: [{ terms: [term] }] });
const dated = { transaction_date: '2024-01-01', amount: 1 };
const onTransaction = (fields: object) =>
  validateTransactions({ ...ids, transactions: [{ type: 'CHARGE', transaction_id: 'T-1', ...dated, ...fields }] });

const onSupplyCharge = (fields: object) =>
  onTransaction({ type: 'SUPPLY_CHARGE', product_code: 'P', line_items: [{}], ...fields });
const onPayment = (fields: object) => onTransaction({ type: 'PAYMENT', reference: 'R-1', ...fields });
const onStatement = (fields: object) =>
  validateHistoricalStatements({ ...ids, statements: [{ statement_id: 'S-1', ...fields }] });
const onNotes = (...notes: object[]) => validateNotes({ ...ids, notes });
const onCustomer = (customer: object) => onAccount({ customers: [customer] });
const onSchedule = (schedule: object) => onPoint({ payment_schedules: [{ amount: 24.5, ...schedule }] });
const onAccountTerm = (term: object) => onAccountContract({ versions: [{ terms: [term] }] });

const POINT = 'supply_addresses.1.supply_points.0';
const TERM = 'business.business_contracts.0.versions.0.terms.0';
const seen = (known: string) => `Seen so far: ${known}. Others may be right, and may be misspelt.`;

type Check = (fields: object) => { ok: boolean; findings: unknown[] };

/** Code, what is checked, a case that fires, where, what it says, and cases that do not fire. */
type Case = [string, Check, object, string, string, object[]];

const DATE = 'Programs write such a date where they have none. Correct it, or leave the field out.';
const PROGRAM =
  'A program writes this where it has no value or an error, such as #N/A. Correct it, or leave the field out.';
const GARBLED =
  'The characters look like those of a text that was read in the wrong encoding, such as Ã© for é. Export it again in UTF-8, or name its encoding.';
const LANDLINE = 'The number is no mobile number in the numbering plan of its country: it may belong into landline.';

const rules: Case[] = [
  [
    'text_of_program',
    onCustomer,
    { family_name: '#N/A' },
    'customers.0.family_name',
    PROGRAM,
    ['#1', '# 12', 'Null', 'Nan', 'N/A', 'Err: 5', 'the #N/A', '#wow!'].map((family_name) => ({ family_name })),
  ],
  // In the languages of spreadsheet programs, of databases and of scripts.
  ...[
    ...['#REF!', '#VALUE!', '#NAME?', '#DIV/0!', '#NUM!', '#NULL!', '#SPILL!', '#GETTING_DATA', '#####', 'Err:502'],
    ...['#NV', '#BEZUG!', '#WERT!', '#ZAHL!', '#ÜBERLAUF!', '#VALEUR!', '#NOM?', '#NOMBRE!', '#¡REF!', '#¿NOMBRE?'],
    ...['#RIF!', '#VALORE!', '#N/D', '#VERW!', '#WAARDE!', '#DEEL/0!', '#N/B', '#ARG!', ' #NÚM! ', 'NULL', 'null'],
    ...['NaN', 'undefined', '[object Object]', '\\N', '<NA>', 'None'],
  ].map((note): Case => ['text_of_program', onTransaction, { note }, 'transactions.0.note', PROGRAM, []]),
  [
    'garbled_text',
    onCustomer,
    { given_name: 'NoÃ«l' },
    'customers.0.given_name',
    GARBLED,
    [
      ...['Noël', 'Loïc', 'JOÃO', 'Ângela', 'GARÇON', 'Ærøskøbing', 'ÎLE-DE-FRANCE', 'Łódź', 'Ødegård', 'Strauß'],
      ...['Škoda', 'ŽELJKO', 'O’Brien', '« Café »', '„Zur Post“', '“JOSÉ”', 'Hôtel…', 'Œuvre', 'Στέλιος', 'Наталья'],
      ...['O´Brien', 'Müller †', 'BioÉnergie', '5 €', '100 °C', 'Bjørn–Åse', 'ÅSE', 'Ä', 'Jürgen Ü.', '‘Ö’', 'Đorđe'],
    ].map((given_name) => ({ given_name })),
  ],
  ...[
    ...[
      'Ã©',
      'LâAllÃ©e',
      'lâ€™eau',
      '5 â‚¬',
      'Å“uvre',
      'KraÅ¡',
      'Â°',
      'ï»¿Jean',
      'ï¿½',
      'ðŸ˜€',
      'Ã€ la',
      'ÎœÎ±ÏÎ¯Î±',
      'ÐÐ½Ð½Ð°',
    ],
    ...[
      'No√´l',
      'l‚Äôeau',
      'No├½l',
      'No├ël',
      'No\ufffdl',
      'Andr\u0082',
      'No‰l',
      'Andr‚',
      'Fran‡ois',
      'M¸ller',
      'MuÒoz',
      'FranÁois',
    ],
    ...['AndrÈ', 'FranŠois', 'K„se'],
  ].map((body): Case => ['garbled_text', (note) => onNotes(note), { body }, 'notes.0.body', GARBLED, []]),
  [
    'html_entity',
    onCustomer,
    { family_name: 'O&#39;Brien' },
    'customers.0.family_name',
    'Contains a character in the form of a web page, such as &amp; for &. Export the plain text.',
    ['Dupont & Fils; Nantes', 'R&D', 'A&B;', 'M&S'].map((family_name) => ({ family_name })),
  ],
  ...['A &amp; B', '&eacute;t&eacute;', '&#x27;', '&nbsp;'].map(
    (note): Case => [
      'html_entity',
      onTransaction,
      { note },
      'transactions.0.note',
      'Contains a character in the form of a web page, such as &amp; for &. Export the plain text.',
      [],
    ],
  ),
  [
    'question_mark_in_word',
    onCustomer,
    { given_name: 'Fran?ois' },
    'customers.0.given_name',
    'A question mark within a word often stands for a letter that an encoding lacks. Export the text in UTF-8.',
    [{ given_name: 'François?' }, { given_name: '? Jean' }],
  ],
  [
    'default_date',
    onCustomer,
    { date_of_birth: '1900-01-01' },
    'customers.0.date_of_birth',
    DATE,
    ['1901-01-01', '1970-01-02', '2098-12-31', '1980-01-01'].map((date_of_birth) => ({ date_of_birth })),
  ],
  ...[
    '0001-01-01',
    '1753-01-01',
    '1899-12-30',
    '1900-07-14',
    '1904-01-01',
    '1970-01-01',
    '2099-01-01',
    '9999-12-31',
  ].map(
    (transaction_date): Case => [
      'default_date',
      onTransaction,
      { transaction_date },
      'transactions.0.transaction_date',
      DATE,
      [],
    ],
  ),
  [
    'default_date',
    (note) => onNotes({ body: 'x', ...note }),
    { created_at: '1969-12-31T23:00:00Z' },
    'notes.0.created_at',
    DATE,
    [{ body: '1900-01-01 was a Monday' }],
  ],
  [
    'landline_in_mobile',
    onCustomer,
    { mobile: '+33 1 23 45 67 89' },
    'customers.0.mobile',
    LANDLINE,
    [
      ...['+33612345678', '+33 7 12 34 56 78', '+33 (0)6 12 34 56 78', '+44 7700 900123', '+44 (0)7700 900123'],
      ...['+4915112345678', '+34 612 345 678', '+39 333 1234567', '+31612345678', '+32 470 12 34 56'],
      // Of other countries, in which a number does not tell.
      ...['+1 202 555 0123', '+262 692 12 34 56', '+377 6 12 34 56 78'],
    ].map((mobile) => ({ mobile })),
  ],
  ...[
    '+44 20 7946 0958',
    '+49 30 123456',
    '+34 912 345 678',
    '+39 06 1234567',
    '+31 20 123 4567',
    '+33 (0)1 23 45 67 89',
  ].map((mobile): Case => ['landline_in_mobile', onCustomer, { mobile }, 'customers.0.mobile', LANDLINE, []]),
  [
    'mandate_without_date',
    (instruction) => onPoint({ payment_instructions: [{ vendor: 'V', reference: 'R', ...instruction }] }),
    { type: 'DIRECT_DEBIT' },
    `${POINT}.payment_instructions.0.valid_from`,
    'A direct debit has the date from which its mandate is valid, and it is missing.',
    [{ type: 'DIRECT_DEBIT', valid_from: '2024-01-01' }, { type: 'CARD' }, {}],
  ],
  ...[{ amount: undefined }, { amount: 0 }, { amount: -24.5 }].map(
    (schedule): Case => [
      'schedule_collects_nothing',
      onSchedule,
      schedule,
      `${POINT}.payment_schedules.0.amount`,
      'A payment schedule collects its amount, which is missing, 0 or negative here: nothing may be collected. Leave out a schedule that is not wanted.',
      [{ amount: 0.01 }, { amount: 24.5 }],
    ],
  ),
  ...[29, 30, 31].map(
    (day_of_month): Case => [
      'day_not_in_each_month',
      onSchedule,
      { day_of_month },
      `${POINT}.payment_schedules.0.day_of_month`,
      'Not every month has this day. Ask the operator which day counts then, or give one up to 28.',
      [{ day_of_month: 28 }],
    ],
  ),
  [
    'siret_check_digit',
    (fields) => onBusinessAccount({ business: { ...business, ...fields } }),
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
    { identifier: '12345' },
    `${POINT}.identifier`,
    'Ids of supply points have 6 to 33 characters in all known registries; this one may be cut off, or another value.',
    [
      // France, Great Britain (electricity and gas), Spain, Germany.
      ...['01234567890123', 'GI000001', '1200012345678', '123456', 'ES0021000000000000AB1F', `DE${'0'.repeat(31)}`],
    ].map((identifier) => ({ identifier })),
  ],
  [
    'point_id_length',
    onPoint,
    { identifier: '1'.repeat(34) },
    `${POINT}.identifier`,
    'Ids of supply points have 6 to 33 characters in all known registries; this one may be cut off, or another value.',
    [{ identifier: '1'.repeat(33) }],
  ],
  [
    'point_id_length',
    validatePopulate,
    { prm_ids: ['01234567890123', '1'] },
    'prm_ids.1',
    'Ids of supply points have 6 to 33 characters in all known registries; this one may be cut off, or another value.',
    [{ prm_ids: ['01234567890123'] }, { prm_ids: [], pce_ids: ['01234567890123'] }],
  ],
  [
    'point_id_length',
    validatePopulate,
    { pce_ids: [''] },
    'pce_ids.0',
    'Ids of supply points have 6 to 33 characters in all known registries; this one may be cut off, or another value.',
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
    'Documented: ELEC_CURVES, ELEC_INDEXES, GAS_INDEXES; this name may be misspelt.',
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
    [{ account_type: 'BUSINESS', business, account_contracts: [] }, {}],
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
    (item) => onSupplyCharge({ line_items: [item] }),
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
    [{ account_type: 'BUSINESS', business }, {}],
  ],
  [
    'value_never_seen',
    onSchedule,
    { frequency: 'Monthly' },
    `${POINT}.payment_schedules.0.frequency`,
    seen('MONTHLY, QUARTERLY, WEEKLY, FORTNIGHTLY, FOUR_WEEKLY, ANNUALLY, SIX_MONTHLY'),
    [{ frequency: 'MONTHLY' }, { frequency: 'SIX_MONTHLY' }, {}],
  ],
  [
    'value_never_seen',
    onSchedule,
    { means: 'CHEQUE' },
    `${POINT}.payment_schedules.0.means`,
    seen('DD, CARD, MANUAL, PAYMENT_SLIP'),
    [{ means: 'DD' }, { means: 'PAYMENT_SLIP' }],
  ],
  [
    'value_never_seen',
    (instruction) => onPoint({ payment_instructions: [instruction] }),
    { type: 'CASH' },
    `${POINT}.payment_instructions.0.type`,
    seen('DIRECT_DEBIT, CARD'),
    [{ type: 'DIRECT_DEBIT', valid_from: '2024-01-01' }, { type: 'CARD' }],
  ],
  [
    'value_never_seen',
    (fields) => validatePaymentInstruction({ ...ids, vendor: 'V', reference: 'R', ...fields }),
    { type: 'CASH' },
    'type',
    seen('CARD, DIRECT_DEBIT'),
    [{ type: 'CARD' }, { type: 'DIRECT_DEBIT' }, {}],
  ],
  [
    'value_never_seen',
    (fields) => validateBusinessPaymentInstruction({ ...businessIds, vendor: 'V', reference: 'R', ...fields }),
    { type: 'CASH' },
    'type',
    seen('CARD, DIRECT_DEBIT'),
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
    onPayment,
    { payment_type: 'CHEQUE' },
    'transactions.0.payment_type',
    seen('DD_REGULAR_COLLECTION, DIRECT_CREDIT, DEBIT_CARD'),
    [{ payment_type: 'DEBIT_CARD' }],
  ],
  [
    'value_never_seen',
    (item) => onSupplyCharge({ tax_items: [item] }),
    { tax_type: 'TVA' },
    'transactions.0.tax_items.0.tax_type',
    seen('VAT'),
    [{ tax_type: 'VAT' }],
  ],
  [
    'value_never_seen',
    (item) => onSupplyCharge({ tax_items: [item] }),
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
    seen('FLAT, WHOLE_MONTHS_REMAINING, WHOLE_DAYS_REMAINING'),
    [{ fee_type: 'FLAT' }, { fee_type: 'WHOLE_DAYS_REMAINING' }],
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
    seen('MONTHLY, QUARTERLY, WEEKLY, FORTNIGHTLY, FOUR_WEEKLY, ANNUALLY, SIX_MONTHLY'),
    [{ frequency: 'MONTHLY' }, { frequency: 'QUARTERLY' }],
  ],
  [
    'value_never_seen',
    (term) => onTerm({ term_type: 'DELAYER_DAYS', ...term }),
    { strategy: 'LATER' },
    `${TERM}.strategy`,
    seen('FIXED, WORKING_DAYS'),
    [{ strategy: 'FIXED' }, { strategy: 'WORKING_DAYS' }],
  ],
  [
    'value_never_seen',
    (term) => onAccountContract({ versions: [{ terms: [{ term_type: 'DELAYER_DAYS', ...term }] }] }),
    { strategy: 'LATER' },
    'account_contracts.0.versions.0.terms.0.strategy',
    seen('FIXED, WORKING_DAYS'),
    [{ strategy: 'FIXED' }, { strategy: 'WORKING_DAYS' }],
  ],
  [
    'value_never_seen',
    onCustomer,
    { deceased: 'yes' },
    'customers.0.deceased',
    seen('Reported, Confirmed'),
    [{ deceased: '' }, { deceased: 'Reported' }, { deceased: 'Confirmed' }, {}],
  ],
  [
    'field_of_other_transaction_type',
    onTransaction,
    { type: 'PAYMENT', reference: 'x', display_note: 'Thank you' },
    'transactions.0.display_note',
    'Only other types of transactions have this field; the type may be wrong.',
    [
      { type: 'CHARGE', display_note: 'x', reason: 'IMPORTED_CHARGE' },
      { type: 'CREDIT', display_note: 'x', reason: 'IMPORTED_CREDIT' },
      { type: 'PAYMENT', reference: 'x', reason: 'ACCOUNT_CHARGE_PAYMENT' },
      { type: 'REPAYMENT', reference: 'x', reason: 'FULL_CREDIT_REFUND' },
      { type: 'PAYMENT', reference: 'x', payment_type: 'DEBIT_CARD' },
      { type: 'SUPPLY_CHARGE', display_note: 'x', product_code: 'P', line_items: [{}], tax_items: [] },
    ],
  ],
  [
    'negative_amount',
    onTransaction,
    { type: 'CREDIT', amount: -0.01 },
    'transactions.0.amount',
    'The type tells the direction of a transaction; a negative amount turns it round.',
    [
      { type: 'CREDIT', amount: 0 },
      { type: 'REPAYMENT', reference: 'x', amount: 7 },
      { type: 'SUPPLY_CHARGE', product_code: 'P', line_items: [{}], amount: -7 },
      {},
    ],
  ],
  [
    'decimal_too_long',
    onTransaction,
    { amount: 0.1 + 0.2 },
    'transactions.0.amount',
    'Relatives of the service take up to ten digits each side of the point; this may be the rest of a calculation.',
    [{ amount: 0.3 }, { amount: 9999999999 }, { amount: 1234567890.25 }, { amount: 0 }],
  ],
  [
    'decimal_too_long',
    onTransaction,
    { amount: 10000000000 },
    'transactions.0.amount',
    'Relatives of the service take up to ten digits each side of the point; this may be the rest of a calculation.',
    [],
  ],
  [
    'decimal_too_long',
    (item) => onSupplyCharge({ line_items: [item] }),
    { price_per_unit: 0.00000000001 },
    'transactions.0.line_items.0.price_per_unit',
    'Relatives of the service take up to ten digits each side of the point; this may be the rest of a calculation.',
    [{ price_per_unit: 0.0000000001 }, { net_amount: 12.345 }],
  ],
  [
    'more_than_two_decimals',
    onTransaction,
    { amount: 12.345 },
    'transactions.0.amount',
    'An amount of money usually has two decimals; this one may have been rounded too late.',
    [{ amount: 12.34 }, { amount: 12.3 }, { amount: 12 }, { amount: 0.07 }, { amount: 1.1 }, { amount: 9999999.99 }],
  ],
  [
    'transaction_without_amount_or_date',
    onTransaction,
    { amount: undefined },
    'transactions.0.amount',
    'Each type of transaction has an amount and a date; this one is missing.',
    [{ amount: 0 }],
  ],
  [
    'payment_without_reference',
    onTransaction,
    { type: 'PAYMENT' },
    'transactions.0.reference',
    'Payments and repayments have a reference, and it is missing.',
    [{ type: 'PAYMENT', reference: 'x' }, { type: 'CHARGE' }, { type: 'CREDIT' }],
  ],
  [
    'supply_charge_incomplete',
    onSupplyCharge,
    { product_code: undefined },
    'transactions.0.product_code',
    'A SUPPLY_CHARGE has a product_code and line_items; this one is missing.',
    [{}],
  ],
  [
    'business_account_without_contract',
    onAccount,
    { account_type: 'BUSINESS' },
    'business',
    'business.business_contract_identifier links a business account to its contract, and is missing.',
    [{ account_type: 'BUSINESS', business }, { account_type: undefined }],
  ],
  ...[{}, { business_contract_identifier: '' }, { siret: '73282932000074' }].map(
    (without): Case => [
      'business_account_without_contract',
      onBusinessAccount,
      { business: without },
      'business.business_contract_identifier',
      'business.business_contract_identifier links a business account to its contract, and is missing.',
      [],
    ],
  ),
  ...[{}, { prm_ids: [] }, { prm_ids: [], pce_ids: [] }, { customer_category: 'RESIDENTIAL' }].map(
    (without): Case => [
      'populate_without_ids',
      validatePopulate,
      without,
      '',
      'Neither prm_ids nor pce_ids names a supply point: nothing is looked up.',
      [{ pce_ids: ['01234567890123'] }],
    ],
  ),
  [
    'empty_list',
    validateNotes,
    { ...ids, notes: [] },
    'notes',
    'The list is empty: what belongs into it may be missing. Leave out a list that is not wanted.',
    [{ ...ids, notes: [{ body: 'x' }] }],
  ],
  [
    'empty_list',
    onAccount,
    { customers: [] },
    'customers',
    'The list is empty: what belongs into it may be missing. Leave out a list that is not wanted.',
    // As in the example of the document.
    [{ statements: [], supplementary_ledgers: [], notes: [], account_campaigns: [], metadata: [] }, {}],
  ],
  [
    'gross_amount_with_decimals',
    onStatement,
    { gross_amount: 123.45 },
    'statements.0.gross_amount',
    'Relatives of the service take the gross amount in minor units (cents), which are whole. The API specification does not say which: ask the operator.',
    [{ gross_amount: 12345 }, { gross_amount: -8 }, { gross_amount: 0 }, {}],
  ],
  [
    'proportion_above_one',
    (item) => onSupplyCharge({ tax_items: [item] }),
    { rate: 20, unit_type: 'PROPORTION' },
    'transactions.0.tax_items.0.rate',
    'A rate in PROPORTION is a part of one: 0.2 for 20 percent.',
    [{ rate: 0.2, unit_type: 'PROPORTION' }, { rate: 1, unit_type: 'PROPORTION' }, { rate: 20 }],
  ],
  [
    'percentage_out_of_range',
    (term) => onTerm({ term_type: 'GUARANTEE_OF_ORIGIN_CONFIGURATION', ...term }),
    { guarantee_of_origin_percentage: 100.5 },
    `${TERM}.guarantee_of_origin_percentage`,
    'A percentage lies between 0 and 100.',
    [{ guarantee_of_origin_percentage: 0 }, { guarantee_of_origin_percentage: 100 }, {}],
  ],
  [
    'no_such_day',
    onSchedule,
    { day_of_month: 32 },
    `${POINT}.payment_schedules.0.day_of_month`,
    'A day of a month lies between 1 and 31.',
    [{ day_of_month: 1 }, { day_of_month: 28 }, {}],
  ],
  [
    'no_such_day',
    (term) => onTerm({ term_type: 'ISSUANCE_FREQUENCY', ...term }),
    { period_start_day: 0 },
    `${TERM}.period_start_day`,
    'A day of a month lies between 1 and 31.',
    [{ period_start_day: 28 }],
  ],
  [
    'no_such_month',
    (term) => onTerm({ term_type: 'ISSUANCE_FREQUENCY', ...term }),
    { period_start_month: 13 },
    `${TERM}.period_start_month`,
    'A month lies between 1 and 12.',
    [{ period_start_month: 1 }, { period_start_month: 12 }],
  ],
  [
    'fractional_seconds',
    (note) => onNotes({ body: 'x', ...note }),
    { created_at: '2024-01-15T08:00:00.000Z' },
    'notes.0.created_at',
    'The documented form of a datetime has whole seconds.',
    [{ created_at: '2024-01-15T08:00:00Z' }, { created_at: '2024-01-15T08:00:00+02:00' }],
  ],
  [
    'email_without_at',
    onCustomer,
    { email: 'camille.exemple.example.com' },
    'customers.0.email',
    'An e-mail address has an @.',
    [{ email: 'camille@example.com' }, { email: 'c@x' }, { email: '' }, {}],
  ],
  [
    'phone_in_unusual_form',
    onCustomer,
    { mobile: '0033612345678' },
    'customers.0.mobile',
    'Some services refuse this form of a telephone number; +33612345678 is always understood.',
    [
      { mobile: '+33 (0)6.12.34.56.78', landline: '+33 4 12 34 56 78' },
      { landline: '' },
      { landline: '+33 (0)4-12/34 56 78' },
      {},
    ],
  ],
  ...[
    '01\u00a023\u00a045\u00a067\u00a089',
    ' 0123456789',
    '0123456789 ',
    '0123456789 ext. 12',
    '3631',
    '04 12 34 56 78',
    '(0)4-12/34 56 78',
    '33478600012',
    '1983-11-10',
    '10/11/1983',
  ].map(
    (landline): Case => [
      'phone_in_unusual_form',
      onCustomer,
      { landline },
      'customers.0.landline',
      'Some services refuse this form of a telephone number; +33612345678 is always understood.',
      [],
    ],
  ),
  [
    'document_path_cannot_resolve',
    onStatement,
    { statement_path: '../2024/S-1.pdf' },
    'statements.0.statement_path',
    'Expected a path relative to the root of the import supplier, without "..", "\\" or a scheme.',
    [{ statement_path: '2024/S-1.pdf' }, { statement_path: '/2024/a..b.pdf' }, { statement_path: '2024/re: S.pdf' }],
  ],
  ...['', ' ', 'https://example.com/a.pdf', 's3://bucket/a.pdf', 'C:/a.pdf', 'a\\b.pdf', 'a/../../b.pdf', '..'].map(
    (document_path): (typeof rules)[number] => [
      'document_path_cannot_resolve',
      (path) => onNotes({ document_paths: [path] }),
      { document_path },
      'notes.0.document_paths.0.document_path',
      'Expected a path relative to the root of the import supplier, without "..", "\\" or a scheme.',
      [],
    ],
  ),
  [
    'identifier_empty',
    onAccount,
    { external_account_number: '' },
    'external_account_number',
    'Empty: no record can be found by it, and it is invalid in the path of a status query.',
    [{ external_account_number: '0' }],
  ],
  [
    'identifier_with_spaces_around',
    onAccount,
    { external_account_number: 'A-1 ' },
    'external_account_number',
    'Begins or ends with a space: it equals no identifier without one.',
    [{ external_account_number: 'A 1' }],
  ],
  [
    'duplicate_transaction',
    (second) =>
      validateTransactions({
        ...ids,
        transactions: [
          { type: 'CHARGE', transaction_id: 'T-1', ...dated },
          { ...dated, ...second },
        ],
      }),
    { type: 'CREDIT', transaction_id: 'T-1' },
    'transactions.1.transaction_id',
    'An earlier transaction of this payload has the same transaction_id: this one may be skipped.',
    [{ type: 'CHARGE', transaction_id: 'T-2' }],
  ],
  [
    'duplicate_note',
    (second) => onNotes({ body: 'Called.' }, second),
    { body: 'Called.', is_pinned: true },
    'notes.1.body',
    'An earlier note of this payload has the same body and created_at: this one is not created.',
    [
      { body: 'called.' },
      { body: 'Called.', created_at: '2024-01-15T08:00:00Z' },
      { document_paths: [{ document_path: 'a.pdf' }] },
    ],
  ],
  [
    'duplicate_statement',
    (second) => validateHistoricalStatements({ ...ids, statements: [{ statement_id: 'S-1' }, {}, {}, second] }),
    { statement_id: 'S-1', number: '2' },
    'statements.3.statement_id',
    'An earlier statement of this payload has the same statement_id: this one may be refused.',
    [{ statement_id: 'S-2' }, {}],
  ],
  [
    'duplicate_supply_point',
    (second) =>
      onAccount({
        supply_addresses: [
          { supply_points: [{ identifier: '01234567890123', supply_type: 'GAS' }] },
          { supply_points: [second] },
        ],
      }),
    { identifier: '01234567890123', supply_type: 'GAS' },
    'supply_addresses.1.supply_points.0.identifier',
    'An earlier record, or this one, names the same supply point.',
    [
      { identifier: '01234567890123', supply_type: 'ELECTRICITY' },
      { identifier: '01234567890124', supply_type: 'GAS' },
    ],
  ],
  [
    'duplicate_contract',
    (second) => onBusiness({ business_contracts: [{ identifier: 'C-1' }, second] }),
    { identifier: 'C-1' },
    'business.business_contracts.1.identifier',
    'An earlier contract of this payload has the same identifier, so an account cannot tell them apart.',
    [{ identifier: 'C-2' }],
  ],
];

const instruction = { ...ids, vendor: 'V', reference: 'R' };
const businessInstruction = { ...businessIds, vendor: 'V', reference: 'R' };
const processIds = { external_account_number: 'A-1', import_supplier_code: 'ACME', operations_team_name: 'M' };
const long = 1 / 3;

/** The other places that the same rules look at. */
const elsewhere: [string, string, ReturnType<Check>][] = [
  ...['family_name', 'given_name'].map((field): [string, string, ReturnType<Check>] => [
    'question_mark_in_word',
    `customers.0.${field}`,
    onCustomer({ [field]: 'Mu?oz' }),
  ]),
  ...[1, 2, 3, 4].flatMap((line): [string, string, ReturnType<Check>][] => [
    ['question_mark_in_word', `billing_address${line}`, onAccount({ [`billing_address${line}`]: 'All?e' })],
    [
      'question_mark_in_word',
      `supply_addresses.0.supply_address${line}`,
      onAccount({ supply_addresses: [{ [`supply_address${line}`]: 'All?e' }] }),
    ],
  ]),
  ['question_mark_in_word', 'business.company_name', onBusiness({ company_name: 'Caf? Andr?a' })],
  ['garbled_text', 'metadata.0.value.note', onAccount({ metadata: [{ key: 'k', value: { note: 'NoÃ«l' } }] })],
  [
    'day_not_in_each_month',
    `${TERM}.period_start_day`,
    onTerm({ term_type: 'ISSUANCE_FREQUENCY', period_start_day: 31 }),
  ],
  [
    'day_not_in_each_month',
    'account_contracts.0.versions.0.terms.0.period_start_day',
    onAccountTerm({ term_type: 'ISSUANCE_FREQUENCY', period_start_day: 29 }),
  ],
  [
    'field_of_other_transaction_type',
    'transactions.0.display_note',
    onPayment({ type: 'REPAYMENT', display_note: 'x' }),
  ],
  ['field_of_other_transaction_type', 'transactions.0.reference', onTransaction({ type: 'CHARGE', reference: 'x' })],
  ['field_of_other_transaction_type', 'transactions.0.reference', onSupplyCharge({ reference: 'x' })],
  ['field_of_other_transaction_type', 'transactions.0.reason', onSupplyCharge({ reason: 'IMPORTED_CHARGE' })],
  ['field_of_other_transaction_type', 'transactions.0.product_code', onTransaction({ product_code: 'P' })],
  ['field_of_other_transaction_type', 'transactions.0.line_items', onTransaction({ type: 'CREDIT', line_items: [] })],
  ['field_of_other_transaction_type', 'transactions.0.tax_items', onPayment({ tax_items: [] })],
  ['field_of_other_transaction_type', 'transactions.0.payment_type', onTransaction({ payment_type: 'DEBIT_CARD' })],
  [
    'field_of_other_transaction_type',
    'transactions.0.payment_type',
    onTransaction({ type: 'CREDIT', payment_type: 'DEBIT_CARD' }),
  ],
  ['field_of_other_transaction_type', 'transactions.0.payment_type', onSupplyCharge({ payment_type: 'DEBIT_CARD' })],
  ['transaction_without_amount_or_date', 'transactions.0.transaction_date', onPayment({ transaction_date: undefined })],
  ['payment_without_reference', 'transactions.0.reference', onPayment({ type: 'REPAYMENT', reference: '' })],
  ['supply_charge_incomplete', 'transactions.0.line_items', onSupplyCharge({ line_items: undefined })],
  ['supply_charge_incomplete', 'transactions.0.line_items', onSupplyCharge({ line_items: [] })],
  ['more_than_two_decimals', `${POINT}.payment_schedules.0.amount`, onSchedule({ amount: 45.125 })],
  ['more_than_two_decimals', `${TERM}.amount`, onTerm({ term_type: 'TERMINATION_FEE', amount: 0.001 })],
  [
    'more_than_two_decimals',
    'account_contracts.0.versions.0.terms.0.amount',
    onAccountTerm({ term_type: 'TERMINATION_FEE', amount: 0.001 }),
  ],
  ['empty_list', 'supply_addresses', onAccount({ supply_addresses: [] })],
  ['empty_list', 'supply_addresses.0.supply_points', onAccount({ supply_addresses: [{ supply_points: [] }] })],
  ['empty_list', 'account_contracts.0.versions', onAccountContract({ versions: [] })],
  ['empty_list', 'account_contracts.0.versions.0.terms', onAccountContract({ versions: [{ terms: [] }] })],
  ['empty_list', 'business.business_contracts', onBusiness({ business_contracts: [] })],
  ['empty_list', 'business.business_contracts.0.versions', onContract({ versions: [] })],
  ['empty_list', 'business.business_contracts.0.versions.0.terms', onContract({ versions: [{ terms: [] }] })],
  ['empty_list', 'accounts', validateBusinessPaymentInstruction({ ...businessInstruction, accounts: [] })],
  ['empty_list', 'transactions', validateTransactions({ ...ids, transactions: [] })],
  ['empty_list', 'statements', validateHistoricalStatements({ ...ids, statements: [] })],
  ['negative_amount', 'transactions.0.amount', onTransaction({ type: 'CHARGE', amount: -1 })],
  ['negative_amount', 'transactions.0.amount', onPayment({ amount: -1 })],
  ['negative_amount', 'transactions.0.amount', onPayment({ type: 'REPAYMENT', amount: -1 })],
  ['decimal_too_long', `${POINT}.payment_schedules.0.amount`, onSchedule({ amount: long })],
  ['decimal_too_long', `${TERM}.amount`, onTerm({ term_type: 'TERMINATION_FEE', amount: long })],
  [
    'decimal_too_long',
    `${TERM}.guarantee_of_origin_percentage`,
    onTerm({ term_type: 'GUARANTEE_OF_ORIGIN_CONFIGURATION', guarantee_of_origin_percentage: long }),
  ],
  [
    'decimal_too_long',
    'account_contracts.0.versions.0.terms.0.amount',
    onAccountTerm({ term_type: 'TERMINATION_FEE', amount: long }),
  ],
  [
    'decimal_too_long',
    'account_contracts.0.versions.0.terms.0.guarantee_of_origin_percentage',
    onAccountTerm({ term_type: 'GUARANTEE_OF_ORIGIN_CONFIGURATION', guarantee_of_origin_percentage: long }),
  ],
  [
    'percentage_out_of_range',
    'account_contracts.0.versions.0.terms.0.guarantee_of_origin_percentage',
    onAccountTerm({ term_type: 'GUARANTEE_OF_ORIGIN_CONFIGURATION', guarantee_of_origin_percentage: -1 }),
  ],
  [
    'no_such_day',
    'account_contracts.0.versions.0.terms.0.period_start_day',
    onAccountTerm({ term_type: 'ISSUANCE_FREQUENCY', period_start_day: 32 }),
  ],
  [
    'no_such_month',
    'account_contracts.0.versions.0.terms.0.period_start_month',
    onAccountTerm({ term_type: 'ISSUANCE_FREQUENCY', period_start_month: 0 }),
  ],
  ['decimal_too_long', 'statements.0.gross_amount', onStatement({ gross_amount: 1e10 })],
  [
    'decimal_too_long',
    'transactions.0.line_items.0.number_of_units',
    onSupplyCharge({ line_items: [{ number_of_units: long }] }),
  ],
  [
    'decimal_too_long',
    'transactions.0.line_items.0.net_amount',
    onSupplyCharge({ line_items: [{ net_amount: long }] }),
  ],
  [
    'decimal_too_long',
    'transactions.0.line_items.0.price_per_unit',
    onSupplyCharge({ line_items: [{ price_per_unit: long }] }),
  ],
  ['decimal_too_long', 'transactions.0.line_items.0.units.1', onSupplyCharge({ line_items: [{ units: [1, long] }] })],
  ['decimal_too_long', 'transactions.0.tax_items.0.amount', onSupplyCharge({ tax_items: [{ amount: long }] })],
  [
    'decimal_too_long',
    'transactions.0.tax_items.0.value_taxed',
    onSupplyCharge({ tax_items: [{ value_taxed: long }] }),
  ],
  ['decimal_too_long', 'transactions.0.tax_items.0.rate', onSupplyCharge({ tax_items: [{ rate: long }] })],
  [
    'fractional_seconds',
    'notes.0.unpin_at',
    onNotes({ body: 'x', is_pinned: true, unpin_at: '2024-01-15T08:00:00.5Z' }),
  ],
  [
    'fractional_seconds',
    'notes.0.created_at',
    onAccount({ notes: [{ body: 'x', created_at: '2024-01-15T08:00:00.5+02:00' }] }),
  ],
  [
    'fractional_seconds',
    'notes.0.unpin_at',
    onAccount({ notes: [{ body: 'x', is_pinned: true, unpin_at: '2024-01-15T08:00:00.123456Z' }] }),
  ],
  [
    'fractional_seconds',
    `${POINT}.agreements.0.agreed_at`,
    onPoint({ agreements: [{ agreed_at: '2024-02-20T10:15:30.250Z' }] }),
  ],
  [
    'document_path_cannot_resolve',
    'statements.0.statement_path',
    onAccount({ statements: [{ statement_path: '..' }] }),
  ],
  [
    'document_path_cannot_resolve',
    'notes.0.document_paths.0.document_path',
    onAccount({ notes: [{ document_paths: [{ document_path: '..' }] }] }),
  ],
  ['identifier_empty', 'import_supplier', onAccount({ import_supplier: '' })],
  [
    'identifier_empty',
    'external_business_identifier',
    validateBusiness({ ...businessIds, external_business_identifier: '', business: {} }),
  ],
  [
    'identifier_empty',
    'import_supplier_code',
    validateBusiness({ ...businessIds, import_supplier_code: '', business: {} }),
  ],
  [
    'identifier_empty',
    'external_business_identifier',
    validateBusinessPaymentInstruction({ ...businessInstruction, external_business_identifier: '' }),
  ],
  [
    'identifier_empty',
    'import_supplier_code',
    validateBusinessPaymentInstruction({ ...businessInstruction, import_supplier_code: '' }),
  ],
  ['identifier_empty', 'external_account_number', validateProcess({ ...processIds, external_account_number: '' })],
  ['identifier_empty', 'import_supplier_code', validateProcess({ ...processIds, import_supplier_code: '' })],
  [
    'identifier_empty',
    'external_account_number',
    validatePaymentInstruction({ ...instruction, external_account_number: '' }),
  ],
  ['identifier_empty', 'import_supplier', validateNotes({ ...ids, import_supplier: '', notes: [{ body: 'x' }] })],
  [
    'identifier_empty',
    'import_supplier',
    validateTransactions({
      ...ids,
      import_supplier: '',
      transactions: [{ type: 'CHARGE', transaction_id: 'T', ...dated }],
    }),
  ],
  [
    'identifier_empty',
    'import_supplier',
    validateHistoricalStatements({ ...ids, import_supplier: '', statements: [{}] }),
  ],
  ['identifier_with_spaces_around', 'import_supplier', onAccount({ import_supplier: ' ACME' })],
  [
    'identifier_with_spaces_around',
    'business.business_contract_identifier',
    onBusinessAccount({ business: { business_contract_identifier: 'C-1\n' } }),
  ],
  ['identifier_with_spaces_around', `${POINT}.identifier`, onPoint({ identifier: ' 1234567890123' })],
  ['identifier_with_spaces_around', 'statements.0.statement_id', onAccount({ statements: [{ statement_id: 'S-1 ' }] })],
  ['identifier_with_spaces_around', 'account_contracts.0.identifier', onAccountContract({ identifier: 'C-1 ' })],
  ['identifier_with_spaces_around', 'business.business_contracts.0.identifier', onContract({ identifier: ' C-1' })],
  [
    'identifier_with_spaces_around',
    'external_business_identifier',
    validateBusiness({ ...businessIds, external_business_identifier: 'B ', business: {} }),
  ],
  [
    'identifier_with_spaces_around',
    'import_supplier_code',
    validateBusiness({ ...businessIds, import_supplier_code: 'B ', business: {} }),
  ],
  ['identifier_with_spaces_around', 'vendor', validatePaymentInstruction({ ...instruction, vendor: 'V ' })],
  [
    'identifier_with_spaces_around',
    'reference',
    validateBusinessPaymentInstruction({ ...businessInstruction, reference: ' R' }),
  ],
  [
    'identifier_with_spaces_around',
    'accounts.0.external_account_number',
    validateBusinessPaymentInstruction({ ...businessInstruction, accounts: [{ external_account_number: 'A-1 ' }] }),
  ],
  [
    'identifier_with_spaces_around',
    'operations_team_name',
    validateProcess({ ...processIds, operations_team_name: 'M ' }),
  ],
  ['identifier_with_spaces_around', 'prm_ids.0', validatePopulate({ prm_ids: [' 1234567890123'] })],
  ['identifier_with_spaces_around', 'pce_ids.0', validatePopulate({ pce_ids: [' 1234567890123'] })],
  ['identifier_with_spaces_around', 'statements.0.statement_id', onStatement({ statement_id: ' S-1' })],
  ['identifier_with_spaces_around', 'transactions.0.transaction_id', onTransaction({ transaction_id: 'T-1 ' })],
  ['duplicate_note', 'notes.1.body', onAccount({ notes: [{ body: 'x' }, { body: 'x' }] })],
  [
    'duplicate_statement',
    'statements.1.statement_id',
    onAccount({ statements: [{ statement_id: 'S' }, { statement_id: 'S' }] }),
  ],
  [
    'duplicate_contract',
    'account_contracts.1.identifier',
    onBusinessAccount({ account_contracts: [{ identifier: 'C' }, { identifier: 'C' }] }),
  ],
];

it.each(elsewhere)('%s fires at %s', (code, attr, result) => {
  expect(result).toMatchObject({ ok: true, findings: [{ code, attr, severity: 'warning' }] });
  expect(result.findings).toHaveLength(1);
});

describe.each(rules)('%s %#', (code, check, fires, attr, detail, quiet) => {
  it('fires, once, and does not block', () => {
    expect(check(fires)).toMatchObject({ ok: true, findings: [{ code, attr, detail, severity: 'warning' }] });
  });

  it.each(quiet)('is quiet on %o', (fields) => {
    expect(check(fields)).toMatchObject({ ok: true, findings: [] });
  });
});

const rounded = '1.23457E+13';
const roundedAt: [string, ReturnType<Check>][] = [
  ['external_account_number', onAccount({ external_account_number: rounded })],
  ['business.business_contract_identifier', onBusinessAccount({ business: { business_contract_identifier: rounded } })],
  ['business.siret', onBusinessAccount({ business: { ...business, siret: rounded } })],
  ['business.siret', onBusiness({ siret: rounded })],
  [`${POINT}.identifier`, onPoint({ identifier: rounded })],
  [
    `${POINT}.payment_instructions.0.reference`,
    onPoint({ payment_instructions: [{ type: 'CARD', reference: rounded }] }),
  ],
  ['statements.0.statement_id', onAccount({ statements: [{ statement_id: rounded }] })],
  ['statements.0.statement_id', onStatement({ statement_id: rounded })],
  ['statements.0.number', onStatement({ number: rounded })],
  ['account_contracts.0.identifier', onAccountContract({ identifier: rounded })],
  ['business.business_contracts.0.identifier', onContract({ identifier: rounded })],
  [
    'supplementary_ledgers.0.energy_cheques.0.number',
    onAccount({ supplementary_ledgers: [{ energy_cheques: [{ number: rounded }] }] }),
  ],
  ['external_account_number', validateNotes({ ...ids, external_account_number: rounded, notes: [{ body: 'x' }] })],
  ['external_account_number', validateProcess({ ...processIds, external_account_number: rounded })],
  [
    'external_business_identifier',
    validateBusiness({ ...businessIds, external_business_identifier: rounded, business: {} }),
  ],
  ['reference', validatePaymentInstruction({ ...instruction, reference: rounded })],
  ['reference', validateBusinessPaymentInstruction({ ...businessInstruction, reference: rounded })],
  [
    'accounts.0.external_account_number',
    validateBusinessPaymentInstruction({ ...businessInstruction, accounts: [{ external_account_number: rounded }] }),
  ],
  ['prm_ids.0', validatePopulate({ prm_ids: [rounded] })],
  ['pce_ids.0', validatePopulate({ pce_ids: [rounded] })],
  ['transactions.0.transaction_id', onTransaction({ transaction_id: rounded })],
  ['transactions.0.reference', onPayment({ reference: rounded })],
];

describe('scientific notation in an identifier', () => {
  it.each(roundedAt)('at %s is an error', (attr, result) => {
    expect(result.ok).toBe(false);
    expect(result.findings).toContainEqual({
      code: 'scientific_notation',
      attr,
      detail:
        'A program wrote this identifier as a rounded number: its digits are lost, and those of other records may look the same. Export the column as text.',
      severity: 'error',
    });
  });

  it.each([
    '1.23E+13',
    '1,23E+13',
    '1.23e+13',
    '1.23E13',
    '1.0E7',
    '1E+13',
    ' 1.2E+13 ',
    '1.2345678901234E13',
    '2E+05',
  ])('%j is one', (transaction_id) => {
    expect(onTransaction({ transaction_id })).toMatchObject({ ok: false });
  });

  it.each([
    '1E5',
    '1E13',
    '2E3',
    '12E+5',
    '1.5E+2',
    '1.23456E+3',
    '1.23E',
    'E+13',
    'A1.23E+13',
    '0.5E+13',
    '1.2.3E+13',
    '1.23E-5',
  ])('%j is none: no program writes an identifier so', (transaction_id) => {
    expect(onTransaction({ transaction_id })).toMatchObject({ ok: true });
  });

  it('two transactions with such an id are not called duplicates', () => {
    const charge = { type: 'CHARGE', transaction_id: rounded, ...dated };
    const { findings } = validateTransactions({ ...ids, transactions: [charge, charge] });
    expect(findings.map(({ code }) => code)).toEqual(['scientific_notation', 'scientific_notation']);
  });

  it('a profile can allow it where the deployment has such identifiers', () => {
    const profile = { fields: { TransactionsPayload: { 'transactions.*.transaction_id': 'string' as const } } };
    const transactions = [{ type: 'CHARGE', transaction_id: rounded, ...dated }];
    expect(validateTransactions({ ...ids, transactions }, { profile })).toMatchObject({ ok: true, findings: [] });
  });
});

it('each rule has a case for each of its places', () => {
  const places = VALUE_RULES.flatMap(({ code, at }) =>
    Object.values(at)
      .flat()
      .map((pattern) => `${code} ${pattern}`),
  );
  const proven = [
    ...rules.map(([code, , , attr]) => `${code} ${attr}`),
    ...elsewhere.map(([code, attr]) => `${code} ${attr}`),
    ...roundedAt.map(([attr]) => `scientific_notation ${attr}`),
  ];
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

it('the rules have 52 codes', () => {
  expect(new Set(VALUE_RULES.map(({ code }) => code)).size).toBe(52);
});

it('each rule has a code and a sentence', () => {
  for (const { code, detail } of VALUE_RULES) {
    expect(code).toMatch(/^[a-z_]+$/);
    expect(detail).toMatch(/\.$/);
  }
});

it('each rule has a comment with its source', () => {
  const lines = readFileSync('src/validation/warnings/rules.ts', 'utf8').split('\n');
  const rows = lines.flatMap((line, index) => (line === '  {' ? [index] : []));
  expect(rows).toHaveLength(46);
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
