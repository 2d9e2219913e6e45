/**
 * Advice: what experience says is suspicious and the document does not forbid. A table of rules; each says where it
 * looks, why it exists and where that is written.
 */
import { ACCOUNT_TYPES } from '../../schemas/account.js';
import { CONTRACT_FREQUENCIES, DELAYER_STRATEGIES, FEE_TYPES } from '../../schemas/contract.js';
import { datetimeSchema } from '../../schemas/fields.js';
import { INSTRUCTION_TYPES } from '../../schemas/payment-instruction.js';
import {
  CONSENTS,
  SCHEDULE_FREQUENCIES,
  SCHEDULE_MEANS,
  SUPPLY_POINT_INSTRUCTION_TYPES,
  SUPPLY_TYPES,
} from '../../schemas/supply-address.js';
import {
  PAYMENT_TYPES,
  TAX_TYPES,
  TAX_UNIT_TYPES,
  TRANSACTION_REASONS,
  TRANSACTION_TYPES,
} from '../../schemas/transaction.js';
import { isDocumentPath } from './document-path.js';
import type { PayloadName } from './payloads.js';

export interface AdviceRule {
  code: string;
  /** Where to look: patterns by payload. */
  at: Partial<Record<PayloadName, readonly string[]>>;
  /** What to tell, and why. */
  detail: string;
  /** Where it is written: the document, or what the service's relatives do. */
  source: string;
  /** For a place that holds an object: the fields of it that are suspicious; '' is the object itself. */
  fields?: (object: Fields) => readonly string[];
  /** For a place that holds anything else: whether it is suspicious. */
  value?: (value: unknown) => boolean;
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
  product_code: ['SUPPLY_CHARGE'],
  line_items: ['SUPPLY_CHARGE'],
  tax_items: ['SUPPLY_CHARGE'],
};

const ACCOUNT_CONTRACT = 'account_contracts.*';
const BUSINESS_CONTRACT = 'business.business_contracts.*';
const SUPPLY_POINT = 'supply_addresses.*.supply_points.*';
const TERM = 'versions.*.terms.*';
const TRANSACTION = 'transactions.*';

