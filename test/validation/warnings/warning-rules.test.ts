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

/** What is checked, what fires, where, what does not, and what it says if the code has several sentences. */
type Case = [check: Check, fires: object, attr: string, quiet?: object[], detail?: string];
type Place = [attr: string, result: ReturnType<Check>];

const DATE = 'Programs write such a date where they have none. Correct it, or leave the field out.';
const PROGRAM =
  'A program writes this where it has no value or an error, such as #N/A. Correct it, or leave the field out.';
const GARBLED =
  'The characters look like those of a text that was read in the wrong encoding, such as Ã© for é. Export it again in UTF-8, or name its encoding.';
const LANDLINE = 'The number is no mobile number in the numbering plan of its country: it may belong into landline.';

const rules: Record<string, [detail: string, ...cases: Case[]]> = {
  text_of_program: [
    PROGRAM,
    [
      onCustomer,
      { family_name: '#N/A' },
      'customers.0.family_name',
      ['#1', '# 12', 'Null', 'Nan', 'N/A', 'Err: 5', 'the #N/A', '#wow!'].map((family_name) => ({ family_name })),
    ],
    // In the languages of spreadsheet programs, of databases and of scripts.
    ...[
      ...['#REF!', '#VALUE!', '#NAME?', '#DIV/0!', '#NUM!', '#NULL!', '#SPILL!', '#GETTING_DATA', '#####', 'Err:502'],
      ...['#NV', '#BEZUG!', '#WERT!', '#ZAHL!', '#ÜBERLAUF!', '#VALEUR!', '#NOM?', '#NOMBRE!', '#¡REF!', '#¿NOMBRE?'],
      ...['#RIF!', '#VALORE!', '#N/D', '#VERW!', '#WAARDE!', '#DEEL/0!', '#N/B', '#ARG!', ' #NÚM! ', 'NULL', 'null'],
      ...['NaN', 'undefined', '[object Object]', '\\N', '<NA>', 'None'],
    ].map((note): Case => [onTransaction, { note }, 'transactions.0.note']),
  ],
  garbled_text: [
    GARBLED,
    [
      onCustomer,
      { given_name: 'NoÃ«l' },
      'customers.0.given_name',
      [
        ...['Noël', 'Loïc', 'JOÃO', 'Ângela', 'GARÇON', 'Ærøskøbing', 'ÎLE-DE-FRANCE', 'Łódź', 'Ødegård', 'Strauß'],
        ...['Škoda', 'ŽELJKO', 'O’Brien', '« Café »', '„Zur Post“', '“JOSÉ”', 'Hôtel…', 'Œuvre', 'Στέλιος', 'Наталья'],
        ...['O´Brien', 'Müller †', 'BioÉnergie', '5 €', '100 °C', 'Bjørn–Åse', 'ÅSE', 'Ä', 'Jürgen Ü.', '‘Ö’', 'Đorđe'],
      ].map((given_name) => ({ given_name })),
    ],
    ...[
      ...[
        ...['Ã©', 'LâAllÃ©e', 'lâ€™eau', '5 â‚¬', 'Å“uvre', 'KraÅ¡', 'Â°', 'ï»¿Jean', 'ï¿½', 'ðŸ˜€', 'Ã€ la'],
        ...['ÎœÎ±ÏÎ¯Î±', 'ÐÐ½Ð½Ð°'],
      ],
      ...[
        ...['No√´l', 'l‚Äôeau', 'No├½l', 'No├ël', 'No\ufffdl', 'Andr\u0082', 'No‰l', 'Andr‚', 'Fran‡ois', 'M¸ller'],
        ...['MuÒoz', 'FranÁois'],
      ],
      ...['AndrÈ', 'FranŠois', 'K„se'],
    ].map((body): Case => [(note) => onNotes(note), { body }, 'notes.0.body']),
  ],
  html_entity: [
    'Contains a character in the form of a web page, such as &amp; for &. Export the plain text.',
    [
      onCustomer,
      { family_name: 'O&#39;Brien' },
      'customers.0.family_name',
      ['Dupont & Fils; Nantes', 'R&D', 'A&B;', 'M&S'].map((family_name) => ({ family_name })),
    ],
    ...['A &amp; B', '&eacute;t&eacute;', '&#x27;', '&nbsp;'].map(
      (note): Case => [onTransaction, { note }, 'transactions.0.note'],
    ),
  ],
  question_mark_in_word: [
    'A question mark within a word often stands for a letter that an encoding lacks. Export the text in UTF-8.',
    [
      onCustomer,
      { given_name: 'Fran?ois' },
      'customers.0.given_name',
      [{ given_name: 'François?' }, { given_name: '? Jean' }],
    ],
  ],
  default_date: [
    DATE,
    [
      onCustomer,
      { date_of_birth: '1900-01-01' },
      'customers.0.date_of_birth',
      ['1901-01-01', '1970-01-02', '2098-12-31', '1980-01-01'].map((date_of_birth) => ({ date_of_birth })),
    ],
    ...[
      ...['0001-01-01', '1753-01-01', '1899-12-30', '1900-07-14', '1904-01-01', '1970-01-01', '2099-01-01'],
      ...['9999-12-31'],
    ].map((transaction_date): Case => [onTransaction, { transaction_date }, 'transactions.0.transaction_date']),
    [
      (note) => onNotes({ body: 'x', ...note }),
      { created_at: '1969-12-31T23:00:00Z' },
      'notes.0.created_at',
      [{ body: '1900-01-01 was a Monday' }],
    ],
  ],
  landline_in_mobile: [
    LANDLINE,
    [
      onCustomer,
      { mobile: '+33 1 23 45 67 89' },
      'customers.0.mobile',
      [
        ...['+33612345678', '+33 7 12 34 56 78', '+33 (0)6 12 34 56 78', '+44 7700 900123', '+44 (0)7700 900123'],
        ...['+4915112345678', '+34 612 345 678', '+39 333 1234567', '+31612345678', '+32 470 12 34 56'],
        // Of other countries, in which a number does not tell.
        ...['+1 202 555 0123', '+262 692 12 34 56', '+377 6 12 34 56 78'],
      ].map((mobile) => ({ mobile })),
    ],
    ...[
      ...['+44 20 7946 0958', '+49 30 123456', '+34 912 345 678', '+39 06 1234567', '+31 20 123 4567'],
      ...['+33 (0)1 23 45 67 89'],
    ].map((mobile): Case => [onCustomer, { mobile }, 'customers.0.mobile']),
  ],
  mandate_without_date: [
    'A direct debit has the date from which its mandate is valid, and it is missing.',
    [
      (instruction) => onPoint({ payment_instructions: [{ vendor: 'V', reference: 'R', ...instruction }] }),
      { type: 'DIRECT_DEBIT' },
      `${POINT}.payment_instructions.0.valid_from`,
      [{ type: 'DIRECT_DEBIT', valid_from: '2024-01-01' }, { type: 'CARD' }, {}],
    ],
  ],
  schedule_collects_nothing: [
    'A payment schedule collects its amount, which is missing, 0 or negative here: nothing may be collected. Leave out a schedule that is not wanted.',
    ...[{ amount: undefined }, { amount: 0 }, { amount: -24.5 }].map(
      (schedule): Case => [
        onSchedule,
        schedule,
        `${POINT}.payment_schedules.0.amount`,
        [{ amount: 0.01 }, { amount: 24.5 }],
      ],
    ),
  ],
  day_not_in_each_month: [
    'Not every month has this day. Ask the operator which day counts then, or give one up to 28.',
    ...[29, 30, 31].map(
      (day_of_month): Case => [
        onSchedule,
        { day_of_month },
        `${POINT}.payment_schedules.0.day_of_month`,
        [{ day_of_month: 28 }],
      ],
    ),
  ],
  siret_check_digit: [
    'A SIRET has 14 digits, the last of which is a check digit; this one does not fit.',
    [
      (fields) => onBusinessAccount({ business: { ...business, ...fields } }),
      { siret: '73282932000075' },
      'business.siret',
      [{ siret: '73282932000074' }, {}],
    ],
    [onBusiness, { siret: '732829320' }, 'business.siret', [{ siret: '40483304800022' }]],
  ],
  point_id_length: [
    'Ids of supply points have 6 to 33 characters in all known registries; this one may be cut off, or another value.',
    [
      onPoint,
      { identifier: '12345' },
      `${POINT}.identifier`,
      [
        // France, Great Britain (electricity and gas), Spain, Germany.
        ...['01234567890123', 'GI000001', '1200012345678', '123456', 'ES0021000000000000AB1F', `DE${'0'.repeat(31)}`],
      ].map((identifier) => ({ identifier })),
    ],
    [onPoint, { identifier: '1'.repeat(34) }, `${POINT}.identifier`, [{ identifier: '1'.repeat(33) }]],
    [
      validatePopulate,
      { prm_ids: ['01234567890123', '1'] },
      'prm_ids.1',
      [{ prm_ids: ['01234567890123'] }, { prm_ids: [], pce_ids: ['01234567890123'] }],
    ],
    [validatePopulate, { pce_ids: [''] }, 'pce_ids.0', [{ pce_ids: ['GI000000000001'] }]],
  ],
  supply_point_without_identifier: [
    'A supply point without identifier names no point.',
    [onPoint, { identifier: undefined }, `${POINT}.identifier`, [{}]],
  ],
  consent_of_other_supply_type: [
    'This consent belongs to the other supply type: ELEC_* to ELECTRICITY, GAS_* to GAS.',
    [
      onPoint,
      { supply_type: 'GAS', consent_data: { ELEC_CURVES: true } },
      `${POINT}.consent_data.ELEC_CURVES`,
      [
        { supply_type: 'ELECTRICITY', consent_data: { ELEC_CURVES: true, ELEC_INDEXES: false } },
        { supply_type: 'GAS', consent_data: { GAS_INDEXES: true } },
        { consent_data: { ELEC_CURVES: true, GAS_INDEXES: true } },
        { supply_type: 'GAS' },
      ],
    ],
    [
      onPoint,
      { supply_type: 'ELECTRICITY', consent_data: { GAS_INDEXES: false } },
      `${POINT}.consent_data.GAS_INDEXES`,
    ],
  ],
  consent_never_seen: [
    'Documented: ELEC_CURVES, ELEC_INDEXES, GAS_INDEXES; this name may be misspelt.',
    [
      onPoint,
      { consent_data: { ELEC_CURVE: true } },
      `${POINT}.consent_data.ELEC_CURVE`,
      [{ consent_data: { ELEC_INDEXES: true } }, { consent_data: {} }],
    ],
  ],
  unpin_without_pin: [
    'unpin_at is given and is_pinned is not true.',
    [
      (note) => onAccount({ notes: [{ body: 'x', ...note }] }),
      { unpin_at: '2024-01-01T00:00:00Z' },
      'notes.0.unpin_at',
      [{ unpin_at: '2024-01-01T00:00:00Z', is_pinned: true }, { is_pinned: false }],
    ],
    [
      (note) => validateNotes({ ...ids, notes: [{ body: 'x', ...note }] }),
      { unpin_at: '2024-01-01T00:00:00Z', is_pinned: false },
      'notes.0.unpin_at',
      [{}],
    ],
  ],
  empty_note: [
    'The note has neither text nor documents.',
    [
      (note) => validateNotes({ ...ids, notes: [note] }),
      { body: '' },
      'notes.0',
      [
        { body: 'x' },
        { document_paths: [{ document_path: 'a.pdf' }] },
        { body: '', document_paths: [{ document_path: 'a.pdf' }] },
      ],
    ],
    [(note) => onAccount({ notes: [note] }), { document_paths: [] }, 'notes.0', [{ body: 'x', document_paths: [] }]],
  ],
  business_fields_on_domestic_account: [
    'Only business accounts have this; account_type is missing.',
    [onAccount, { business: {} }, 'business', [{ account_type: 'BUSINESS', business, account_contracts: [] }, {}]],
    [onAccount, { account_contracts: [] }, 'account_contracts'],
  ],
  contract_without_identifier: [
    'Without identifier no account can be linked to this contract.',
    [onContract, { identifier: undefined }, 'business.business_contracts.0.identifier', [{}]],
  ],
  transaction_without_id: [
    'Without transaction_id the service may not recognise this transaction when it is sent again.',
    [onTransaction, { transaction_id: undefined }, 'transactions.0.transaction_id', [{}]],
    [onTransaction, { transaction_id: '' }, 'transactions.0.transaction_id', [{}]],
  ],
  agreement_dates_out_of_order: [
    'effective_to lies before effective_from.',
    [
      (agreement) => onPoint({ agreements: [agreement] }),
      { effective_from: '2024-03-02', effective_to: '2024-03-01' },
      `${POINT}.agreements.0.effective_to`,
      [
        { effective_from: '2024-03-01', effective_to: '2024-03-01' },
        { effective_from: '2024-03-01' },
        { effective_to: '2024-03-01' },
      ],
    ],
  ],
  bill_period_out_of_order: [
    'bill_period_to_date lies before bill_period_from_date.',
    [
      (statement) => onAccount({ statements: [statement] }),
      { bill_period_from_date: '2024-03-02', bill_period_to_date: '2024-03-01' },
      'statements.0.bill_period_to_date',
      [{ bill_period_from_date: '2024-03-01', bill_period_to_date: '2024-03-31' }],
    ],
    [
      (statement) => validateHistoricalStatements({ ...ids, statements: [statement] }),
      { bill_period_from_date: '2024-03-02', bill_period_to_date: '2023-12-31' },
      'statements.0.bill_period_to_date',
      [{ bill_period_from_date: '2024-03-01', bill_period_to_date: '2024-03-31' }],
    ],
  ],
  protection_out_of_order: [
    'protection_to lies before protection_from.',
    [
      (cheque) => onAccount({ supplementary_ledgers: [{ energy_cheques: [cheque] }] }),
      { protection_from: '2024-03-02', protection_to: '2024-03-01' },
      'supplementary_ledgers.0.energy_cheques.0.protection_to',
      [{ protection_from: '2024-03-01', protection_to: '2024-03-02' }],
    ],
  ],
  line_item_dates_out_of_order: [
    'end_date lies before start_date.',
    [
      (item) => onSupplyCharge({ line_items: [item] }),
      { start_date: '2024-03-31', end_date: '2024-03-01' },
      'transactions.0.line_items.0.end_date',
      [{ start_date: '2024-03-01', end_date: '2024-03-31' }],
    ],
  ],
  contract_signed_after_start: [
    'valid_from_date lies before signed_at_date.',
    [
      onContract,
      { signed_at_date: '2024-03-02', valid_from_date: '2024-03-01' },
      'business.business_contracts.0.valid_from_date',
      [{ signed_at_date: '2024-03-01', valid_from_date: '2024-03-01' }],
    ],
    [
      onAccountContract,
      { signed_at_date: '2024-03-02', valid_from_date: '2024-03-01' },
      'account_contracts.0.valid_from_date',
      [{ signed_at_date: '2024-02-01', valid_from_date: '2024-03-01' }],
    ],
  ],
  value_never_seen: [
    '',
    [
      onAccount,
      { account_type: 'PROFESSIONAL' },
      'account_type',
      [{ account_type: 'BUSINESS', business }, {}],
      seen('BUSINESS'),
    ],
    [
      onSchedule,
      { frequency: 'Monthly' },
      `${POINT}.payment_schedules.0.frequency`,
      [{ frequency: 'MONTHLY' }, { frequency: 'SIX_MONTHLY' }, {}],
      seen('MONTHLY, QUARTERLY, WEEKLY, FORTNIGHTLY, FOUR_WEEKLY, ANNUALLY, SIX_MONTHLY'),
    ],
    [
      onSchedule,
      { means: 'CHEQUE' },
      `${POINT}.payment_schedules.0.means`,
      [{ means: 'DD' }, { means: 'PAYMENT_SLIP' }],
      seen('DD, CARD, MANUAL, PAYMENT_SLIP'),
    ],
    [
      (instruction) => onPoint({ payment_instructions: [instruction] }),
      { type: 'CASH' },
      `${POINT}.payment_instructions.0.type`,
      [{ type: 'DIRECT_DEBIT', valid_from: '2024-01-01' }, { type: 'CARD' }],
      seen('DIRECT_DEBIT, CARD'),
    ],
    [
      (fields) => validatePaymentInstruction({ ...ids, vendor: 'V', reference: 'R', ...fields }),
      { type: 'CASH' },
      'type',
      [{ type: 'CARD' }, { type: 'DIRECT_DEBIT' }, {}],
      seen('CARD, DIRECT_DEBIT'),
    ],
    [
      (fields) => validateBusinessPaymentInstruction({ ...businessIds, vendor: 'V', reference: 'R', ...fields }),
      { type: 'CASH' },
      'type',
      [{ type: 'CARD' }],
      seen('CARD, DIRECT_DEBIT'),
    ],
    [
      onTransaction,
      { reason: 'BALANCE' },
      'transactions.0.reason',
      [{ reason: 'GENERAL_CREDIT' }],
      seen('IMPORTED_CHARGE, IMPORTED_CREDIT, ACCOUNT_CHARGE_PAYMENT, FULL_CREDIT_REFUND, GENERAL_CREDIT'),
    ],
    [
      onPayment,
      { payment_type: 'CHEQUE' },
      'transactions.0.payment_type',
      [{ payment_type: 'DEBIT_CARD' }],
      seen('DD_REGULAR_COLLECTION, DIRECT_CREDIT, DEBIT_CARD'),
    ],
    [
      (item) => onSupplyCharge({ tax_items: [item] }),
      { tax_type: 'TVA' },
      'transactions.0.tax_items.0.tax_type',
      [{ tax_type: 'VAT' }],
      seen('VAT'),
    ],
    [
      (item) => onSupplyCharge({ tax_items: [item] }),
      { unit_type: 'PERCENT' },
      'transactions.0.tax_items.0.unit_type',
      [{ unit_type: 'PROPORTION' }],
      seen('PROPORTION'),
    ],
    [
      (term) => onTerm({ term_type: 'TERMINATION_FEE', ...term }),
      { fee_type: 'PERCENT' },
      `${TERM}.fee_type`,
      [{ fee_type: 'FLAT' }, { fee_type: 'WHOLE_DAYS_REMAINING' }],
      seen('FLAT, WHOLE_MONTHS_REMAINING, WHOLE_DAYS_REMAINING'),
    ],
    [
      (term) => onTerm({ term_type: 'TERMINATION_FEE', ...term }),
      { supply_type: 'WATER' },
      `${TERM}.supply_type`,
      [{ supply_type: 'GAS' }],
      seen('ELECTRICITY, GAS'),
    ],
    [
      (term) => onTerm({ term_type: 'ISSUANCE_FREQUENCY', ...term }),
      { frequency: 'YEARLY' },
      `${TERM}.frequency`,
      [{ frequency: 'MONTHLY' }, { frequency: 'QUARTERLY' }],
      seen('MONTHLY, QUARTERLY, WEEKLY, FORTNIGHTLY, FOUR_WEEKLY, ANNUALLY, SIX_MONTHLY'),
    ],
    [
      (term) => onTerm({ term_type: 'DELAYER_DAYS', ...term }),
      { strategy: 'LATER' },
      `${TERM}.strategy`,
      [{ strategy: 'FIXED' }, { strategy: 'WORKING_DAYS' }],
      seen('FIXED, WORKING_DAYS'),
    ],
    [
      (term) => onAccountContract({ versions: [{ terms: [{ term_type: 'DELAYER_DAYS', ...term }] }] }),
      { strategy: 'LATER' },
      'account_contracts.0.versions.0.terms.0.strategy',
      [{ strategy: 'FIXED' }, { strategy: 'WORKING_DAYS' }],
      seen('FIXED, WORKING_DAYS'),
    ],
    [
      onCustomer,
      { deceased: 'yes' },
      'customers.0.deceased',
      [{ deceased: '' }, { deceased: 'Reported' }, { deceased: 'Confirmed' }, {}],
      seen('Reported, Confirmed'),
    ],
  ],
  field_of_other_transaction_type: [
    'Only other types of transactions have this field; the type may be wrong.',
    [
      onTransaction,
      { type: 'PAYMENT', reference: 'x', display_note: 'Thank you' },
      'transactions.0.display_note',
      [
        { type: 'CHARGE', display_note: 'x', reason: 'IMPORTED_CHARGE' },
        { type: 'CREDIT', display_note: 'x', reason: 'IMPORTED_CREDIT' },
        { type: 'PAYMENT', reference: 'x', reason: 'ACCOUNT_CHARGE_PAYMENT' },
        { type: 'REPAYMENT', reference: 'x', reason: 'FULL_CREDIT_REFUND' },
        { type: 'PAYMENT', reference: 'x', payment_type: 'DEBIT_CARD' },
        { type: 'SUPPLY_CHARGE', display_note: 'x', product_code: 'P', line_items: [{}], tax_items: [] },
      ],
    ],
  ],
  negative_amount: [
    'The type tells the direction of a transaction; a negative amount turns it round.',
    [
      onTransaction,
      { type: 'CREDIT', amount: -0.01 },
      'transactions.0.amount',
      [
        { type: 'CREDIT', amount: 0 },
        { type: 'REPAYMENT', reference: 'x', amount: 7 },
        { type: 'SUPPLY_CHARGE', product_code: 'P', line_items: [{}], amount: -7 },
        {},
      ],
    ],
  ],
  decimal_too_long: [
    'Relatives of the service take up to ten digits each side of the point; this may be the rest of a calculation.',
    [
      onTransaction,
      { amount: 0.1 + 0.2 },
      'transactions.0.amount',
      [{ amount: 0.3 }, { amount: 9999999999 }, { amount: 1234567890.25 }, { amount: 0 }],
    ],
    [onTransaction, { amount: 10000000000 }, 'transactions.0.amount'],
    [
      (item) => onSupplyCharge({ line_items: [item] }),
      { price_per_unit: 0.00000000001 },
      'transactions.0.line_items.0.price_per_unit',
      [{ price_per_unit: 0.0000000001 }, { net_amount: 12.345 }],
    ],
  ],
  more_than_two_decimals: [
    'An amount of money usually has two decimals; this one may have been rounded too late.',
    [
      onTransaction,
      { amount: 12.345 },
      'transactions.0.amount',
      [{ amount: 12.34 }, { amount: 12.3 }, { amount: 12 }, { amount: 0.07 }, { amount: 1.1 }, { amount: 9999999.99 }],
    ],
  ],
  transaction_without_amount_or_date: [
    'Each type of transaction has an amount and a date; this one is missing.',
    [onTransaction, { amount: undefined }, 'transactions.0.amount', [{ amount: 0 }]],
  ],
  payment_without_reference: [
    'Payments and repayments have a reference, and it is missing.',
    [
      onTransaction,
      { type: 'PAYMENT' },
      'transactions.0.reference',
      [{ type: 'PAYMENT', reference: 'x' }, { type: 'CHARGE' }, { type: 'CREDIT' }],
    ],
  ],
  supply_charge_incomplete: [
    'A SUPPLY_CHARGE has a product_code and line_items; this one is missing.',
    [onSupplyCharge, { product_code: undefined }, 'transactions.0.product_code', [{}]],
  ],
  business_account_without_contract: [
    'business.business_contract_identifier links a business account to its contract, and is missing.',
    [
      onAccount,
      { account_type: 'BUSINESS' },
      'business',
      [{ account_type: 'BUSINESS', business }, { account_type: undefined }],
    ],
    ...[{}, { business_contract_identifier: '' }, { siret: '73282932000074' }].map(
      (without): Case => [onBusinessAccount, { business: without }, 'business.business_contract_identifier'],
    ),
  ],
  populate_without_ids: [
    'Neither prm_ids nor pce_ids names a supply point: nothing is looked up.',
    ...[{}, { prm_ids: [] }, { prm_ids: [], pce_ids: [] }, { customer_category: 'RESIDENTIAL' }].map(
      (without): Case => [validatePopulate, without, '', [{ pce_ids: ['01234567890123'] }]],
    ),
  ],
  empty_list: [
    'The list is empty: what belongs into it may be missing. Leave out a list that is not wanted.',
    [validateNotes, { ...ids, notes: [] }, 'notes', [{ ...ids, notes: [{ body: 'x' }] }]],
    [
      onAccount,
      { customers: [] },
      'customers', // As in the example of the document.
      [{ statements: [], supplementary_ledgers: [], notes: [], account_campaigns: [], metadata: [] }, {}],
    ],
  ],
  gross_amount_with_decimals: [
    'Relatives of the service take the gross amount in minor units (cents), which are whole. The API specification does not say which: ask the operator.',
    [
      onStatement,
      { gross_amount: 123.45 },
      'statements.0.gross_amount',
      [{ gross_amount: 12345 }, { gross_amount: -8 }, { gross_amount: 0 }, {}],
    ],
  ],
  proportion_above_one: [
    'A rate in PROPORTION is a part of one: 0.2 for 20 percent.',
    [
      (item) => onSupplyCharge({ tax_items: [item] }),
      { rate: 20, unit_type: 'PROPORTION' },
      'transactions.0.tax_items.0.rate',
      [{ rate: 0.2, unit_type: 'PROPORTION' }, { rate: 1, unit_type: 'PROPORTION' }, { rate: 20 }],
    ],
  ],
  percentage_out_of_range: [
    'A percentage lies between 0 and 100.',
    [
      (term) => onTerm({ term_type: 'GUARANTEE_OF_ORIGIN_CONFIGURATION', ...term }),
      { guarantee_of_origin_percentage: 100.5 },
      `${TERM}.guarantee_of_origin_percentage`,
      [{ guarantee_of_origin_percentage: 0 }, { guarantee_of_origin_percentage: 100 }, {}],
    ],
  ],
  no_such_day: [
    'A day of a month lies between 1 and 31.',
    [
      onSchedule,
      { day_of_month: 32 },
      `${POINT}.payment_schedules.0.day_of_month`,
      [{ day_of_month: 1 }, { day_of_month: 28 }, {}],
    ],
    [
      (term) => onTerm({ term_type: 'ISSUANCE_FREQUENCY', ...term }),
      { period_start_day: 0 },
      `${TERM}.period_start_day`,
      [{ period_start_day: 28 }],
    ],
  ],
  no_such_month: [
    'A month lies between 1 and 12.',
    [
      (term) => onTerm({ term_type: 'ISSUANCE_FREQUENCY', ...term }),
      { period_start_month: 13 },
      `${TERM}.period_start_month`,
      [{ period_start_month: 1 }, { period_start_month: 12 }],
    ],
  ],
  fractional_seconds: [
    'The documented form of a datetime has whole seconds.',
    [
      (note) => onNotes({ body: 'x', ...note }),
      { created_at: '2024-01-15T08:00:00.000Z' },
      'notes.0.created_at',
      [{ created_at: '2024-01-15T08:00:00Z' }, { created_at: '2024-01-15T08:00:00+02:00' }],
    ],
  ],
  email_in_unusual_form: [
    'Expected one e-mail address without spaces.',
    [
      onCustomer,
      { email: 'camille.exemple.example.com' },
      'customers.0.email',
      [{ email: 'camille@example.com' }, { email: 'c@x' }, { email: '' }, {}],
    ],
    [
      onCustomer,
      { email: 'camille@example.com; dana@example.com' },
      'customers.0.email',
      [{ email: "o'neil+x@example.com" }],
    ],
  ],
  phone_in_unusual_form: [
    'Some services refuse this form of a telephone number; +33612345678 is always understood.',
    [
      onCustomer,
      { mobile: '0033612345678' },
      'customers.0.mobile',
      [
        { mobile: '+33 (0)6.12.34.56.78', landline: '+33 4 12 34 56 78' },
        { landline: '' },
        { landline: '+33 (0)4-12/34 56 78' },
        {},
      ],
    ],
    ...[
      ...['01\u00a023\u00a045\u00a067\u00a089', ' 0123456789', '0123456789 ', '0123456789 ext. 12', '3631'],
      ...['04 12 34 56 78', '(0)4-12/34 56 78', '33478600012', '1983-11-10', '10/11/1983'],
    ].map((landline): Case => [onCustomer, { landline }, 'customers.0.landline']),
  ],
  document_path_cannot_resolve: [
    'Expected a path relative to the root of the import supplier, without "..", "\\" or a scheme.',
    [
      onStatement,
      { statement_path: '../2024/S-1.pdf' },
      'statements.0.statement_path',
      [{ statement_path: '2024/S-1.pdf' }, { statement_path: '/2024/a..b.pdf' }, { statement_path: '2024/re: S.pdf' }],
    ],
    ...['', ' ', 'https://example.com/a.pdf', 's3://bucket/a.pdf', 'C:/a.pdf', 'a\\b.pdf', 'a/../../b.pdf', '..'].map(
      (document_path): Case => [
        (path) => onNotes({ document_paths: [path] }),
        { document_path },
        'notes.0.document_paths.0.document_path',
      ],
    ),
  ],
  identifier_empty: [
    'Empty: the service finds nothing by it.',
    [onAccount, { external_account_number: '' }, 'external_account_number', [{ external_account_number: '0' }]],
  ],
  identifier_with_spaces_around: [
    'Begins or ends with a space: it equals no identifier without one.',
    [onAccount, { external_account_number: 'A-1 ' }, 'external_account_number', [{ external_account_number: 'A 1' }]],
  ],
  duplicate_transaction: [
    'An earlier transaction of this payload has the same transaction_id: this one may be skipped.',
    [
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
      [{ type: 'CHARGE', transaction_id: 'T-2' }],
    ],
  ],
  duplicate_note: [
    'An earlier note of this payload has the same body and created_at: this one is not created.',
    [
      (second) => onNotes({ body: 'Called.' }, second),
      { body: 'Called.', is_pinned: true },
      'notes.1.body',
      [
        { body: 'called.' },
        { body: 'Called.', created_at: '2024-01-15T08:00:00Z' },
        { document_paths: [{ document_path: 'a.pdf' }] },
      ],
    ],
  ],
  duplicate_statement: [
    'An earlier statement of this payload has the same statement_id: this one may be refused or added.',
    [
      (second) => onAccount({ statements: [{ statement_id: 'S-1' }, {}, {}, second] }),
      { statement_id: 'S-1', statement_path: '/2.pdf' },
      'statements.3.statement_id',
      [{ statement_id: 'S-2' }, {}],
    ],
  ],
  duplicate_supply_point: [
    'An earlier record, or this one, names the same supply point.',
    [
      (second) =>
        onAccount({
          supply_addresses: [
            { supply_points: [{ identifier: '01234567890123', supply_type: 'GAS' }] },
            { supply_points: [second] },
          ],
        }),
      { identifier: '01234567890123', supply_type: 'GAS' },
      'supply_addresses.1.supply_points.0.identifier',
      [
        { identifier: '01234567890123', supply_type: 'ELECTRICITY' },
        { identifier: '01234567890124', supply_type: 'GAS' },
      ],
    ],
  ],
  duplicate_contract: [
    'An earlier contract of this payload has the same identifier, so an account cannot tell them apart.',
    [
      (second) => onBusiness({ business_contracts: [{ identifier: 'C-1' }, second] }),
      { identifier: 'C-1' },
      'business.business_contracts.1.identifier',
      [{ identifier: 'C-2' }],
    ],
  ],
};

