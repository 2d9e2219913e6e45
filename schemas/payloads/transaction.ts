/** Financial transactions of an imported account (spec: Transaction). */
import * as z from 'zod';
import {
  echoOf,
  loose,
  nullishText,
  type OpenEnum,
  openEnum,
  optionalDate,
  optionalList,
  optionalNumber,
  optionalText,
  strict,
  text,
} from '../fields.js';
import {
  PAYMENT_TYPES,
  TAX_TYPES,
  TAX_UNIT_TYPES,
  TRANSACTION_REASONS,
  TRANSACTION_STATUSES,
  TRANSACTION_TYPES,
} from '../values.js';

/** One line of a SUPPLY_CHARGE: what was supplied. */
export interface LineItem {
  /** Code of the rate band. */
  rate_band?: string | undefined;
  /** YYYY-MM-DD */
  start_date?: string | undefined;
  /** YYYY-MM-DD */
  end_date?: string | undefined;
  /** How much was supplied; its unit is not documented. */
  number_of_units?: number | undefined;
  /** Before tax. */
  net_amount?: number | undefined;
  /** Its unit is not documented. */
  price_per_unit?: number | undefined;
  /** Not described in the API specification. */
  units?: readonly number[] | undefined;
}

/** A tax on a SUPPLY_CHARGE. */
export interface TaxItem {
  /** Amount of the tax. */
  amount?: number | undefined;
  /** Documented value: VAT. */
  tax_type?: OpenEnum<'VAT'> | undefined;
  /** The amount that is taxed. */
  value_taxed?: number | undefined;
  /** The rate, in the unit that `unit_type` names. */
  rate?: number | undefined;
  /** Documented value: PROPORTION. */
  unit_type?: OpenEnum<'PROPORTION'> | undefined;
}

/** Types of transaction. The list is closed: other values are errors. */
export type TransactionType = 'CHARGE' | 'CREDIT' | 'PAYMENT' | 'REPAYMENT' | 'SUPPLY_CHARGE';

/** A financial transaction of an imported account (spec: Transaction). */
export interface Transaction {
  /** The kind; it decides which other fields apply. */
  type: TransactionType;
  /** The caller's identifier of the transaction. The service compares it to recognise a transaction that was added before. */
  transaction_id?: string | undefined;
  /** YYYY-MM-DD; in the open statement period, unless `force_add_to_current_statement` moves it there. */
  transaction_date?: string | undefined;
  /** A number in requests; answers have a decimal in a string. */
  amount?: number | undefined;
  /** The reason. The API specification gives these values as "seen". */
  reason?:
    | OpenEnum<
        'IMPORTED_CHARGE' | 'IMPORTED_CREDIT' | 'ACCOUNT_CHARGE_PAYMENT' | 'FULL_CREDIT_REFUND' | 'GENERAL_CREDIT'
      >
    | undefined;
  /** Shown to the customer; for charges, credits and supply charges. */
  display_note?: string | undefined;
  /** Internal note, not shown to the customer. */
  note?: string | undefined;
  /** Payments and repayments. */
  reference?: string | undefined;
  /** How it was paid. The API specification gives these values as "seen". */
  payment_type?: OpenEnum<'DD_REGULAR_COLLECTION' | 'DIRECT_CREDIT' | 'DEBIT_CARD'> | undefined;
  /** SUPPLY_CHARGE. */
  product_code?: string | undefined;
  /** SUPPLY_CHARGE. */
  line_items?: readonly LineItem[] | undefined;
  /** SUPPLY_CHARGE. */
  tax_items?: readonly TaxItem[] | undefined;
}

/** Returns whether the transaction has an id, by which the service recognises it. An empty one is none. */
export function hasId(transaction: { transaction_id?: unknown } | null | undefined): boolean {
  const id = transaction?.transaction_id;
  return typeof id === 'string' && id.trim() !== '';
}

/** Body of `transactions.create`. */
export interface TransactionsPayload {
  /** Import supplier code. */
  import_supplier: string;
  /** The caller's identifier of the account. It must be imported. */
  external_account_number: string;
  /** The transactions; no limit to their number is documented. */
  transactions: readonly Transaction[];
}

/** Query parameters of `transactions.create`. */
export interface TransactionsQuery {
  /** Whether the service skips transactions that were added before. Default of the service: true. */
  check_previously_added?: boolean | undefined;
  /**
   * Whether the service moves a date outside the open statement period into it, describes the move on the transaction and pins a
   * note. Otherwise it rejects such a transaction. Default of the service: true.
   */
  force_add_to_current_statement?: boolean | undefined;
}