export const ADVICE_RULES: readonly AdviceRule[] = [
  {
    code: 'siret_check_digit',
    at: { Account: ['business.siret'], Business: ['business.siret'] },
    detail: 'A SIRET has 14 digits, the last of which is a check digit; this one does not fit.',
    source: 'document: Account payload, Business payload (siret)',
    value: (siret) => typeof siret === 'string' && !isSiret(siret),
  },
  {
    code: 'point_id_length',
    at: { Account: [`${SUPPLY_POINT}.identifier`], Populate: ['prm_ids.*', 'pce_ids.*'] },
    detail: 'Point ids usually have 14 characters; a leading zero may have been lost.',
    source: 'relatives: point ids are 14-character strings, some begin with 0',
    value: (id) => typeof id === 'string' && id.length !== 14,
  },
  {
    code: 'supply_point_without_identifier',
    at: { Account: [SUPPLY_POINT] },
    detail: 'A supply point without identifier names no point.',
    source: 'document: Account payload, Supply point',
    fields: (point) => (point['identifier'] === undefined ? ['identifier'] : []),
  },
  {
    code: 'consent_of_other_supply_type',
    at: { Account: [SUPPLY_POINT] },
    detail: 'This consent belongs to the other supply type: ELEC_* to ELECTRICITY, GAS_* to GAS.',
    source: 'document: Account payload, consent_data',
    fields: ({ supply_type, consent_data }) => {
      const other = supply_type === 'GAS' ? 'ELEC_' : supply_type === 'ELECTRICITY' ? 'GAS_' : undefined;
      if (other === undefined || !isFields(consent_data)) return [];
      const names = Object.keys(consent_data).filter((name) => name.startsWith(other));
      return names.map((name) => `consent_data.${name}`);
    },
  },
  {
    code: 'unpin_without_pin',
    at: { Account: ['notes.*'], NotesPayload: ['notes.*'] },
    detail: 'unpin_at is given and is_pinned is not true.',
    source: 'document: Note (unpin_at appears alongside is_pinned)',
    fields: (note) => (note['unpin_at'] !== undefined && note['is_pinned'] !== true ? ['unpin_at'] : []),
  },
  {
    code: 'empty_note',
    at: { Account: ['notes.*'], NotesPayload: ['notes.*'] },
    detail: 'The note has neither text nor documents.',
    source: 'document: Note (at least one of body or document_paths)',
    fields: ({ body, document_paths: paths }) =>
      (body ?? '') === '' && (!Array.isArray(paths) || paths.length === 0) ? [''] : [],
  },
  {
    code: 'business_fields_on_domestic_account',
    at: { Account: [''] },
    detail: 'Only business accounts have this; account_type is missing.',
    source: 'document: Account payload (two variants)',
    fields: (account) =>
      account['account_type'] === undefined
        ? ['business', 'account_contracts'].filter((field) => account[field] !== undefined)
        : [],
  },
  {
    code: 'contract_without_identifier',
    at: { Business: [BUSINESS_CONTRACT] },
    detail: 'Without identifier no account can be linked to this contract.',
    source: 'document: Account payload (business_contract_identifier)',
    fields: (contract) => (contract['identifier'] === undefined ? ['identifier'] : []),
  },
  {
    code: 'transaction_without_id',
    at: { TransactionsPayload: [TRANSACTION] },
    detail: 'Without transaction_id the service may not recognise this transaction when it is sent again.',
    source: 'document: Transactions (check_previously_added); relatives require it',
    fields: (transaction) => (transaction['transaction_id'] === undefined ? ['transaction_id'] : []),
  },
  {
    code: 'field_of_other_transaction_type',
    at: { TransactionsPayload: [TRANSACTION] },
    detail: 'A transaction of this type does not have this field; the type may be wrong.',
    source: 'document: Transaction (Notes); relatives: SUPPLY_CHARGE has no reason',
    fields: (transaction) =>
      TRANSACTION_TYPES.includes(transaction['type'] as 'CHARGE')
        ? Object.keys(TYPES_WITH).filter(
            (field) => transaction[field] !== undefined && !TYPES_WITH[field]?.includes(transaction['type'] as string),
          )
        : [],
  },
  {
    code: 'negative_amount',
    at: { TransactionsPayload: ['transactions.*[type=CHARGE|CREDIT|PAYMENT|REPAYMENT].amount'] },
    detail: 'The type tells the direction of a transaction; a negative amount turns it round.',
    source: 'document: Transaction (CHARGE and CREDIT, PAYMENT and REPAYMENT)',
    value: (amount) => typeof amount === 'number' && amount < 0,
  },
  {
    code: 'decimal_too_long',
    at: {
      Account: [
        `${SUPPLY_POINT}.payment_schedules.*.amount`,
        `${ACCOUNT_CONTRACT}.${TERM}.amount`,
        `${ACCOUNT_CONTRACT}.${TERM}.guarantee_of_origin_percentage`,
      ],
      Business: [`${BUSINESS_CONTRACT}.${TERM}.amount`, `${BUSINESS_CONTRACT}.${TERM}.guarantee_of_origin_percentage`],
      HistoricalStatementsPayload: ['statements.*.gross_amount'],
      TransactionsPayload: [
        `${TRANSACTION}.amount`,
        ...['number_of_units', 'net_amount', 'price_per_unit', 'units.*'].map(
          (field) => `${TRANSACTION}.line_items.*.${field}`,
        ),
        ...['amount', 'value_taxed', 'rate'].map((field) => `${TRANSACTION}.tax_items.*.${field}`),
      ],
    },
    detail: 'A decimal has up to ten digits each side of the point; this one may be the rest of a calculation.',
    source: 'relatives: a decimal is a number of up to ten digits each side of the point',
    value: (number) => typeof number === 'number' && isLongDecimal(number),
  },
  {
    code: 'gross_amount_with_decimals',
    at: { HistoricalStatementsPayload: ['statements.*.gross_amount'] },
    detail: 'The gross amount of a statement is in minor units (cents), which are whole.',
    source: 'relatives: gross_amount of a statement in minor units',
    value: (amount) => typeof amount === 'number' && Number.isFinite(amount) && !Number.isInteger(amount),
  },
  {
    code: 'proportion_above_one',
    at: { TransactionsPayload: [`${TRANSACTION}.tax_items.*`] },
    detail: 'A rate in PROPORTION is a part of one: 0.2 for 20 percent.',
    source: 'document: Transaction (tax_items: rate, unit_type PROPORTION)',
    fields: ({ rate, unit_type }) =>
      unit_type === 'PROPORTION' && typeof rate === 'number' && Math.abs(rate) > 1 ? ['rate'] : [],
  },
  {
    code: 'percentage_out_of_range',
    at: {
      Account: [`${ACCOUNT_CONTRACT}.${TERM}.guarantee_of_origin_percentage`],
      Business: [`${BUSINESS_CONTRACT}.${TERM}.guarantee_of_origin_percentage`],
    },
    detail: 'A percentage lies between 0 and 100.',
    source: 'document: Contract (GUARANTEE_OF_ORIGIN_CONFIGURATION)',
    value: (percentage) => isOutside(percentage, 0, 100),
  },
  {
    code: 'no_such_day',
    at: {
      Account: [`${SUPPLY_POINT}.payment_schedules.*.day_of_month`, `${ACCOUNT_CONTRACT}.${TERM}.period_start_day`],
      Business: [`${BUSINESS_CONTRACT}.${TERM}.period_start_day`],
    },
    detail: 'A day of a month lies between 1 and 31.',
    source: 'document: Account payload (payment_schedules), Contract (ISSUANCE_FREQUENCY)',
    value: (day) => isOutside(day, 1, 31),
  },
  {
    code: 'no_such_month',
    at: {
      Account: [`${ACCOUNT_CONTRACT}.${TERM}.period_start_month`],
      Business: [`${BUSINESS_CONTRACT}.${TERM}.period_start_month`],
    },
    detail: 'A month lies between 1 and 12.',
    source: 'document: Contract (ISSUANCE_FREQUENCY)',
    value: (month) => isOutside(month, 1, 12),
  },
  {
    code: 'fractional_seconds',
    at: {
      Account: ['notes.*.created_at', 'notes.*.unpin_at', `${SUPPLY_POINT}.agreements.*.agreed_at`],
      NotesPayload: ['notes.*.created_at', 'notes.*.unpin_at'],
    },
    detail: 'The documented form of a datetime has whole seconds.',
    source: 'document: Conventions (YYYY-MM-DDTHH:MM:SSZ)',
    value: (datetime) =>
      typeof datetime === 'string' && datetime.includes('.') && datetimeSchema.safeParse(datetime).success,
  },
  {
    code: 'email_without_at',
    at: { Account: ['customers.*.email'] },
    detail: 'An e-mail address has an @.',
    source: 'document: Account payload, Customer (email)',
    value: (email) => typeof email === 'string' && email !== '' && !/^[^@\s].*@[^@\s]+$/.test(email),
  },
  {
    code: 'document_path_cannot_resolve',
    at: {
      Account: ['statements.*.statement_path', 'notes.*.document_paths.*.document_path'],
      HistoricalStatementsPayload: ['statements.*.statement_path'],
      NotesPayload: ['notes.*.document_paths.*.document_path'],
    },
    detail: 'Expected a path relative to the root of the import supplier, without "..", "\\" or a scheme.',
    source: 'document: Conventions (Document paths)',
    value: (path) => typeof path === 'string' && !isDocumentPath(path),
  },
  {
    code: 'identifier_empty',
    at: {
      Account: ['external_account_number', 'import_supplier'],
      Business: ['external_business_identifier', 'import_supplier_code'],
      BusinessPaymentInstruction: ['external_business_identifier', 'import_supplier_code'],
      HistoricalStatementsPayload: ['external_account_number', 'import_supplier'],
      NotesPayload: ['external_account_number', 'import_supplier'],
      PaymentInstruction: ['external_account_number', 'import_supplier'],
      Process: ['external_account_number', 'import_supplier_code'],
      TransactionsPayload: ['external_account_number', 'import_supplier'],
    },
    detail: 'Empty: nothing can be found by it, and it cannot stand in the path of a status query.',
    source: 'document: Status queries (path parameters)',
    value: (identifier) => identifier === '',
  },
  {
    code: 'identifier_with_spaces_around',
    at: {
      Account: [
        'external_account_number',
        'import_supplier',
        'business.business_contract_identifier',
        `${SUPPLY_POINT}.identifier`,
        'statements.*.statement_id',
        `${ACCOUNT_CONTRACT}.identifier`,
      ],
      Business: ['external_business_identifier', 'import_supplier_code', `${BUSINESS_CONTRACT}.identifier`],
      BusinessPaymentInstruction: [
        'external_business_identifier',
        'import_supplier_code',
        'vendor',
        'reference',
        'accounts.*.external_account_number',
      ],
      HistoricalStatementsPayload: ['external_account_number', 'import_supplier', 'statements.*.statement_id'],
      NotesPayload: ['external_account_number', 'import_supplier'],
      PaymentInstruction: ['external_account_number', 'import_supplier', 'vendor', 'reference'],
      Populate: ['prm_ids.*', 'pce_ids.*'],
      Process: ['external_account_number', 'import_supplier_code', 'operations_team_name'],
      TransactionsPayload: ['external_account_number', 'import_supplier', `${TRANSACTION}.transaction_id`],
    },
    detail: 'Begins or ends with a space: it equals no identifier without one.',
    source: 'document: Account payload (must equal), Notes (must be correct)',
    value: (identifier) => typeof identifier === 'string' && identifier.trim() !== identifier,
  },
  {
    code: 'duplicate_transaction',
    at: { TransactionsPayload: [TRANSACTION] },
    detail: 'An earlier transaction of this payload has the same transaction_id: this one may be skipped.',
    source: 'document: Transactions (check_previously_added)',
    distinct: ['transaction_id'],
  },
  {
    code: 'duplicate_note',
    at: { Account: ['notes.*'], NotesPayload: ['notes.*'] },
    detail: 'An earlier note of this payload has the same body and created_at: this one is not created.',
    source: 'document: Notes (a note is created only if no note has the same body)',
    distinct: ['body', 'created_at'],
  },
  {
    code: 'duplicate_statement',
    at: { Account: ['statements.*'], HistoricalStatementsPayload: ['statements.*'] },
    detail: 'An earlier statement of this payload has the same statement_id: this one may be refused.',
    source: 'relatives: historical_statement_already_exists',
    distinct: ['statement_id'],
  },
  {
    code: 'duplicate_supply_point',
    at: { Account: [SUPPLY_POINT] },
    detail: 'An earlier record, or this one, names the same supply point.',
    source: 'document: Account payload, Supply point (identifier)',
    distinct: ['identifier', 'supply_type'],
  },
  {
    code: 'duplicate_contract',
    at: { Account: [ACCOUNT_CONTRACT], Business: [BUSINESS_CONTRACT] },
    detail: 'An earlier contract of this payload has the same identifier, so an account cannot tell them apart.',
    source: 'document: Account payload (business_contract_identifier)',
    distinct: ['identifier'],
  },
  ...datesInOrder('agreement_dates_out_of_order', 'effective_from', 'effective_to', {
    Account: [`${SUPPLY_POINT}.agreements.*`],
  }),
  ...datesInOrder('bill_period_out_of_order', 'bill_period_from_date', 'bill_period_to_date', {
    Account: ['statements.*'],
    HistoricalStatementsPayload: ['statements.*'],
  }),
  ...datesInOrder('protection_out_of_order', 'protection_from', 'protection_to', {
    Account: ['supplementary_ledgers.*.energy_cheques.*'],
  }),
  ...datesInOrder('line_item_dates_out_of_order', 'start_date', 'end_date', {
    TransactionsPayload: [`${TRANSACTION}.line_items.*`],
  }),
  ...datesInOrder('contract_signed_after_start', 'signed_at_date', 'valid_from_date', {
    Account: [ACCOUNT_CONTRACT],
    Business: [BUSINESS_CONTRACT],
  }),
  valueNeverSeen(ACCOUNT_TYPES, { Account: ['account_type'] }),
  valueNeverSeen(
    SCHEDULE_FREQUENCIES,
    { Account: [`${SUPPLY_POINT}.payment_schedules.*.frequency`] },
    ALSO_SEEN.frequencies,
  ),
  valueNeverSeen(SCHEDULE_MEANS, { Account: [`${SUPPLY_POINT}.payment_schedules.*.means`] }, ALSO_SEEN.means),
  valueNeverSeen([...INSTRUCTION_TYPES, ...SUPPLY_POINT_INSTRUCTION_TYPES], {
    Account: [`${SUPPLY_POINT}.payment_instructions.*.type`],
    PaymentInstruction: ['type'],
    BusinessPaymentInstruction: ['type'],
  }),
  valueNeverSeen([], { Account: ['customers.*.deceased'] }, ALSO_SEEN.deceased),
  valueNeverSeen(TRANSACTION_REASONS, { TransactionsPayload: [`${TRANSACTION}.reason`] }),
  valueNeverSeen(PAYMENT_TYPES, { TransactionsPayload: [`${TRANSACTION}.payment_type`] }),
  valueNeverSeen(TAX_TYPES, { TransactionsPayload: [`${TRANSACTION}.tax_items.*.tax_type`] }),
  valueNeverSeen(TAX_UNIT_TYPES, { TransactionsPayload: [`${TRANSACTION}.tax_items.*.unit_type`] }),
  termValueNeverSeen('fee_type', FEE_TYPES, ALSO_SEEN.feeTypes),
  termValueNeverSeen('frequency', CONTRACT_FREQUENCIES, ALSO_SEEN.frequencies),
  termValueNeverSeen('strategy', DELAYER_STRATEGIES, ALSO_SEEN.strategies),
  termValueNeverSeen('supply_type', SUPPLY_TYPES),
  {
    code: 'consent_never_seen',
    at: { Account: [`${SUPPLY_POINT}.consent_data`] },
    detail: `The document shows ${CONSENTS.join(', ')}; this name may be misspelt.`,
    source: 'document: Account payload, consent_data',
    fields: (consents) => Object.keys(consents).filter((name) => !CONSENTS.includes(name as 'ELEC_CURVES')),
    listed: CONSENTS,
  },
];