const cases = Object.entries(rules).flatMap(([code, [detail, ...ofCode]]) =>
  ofCode.map(([check, fires, attr, quiet = [], own = detail]) => [code, check, fires, attr, own, quiet] as const),
);

const instruction = { ...ids, vendor: 'V', reference: 'R' };
const businessInstruction = { ...businessIds, vendor: 'V', reference: 'R' };
const processIds = { external_account_number: 'A-1', import_supplier_code: 'ACME', operations_team_name: 'M' };
const long = 1 / 3;

/** The other places that the same rules look at. */
const elsewhere = Object.entries({
  question_mark_in_word: [
    ...['family_name', 'given_name'].map((field): Place => [`customers.0.${field}`, onCustomer({ [field]: 'Mu?oz' })]),
    ...[1, 2, 3, 4].flatMap((line): Place[] => [
      [`billing_address${line}`, onAccount({ [`billing_address${line}`]: 'All?e' })],
      [
        `supply_addresses.0.supply_address${line}`,
        onAccount({ supply_addresses: [{ [`supply_address${line}`]: 'All?e' }] }),
      ],
    ]),
    ['business.company_name', onBusiness({ company_name: 'Caf? Andr?a' })],
  ],
  garbled_text: [['metadata.0.value.note', onAccount({ metadata: [{ key: 'k', value: { note: 'NoÃ«l' } }] })]],
  day_not_in_each_month: [
    [`${TERM}.period_start_day`, onTerm({ term_type: 'ISSUANCE_FREQUENCY', period_start_day: 31 })],
    [
      'account_contracts.0.versions.0.terms.0.period_start_day',
      onAccountTerm({ term_type: 'ISSUANCE_FREQUENCY', period_start_day: 29 }),
    ],
  ],
  field_of_other_transaction_type: [
    ['transactions.0.display_note', onPayment({ type: 'REPAYMENT', display_note: 'x' })],
    ['transactions.0.reference', onTransaction({ type: 'CHARGE', reference: 'x' })],
    ['transactions.0.reference', onSupplyCharge({ reference: 'x' })],
    ['transactions.0.reason', onSupplyCharge({ reason: 'IMPORTED_CHARGE' })],
    ['transactions.0.product_code', onTransaction({ product_code: 'P' })],
    ['transactions.0.line_items', onTransaction({ type: 'CREDIT', line_items: [] })],
    ['transactions.0.tax_items', onPayment({ tax_items: [] })],
    ['transactions.0.payment_type', onTransaction({ payment_type: 'DEBIT_CARD' })],
    ['transactions.0.payment_type', onTransaction({ type: 'CREDIT', payment_type: 'DEBIT_CARD' })],
    ['transactions.0.payment_type', onSupplyCharge({ payment_type: 'DEBIT_CARD' })],
  ],
  transaction_without_amount_or_date: [['transactions.0.transaction_date', onPayment({ transaction_date: undefined })]],
  payment_without_reference: [['transactions.0.reference', onPayment({ type: 'REPAYMENT', reference: '' })]],
  supply_charge_incomplete: [
    ['transactions.0.line_items', onSupplyCharge({ line_items: undefined })],
    ['transactions.0.line_items', onSupplyCharge({ line_items: [] })],
  ],
  more_than_two_decimals: [
    [`${POINT}.payment_schedules.0.amount`, onSchedule({ amount: 45.125 })],
    [`${TERM}.amount`, onTerm({ term_type: 'TERMINATION_FEE', amount: 0.001 })],
    ['account_contracts.0.versions.0.terms.0.amount', onAccountTerm({ term_type: 'TERMINATION_FEE', amount: 0.001 })],
  ],
  empty_list: [
    ['supply_addresses', onAccount({ supply_addresses: [] })],
    ['supply_addresses.0.supply_points', onAccount({ supply_addresses: [{ supply_points: [] }] })],
    ['account_contracts.0.versions', onAccountContract({ versions: [] })],
    ['account_contracts.0.versions.0.terms', onAccountContract({ versions: [{ terms: [] }] })],
    ['business.business_contracts', onBusiness({ business_contracts: [] })],
    ['business.business_contracts.0.versions', onContract({ versions: [] })],
    ['business.business_contracts.0.versions.0.terms', onContract({ versions: [{ terms: [] }] })],
    ['accounts', validateBusinessPaymentInstruction({ ...businessInstruction, accounts: [] })],
    ['transactions', validateTransactions({ ...ids, transactions: [] })],
    ['statements', validateHistoricalStatements({ ...ids, statements: [] })],
  ],
  negative_amount: [
    ['transactions.0.amount', onTransaction({ type: 'CHARGE', amount: -1 })],
    ['transactions.0.amount', onPayment({ amount: -1 })],
    ['transactions.0.amount', onPayment({ type: 'REPAYMENT', amount: -1 })],
  ],
  decimal_too_long: [
    [`${POINT}.payment_schedules.0.amount`, onSchedule({ amount: long })],
    [`${TERM}.amount`, onTerm({ term_type: 'TERMINATION_FEE', amount: long })],
    [
      `${TERM}.guarantee_of_origin_percentage`,
      onTerm({ term_type: 'GUARANTEE_OF_ORIGIN_CONFIGURATION', guarantee_of_origin_percentage: long }),
    ],
    ['account_contracts.0.versions.0.terms.0.amount', onAccountTerm({ term_type: 'TERMINATION_FEE', amount: long })],
    [
      'account_contracts.0.versions.0.terms.0.guarantee_of_origin_percentage',
      onAccountTerm({ term_type: 'GUARANTEE_OF_ORIGIN_CONFIGURATION', guarantee_of_origin_percentage: long }),
    ],
    ['statements.0.gross_amount', onStatement({ gross_amount: 1e10 })],
    ['transactions.0.line_items.0.number_of_units', onSupplyCharge({ line_items: [{ number_of_units: long }] })],
    ['transactions.0.line_items.0.net_amount', onSupplyCharge({ line_items: [{ net_amount: long }] })],
    ['transactions.0.line_items.0.price_per_unit', onSupplyCharge({ line_items: [{ price_per_unit: long }] })],
    ['transactions.0.line_items.0.units.1', onSupplyCharge({ line_items: [{ units: [1, long] }] })],
    ['transactions.0.tax_items.0.amount', onSupplyCharge({ tax_items: [{ amount: long }] })],
    ['transactions.0.tax_items.0.value_taxed', onSupplyCharge({ tax_items: [{ value_taxed: long }] })],
    ['transactions.0.tax_items.0.rate', onSupplyCharge({ tax_items: [{ rate: long }] })],
  ],
  percentage_out_of_range: [
    [
      'account_contracts.0.versions.0.terms.0.guarantee_of_origin_percentage',
      onAccountTerm({ term_type: 'GUARANTEE_OF_ORIGIN_CONFIGURATION', guarantee_of_origin_percentage: -1 }),
    ],
  ],
  no_such_day: [
    [
      'account_contracts.0.versions.0.terms.0.period_start_day',
      onAccountTerm({ term_type: 'ISSUANCE_FREQUENCY', period_start_day: 32 }),
    ],
  ],
  no_such_month: [
    [
      'account_contracts.0.versions.0.terms.0.period_start_month',
      onAccountTerm({ term_type: 'ISSUANCE_FREQUENCY', period_start_month: 0 }),
    ],
  ],
  fractional_seconds: [
    ['notes.0.unpin_at', onNotes({ body: 'x', is_pinned: true, unpin_at: '2024-01-15T08:00:00.5Z' })],
    ['notes.0.created_at', onAccount({ notes: [{ body: 'x', created_at: '2024-01-15T08:00:00.5+02:00' }] })],
    [
      'notes.0.unpin_at',
      onAccount({ notes: [{ body: 'x', is_pinned: true, unpin_at: '2024-01-15T08:00:00.123456Z' }] }),
    ],
    [`${POINT}.agreements.0.agreed_at`, onPoint({ agreements: [{ agreed_at: '2024-02-20T10:15:30.250Z' }] })],
  ],
  document_path_cannot_resolve: [
    ['statements.0.statement_path', onAccount({ statements: [{ statement_path: '..' }] })],
    ['notes.0.document_paths.0.document_path', onAccount({ notes: [{ document_paths: [{ document_path: '..' }] }] })],
  ],
  identifier_empty: [
    ['import_supplier', onAccount({ import_supplier: '' })],
    [
      'external_business_identifier',
      validateBusiness({ ...businessIds, external_business_identifier: '', business: {} }),
    ],
    ['import_supplier_code', validateBusiness({ ...businessIds, import_supplier_code: '', business: {} })],
    [
      'external_business_identifier',
      validateBusinessPaymentInstruction({ ...businessInstruction, external_business_identifier: '' }),
    ],
    ['import_supplier_code', validateBusinessPaymentInstruction({ ...businessInstruction, import_supplier_code: '' })],
    ['external_account_number', validateProcess({ ...processIds, external_account_number: '' })],
    ['import_supplier_code', validateProcess({ ...processIds, import_supplier_code: '' })],
    ['external_account_number', validatePaymentInstruction({ ...instruction, external_account_number: '' })],
    ['import_supplier', validateNotes({ ...ids, import_supplier: '', notes: [{ body: 'x' }] })],
    [
      'import_supplier',
      validateTransactions({
        ...ids,
        import_supplier: '',
        transactions: [{ type: 'CHARGE', transaction_id: 'T', ...dated }],
      }),
    ],
    ['import_supplier', validateHistoricalStatements({ ...ids, import_supplier: '', statements: [{}] })],
    ['operations_team_name', validateProcess({ ...processIds, operations_team_name: '' })],
    ...['vendor', 'reference'].flatMap((field): Place[] => [
      [field, validatePaymentInstruction({ ...instruction, [field]: '' })],
      [field, validateBusinessPaymentInstruction({ ...businessInstruction, [field]: '' })],
      [
        `${POINT}.payment_instructions.0.${field}`,
        onPoint({ payment_instructions: [{ vendor: 'V', reference: 'R', [field]: '' }] }),
      ],
    ]),
  ],
  identifier_with_spaces_around: [
    ['import_supplier', onAccount({ import_supplier: ' ACME' })],
    [
      'business.business_contract_identifier',
      onBusinessAccount({ business: { business_contract_identifier: 'C-1\n' } }),
    ],
    [`${POINT}.identifier`, onPoint({ identifier: ' 1234567890123' })],
    ['statements.0.statement_id', onAccount({ statements: [{ statement_id: 'S-1 ' }] })],
    ['account_contracts.0.identifier', onAccountContract({ identifier: 'C-1 ' })],
    ['business.business_contracts.0.identifier', onContract({ identifier: ' C-1' })],
    [
      'external_business_identifier',
      validateBusiness({ ...businessIds, external_business_identifier: 'B ', business: {} }),
    ],
    ['import_supplier_code', validateBusiness({ ...businessIds, import_supplier_code: 'B ', business: {} })],
    ['vendor', validatePaymentInstruction({ ...instruction, vendor: 'V ' })],
    ['reference', validateBusinessPaymentInstruction({ ...businessInstruction, reference: ' R' })],
    [
      'accounts.0.external_account_number',
      validateBusinessPaymentInstruction({ ...businessInstruction, accounts: [{ external_account_number: 'A-1 ' }] }),
    ],
    ['operations_team_name', validateProcess({ ...processIds, operations_team_name: 'M ' })],
    ['prm_ids.0', validatePopulate({ prm_ids: [' 1234567890123'] })],
    ['pce_ids.0', validatePopulate({ pce_ids: [' 1234567890123'] })],
    ['statements.0.statement_id', onStatement({ statement_id: ' S-1' })],
    ['transactions.0.transaction_id', onTransaction({ transaction_id: 'T-1 ' })],
  ],
  duplicate_note: [['notes.1.body', onAccount({ notes: [{ body: 'x' }, { body: 'x' }] })]],
  duplicate_contract: [
    [
      'account_contracts.1.identifier',
      onBusinessAccount({ account_contracts: [{ identifier: 'C' }, { identifier: 'C' }] }),
    ],
  ],
} satisfies Record<string, Place[]>).flatMap(([code, places]) =>
  places.map(([attr, result]) => [code, attr, result] as const),
);