/** A transaction as an answer echoes it: amounts are decimals in strings. */
export interface TransactionEcho {
  /** As it was sent. */
  transaction_id?: string | null | undefined;
  /** YYYY-MM-DD; the new date if the service moved it into the open statement period. */
  transaction_date?: string | null | undefined;
  /** A decimal in a string, such as "12.50". */
  amount?: string | number | null | undefined;
  /** As it was sent. */
  type?: string | null | undefined;
  /** As it was sent. */
  reason?: string | null | undefined;
  /** As it was sent. */
  display_note?: string | null | undefined;
  /** As it was sent. */
  note?: string | null | undefined;
  /** As it was sent. */
  reference?: string | null | undefined;
  /** As it was sent. */
  payment_type?: string | null | undefined;
  /** As it was sent. */
  product_code?: string | null | undefined;
  /** As they were sent. */
  line_items?: readonly LineItem[] | null | undefined;
  /** As they were sent. */
  tax_items?: readonly TaxItem[] | null | undefined;
  /** If present, TRANSACTION_IMPORT_SUCCESS. */
  status?: OpenEnum<'TRANSACTION_IMPORT_SUCCESS'> | null | undefined;
}

/** Result for one transaction of the request. */
export interface TransactionResult {
  /** TRANSACTION_ADDED_TO_ACCOUNT, or TRANSACTION_ALREADY_EXISTS if it was added before and is skipped. */
  status: OpenEnum<'TRANSACTION_ADDED_TO_ACCOUNT' | 'TRANSACTION_ALREADY_EXISTS'>;
  /** The transaction as it was added. */
  transaction_data?: TransactionEcho | null | undefined;
}

/** Answer to `transactions.create`. */
export interface TransactionsAnswer {
  /** One result per transaction, in the order of the request. */
  results: TransactionResult[];
}

/** Schema of `Transaction`. Strict: rejects undocumented fields. */
export const transactionSchema = strict<Transaction>({
  type: z.enum(TRANSACTION_TYPES),
  transaction_id: optionalText,
  transaction_date: optionalDate,
  amount: optionalNumber,
  reason: openEnum(TRANSACTION_REASONS).optional(),
  display_note: optionalText,
  note: optionalText,
  reference: optionalText,
  payment_type: openEnum(PAYMENT_TYPES).optional(),
  product_code: optionalText,
  line_items: optionalList(
    strict<LineItem>({
      rate_band: optionalText,
      start_date: optionalDate,
      end_date: optionalDate,
      number_of_units: optionalNumber,
      net_amount: optionalNumber,
      price_per_unit: optionalNumber,
      units: optionalList(z.number()),
    }),
  ),
  tax_items: optionalList(
    strict<TaxItem>({
      amount: optionalNumber,
      tax_type: openEnum(TAX_TYPES).optional(),
      value_taxed: optionalNumber,
      rate: optionalNumber,
      unit_type: openEnum(TAX_UNIT_TYPES).optional(),
    }),
  ),
});

/** Schema of `TransactionsPayload`. Strict: rejects undocumented fields. */
export const transactionsPayloadSchema = strict<TransactionsPayload>({
  import_supplier: text,
  external_account_number: text,
  transactions: z.array(transactionSchema),
});

const nullableText = text.nullable();

/** Schema of `TransactionEcho`. Loose: keeps undocumented fields. */
export const transactionEchoSchema = loose<TransactionEcho>({
  transaction_id: nullishText,
  transaction_date: nullishText,
  amount: z.union([text, z.number()], { error: 'Expected a number, or a text.' }).nullish(),
  type: nullishText,
  reason: echoOf(nullableText),
  display_note: echoOf(nullableText),
  note: echoOf(nullableText),
  reference: echoOf(nullableText),
  payment_type: echoOf(nullableText),
  product_code: echoOf(nullableText),
  line_items: echoOf(transactionSchema.shape.line_items.unwrap().nullable()),
  tax_items: echoOf(transactionSchema.shape.tax_items.unwrap().nullable()),
  status: openEnum(['TRANSACTION_IMPORT_SUCCESS']).nullish(),
});

/** Schema of `TransactionsAnswer`. Loose: keeps undocumented fields. */
export const transactionsAnswerSchema = loose<TransactionsAnswer>({
  results: z.array(
    loose<TransactionResult>({
      status: openEnum(TRANSACTION_STATUSES),
      transaction_data: transactionEchoSchema.nullish(),
    }),
  ),
});
