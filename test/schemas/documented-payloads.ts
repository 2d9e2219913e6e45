/**
 * The payloads of the document, transcribed by hand: every field with a value that it must refuse and the code of the
 * refusal, the objects that take no undocumented field, and the fields that must be there. Nothing here is computed
 * from the schemas.
 */
import type * as z from 'zod';
import {
  accountSchema,
  businessPayloadSchema,
  businessPaymentInstructionSchema,
  contractSchema,
  historicalStatementsPayloadSchema,
  notesPayloadSchema,
  paymentInstructionSchema,
  populatePayloadSchema,
  processPayloadSchema,
  transactionsPayloadSchema,
} from '../../schemas/index.js';
import { businessAccount, domesticAccount } from '../examples/account.js';
import { business } from '../examples/business.js';
import { contract } from '../examples/contract.js';
import { historicalStatements } from '../examples/historical-statements.js';
import { notes } from '../examples/notes.js';
import { businessPaymentInstruction, paymentInstruction } from '../examples/payment-instructions.js';
import { populate } from '../examples/populate.js';
import { dryRun } from '../examples/process.js';
import { transactions } from '../examples/transactions.js';
import { valueAt } from './change.js';

/** Where the field stands in the example, a value that it must refuse, and the code of the refusal. */
type Field = readonly [attr: string, wrong: unknown, code: string];

export interface DocumentedPayload {
  /** Name of the type, of the JSON Schema and of the OpenAPI component. */
  name: string;
  schema: z.ZodType;
  /** Holds every documented field. */
  example: unknown;
  fields: readonly Field[];
  /** Objects of the example that take the documented fields only: all that are not free. */
  closed: readonly string[];
  /** Objects whose keys the caller chooses. */
  free: readonly string[];
  /** What must be there wherever the object around it is; everything else may be left out. */
  required: readonly string[];
}

/** `*` is any place in a list of the example. */
type Transcribed = Omit<DocumentedPayload, 'closed' | 'free'> & { free?: readonly string[] };

const CONTRACT_FIELDS: readonly Field[] = [
  ['identifier', 1, 'invalid_type'],
  ['valid_from_date', '2023-02-29', 'invalid_date'],
  ['signed_at_date', '12/05/2023', 'invalid_date'],
  ['versions', {}, 'invalid_type'],
  ['versions.0.applicable_at_date', '20230601', 'invalid_date'],
  ['versions.0.terms', { term_type: 'DELAYER_DAYS' }, 'invalid_type'],
  ['versions.0.terms.0.term_type', 'BROKER', 'invalid_choice'],
  ['versions.0.terms.0.metadata', [], 'invalid_type'],
  ['versions.0.terms.0.metadata.broker', 5, 'invalid_type'],
  ['versions.0.terms.0.metadata.channel', true, 'invalid_type'],
  ['versions.0.terms.1.schedules', {}, 'invalid_type'],
  ['versions.0.terms.1.schedules.0.effective_from', '2023-06', 'invalid_date'],
  ['versions.0.terms.1.schedules.0.items', 'none', 'invalid_type'],
  ['versions.0.terms.1.schedules.0.items.0.price_per_unit', 0.1523, 'invalid_type'],
  ['versions.0.terms.1.schedules.0.items.0.rate_band', 1, 'invalid_type'],
  ['versions.0.terms.1.schedules.0.items.0.product_code', 2, 'invalid_type'],
  ['versions.0.terms.2.amount', '150.50', 'invalid_type'],
  ['versions.0.terms.2.supply_type', 1, 'invalid_type'],
  ['versions.0.terms.2.fee_type', 1, 'invalid_type'],
  ['versions.0.terms.3.frequency', 1, 'invalid_type'],
  ['versions.0.terms.3.multiplier', 1.5, 'invalid_type'],
  ['versions.0.terms.3.period_start_day', 1.5, 'invalid_type'],
  ['versions.0.terms.3.period_start_month', 6.5, 'invalid_type'],
  ['versions.0.terms.4.guarantee_of_origin_percentage', '37.5', 'invalid_type'],
  ['versions.0.terms.4.is_variable', 'false', 'invalid_type'],
  ['versions.0.terms.5.pays_by_direct_debit', 1, 'invalid_type'],
  ['versions.0.terms.6.strategy', 1, 'invalid_type'],
  ['versions.0.terms.6.days', 30.5, 'invalid_type'],
  ['versions.0.terms.7.time_series_specification_schedules', {}, 'invalid_type'],
  ['versions.0.terms.7.schedules', {}, 'invalid_type'],
  ['versions.0.terms.7.schedules.0.effective_period', '2023-06-01', 'invalid_type'],
  ['versions.0.terms.7.schedules.0.effective_period.start_date', '2023-6-1', 'invalid_date'],
  ['versions.0.terms.7.schedules.0.product_code', 1, 'invalid_type'],
  ['versions.0.terms.7.schedules.0.rate_group_code', 1, 'invalid_type'],
  ['versions.0.terms.7.schedules.0.is_eligible', 'yes', 'invalid_type'],
  ['versions.0.terms.8.overrides', {}, 'invalid_type'],
  ['versions.0.terms.8.overrides.0.characteristic_code', 1, 'invalid_type'],
  ['versions.0.terms.8.overrides.0.override_value', 36, 'invalid_type'],
];