it.each(elsewhere)('%s fires at %s', (code, attr, result) => {
  expect(result).toMatchObject({ ok: true, findings: [{ code, attr, severity: 'warning' }] });
  expect(result.findings).toHaveLength(1);
});

describe.each(cases)('%s %#', (code, check, fires, attr, detail, quiet) => {
  it('fires, once, and does not block', () => {
    expect(check(fires)).toMatchObject({ ok: true, findings: [{ code, attr, detail, severity: 'warning' }] });
  });

  it.each(quiet)('is quiet on %o', (fields) => {
    expect(check(fields)).toMatchObject({ ok: true, findings: [] });
  });
});

it('the same statement_id twice in historical statements is an error', () => {
  const statements = [{ statement_id: 'S-1' }, {}, {}, { statement_id: 'S-1', number: '2' }, { statement_id: 'S-2' }];
  expect(validateHistoricalStatements({ ...ids, statements })).toMatchObject({
    ok: false,
    findings: [{ code: 'duplicate_statement', attr: 'statements.3.statement_id', severity: 'error' }],
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
    ...['1.23E+13', '1,23E+13', '1.23e+13', '1.23E13', '1.0E7', '1E+13', ' 1.2E+13 ', '1.2345678901234E13', '2E+05'],
    ...['4.711E+03', '1.23E+04', '7E+00', '1.5E+2', '1.23456E+3', '12.3E+3', '0.5E+13', '1E+100'],
  ])('%j is one', (transaction_id) => {
    expect(onTransaction({ transaction_id })).toMatchObject({ ok: false });
  });

  it.each(['1E5', '1E13', '2E3', '1.23E', 'E+13', 'A1.23E+13', '1.2.3E+13', '1.23E-5'])(
    '%j is none: no program writes an identifier so',
    (transaction_id) => {
      expect(onTransaction({ transaction_id })).toMatchObject({ ok: true });
    },
  );

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
    ...cases.map(([code, , , attr]) => `${code} ${attr}`),
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
  const rows = lines.flatMap((line, index) => (/^ {2}\{(?: \.\.\.|$)/.test(line) ? [index] : []));
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
