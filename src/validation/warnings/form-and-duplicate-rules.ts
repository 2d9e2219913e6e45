/** Exports the warning rules for forms of values, identifiers, duplicates and the order of dates. A comment names the source of each rule. */
import { datetimeSchema, landlineSchema } from '../../../schemas/fields.js';
import {
  ACCOUNT,
  AGREEMENT,
  at,
  BUSINESS_PAYMENT_INSTRUCTION,
  CHEQUE,
  CONTRACT,
  CUSTOMER,
  LINE_ITEM,
  NOTE,
  OF_ACCOUNT,
  OF_BUSINESS,
  PAYMENT_INSTRUCTION,
  type Places,
  POPULATE,
  PROCESS,
  STATEMENT,
  SUPPLY_POINT,
  TRANSACTION,
} from './places.js';
import { isDocumentPath } from './value-forms.js';
import type { WarningRule } from './warning-rule.js';

/** Empty, or digits with usual separators. 00 in place of the plus sign, or few digits, are unusual. */
const USUAL_PHONE = /^(?:(?!00)[+(\d][\d ().\-/]{6,}[\d).\-/])?$/;

export const FORM_AND_DUPLICATE_RULES: readonly WarningRule[] = [
  // spec: Conventions (YYYY-MM-DDTHH:MM:SSZ)
  {
    code: 'fractional_seconds',
    at: at([NOTE, 'created_at', 'unpin_at'], [AGREEMENT, 'agreed_at']),
    detail: 'The documented form of a datetime has whole seconds.',
    text: (datetime) => datetime.includes('.') && datetimeSchema.safeParse(datetime).success,
  },
  // spec: Account payload, Customer (email)
  {
    code: 'email_without_at',
    at: at([CUSTOMER, 'email']),
    detail: 'An e-mail address has an @.',
    text: (email) => email !== '' && !/^[^@\s].*@[^@\s]+$/.test(email),
  },
  // spec: Account payload, Customer (mobile: international phone format; landline: validated as a phone number)
  {
    code: 'phone_in_unusual_form',
    at: at([CUSTOMER, 'mobile', 'landline']),
    detail: 'Some services refuse this form of a telephone number; +33612345678 is always understood.',
    text: (phone) => !USUAL_PHONE.test(phone) && landlineSchema.safeParse(phone).success,
  },
  // spec: Conventions (Document paths)
  {
    code: 'document_path_cannot_resolve',
    at: at([STATEMENT, 'statement_path'], [NOTE, 'document_paths.*.document_path']),
    detail: 'Expected a path relative to the root of the import supplier, without "..", "\\" or a scheme.',
    text: (path) => !isDocumentPath(path),
  },
  // spec: Status queries (path parameters)
  {
    code: 'identifier_empty',
    at: at(
      [OF_ACCOUNT, 'external_account_number', 'import_supplier'],
      [OF_BUSINESS, 'external_business_identifier', 'import_supplier_code'],
      [PROCESS, 'external_account_number', 'import_supplier_code'],
    ),
    detail: 'Empty: no record can be found by it, and it is invalid in the path of a status query.',
    text: (identifier) => identifier === '',
  },
  // spec: Account payload (must equal), Notes (must be correct)
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
  // spec: Transactions (check_previously_added)
  {
    code: 'duplicate_transaction',
    at: at([TRANSACTION]),
    detail: 'An earlier transaction of this payload has the same transaction_id: this one may be skipped.',
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
  {
    code: 'duplicate_statement',
    at: at([STATEMENT]),
    detail: 'An earlier statement of this payload has the same statement_id: this one may be refused.',
    distinct: ['statement_id'],
  },
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
