/**
 * Advice: what experience says is suspicious and the document does not forbid. A table of rules; each says where it
 * looks and why it exists, and the comment above it where that is written: in the document, or by what the service's
 * relatives do.
 */

import { datetimeSchema, landlineSchema } from '../../../schemas/fields.js';
import { ACCOUNT_TYPES } from '../../../schemas/payloads/account.js';
import { CONTRACT_FREQUENCIES, DELAYER_STRATEGIES, FEE_TYPES } from '../../../schemas/payloads/contract.js';
import { INSTRUCTION_TYPES } from '../../../schemas/payloads/payment-instruction.js';
import {
  CONSENTS,
  SCHEDULE_FREQUENCIES,
  SCHEDULE_MEANS,
  SUPPLY_POINT_INSTRUCTION_TYPES,
  SUPPLY_TYPES,
} from '../../../schemas/payloads/supply-address.js';
import {
  PAYMENT_TYPES,
  TAX_TYPES,
  TAX_UNIT_TYPES,
  TRANSACTION_REASONS,
  TRANSACTION_TYPES,
} from '../../../schemas/payloads/transaction.js';
import { isObject } from '../objects.js';
import { VALUE_NEVER_SEEN } from '../profile.js';
import { isDocumentPath } from './document-path.js';
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
  SUPPLY_POINT,
  TAX_ITEM,
  TERM,
  TRANSACTION,
  TRANSACTIONS,
} from './places.js';
import { isLongDecimal, isSiret } from './value-forms.js';

export interface WarningRule {
  code: string;
  /** Where to look. */
  at: Places;
  /** What to tell, and why. */
  detail: string;
  /** For a place that holds an object: the fields of it that are suspicious; '' is the object itself. */
  fields?: (object: Fields) => readonly string[];
  /** For a place that holds a string: whether it is suspicious. */
  text?: (text: string) => boolean;
  /** For a place that holds a number: whether it is suspicious. */
  number?: (number: number) => boolean;
  /** For a place that holds a list: whether it is suspicious. */
  list?: (list: readonly unknown[]) => boolean;
  /** For a value, or for the names in an object: those that the document shows. Others are unlisted (U7). */
  listed?: readonly string[];
  /** For places that hold objects of which no two may agree in these fields; told at the first field. */
  distinct?: readonly [string, ...string[]];
}

export type Fields = Record<string, unknown>;

/** Values that the document does not show, and deployments of the same family take. */
const ALSO_SEEN = {
  means: ['CARD', 'MANUAL', 'PAYMENT_SLIP'],
  frequencies: ['QUARTERLY', 'WEEKLY', 'FORTNIGHTLY', 'FOUR_WEEKLY', 'ANNUALLY', 'SIX_MONTHLY'],
  deceased: ['Reported', 'Confirmed', ''],
  feeTypes: ['WHOLE_MONTHS_REMAINING', 'WHOLE_DAYS_REMAINING'],
  strategies: ['WORKING_DAYS'],
};

/** Fields of a transaction that belong to some of its types only. */
const TYPES_WITH: Readonly<Record<string, readonly string[]>> = {
  display_note: ['CHARGE', 'CREDIT', 'SUPPLY_CHARGE'],
  reason: ['CHARGE', 'CREDIT', 'PAYMENT', 'REPAYMENT'],
  reference: ['PAYMENT', 'REPAYMENT'],
  payment_type: ['PAYMENT', 'REPAYMENT'],
  product_code: ['SUPPLY_CHARGE'],
  line_items: ['SUPPLY_CHARGE'],
  tax_items: ['SUPPLY_CHARGE'],
};

/** Lists without which their payload says nothing. Of others, an empty one may be meant. */
const EMPTY_LISTS = at(
  [ACCOUNT, 'customers', 'supply_addresses', 'supply_addresses.*.supply_points'],
  [BUSINESS_CONTRACTS],
  [CONTRACT, 'versions', 'versions.*.terms'],
  [BUSINESS_PAYMENT_INSTRUCTION, 'accounts'],
  [NOTES],
  [TRANSACTIONS],
  [HISTORICAL_STATEMENTS],
);