function datesInOrder(code: string, first: string, second: string, at: AdviceRule['at']): AdviceRule[] {
  return [
    {
      code,
      at,
      detail: `${second} lies before ${first}.`,
      source: `document: ${first}, ${second}`,
      // Dates of the form YYYY-MM-DD sort as text.
      fields: ({ [first]: from, [second]: to }) =>
        typeof from === 'string' && typeof to === 'string' && to < from ? [second] : [],
    },
  ];
}

/** `listed`: what the document shows, where it shows any; `alsoSeen`: what its relatives take besides. */
function valueNeverSeen(listed: readonly string[], at: AdviceRule['at'], alsoSeen: readonly string[] = []): AdviceRule {
  const known = [...listed, ...alsoSeen];
  return {
    code: 'value_never_seen',
    at,
    detail: `Seen so far: ${known.filter(Boolean).join(', ')}. Others may be right, and may be misspelt.`,
    source: 'document: Conventions (allowed values beyond those listed are not shown); relatives: values seen',
    value: (value) => typeof value === 'string' && !known.includes(value),
    ...(listed.length > 0 && { listed }),
  };
}

function termValueNeverSeen(field: string, listed: readonly string[], alsoSeen?: readonly string[]): AdviceRule {
  const at = {
    Account: [`${ACCOUNT_CONTRACT}.${TERM}.${field}`],
    Business: [`${BUSINESS_CONTRACT}.${TERM}.${field}`],
  };
  return valueNeverSeen(listed, at, alsoSeen);
}

export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** 14 digits, and the sum with every second digit doubled, counted from the right, is a multiple of ten. */
function isSiret(siret: string): boolean {
  if (!/^\d{14}$/.test(siret)) return false;
  let sum = 0;
  for (let index = 0; index < siret.length; index++) {
    const value = Number(siret[index]) * (index % 2 === 0 ? 2 : 1);
    sum += value > 9 ? value - 9 : value;
  }
  return sum % 10 === 0;
}

function isOutside(value: unknown, least: number, most: number): boolean {
  return typeof value === 'number' && (value < least || value > most);
}

/** Up to ten digits each side of the point fit. */
function isLongDecimal(value: number): boolean {
  if (!Number.isFinite(value)) return false;
  // Most are whole, and to write a number out costs more than all other rules.
  return Math.abs(value) >= 1e10 || (!Number.isInteger(value) && Number(value.toFixed(10)) !== value);
}
