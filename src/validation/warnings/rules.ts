/**
 * Exports `VALUE_RULES`, the table of values that are probably wrong although the schemas accept them. A row is one rule, in the order of
 * the findings. The sources in the comments: `spec` is a chapter of the API specification, `relatives` is the behaviour of services of the
 * same family, `exports` is what other programs do to the values of an export.
 */
import { datetimeSchema } from '../../../schemas/fields.js';
import { isObject } from '../../../schemas/objects.js';
import { hasId } from '../../../schemas/payloads/transaction.js';
import { landlineSchema, mobileSchema } from '../../../schemas/phone-numbers.js';
import {
  ACCOUNT_TYPES,
  CONSENTS,
  CONTRACT_FREQUENCIES,
  DELAYER_STRATEGIES,
  FEE_TYPES,
  INSTRUCTION_TYPES,
  PAYMENT_TYPES,
  SCHEDULE_FREQUENCIES,
  SCHEDULE_MEANS,
  SUPPLY_POINT_INSTRUCTION_TYPES,
  SUPPLY_TYPES,
  TAX_TYPES,
  TAX_UNIT_TYPES,
  TRANSACTION_REASONS,
  TRANSACTION_TYPES,
} from '../../../schemas/values.js';
import { SCIENTIFIC_NOTATION, VALUE_NEVER_SEEN } from '../profile.js';
import {
  ACCOUNT,
  AGREEMENT,
  at,
  BUSINESS,
  BUSINESS_CONTRACT,
  BUSINESS_CONTRACTS,
  BUSINESS_PAYMENT_INSTRUCTION,
  CHEQUE,
  CONTRACT,
  CUSTOMER,
  EVERYWHERE,
  HISTORICAL_STATEMENT,
  HISTORICAL_STATEMENTS,
  LINE_ITEM,
  NOTE,
  NOTES,
  OF_ACCOUNT,
  OF_BUSINESS,
  PAYMENT_INSTRUCTION,
  type Places,
  POPULATE,
  PROCESS,
  SCHEDULE,
  STATEMENT,
  STATEMENT_OF_ACCOUNT,
  SUPPLY_ADDRESS,
  SUPPLY_POINT,
  TAX_ITEM,
  TERM,
  TRANSACTION,
  TRANSACTIONS,
} from './places.js';
import {
  isBlank,
  isDefaultDate,
  isDocumentPath,
  isGarbled,
  isLandline,
  isLongDecimal,
  isScientificNotation,
  isSiret,
  isTextOfProgram,
  ROUNDED_IDENTIFIER,
  UNREADABLE,
} from './value-forms.js';

export interface ValueRule {
  code: string;
  /** Places that the rule checks. */
  at: Places;
  /** Message of the finding, with the reason. */
  detail: string;
  /** Whether a record with such a value is not sent. @default false: a warning */
  isError?: true;
  /** Whether a balance or a payment may be wrong: such warnings are listed first. */
  isAboutMoney?: true;
  /** For an object: returns the suspicious fields; '' is the object itself. */
  fields?: (object: Fields) => readonly string[];
  /** For a string: returns whether it is suspicious. */
  text?: (text: string) => boolean;
  /** For a number: returns whether it is suspicious. */
  number?: (number: number) => boolean;
  /** For a list: returns whether it is suspicious. */
  list?: (list: readonly unknown[]) => boolean;
  /** Documented values, or documented names of an object. Others are unlisted (U7). */
  listed?: readonly string[];
  /** For objects: no two may have the same values in these fields; the finding is at the first field. */
  distinct?: readonly [string, ...string[]];
}

export type Fields = Record<string, unknown>;

/** Identifiers and numbers that the importer's own system gave. */
const IDENTIFIERS = [
  [OF_ACCOUNT, 'external_account_number'],
  [OF_BUSINESS, 'external_business_identifier'],
  [PROCESS, 'external_account_number'],
  [ACCOUNT, 'business.business_contract_identifier'],
  [SUPPLY_POINT, 'identifier'],
  [STATEMENT, 'statement_id'],
  [CONTRACT, 'identifier'],
  [PAYMENT_INSTRUCTION, 'reference'],
  [BUSINESS_PAYMENT_INSTRUCTION, 'reference', 'accounts.*.external_account_number'],
  [POPULATE, 'prm_ids.*', 'pce_ids.*'],
  [TRANSACTION, 'transaction_id'],
] as const;