/** Empty, or digits and the signs that people put between them; 00 in place of the plus sign, or a few digits, are unusual. */
const USUAL_PHONE = /^(?:(?!00)[+(\d][\d ().\-/]{6,}[\d).\-/])?$/;

export const WARNING_RULES: readonly WarningRule[] = [
  // document: Account payload, Business payload (siret)
  {
    code: 'siret_check_digit',
    at: at([BUSINESS, 'siret']),
    detail: 'A SIRET has 14 digits, the last of which is a check digit; this one does not fit.',
    text: (siret) => !isSiret(siret),
  },
  // relatives: point ids are 14-character strings, some begin with 0
  {
    code: 'point_id_length',
    at: at([SUPPLY_POINT, 'identifier'], [POPULATE, 'prm_ids.*', 'pce_ids.*']),
    detail: 'Point ids usually have 14 characters; a leading zero may have been lost.',
    text: (id) => id.length !== 14,
  },
  // document: Pre-population (prm_ids, pce_ids)
  {
    code: 'populate_without_ids',
    at: at([POPULATE]),
    detail: 'Neither prm_ids nor pce_ids names a supply point: nothing is looked up.',
    fields: ({ prm_ids = [], pce_ids = [] }) => (isEmptyList(prm_ids) && isEmptyList(pce_ids) ? [''] : []),
  },
  // document: Conventions (an optional field that is not wanted is omitted)
  {
    code: 'empty_list',
    at: EMPTY_LISTS,
    detail: 'The list is empty: what belongs into it may be missing. Leave out a list that is not wanted.',
    list: isEmptyList,
  },
  // document: Account payload, Supply point
  {
    code: 'supply_point_without_identifier',
    at: at([SUPPLY_POINT]),
    detail: 'A supply point without identifier names no point.',
    fields: unlessGiven('identifier'),
  },
  // document: Account payload, consent_data
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
  // document: Note (unpin_at appears alongside is_pinned)
  {
    code: 'unpin_without_pin',
    at: at([NOTE]),
    detail: 'unpin_at is given and is_pinned is not true.',
    fields: (note) => (note['unpin_at'] !== undefined && note['is_pinned'] !== true ? ['unpin_at'] : []),
  },
  // document: Note (at least one of body or document_paths)
  {
    code: 'empty_note',
    at: at([NOTE]),
    detail: 'The note has neither text nor documents.',
    fields: ({ body, document_paths: paths }) =>
      (body ?? '') === '' && (!Array.isArray(paths) || paths.length === 0) ? [''] : [],
  },
  // document: Account payload (two variants)
  {
    code: 'business_fields_on_domestic_account',
    at: at([ACCOUNT]),
    detail: 'Only business accounts have this; account_type is missing.',
    fields: (account) =>
      account['account_type'] === undefined
        ? ['business', 'account_contracts'].filter((field) => account[field] !== undefined)
        : [],
  },
  // document: Account payload (business_contract_identifier, to link the account to the contract)
  {
    code: 'business_account_without_contract',
    at: at([ACCOUNT]),
    detail: 'business.business_contract_identifier links a business account to its contract, and is missing.',
    fields: ({ account_type, business }) => {
      if (account_type !== 'BUSINESS') return [];
      if (business === undefined) return ['business'];
      const isMissing = isObject(business) && (business['business_contract_identifier'] ?? '') === '';
      return isMissing ? ['business.business_contract_identifier'] : [];
    },
  },
  // document: Account payload (business_contract_identifier)
  {
    code: 'contract_without_identifier',
    at: at([BUSINESS_CONTRACT]),
    detail: 'Without identifier no account can be linked to this contract.',
    fields: unlessGiven('identifier'),
  },
  // document: Transactions (check_previously_added); relatives require it
  {
    code: 'transaction_without_id',
    at: at([TRANSACTION]),
    detail: 'Without transaction_id the service may not recognise this transaction when it is sent again.',
    fields: unlessGiven('transaction_id'),
  },
  // document: Transaction (transaction_date, amount); relatives require both
  {
    code: 'transaction_without_amount_or_date',
    at: at([TRANSACTION]),
    detail: 'Each type of transaction has an amount and a date; this one is missing.',
    fields: (transaction) => ['transaction_date', 'amount'].filter((field) => transaction[field] === undefined),
  },
  // document: Transaction (reference)
  {
    code: 'payment_without_reference',
    at: at([TRANSACTION]),
    detail: 'Payments and repayments have a reference, and it is missing.',
    fields: ({ type, reference }) =>
      (type === 'PAYMENT' || type === 'REPAYMENT') && (reference ?? '') === '' ? ['reference'] : [],
  },
  // document: Transaction (product_code, line_items); relatives require both
  {
    code: 'supply_charge_incomplete',
    at: at([TRANSACTION]),
    detail: 'A SUPPLY_CHARGE has a product_code and line_items; this one is missing.',
    fields: ({ type, product_code, line_items }) =>
      type === 'SUPPLY_CHARGE'
        ? [
            ...((product_code ?? '') === '' ? ['product_code'] : []),
            ...(line_items === undefined || isEmptyList(line_items) ? ['line_items'] : []),
          ]
        : [],
  },
  // document: Transaction (Notes, payment_type); relatives: SUPPLY_CHARGE has no reason
  {
    code: 'field_of_other_transaction_type',
    at: at([TRANSACTION]),
    detail: 'This field is known of other types of transactions; the type may be wrong.',
    fields: (transaction) =>
      TRANSACTION_TYPES.includes(transaction['type'] as 'CHARGE')
        ? Object.keys(TYPES_WITH).filter(
            (field) => transaction[field] !== undefined && !TYPES_WITH[field]?.includes(transaction['type'] as string),
          )
        : [],
  },
  // document: Transaction (CHARGE and CREDIT, PAYMENT and REPAYMENT)
  {
    code: 'negative_amount',
    at: { TransactionsPayload: ['transactions.*[type=CHARGE|CREDIT|PAYMENT|REPAYMENT].amount'] },
    detail: 'The type tells the direction of a transaction; a negative amount turns it round.',
    number: (amount) => amount < 0,
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
    number: isLongDecimal,
  },
  // relatives: amounts of transactions in major units, of which the minor ones are hundredths
  {
    code: 'more_than_two_decimals',
    at: at([TRANSACTION, 'amount'], [SCHEDULE, 'amount'], [TERM, 'amount']),
    detail: 'An amount of money usually has two decimals; this one may have been rounded too late.',
    // 0.1 + 0.2 is the rest of a calculation, which is told already.
    number: (amount) => !isLongDecimal(amount) && Number(amount.toFixed(2)) !== amount,
  },
  // relatives: gross_amount of a statement in minor units
  {
    code: 'gross_amount_with_decimals',
    at: at([HISTORICAL_STATEMENT, 'gross_amount']),
    detail:
      'Relatives of the service take the gross amount in minor units (cents), which are whole. The document does not say: ask the operator.',
    number: (amount) => Number.isFinite(amount) && !Number.isInteger(amount),
  },
  // document: Transaction (tax_items: rate, unit_type PROPORTION)
  {
    code: 'proportion_above_one',
    at: at([TAX_ITEM]),
    detail: 'A rate in PROPORTION is a part of one: 0.2 for 20 percent.',
    fields: ({ rate, unit_type }) =>
      unit_type === 'PROPORTION' && typeof rate === 'number' && Math.abs(rate) > 1 ? ['rate'] : [],
  },
  // document: Contract (GUARANTEE_OF_ORIGIN_CONFIGURATION)
  {
    code: 'percentage_out_of_range',
    at: at([TERM, 'guarantee_of_origin_percentage']),
    detail: 'A percentage lies between 0 and 100.',
    number: unlessBetween(0, 100),
  },
  // document: Account payload (payment_schedules), Contract (ISSUANCE_FREQUENCY)
  {
    code: 'no_such_day',
    at: at([SCHEDULE, 'day_of_month'], [TERM, 'period_start_day']),
    detail: 'A day of a month lies between 1 and 31.',
    number: unlessBetween(1, 31),
  },
  // document: Contract (ISSUANCE_FREQUENCY)
  {
    code: 'no_such_month',
    at: at([TERM, 'period_start_month']),
    detail: 'A month lies between 1 and 12.',
    number: unlessBetween(1, 12),
  },
  // document: Conventions (YYYY-MM-DDTHH:MM:SSZ)
  {
    code: 'fractional_seconds',
    at: at([NOTE, 'created_at', 'unpin_at'], [AGREEMENT, 'agreed_at']),
    detail: 'The documented form of a datetime has whole seconds.',
    text: (datetime) => datetime.includes('.') && datetimeSchema.safeParse(datetime).success,
  },
  // document: Account payload, Customer (email)
  {
    code: 'email_without_at',
    at: at([CUSTOMER, 'email']),
    detail: 'An e-mail address has an @.',
    text: (email) => email !== '' && !/^[^@\s].*@[^@\s]+$/.test(email),
  },
  // document: Account payload, Customer (mobile: international phone format; landline: validated as a phone number)
  {
    code: 'phone_in_unusual_form',
    at: at([CUSTOMER, 'mobile', 'landline']),
    detail: 'Some services refuse this form of a telephone number; +33612345678 is always understood.',
    text: (phone) => !USUAL_PHONE.test(phone) && landlineSchema.safeParse(phone).success,
  },
  // document: Conventions (Document paths)
  {
    code: 'document_path_cannot_resolve',
    at: at([STATEMENT, 'statement_path'], [NOTE, 'document_paths.*.document_path']),
    detail: 'Expected a path relative to the root of the import supplier, without "..", "\\" or a scheme.',
    text: (path) => !isDocumentPath(path),
  },
  // document: Status queries (path parameters)
  {
    code: 'identifier_empty',
    at: at(
      [OF_ACCOUNT, 'external_account_number', 'import_supplier'],
      [OF_BUSINESS, 'external_business_identifier', 'import_supplier_code'],
      [PROCESS, 'external_account_number', 'import_supplier_code'],
    ),
    detail: 'Empty: nothing can be found by it, and it cannot stand in the path of a status query.',
    text: (identifier) => identifier === '',
  },
  // document: Account payload (must equal), Notes (must be correct)
  {
    code: 'identifier_with_spaces_around',
    at: at(
      [OF_ACCOUNT, 'external_account_number', 'import_supplier'],
      [OF_BUSINESS, 'external_business_identifier', 'import_supplier_code'],
      [PROCESS, 'external_account_number', 'import_supplier_code', 'operations_team_name'],
      [ACCOUNT, 'business.business_contract_identifier'],
      [SUPPLY_POINT, 'identifier'],
      [STATEMENT, 'statement_id'],
      [CONTRACT, 'identifier'],
      [PAYMENT_INSTRUCTION, 'vendor', 'reference'],
      [BUSINESS_PAYMENT_INSTRUCTION, 'vendor', 'reference', 'accounts.*.external_account_number'],
      [POPULATE, 'prm_ids.*', 'pce_ids.*'],
      [TRANSACTION, 'transaction_id'],
    ),
    detail: 'Begins or ends with a space: it equals no identifier without one.',
    text: (identifier) => identifier.trim() !== identifier,
  },
  // document: Transactions (check_previously_added)
  {
    code: 'duplicate_transaction',
    at: at([TRANSACTION]),
    detail: 'An earlier transaction of this payload has the same transaction_id: this one may be skipped.',
    distinct: ['transaction_id'],
  },
  // document: Notes (a note is created only if no note has the same body)
  {
    code: 'duplicate_note',
    at: at([NOTE]),
    detail: 'An earlier note of this payload has the same body and created_at: this one is not created.',
    distinct: ['body', 'created_at'],
  },
  // relatives: historical_statement_already_exists
  {
    code: 'duplicate_statement',
    at: at([STATEMENT]),
    detail: 'An earlier statement of this payload has the same statement_id: this one may be refused.',
    distinct: ['statement_id'],
  },
  // document: Account payload, Supply point (identifier)
  {
    code: 'duplicate_supply_point',
    at: at([SUPPLY_POINT]),
    detail: 'An earlier record, or this one, names the same supply point.',
    distinct: ['identifier', 'supply_type'],
  },
  // document: Account payload (business_contract_identifier)
  {
    code: 'duplicate_contract',
    at: at([CONTRACT]),
    detail: 'An earlier contract of this payload has the same identifier, so an account cannot tell them apart.',
    distinct: ['identifier'],
  },
  // document: these fields of these objects
  inOrder('agreement_dates_out_of_order', 'effective_from', 'effective_to', at([AGREEMENT])),
  inOrder('bill_period_out_of_order', 'bill_period_from_date', 'bill_period_to_date', at([STATEMENT])),
  inOrder('protection_out_of_order', 'protection_from', 'protection_to', at([CHEQUE])),
  inOrder('line_item_dates_out_of_order', 'start_date', 'end_date', at([LINE_ITEM])),
  inOrder('contract_signed_after_start', 'signed_at_date', 'valid_from_date', at([CONTRACT])),
  // document: Conventions (allowed values beyond those listed are not shown); relatives: values seen
  valueNeverSeen(ACCOUNT_TYPES, at([ACCOUNT, 'account_type'])),
  valueNeverSeen(SCHEDULE_FREQUENCIES, at([SCHEDULE, 'frequency']), ALSO_SEEN.frequencies),
  valueNeverSeen(SCHEDULE_MEANS, at([SCHEDULE, 'means']), ALSO_SEEN.means),
  // What is listed for one kind of payment instruction is only seen in the other.
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
  // Listed for supply points alone.
  valueNeverSeen([], at([TERM, 'supply_type']), SUPPLY_TYPES),
  // document: Account payload, consent_data
  {
    code: 'consent_never_seen',
    at: at([SUPPLY_POINT, 'consent_data']),
    detail: `The document shows ${CONSENTS.join(', ')}; this name may be misspelt.`,
    fields: (consents) => Object.keys(consents).filter((name) => !CONSENTS.includes(name as 'ELEC_CURVES')),
    listed: CONSENTS,
  },
];

function inOrder(code: string, first: string, second: string, places: Places): WarningRule {
  return {
    code,
    at: places,
    detail: `${second} lies before ${first}.`,
    // Dates of the form YYYY-MM-DD sort as text.
    fields: ({ [first]: from, [second]: to }) =>
      typeof from === 'string' && typeof to === 'string' && to < from ? [second] : [],
  };
}

/** `listed`: what the document shows, where it shows any; `alsoSeen`: what its relatives take besides. */
function valueNeverSeen(listed: readonly string[], places: Places, alsoSeen: readonly string[] = []): WarningRule {
  const known = [...listed, ...alsoSeen];
  return {
    code: VALUE_NEVER_SEEN,
    at: places,
    detail: `Seen so far: ${known.filter(Boolean).join(', ')}. Others may be right, and may be misspelt.`,
    text: (value) => !known.includes(value),
    ...(listed.length > 0 && { listed }),
  };
}

function unlessGiven(field: string): (object: Fields) => string[] {
  return (object) => (object[field] === undefined ? [field] : []);
}

function unlessBetween(least: number, most: number): (number: number) => boolean {
  return (number) => number < least || number > most;
}

function isEmptyList(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0;
}