const CONTRACT_FREE = ['versions.0.terms.0.metadata'];

const CONTRACT_REQUIRED = ['versions.*.terms.*.term_type'];

const NOTE_FIELDS: readonly Field[] = [
  ['body', 5, 'invalid_type'],
  ['document_paths', '2024/letter.pdf', 'invalid_type'],
  ['document_paths.0.document_path', 5, 'invalid_type'],
  ['created_at', '2024-02-01', 'invalid_datetime'],
  ['is_pinned', 'true', 'invalid_type'],
  ['unpin_at', '2024-12-31T00:00:00', 'invalid_datetime'],
];

const under = (attr: string, fields: readonly Field[]): Field[] =>
  fields.map(([field, wrong, code]) => [`${attr}.${field}`, wrong, code]);

const below = (attr: string, attrs: readonly string[]): string[] => attrs.map((inner) => `${attr}.${inner}`);

const TRANSCRIBED: readonly Transcribed[] = [
  {
    name: 'Account',
    schema: accountSchema,
    // Both variants in one, so that every field is there.
    example: {
      ...domesticAccount,
      account_type: businessAccount.account_type,
      business: businessAccount.business,
      account_contracts: businessAccount.account_contracts,
    },
    fields: [
      ['external_account_number', 1, 'invalid_type'],
      ['import_supplier', true, 'invalid_type'],
      ['account_type', 1, 'invalid_type'],
      ['business', 'Boulangerie Exemple', 'invalid_type'],
      ['business.business_type', 1, 'invalid_type'],
      ['business.siret', 12345678900006, 'invalid_type'],
      ['business.details', {}, 'invalid_type'],
      ['business.details.0.key', 1, 'invalid_type'],
      ['business.details.0.value', 1, 'invalid_type'],
      ['business.business_contract_identifier', 1, 'invalid_type'],
      ['unknown_occupier', 'false', 'invalid_type'],
      ['billing_address1', 12, 'invalid_type'],
      ['billing_address2', 12, 'invalid_type'],
      ['billing_address3', 12, 'invalid_type'],
      ['billing_address4', 12, 'invalid_type'],
      ['billing_postcode', 69003, 'invalid_type'],
      ['sales_channel', 1, 'invalid_type'],
      ['sales_subchannel', 1, 'invalid_type'],
      ['last_billed_to_date', '2024-02-29T00:00:00Z', 'invalid_date'],
      ['account_contracts', {}, 'invalid_type'],
      ...under('account_contracts.0', CONTRACT_FIELDS),
      ['customers', {}, 'invalid_type'],
      ['customers.0.title', 1, 'invalid_type'],
      ['customers.0.given_name', 1, 'invalid_type'],
      ['customers.0.family_name', 1, 'invalid_type'],
      ['customers.0.email', 1, 'invalid_type'],
      ['customers.0.mobile', '0612345678', 'invalid_phone_number'],
      ['customers.0.landline', 'none', 'invalid_phone_number'],
      ['customers.0.date_of_birth', '1983-02-29', 'invalid_date'],
      ['customers.0.deceased', false, 'invalid_type'],
      ['customers.0.customer_preferences', [], 'invalid_type'],
      ['customers.0.customer_preferences.opted_into_updates', 'true', 'invalid_type'],
      ['customers.0.customer_preferences.opted_into_sms', 0, 'invalid_type'],
      ['customers.0.customer_preferences.opted_into_offers', 'no', 'invalid_type'],
      ['customers.0.customer_preferences.opted_into_recommended', 1, 'invalid_type'],
      ['supply_addresses', {}, 'invalid_type'],
      ['supply_addresses.0.supply_address1', 1, 'invalid_type'],
      ['supply_addresses.0.supply_address2', 1, 'invalid_type'],
      ['supply_addresses.0.supply_address3', 1, 'invalid_type'],
      ['supply_addresses.0.supply_address4', 1, 'invalid_type'],
      ['supply_addresses.0.supply_postcode', 69003, 'invalid_type'],
      ['supply_addresses.0.customer_at_supply_address_from_date', '01-07-2019', 'invalid_date'],
      ['supply_addresses.0.supply_points', {}, 'invalid_type'],
      ['supply_addresses.0.supply_points.0.identifier', 1234567890123, 'invalid_type'],
      ['supply_addresses.0.supply_points.0.supply_type', 'WATER', 'invalid_choice'],
      ['supply_addresses.0.supply_points.0.supply_start_date', '2019-07-32', 'invalid_date'],
      ['supply_addresses.0.supply_points.0.billing_frequency', 0.5, 'invalid_type'],
      ['supply_addresses.0.supply_points.0.payment_schedules', {}, 'invalid_type'],
      ['supply_addresses.0.supply_points.0.payment_schedules.0.amount', '62.50', 'invalid_type'],
      ['supply_addresses.0.supply_points.0.payment_schedules.0.day_of_month', 5.5, 'invalid_type'],
      ['supply_addresses.0.supply_points.0.payment_schedules.0.frequency', 12, 'invalid_type'],
      ['supply_addresses.0.supply_points.0.payment_schedules.0.means', 1, 'invalid_type'],
      ['supply_addresses.0.supply_points.0.payment_schedules.0.start_date', '', 'invalid_date'],
      ['supply_addresses.0.supply_points.0.payment_instructions', {}, 'invalid_type'],
      ['supply_addresses.0.supply_points.0.payment_instructions.0.vendor', 1, 'invalid_type'],
      ['supply_addresses.0.supply_points.0.payment_instructions.0.reference', 1, 'invalid_type'],
      ['supply_addresses.0.supply_points.0.payment_instructions.0.type', 1, 'invalid_type'],
      ['supply_addresses.0.supply_points.0.payment_instructions.0.valid_from', '2024-13-01', 'invalid_date'],
      ['supply_addresses.0.supply_points.0.agreements', {}, 'invalid_type'],
      ['supply_addresses.0.supply_points.0.agreements.0.tariff_code', 1, 'invalid_type'],
      ['supply_addresses.0.supply_points.0.agreements.0.agreed_at', '2023-02-20', 'invalid_datetime'],
      ['supply_addresses.0.supply_points.0.agreements.0.effective_from', '2023-03-00', 'invalid_date'],
      ['supply_addresses.0.supply_points.0.agreements.0.effective_to', 'open', 'invalid_date'],
      ['supply_addresses.0.supply_points.0.agreements.0.addons', {}, 'invalid_type'],
      ['supply_addresses.0.supply_points.0.agreements.0.addons.0.band', 1, 'invalid_type'],
      ['supply_addresses.0.supply_points.0.consent_data', [], 'invalid_type'],
      ['supply_addresses.0.supply_points.0.consent_data.ELEC_CURVES', 'true', 'invalid_type'],
      ['supply_addresses.0.supply_points.0.consent_data.ELEC_INDEXES', 1, 'invalid_type'],
      ['supply_addresses.0.supply_points.1.consent_data.GAS_INDEXES', 'no', 'invalid_type'],
      ['statements', {}, 'invalid_type'],
      ['statements.0.bill_period_from_date', '2024-01-32', 'invalid_date'],
      ['statements.0.bill_period_to_date', '2023-02-29', 'invalid_date'],
      ['statements.0.statement_path', 1, 'invalid_type'],
      ['statements.0.statement_id', 1, 'invalid_type'],
      ['supplementary_ledgers', {}, 'invalid_type'],
      ['supplementary_ledgers.0.ledger_code', 1, 'invalid_type'],
      ['supplementary_ledgers.0.energy_cheques', {}, 'invalid_type'],
      ['supplementary_ledgers.0.energy_cheques.0.number', 12345, 'invalid_type'],
      ['supplementary_ledgers.0.energy_cheques.0.protection_from', '2023-11-31', 'invalid_date'],
      ['supplementary_ledgers.0.energy_cheques.0.protection_to', '2024-04-31', 'invalid_date'],
      ['supplementary_ledgers.0.energy_cheques.0.source', 1, 'invalid_type'],
      ['supplementary_ledgers.0.energy_cheques.0.asp_remittance_ref', 1, 'invalid_type'],
      ['supplementary_ledgers.0.energy_cheques.0.amount', 150.5, 'invalid_type'],
      ['supplementary_ledgers.0.energy_cheques.0.valid_to', '2025', 'invalid_date'],
      ['supplementary_ledgers.0.energy_cheques.0.status', 1, 'invalid_type'],
      ['notes', {}, 'invalid_type'],
      ...under('notes.0', NOTE_FIELDS),
      ['account_campaigns', {}, 'invalid_type'],
      ['account_campaigns.0.slug', 1, 'invalid_type'],
      ['account_campaigns.0.campaign_note', 1, 'invalid_type'],
      ['metadata', {}, 'invalid_type'],
      ['metadata.0.key', 1, 'invalid_type'],
      ['metadata.0.value', 'OLDCRM', 'invalid_type'],
    ],
    free: [
      ...below('account_contracts.0', CONTRACT_FREE),
      'supply_addresses.0.supply_points.0.consent_data',
      'supply_addresses.0.supply_points.1.consent_data',
      'metadata.0.value',
    ],
    required: [
      'external_account_number',
      'import_supplier',
      ...['business.details.*.key', 'business.details.*.value'],
      ...below('account_contracts.0', CONTRACT_REQUIRED),
      ...['notes.*.document_paths.*.document_path', 'metadata.*.key', 'metadata.*.value'],
    ],
  },
  {
    name: 'Contract',
    schema: contractSchema,
    example: contract,
    fields: CONTRACT_FIELDS,
    free: CONTRACT_FREE,
    required: CONTRACT_REQUIRED,
  },
  {
    name: 'BusinessPayload',
    schema: businessPayloadSchema,
    example: business,
    fields: [
      ['import_supplier_code', 1, 'invalid_type'],
      ['external_business_identifier', 1, 'invalid_type'],
      ['business', [], 'invalid_type'],
      ['business.business_type', 1, 'invalid_type'],
      ['business.company_name', 1, 'invalid_type'],
      ['business.siret', 12345678900006, 'invalid_type'],
      ['business.details', {}, 'invalid_type'],
      ['business.details.0.key', 1, 'invalid_type'],
      ['business.details.0.value', 1, 'invalid_type'],
      ['business.business_contracts', {}, 'invalid_type'],
      ...under('business.business_contracts.0', CONTRACT_FIELDS),
    ],
    free: below('business.business_contracts.0', CONTRACT_FREE),
    required: [
      'import_supplier_code',
      'external_business_identifier',
      ...['business.details.*.key', 'business.details.*.value'],
      ...below('business.business_contracts.0', CONTRACT_REQUIRED),
    ],
  },
  {
    name: 'NotesPayload',
    schema: notesPayloadSchema,
    example: notes,
    fields: [
      ['import_supplier', 1, 'invalid_type'],
      ['external_account_number', 1, 'invalid_type'],
      ['notes', {}, 'invalid_type'],
      ...under('notes.0', NOTE_FIELDS),
    ],
    required: ['import_supplier', 'external_account_number', 'notes', 'notes.*.document_paths.*.document_path'],
  },
  {
    name: 'TransactionsPayload',
    schema: transactionsPayloadSchema,
    example: transactions,
    fields: [
      ['import_supplier', 1, 'invalid_type'],
      ['external_account_number', 1, 'invalid_type'],
      ['transactions', {}, 'invalid_type'],
      ['transactions.0.transaction_id', 1, 'invalid_type'],
      ['transactions.0.transaction_date', '2024-02-30', 'invalid_date'],
      ['transactions.0.amount', '12.50', 'invalid_type'],
      ['transactions.0.type', 'REFUND', 'invalid_choice'],
      ['transactions.0.reason', 1, 'invalid_type'],
      ['transactions.0.display_note', 1, 'invalid_type'],
      ['transactions.0.note', 1, 'invalid_type'],
      ['transactions.2.reference', 1, 'invalid_type'],
      ['transactions.2.payment_type', 1, 'invalid_type'],
      ['transactions.4.product_code', 1, 'invalid_type'],
      ['transactions.4.line_items', {}, 'invalid_type'],
      ['transactions.4.line_items.0.rate_band', 1, 'invalid_type'],
      ['transactions.4.line_items.0.start_date', '2024-03-1', 'invalid_date'],
      ['transactions.4.line_items.0.end_date', '2024-06-31', 'invalid_date'],
      ['transactions.4.line_items.0.number_of_units', '340.5', 'invalid_type'],
      ['transactions.4.line_items.0.net_amount', '51', 'invalid_type'],
      ['transactions.4.line_items.0.price_per_unit', '0.1498', 'invalid_type'],
      ['transactions.4.line_items.0.units', 340.5, 'invalid_type'],
      ['transactions.4.line_items.0.units.1', '140.5', 'invalid_type'],
      ['transactions.4.tax_items', {}, 'invalid_type'],
      ['transactions.4.tax_items.0.amount', '10.20', 'invalid_type'],
      ['transactions.4.tax_items.0.tax_type', 1, 'invalid_type'],
      ['transactions.4.tax_items.0.value_taxed', '51', 'invalid_type'],
      ['transactions.4.tax_items.0.rate', '20%', 'invalid_type'],
      ['transactions.4.tax_items.0.unit_type', 1, 'invalid_type'],
    ],
    required: ['import_supplier', 'external_account_number', 'transactions', 'transactions.*.type'],
  },
  {
    name: 'HistoricalStatementsPayload',
    schema: historicalStatementsPayloadSchema,
    example: historicalStatements,
    fields: [
      ['import_supplier', 1, 'invalid_type'],
      ['external_account_number', 1, 'invalid_type'],
      ['statements', {}, 'invalid_type'],
      ['statements.0.bill_period_from_date', '2023-11-31', 'invalid_date'],
      ['statements.0.bill_period_to_date', '2023-12-32', 'invalid_date'],
      ['statements.0.statement_id', 1, 'invalid_type'],
      ['statements.0.issued_date', '05.01.2024', 'invalid_date'],
      ['statements.0.number', 2024000100, 'invalid_type'],
      ['statements.0.gross_amount', '123.45', 'invalid_type'],
      ['statements.0.statement_path', 1, 'invalid_type'],
    ],
    required: ['import_supplier', 'external_account_number', 'statements'],
  },
  {
    name: 'PaymentInstruction',
    schema: paymentInstructionSchema,
    example: paymentInstruction,
    fields: [
      ['import_supplier', 1, 'invalid_type'],
      ['external_account_number', 1, 'invalid_type'],
      ['vendor', 1, 'invalid_type'],
      ['reference', 1, 'invalid_type'],
      ['type', 1, 'invalid_type'],
    ],
    required: ['import_supplier', 'external_account_number', 'vendor', 'reference'],
  },
  {
    name: 'BusinessPaymentInstruction',
    schema: businessPaymentInstructionSchema,
    example: businessPaymentInstruction,
    fields: [
      ['import_supplier_code', 1, 'invalid_type'],
      ['external_business_identifier', 1, 'invalid_type'],
      ['vendor', 1, 'invalid_type'],
      ['reference', 1, 'invalid_type'],
      ['type', 1, 'invalid_type'],
      ['accounts', { external_account_number: 'ACC-0002' }, 'invalid_type'],
      ['accounts.0.external_account_number', 2, 'invalid_type'],
    ],
    required: [
      ...['import_supplier_code', 'external_business_identifier', 'vendor', 'reference'],
      'accounts.*.external_account_number',
    ],
  },
  {
    name: 'PopulatePayload',
    schema: populatePayloadSchema,
    example: populate,
    fields: [
      ['prm_ids', '01234567890123', 'invalid_type'],
      ['prm_ids.1', 9876543210987, 'invalid_type'],
      ['pce_ids', {}, 'invalid_type'],
      ['pce_ids.0', 21234567890123, 'invalid_type'],
      ['customer_category', 1, 'invalid_type'],
    ],
    required: [],
  },
  {
    name: 'ProcessPayload',
    schema: processPayloadSchema,
    example: dryRun,
    fields: [
      ['external_account_number', 1, 'invalid_type'],
      ['import_supplier_code', 1, 'invalid_type'],
      ['operations_team_name', 1, 'invalid_type'],
      ['dry_run', 'true', 'invalid_type'],
    ],
    required: ['external_account_number', 'import_supplier_code', 'operations_team_name'],
  },
];

export const documentedPayloads: readonly DocumentedPayload[] = TRANSCRIBED.map((payload) => {
  const { example, free = [], required } = payload;
  return {
    ...{ ...payload, free, closed: closedObjects(example, free) },
    required: required.flatMap((attr) => placesOf(example, attr)),
  };
});

/** Where the objects of a payload stand that are not free; the insides of free ones are not looked at. */
function closedObjects(payload: unknown, free: readonly string[], attr = ''): string[] {
  if (typeof payload !== 'object' || payload === null || free.includes(attr)) return [];
  const inside = Object.entries(payload).flatMap(([key, value]) =>
    closedObjects(value, free, attr ? `${attr}.${key}` : key),
  );
  return Array.isArray(payload) ? inside : [attr, ...inside];
}

function placesOf(payload: unknown, attr: string): string[] {
  const star = attr.indexOf('*');
  if (star === -1) return [attr];
  const list = (valueAt(payload, attr.slice(0, star - 1)) ?? []) as unknown[];
  return list.flatMap((_, index) => placesOf(payload, attr.replace('*', String(index))));
}