/** Lists that are probably incomplete if they are empty. Other lists may be empty on purpose. */
const EMPTY_LISTS = at(
  [ACCOUNT, 'customers', 'supply_addresses', 'supply_addresses.*.supply_points'],
  [BUSINESS_CONTRACTS],
  [CONTRACT, 'versions', 'versions.*.terms'],
  [BUSINESS_PAYMENT_INSTRUCTION, 'accounts'],
  [NOTES],
  [TRANSACTIONS],
  [HISTORICAL_STATEMENTS],
);

const PAYMENTS = ['PAYMENT', 'REPAYMENT'];
const SUPPLY = ['SUPPLY_CHARGE'];
/** Types whose name tells who pays. */
const DIRECTED = ['CHARGE', 'CREDIT', ...PAYMENTS];

/** Fields of a transaction that only some types have. */
const TYPES_WITH: Readonly<Record<string, readonly string[]>> = {
  display_note: ['CHARGE', 'CREDIT', ...SUPPLY],
  reason: DIRECTED,
  reference: PAYMENTS,
  payment_type: PAYMENTS,
  product_code: SUPPLY,
  line_items: SUPPLY,
  tax_items: SUPPLY,
};

/** Empty, or + and digits with usual separators. Without the country code a service may not know the country, and a date has digits too. */
const USUAL_PHONE = /^(?:\+[\d ().\-/]{6,}[\d).\-/])?$/;

/** Undocumented values that deployments of the same family accept. */
const ALSO_SEEN = {
  means: ['CARD', 'MANUAL', 'PAYMENT_SLIP'],
  frequencies: ['QUARTERLY', 'WEEKLY', 'FORTNIGHTLY', 'FOUR_WEEKLY', 'ANNUALLY', 'SIX_MONTHLY'],
  deceased: ['Reported', 'Confirmed', ''],
  feeTypes: ['WHOLE_MONTHS_REMAINING', 'WHOLE_DAYS_REMAINING'],
  strategies: ['WORKING_DAYS'],
};

const DUPLICATE_STATEMENT = {
  code: 'duplicate_statement',
  detail: 'An earlier statement of this payload has the same statement_id: this one may be refused or added.',
  distinct: ['statement_id'],
} as const;

