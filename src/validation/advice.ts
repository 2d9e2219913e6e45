/**
 * Advice: what experience says is suspicious and the document does not forbid. A table of rules; each says where it
 * looks, why it exists and where that is written. Advice never blocks, unless the caller asks for it.
 */
import { ACCOUNT_TYPES } from '../../schemas/account.js';
import { CONTRACT_FREQUENCIES, DELAYER_STRATEGIES, FEE_TYPES } from '../../schemas/contract.js';
import { INSTRUCTION_TYPES } from '../../schemas/payment-instruction.js';
import {
  CONSENTS,
  SCHEDULE_FREQUENCIES,
  SCHEDULE_MEANS,
  SUPPLY_POINT_INSTRUCTION_TYPES,
  SUPPLY_TYPES,
} from '../../schemas/supply-address.js';
import { PAYMENT_TYPES, TAX_TYPES, TAX_UNIT_TYPES, TRANSACTION_REASONS } from '../../schemas/transaction.js';
import type { Finding } from './findings.js';
import type { PayloadName } from './payloads.js';
import { select } from './select.js';

export interface AdviceRule {
  code: string;
  /** Where to look: patterns by payload. */
  at: Partial<Record<PayloadName, readonly string[]>>;
  /** What to tell. */
  detail: string;
  /** Where it is written: the document, or what the service's relatives do. */
  source: string;
  /** For a place that holds an object: the fields of it that are suspicious; '' is the object itself. */
  fields?: (object: Fields) => readonly string[];
  /** For a place that holds anything else: whether it is suspicious. */
  value?: (value: unknown) => boolean;
}

type Fields = Record<string, unknown>;

const ACCOUNT_CONTRACT = 'account_contracts.*';
const BUSINESS_CONTRACT = 'business.business_contracts.*';
const SUPPLY_POINT = 'supply_addresses.*.supply_points.*';
const TERM = 'versions.*.terms.*';

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
    fields: ({ supply_type, consent_data }) =>
      Object.keys(isFields(consent_data) ? consent_data : {})
        .filter((name) =>
          (supply_type === 'GAS' ? /^ELEC_/ : supply_type === 'ELECTRICITY' ? /^GAS_/ : /^$/).test(name),
        )
        .map((name) => `consent_data.${name}`),
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
    at: { TransactionsPayload: ['transactions.*'] },
    detail: 'Without transaction_id the service may not recognise this transaction when it is sent again.',
    source: 'document: Transactions (check_previously_added); relatives require it',
    fields: (transaction) => (transaction['transaction_id'] === undefined ? ['transaction_id'] : []),
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
    TransactionsPayload: ['transactions.*.line_items.*'],
  }),
  ...datesInOrder('contract_signed_after_start', 'signed_at_date', 'valid_from_date', {
    Account: [ACCOUNT_CONTRACT],
    Business: [BUSINESS_CONTRACT],
  }),
  valueNeverSeen(ACCOUNT_TYPES, { Account: ['account_type'] }),
  valueNeverSeen(SCHEDULE_FREQUENCIES, { Account: [`${SUPPLY_POINT}.payment_schedules.*.frequency`] }),
  valueNeverSeen(SCHEDULE_MEANS, { Account: [`${SUPPLY_POINT}.payment_schedules.*.means`] }),
  valueNeverSeen(SUPPLY_POINT_INSTRUCTION_TYPES, { Account: [`${SUPPLY_POINT}.payment_instructions.*.type`] }),
  valueNeverSeen(INSTRUCTION_TYPES, { PaymentInstruction: ['type'], BusinessPaymentInstruction: ['type'] }),
  valueNeverSeen(TRANSACTION_REASONS, { TransactionsPayload: ['transactions.*.reason'] }),
  valueNeverSeen(PAYMENT_TYPES, { TransactionsPayload: ['transactions.*.payment_type'] }),
  valueNeverSeen(TAX_TYPES, { TransactionsPayload: ['transactions.*.tax_items.*.tax_type'] }),
  valueNeverSeen(TAX_UNIT_TYPES, { TransactionsPayload: ['transactions.*.tax_items.*.unit_type'] }),
  termValueNeverSeen('fee_type', FEE_TYPES),
  termValueNeverSeen('frequency', CONTRACT_FREQUENCIES),
  termValueNeverSeen('strategy', DELAYER_STRATEGIES),
  termValueNeverSeen('supply_type', SUPPLY_TYPES),
  {
    code: 'consent_never_seen',
    at: { Account: [`${SUPPLY_POINT}.consent_data`] },
    detail: `The document shows ${CONSENTS.join(', ')}; this name may be misspelt.`,
    source: 'document: Account payload, consent_data',
    fields: (consents) => Object.keys(consents).filter((name) => !CONSENTS.includes(name as 'ELEC_CURVES')),
  },
];

/** Advice on a payload of any shape; what is no object, or not there, is not looked into. */
export function adviceFindings(name: PayloadName, payload: unknown): Finding[] {
  return ADVICE_RULES.flatMap((rule) =>
    (rule.at[name] ?? [])
      .flatMap((pattern) => select(payload, pattern))
      .flatMap(({ attr, value }) => suspects(rule, value).map((field) => [attr, field].filter(Boolean).join('.')))
      .map((attr) => ({ detail: rule.detail, code: rule.code, attr, severity: 'advice' as const })),
  );
}

function suspects(rule: AdviceRule, value: unknown): readonly string[] {
  if (isFields(value)) return rule.fields?.(value) ?? [];
  return rule.value?.(value) ? [''] : [];
}

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

function valueNeverSeen(known: readonly string[], at: AdviceRule['at']): AdviceRule {
  return {
    code: 'value_never_seen',
    at,
    detail: `The document shows ${known.join(', ')}; others may be right, and may be misspelt.`,
    source: 'document: Conventions (allowed values beyond those listed are not shown)',
    value: (value) => typeof value === 'string' && !known.includes(value),
  };
}

function termValueNeverSeen(field: string, known: readonly string[]): AdviceRule {
  return valueNeverSeen(known, {
    Account: [`${ACCOUNT_CONTRACT}.${TERM}.${field}`],
    Business: [`${BUSINESS_CONTRACT}.${TERM}.${field}`],
  });
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** 14 digits, and the sum with every second digit doubled, counted from the right, is a multiple of ten. */
function isSiret(siret: string): boolean {
  if (!/^\d{14}$/.test(siret)) return false;
  const sum = [...siret].reduce((total, digit, index) => {
    const value = Number(digit) * (index % 2 === 0 ? 2 : 1);
    return total + (value > 9 ? value - 9 : value);
  }, 0);
  return sum % 10 === 0;
}