export const VALUE_RULES: readonly ValueRule[] = [
  // exports: a text that a function of a query or `keepInvalid` of a mapping cannot read
  {
    code: 'unreadable_value',
    at: EVERYWHERE,
    detail: `The mapping or query could not read a value, and wrote ${UNREADABLE} before it.`,
    isError: true,
    text: (text) => text.includes(UNREADABLE),
  },
  // exports: spreadsheet programs and floating-point numbers keep 15 digits or fewer (decision 78)
  {
    code: SCIENTIFIC_NOTATION,
    at: at(
      ...IDENTIFIERS,
      [BUSINESS, 'siret'],
      [SUPPLY_POINT, 'payment_instructions.*.reference'],
      [HISTORICAL_STATEMENT, 'number'],
      [CHEQUE, 'number'],
      [TRANSACTION, 'reference'],
    ),
    detail: ROUNDED_IDENTIFIER,
    isError: true,
    text: isScientificNotation,
  },
  // exports: spreadsheet programs in all languages, databases and scripts
  {
    code: 'text_of_program',
    at: EVERYWHERE,
    detail:
      'A program writes this where it has no value or an error, such as #N/A. Correct it, or leave the field out.',
    text: isTextOfProgram,
  },
  // exports: a text that was read in another encoding than it was written in
  {
    code: 'garbled_text',
    at: EVERYWHERE,
    detail:
      'The text was probably read in the wrong encoding, such as Ã© for é. Export it in UTF-8, or name its encoding.',
    text: isGarbled,
  },
  // exports: a text that was written for a web page
  {
    code: 'html_entity',
    at: EVERYWHERE,
    detail: 'Contains a character in the form of a web page, such as &amp; for &. Export the plain text.',
    text: (text) => text.includes('&') && /&(?:[a-z]{2,8}|#\d{2,5}|#x[\da-f]{2,5});/i.test(text),
  },
  // exports: programs write a question mark in place of a character that an encoding lacks
  {
    code: 'question_mark_in_word',
    at: at(
      [CUSTOMER, 'given_name', 'family_name'],
      [BUSINESS, 'company_name'],
      [ACCOUNT, 'billing_address1', 'billing_address2', 'billing_address3', 'billing_address4'],
      [SUPPLY_ADDRESS, 'supply_address1', 'supply_address2', 'supply_address3', 'supply_address4'],
    ),
    detail: 'A question mark within a word often stands for a letter that an encoding lacks. Export in UTF-8.',
    text: (text) => text.includes('?') && /\p{L}\?\p{L}/u.test(text),
  },
  // exports: the first and last days of programs
  {
    code: 'default_date',
    at: EVERYWHERE,
    detail: 'Programs write such a date where they have none. Correct it, or leave the field out.',
    text: isDefaultDate,
  },
  // spec: Account payload, Customer (mobile, landline)
  {
    code: 'landline_in_mobile',
    at: at([CUSTOMER, 'mobile']),
    detail: 'No mobile number in the numbering plan of its country: it may belong into landline.',
    text: isLandline,
  },
  // spec: Account payload, Supply point (payment_instructions: valid_from)
  {
    code: 'mandate_without_date',
    at: at([SUPPLY_POINT, 'payment_instructions.*']),
    detail: 'A direct debit has a date from which its mandate is valid; it is missing.',
    fields: unlessFilled(['DIRECT_DEBIT'], 'valid_from'),
  },
  // spec: Account payload (payment_schedules: amount)
  {
    code: 'schedule_collects_nothing',
    at: at([SCHEDULE]),
    detail: 'The amount is missing, 0 or negative: nothing may be collected. Leave out a schedule that is not wanted.',
    isAboutMoney: true,
    fields: ({ amount }) => (amount === undefined || (typeof amount === 'number' && amount <= 0) ? ['amount'] : []),
  },
  // spec: Account payload (payment_schedules), Contract (ISSUANCE_FREQUENCY)
  {
    code: 'day_not_in_each_month',
    at: at([SCHEDULE, 'day_of_month'], [TERM, 'period_start_day']),
    detail: 'Not every month has this day. Ask the operator which day counts then, or give one up to 28.',
    number: (day) => day >= 29 && day <= 31,
  },
  // spec: Account payload, Business payload (siret)
  {
    code: 'siret_check_digit',
    at: at([BUSINESS, 'siret']),
    detail: 'A SIRET has 14 digits with a check digit; this one does not fit.',
    text: (siret) => !isSiret(siret),
  },
  // spec: shows no length. Registries: 6 characters (a gas point in Great Britain) to 33 (a metering location in Germany)
  {
    code: 'point_id_length',
    at: at([SUPPLY_POINT, 'identifier'], [POPULATE, 'prm_ids.*', 'pce_ids.*']),
    detail: 'Ids of supply points have 6 to 33 characters in all known registries.',
    text: (id) => id.length < 6 || id.length > 33,
  },
  // spec: Pre-population (prm_ids, pce_ids)
  {
    code: 'populate_without_ids',
    at: at([POPULATE]),
    detail: 'Without prm_ids and pce_ids nothing is looked up.',
    fields: ({ prm_ids = [], pce_ids = [] }) => (isEmptyList(prm_ids) && isEmptyList(pce_ids) ? [''] : []),
  },
  // spec: Conventions (an optional field that is not wanted is omitted)
  {
    code: 'empty_list',
    at: EMPTY_LISTS,
    detail: 'The list is empty: its content may be missing. Leave out a list that is not wanted.',
    list: isEmptyList,
  },
  // spec: Account payload, Supply point
  {
    code: 'supply_point_without_identifier',
    at: at([SUPPLY_POINT]),
    detail: 'A supply point without identifier names no point.',
    fields: unlessGiven('identifier'),
  },
  // spec: Account payload, consent_data
  {
    code: 'consent_of_other_supply_type',
    at: at([SUPPLY_POINT]),
    detail: 'This consent belongs to the other supply type: ELEC_* to ELECTRICITY, GAS_* to GAS.',
    fields: ({ supply_type, consent_data }) => {
      const other = supply_type === 'GAS' ? 'ELEC_' : supply_type === 'ELECTRICITY' ? 'GAS_' : undefined;
      if (other === undefined || !isObject(consent_data)) return [];
      const names = Object.keys(consent_data).filter((name) => name.startsWith(other));
      return names.map((name) => `consent_data.${name}`);
    },
  },
  // spec: Note (unpin_at appears alongside is_pinned)
  {
    code: 'unpin_without_pin',
    at: at([NOTE]),
    detail: 'unpin_at is given and is_pinned is not true.',
    fields: (note) => (note['unpin_at'] !== undefined && note['is_pinned'] !== true ? ['unpin_at'] : []),
  },
  // spec: Note (at least one of body or document_paths)
  {
    code: 'empty_note',
    at: at([NOTE]),
    detail: 'The note has neither text nor documents.',
    fields: ({ body, document_paths }) => (isEmpty(body) && isEmpty(document_paths) ? [''] : []),
  },
  // spec: Account payload (two variants)
  {
    code: 'business_fields_on_domestic_account',
    at: at([ACCOUNT]),
    detail: 'Only business accounts have this; account_type is missing.',
    fields: (account) =>
      account['account_type'] === undefined
        ? ['business', 'account_contracts'].filter((field) => account[field] !== undefined)
        : [],
  },
  // spec: Account payload (business_contract_identifier, to link the account to the contract)
  {
    code: 'business_account_without_contract',
    at: at([ACCOUNT]),
    detail: 'business.business_contract_identifier links a business account to its contract, and is missing.',
    fields: ({ account_type, business }) => {
      if (account_type !== 'BUSINESS') return [];
      if (business === undefined) return ['business'];
      const isMissing = isObject(business) && isEmpty(business['business_contract_identifier']);
      return isMissing ? ['business.business_contract_identifier'] : [];
    },
  },
  // spec: Account payload (business_contract_identifier)
  {
    code: 'contract_without_identifier',
    at: at([BUSINESS_CONTRACT]),
    detail: 'Without identifier no account can be linked to this contract.',
    fields: unlessGiven('identifier'),
  },
  // spec: Transactions (check_previously_added); relatives require it
  {
    code: 'transaction_without_id',
    at: at([TRANSACTION]),
    detail: 'Without transaction_id the service may add this transaction twice, or skip it for an equal one.',
    isAboutMoney: true,
    fields: (transaction) => (hasId(transaction) ? [] : ['transaction_id']),
  },
  // spec: Transaction (transaction_date, amount); relatives require both
  {
    code: 'transaction_without_amount_or_date',
    at: at([TRANSACTION]),
    detail: 'Each type of transaction has an amount and a date; this one is missing.',
    isAboutMoney: true,
    fields: unlessGiven('transaction_date', 'amount'),
  },
  // spec: Transaction (reference)
  {
    code: 'payment_without_reference',
    at: at([TRANSACTION]),
    detail: 'Payments and repayments have a reference; it is missing.',
    fields: unlessFilled(PAYMENTS, 'reference'),
  },
  // spec: Transaction (product_code, line_items); relatives require both
  {
    code: 'supply_charge_incomplete',
    at: at([TRANSACTION]),
    detail: 'A SUPPLY_CHARGE has a product_code and line_items; this one is missing.',
    fields: unlessFilled(SUPPLY, 'product_code', 'line_items'),
  },
  // spec: Transaction (Notes, payment_type); relatives: SUPPLY_CHARGE has no reason
  {
    code: 'field_of_other_transaction_type',
    at: at([TRANSACTION]),
    detail: 'Only other types of transactions have this field; the type may be wrong.',
    isAboutMoney: true,
    fields: (transaction) =>
      TRANSACTION_TYPES.includes(transaction['type'] as 'CHARGE')
        ? Object.keys(TYPES_WITH).filter(
            (field) => transaction[field] !== undefined && !TYPES_WITH[field]?.includes(transaction['type'] as string),
          )
        : [],
  },
  // spec: Transaction (CHARGE and CREDIT, PAYMENT and REPAYMENT)
  {
    code: 'negative_amount',
    at: at([TRANSACTION]),
    detail: 'The type tells the direction of a transaction; a negative amount turns it round.',
    isAboutMoney: true,
    fields: ({ type, amount }) =>
      typeof amount === 'number' && amount < 0 && DIRECTED.includes(String(type)) ? ['amount'] : [],
  },
  // spec: Contract (price_per_unit string); relatives: a decimal
  {
    code: 'price_not_decimal',
    at: at([TERM, 'schedules.*.items.*.price_per_unit']),
    detail: 'Expected a decimal with a point, such as 0.1523.',
    isAboutMoney: true,
    text: (price) => !/^-?\d+(\.\d+)?$/.test(price),
  },
  // relatives: a decimal is a number of up to ten digits each side of the point
  {
    code: 'decimal_too_long',
    at: at(
      [SCHEDULE, 'amount'],
      [TERM, 'amount', 'guarantee_of_origin_percentage'],
      [HISTORICAL_STATEMENT, 'gross_amount'],
      [TRANSACTION, 'amount'],
      [LINE_ITEM, 'number_of_units', 'net_amount', 'price_per_unit', 'units.*'],
      [TAX_ITEM, 'amount', 'value_taxed', 'rate'],
    ),
    detail:
      'Relatives of the service take up to ten digits each side of the point; this may be the rest of a calculation.',
    isAboutMoney: true,
    number: isLongDecimal,
  },
  // relatives: amounts of transactions in major units, of which the minor ones are hundredths
  {
    code: 'more_than_two_decimals',
    at: at([TRANSACTION, 'amount'], [SCHEDULE, 'amount'], [TERM, 'amount']),
    detail: 'An amount of money usually has two decimals; this one may have been rounded too late.',
    isAboutMoney: true,
    // A result such as 0.1 + 0.2 is already found by `decimal_too_long`.
    number: (amount) => !isLongDecimal(amount) && Number(amount.toFixed(2)) !== amount,
  },
  // relatives: gross_amount of a statement in minor units
  {
    code: 'gross_amount_with_decimals',
    at: at([HISTORICAL_STATEMENT, 'gross_amount']),
    detail:
      'Relatives of the service take whole minor units (cents). The API specification does not say which units: ask the operator.',
    isAboutMoney: true,
    number: (amount) => Number.isFinite(amount) && !Number.isInteger(amount),
  },
  // spec: Transaction (tax_items: rate, unit_type PROPORTION)
  {
    code: 'proportion_above_one',
    at: at([TAX_ITEM]),
    detail: 'A rate in PROPORTION is a part of one: 0.2 for 20 percent.',
    isAboutMoney: true,
    fields: ({ rate, unit_type }) =>
      unit_type === 'PROPORTION' && typeof rate === 'number' && Math.abs(rate) > 1 ? ['rate'] : [],
  },
  // spec: Contract (GUARANTEE_OF_ORIGIN_CONFIGURATION)
  {
    code: 'percentage_out_of_range',
    at: at([TERM, 'guarantee_of_origin_percentage']),
    detail: 'A percentage lies between 0 and 100.',
    number: unlessBetween(0, 100),
  },
  // spec: Account payload (payment_schedules), Contract (ISSUANCE_FREQUENCY)
  {
    code: 'no_such_day',
    at: at([SCHEDULE, 'day_of_month'], [TERM, 'period_start_day']),
    detail: 'A day of a month lies between 1 and 31.',
    number: unlessBetween(1, 31),
  },
  // spec: Contract (ISSUANCE_FREQUENCY)
  {
    code: 'no_such_month',
    at: at([TERM, 'period_start_month']),
    detail: 'A month lies between 1 and 12.',
    number: unlessBetween(1, 12),
  },
  // spec: Conventions (YYYY-MM-DDTHH:MM:SSZ)
  {
    code: 'fractional_seconds',
    at: at([NOTE, 'created_at', 'unpin_at'], [AGREEMENT, 'agreed_at']),
    detail: 'The documented form of a datetime has whole seconds.',
    text: (datetime) => datetime.includes('.') && datetimeSchema.safeParse(datetime).success,
  },
  // spec: Account payload, Customer (email)
  {
    code: 'email_in_unusual_form',
    at: at([CUSTOMER, 'email']),
    detail: 'Expected one e-mail address without spaces.',
    text: (email) => email !== '' && !/^[^@\s;,]+@[^@\s;,]+$/.test(email),
  },
  // spec: Account payload, Customer (mobile: international phone format; landline: validated as a phone number)
  unusualPhone('mobile', mobileSchema),
  unusualPhone('landline', landlineSchema),
  // spec: Conventions (Document paths)
  {
    code: 'document_path_cannot_resolve',
    at: at([STATEMENT, 'statement_path'], [NOTE, 'document_paths.*.document_path']),
    detail: 'Expected a path relative to the root of the import supplier, without "..", "\\" or a scheme.',
    text: (path) => !isDocumentPath(path),
  },
  // spec: Status queries (path parameters), Payment instruction (its vendor is asked for it), Process rules (the team must exist)
  {
    code: 'identifier_empty',
    at: at(
      [OF_ACCOUNT, 'external_account_number', 'import_supplier'],
      [OF_BUSINESS, 'external_business_identifier', 'import_supplier_code'],
      [PROCESS, 'external_account_number', 'import_supplier_code', 'operations_team_name'],
      ...[PAYMENT_INSTRUCTION, BUSINESS_PAYMENT_INSTRUCTION].map((place) => [place, 'vendor', 'reference'] as const),
      [SUPPLY_POINT, 'payment_instructions.*.vendor', 'payment_instructions.*.reference'],
    ),
    detail: 'Empty: the service finds nothing by it.',
    text: isBlank,
  },
  // spec: Account payload (must equal), Notes (must be correct)
  {
    code: 'identifier_with_spaces_around',
    at: at(
      ...IDENTIFIERS,
      [OF_ACCOUNT, 'import_supplier'],
      [OF_BUSINESS, 'import_supplier_code'],
      [PROCESS, 'import_supplier_code', 'operations_team_name'],
      [PAYMENT_INSTRUCTION, 'vendor'],
      [BUSINESS_PAYMENT_INSTRUCTION, 'vendor'],
    ),
    detail: 'Begins or ends with a space: it equals no identifier without one.',
    text: (identifier) => identifier.trim() !== identifier && !isBlank(identifier),
  },
  // spec: Transactions (check_previously_added)
  {
    code: 'duplicate_transaction',
    at: at([TRANSACTION]),
    detail: 'An earlier transaction of this payload has the same transaction_id: this one may be skipped.',
    isAboutMoney: true,
    distinct: ['transaction_id'],
  },
  // spec: Notes (a note is created only if no note has the same body)
  {
    code: 'duplicate_note',
    at: at([NOTE]),
    detail: 'An earlier note of this payload has the same body and created_at: this one is not created.',
    distinct: ['body', 'created_at'],
  },
  // relatives: historical_statement_already_exists
  { ...DUPLICATE_STATEMENT, at: at([STATEMENT_OF_ACCOUNT]) },
  // spec: Historical statements (nothing says that the service skips one that it has)
  { ...DUPLICATE_STATEMENT, at: at([HISTORICAL_STATEMENT]), isError: true },
  // spec: Account payload, Supply point (identifier)
  {
    code: 'duplicate_supply_point',
    at: at([SUPPLY_POINT]),
    detail: 'An earlier record, or this one, names the same supply point.',
    distinct: ['identifier', 'supply_type'],
  },
  // spec: Account payload (business_contract_identifier)
  {
    code: 'duplicate_contract',
    at: at([CONTRACT]),
    detail: 'An earlier contract of this payload has the same identifier, so an account cannot tell them apart.',
    distinct: ['identifier'],
  },
  // spec: these fields of these objects
  inOrder('agreement_dates_out_of_order', 'effective_from', 'effective_to', at([AGREEMENT])),
  inOrder('bill_period_out_of_order', 'bill_period_from_date', 'bill_period_to_date', at([STATEMENT])),
  inOrder('protection_out_of_order', 'protection_from', 'protection_to', at([CHEQUE])),
  inOrder('line_item_dates_out_of_order', 'start_date', 'end_date', at([LINE_ITEM])),
  inOrder('contract_signed_after_start', 'signed_at_date', 'valid_from_date', at([CONTRACT])),
  // spec: Conventions (allowed values beyond those listed are not shown); relatives: values seen
  valueNeverSeen(ACCOUNT_TYPES, at([ACCOUNT, 'account_type'])),
  valueNeverSeen(SCHEDULE_FREQUENCIES, at([SCHEDULE, 'frequency']), ALSO_SEEN.frequencies),
  valueNeverSeen(SCHEDULE_MEANS, at([SCHEDULE, 'means']), ALSO_SEEN.means),
  // A documented value of one type of payment instruction is only "also seen" for the other.
  valueNeverSeen(SUPPLY_POINT_INSTRUCTION_TYPES, at([SUPPLY_POINT, 'payment_instructions.*.type']), INSTRUCTION_TYPES),
  valueNeverSeen(
    INSTRUCTION_TYPES,
    at([PAYMENT_INSTRUCTION, 'type'], [BUSINESS_PAYMENT_INSTRUCTION, 'type']),
    SUPPLY_POINT_INSTRUCTION_TYPES,
  ),
  valueNeverSeen([], at([CUSTOMER, 'deceased']), ALSO_SEEN.deceased),
  valueNeverSeen(TRANSACTION_REASONS, at([TRANSACTION, 'reason'])),
  valueNeverSeen(PAYMENT_TYPES, at([TRANSACTION, 'payment_type'])),
  valueNeverSeen(TAX_TYPES, at([TAX_ITEM, 'tax_type'])),
  valueNeverSeen(TAX_UNIT_TYPES, at([TAX_ITEM, 'unit_type'])),
  valueNeverSeen(FEE_TYPES, at([TERM, 'fee_type']), ALSO_SEEN.feeTypes),
  valueNeverSeen(CONTRACT_FREQUENCIES, at([TERM, 'frequency']), ALSO_SEEN.frequencies),
  valueNeverSeen(DELAYER_STRATEGIES, at([TERM, 'strategy']), ALSO_SEEN.strategies),
  // Documented only for supply points.
  valueNeverSeen([], at([TERM, 'supply_type']), SUPPLY_TYPES),
  // spec: Account payload, consent_data
  {
    code: 'consent_never_seen',
    at: at([SUPPLY_POINT, 'consent_data']),
    detail: `Documented: ${CONSENTS.join(', ')}; this name may be misspelt.`,
    fields: (consents) => Object.keys(consents).filter((name) => !CONSENTS.includes(name as 'ELEC_CURVES')),
    listed: CONSENTS,
  },
];

function unusualPhone(field: string, schema: typeof mobileSchema): ValueRule {
  return {
    code: 'phone_in_unusual_form',
    at: at([CUSTOMER, field]),
    detail: 'Some services refuse this form of a telephone number; +33612345678 is always understood.',
    text: (phone) => !USUAL_PHONE.test(phone) && schema.safeParse(phone).success,
  };
}

/** Finds the fields that an object leaves out. */
function unlessGiven(...fields: string[]): (object: Fields) => string[] {
  return (object) => fields.filter((field) => object[field] === undefined);
}

/** Finds the fields that an object of one of these types leaves out or has empty. */
function unlessFilled(types: readonly unknown[], ...fields: string[]): (object: Fields) => string[] {
  return (object) => (types.includes(object['type']) ? fields.filter((field) => isEmpty(object[field])) : []);
}

function unlessBetween(least: number, most: number): (number: number) => boolean {
  return (number) => number < least || number > most;
}

function isEmpty(value: unknown): boolean {
  return value === undefined || value === null || value === '' || isEmptyList(value);
}

function isEmptyList(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0;
}

function inOrder(code: string, first: string, second: string, places: Places): ValueRule {
  return {
    code,
    at: places,
    detail: `${second} lies before ${first}.`,
    // Dates of the form YYYY-MM-DD sort as text.
    fields: ({ [first]: from, [second]: to }) =>
      typeof from === 'string' && typeof to === 'string' && to < from ? [second] : [],
  };
}

/** Returns the message of a warning by its code and the end of its path, which has `*` for indexes. */
export function detailOf({ code, attr }: { code: string; attr: string }): string | undefined {
  const rules = VALUE_RULES.filter((rule) => rule.code === code);
  const isAt = ({ at }: ValueRule) => Object.values(at).some((patterns) => patterns.some((end) => attr.endsWith(end)));
  return (rules.find(isAt) ?? rules[0])?.detail;
}

/** Returns whether a warning with this code is about an amount, its sign, or a transaction that may count twice. */
export function isAboutMoney({ code }: { code: string }): boolean {
  return VALUE_RULES.some((rule) => rule.code === code && rule.isAboutMoney);
}

/** Returns a rule for undocumented values. `listed`: documented values; `alsoSeen`: values that relatives accept. */
function valueNeverSeen(listed: readonly string[], places: Places, alsoSeen: readonly string[] = []): ValueRule {
  const known = [...listed, ...alsoSeen];
  return {
    code: VALUE_NEVER_SEEN,
    at: places,
    detail: `Seen so far: ${known.filter(Boolean).join(', ')}. Others may be right, and may be misspelt.`,
    text: (value) => !known.includes(value),
    ...(listed.length > 0 && { listed }),
  };
}
